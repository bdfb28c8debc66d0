package main

import (
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// grid is a table ready for printing.
type grid struct {
	header []string
	rows   [][]string
}

// leftAligned keeps the padding of cells and the case of headers.
func leftAligned(padding tw.Padding) tablewriter.Config {
	cell := tw.CellConfig{
		Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
		Alignment:  tw.CellAlignment{Global: tw.AlignLeft},
		Padding:    tw.CellPadding{Global: padding},
	}
	return tablewriter.Config{Header: cell, Row: cell, Behavior: tw.Behavior{TrimSpace: tw.Off}}
}

func drawPlain(w io.Writer, g grid) error {
	lines := renderer.NewBlueprint(tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleLight),
		Settings: tw.Settings{
			Separators: tw.Separators{ShowHeader: tw.Off, ShowFooter: tw.Off, BetweenRows: tw.Off, BetweenColumns: tw.Off},
			Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off, ShowHeaderLine: tw.On, ShowFooterLine: tw.Off},
		},
	})
	var b strings.Builder
	if err := drawGrid(&b, g, lines, tw.Padding{Right: "  ", Overwrite: true}); err != nil {
		return err
	}
	return writeTrimmed(w, b.String())
}

func drawMarkdown(w io.Writer, g grid) error {
	escaped := grid{header: escapeBars(g.header)}
	for _, row := range g.rows {
		escaped.rows = append(escaped.rows, escapeBars(row))
	}
	return drawGrid(w, escaped, renderer.NewMarkdown(), tw.PaddingDefault)
}

func escapeBars(cells []string) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		out[i] = strings.ReplaceAll(cell, "|", `\|`)
	}
	return out
}

func drawGrid(w io.Writer, g grid, draw tw.Renderer, padding tw.Padding) error {
	t := tablewriter.NewTable(w, tablewriter.WithRenderer(draw), tablewriter.WithConfig(leftAligned(padding)))
	t.Header(g.header)
	if err := t.Bulk(g.rows); err != nil {
		return err
	}
	return t.Render()
}

// writeTrimmed drops the padding at line ends.
func writeTrimmed(w io.Writer, text string) error {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n"))
	return err
}
