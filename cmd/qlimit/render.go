package main

import (
	"bytes"
	"slices"
	"strings"
)

// Formats of a result.
const (
	formatTable    = "table"
	formatCSV      = "csv"
	formatJSON     = "json"
	formatMarkdown = "markdown"
)

var formats = []string{formatTable, formatCSV, formatJSON, formatMarkdown}

// show renders a report and writes it to its destination.
func (env *environment) show(r *report) error {
	text, err := render(r, env.format)
	if err != nil {
		return environmentFailed("cannot render the result as %s: %w", env.format, err)
	}
	content, err := render(r.withoutClock(), env.format)
	if err != nil {
		return environmentFailed("cannot render the result as %s: %w", env.format, err)
	}
	return env.deliver(text, content)
}

// withoutClock is the report without what the clock measured: the rest is the
// same in every run with the same seed.
func (r *report) withoutClock() *report {
	steady := *r
	steady.work = slices.DeleteFunc(slices.Clone(r.work), func(f fact) bool {
		return f.name == "seconds" || strings.HasSuffix(f.name, "_seconds") || strings.HasSuffix(f.name, "_per_second")
	})
	return &steady
}

func render(r *report, format string) ([]byte, error) {
	var buffer bytes.Buffer
	var err error
	switch format {
	case formatJSON:
		err = renderJSON(&buffer, r)
	case formatCSV:
		err = renderCSV(&buffer, r)
	case formatMarkdown:
		err = renderMarkdown(&buffer, r)
	default:
		err = renderText(&buffer, r)
	}
	return buffer.Bytes(), err
}
