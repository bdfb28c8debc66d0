package main

import (
	"bytes"
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
	return env.deliver(text)
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
