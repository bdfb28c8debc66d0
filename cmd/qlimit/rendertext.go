package main

import (
	"fmt"
	"io"
	"strings"

	"qlimit/coxian"
)

// renderText writes a report for a terminal or a plain pipe.
func renderText(w io.Writer, r *report) error {
	page := &page{w: w, draw: drawPlain}
	return page.write(r)
}

// renderMarkdown writes the same page with Markdown tables.
func renderMarkdown(w io.Writer, r *report) error {
	page := &page{w: w, draw: drawMarkdown, markdown: true}
	return page.write(r)
}

// page lays a report out: what was asked, the quantities, the vectors, how it
// was done, and the warnings as footnotes.
type page struct {
	w        io.Writer
	draw     func(io.Writer, grid) error
	markdown bool
	err      error
}

func (p *page) write(r *report) error {
	p.heading(r)
	if len(r.quantities) > 0 {
		p.grid(quantityGrid(r))
	}
	for _, t := range r.tables {
		g, left := vectorGrid(t)
		if len(g.rows) == 0 {
			continue
		}
		p.grid(g)
		if left > 0 {
			p.paragraph(fmt.Sprintf("%d more rows: --format csv or json shows all.", left))
		}
	}
	for _, list := range r.lists() {
		list.write(p)
	}
	if len(r.work) > 0 || r.status != "" {
		p.grid(workGrid(r))
	}
	p.footnotes(r.warnings)
	return p.err
}

func (p *page) heading(r *report) {
	title := "qlimit " + r.command
	if p.markdown {
		title = "### " + title
	}
	p.print(title + "\n")
	switch {
	case r.system != nil:
		p.line("system: " + describe(*r.system))
		p.line("service: " + describeLaw(r.system.Service))
		p.line("units: time in the unit of the service law, means per server")
	case r.service != nil:
		p.line("service: " + describeLaw(*r.service))
	}
}

func describeLaw(d coxian.Dist) string {
	return fmt.Sprintf("mu1 = %s, p = %s, mu2 = %s; mean %s, scv %s, skewness %s",
		significant(d.Mu1), significant(d.P), significant(d.Mu2),
		significant(d.Mean()), significant(d.SCV()), significant(d.Skewness()))
}

func (p *page) print(text string) {
	if p.err == nil {
		_, p.err = io.WriteString(p.w, text)
	}
}

func (p *page) line(text string) {
	if p.markdown {
		text = "\n" + text
	}
	p.print(text + "\n")
}

func (p *page) paragraph(text string) { p.print("\n" + text + "\n") }

func (p *page) grid(g grid) {
	p.print("\n")
	if p.err == nil {
		p.err = p.draw(p.w, g)
	}
}

func (p *page) footnotes(warnings []string) {
	for i, text := range warnings {
		if i == 0 {
			p.print("\n")
		}
		if p.markdown {
			p.print("- " + text + "\n")
		} else {
			p.print(wrapped("note: "+text, 100))
		}
	}
}

// notes are texts too long for a table, each behind its name.
func (p *page) notes(notes []fact) {
	for i, n := range notes {
		if i == 0 {
			p.print("\n")
		}
		if p.markdown {
			p.print(fmt.Sprintf("- **%s**: %v\n", n.name, n.value))
		} else {
			p.print(wrapped(fmt.Sprintf("%s: %v", n.name, n.value), 100))
		}
	}
}

// wrapped breaks a text between words so that lines stay below a width.
func wrapped(text string, width int) string {
	var b strings.Builder
	column := 0
	for _, word := range strings.Fields(text) {
		if column > 0 && column+1+len([]rune(word)) > width {
			b.WriteString("\n      ")
			column = 6
		} else if column > 0 {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len([]rune(word))
	}
	b.WriteByte('\n')
	return b.String()
}
