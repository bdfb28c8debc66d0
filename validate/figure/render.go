package figure

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"qlimit/internal/wholefile"
)

// Format is a kind of file a figure can be written as.
type Format int

const (
	PDF Format = iota // vector page, for print
	SVG               // vector image, for the web
	PNG               // 300 dots per inch
	TeX               // pgfplots source to be read by a LaTeX document
)

var formatNames = map[Format]string{PDF: "pdf", SVG: "svg", PNG: "png", TeX: "tex"}

// String is the file name extension of the format, without a dot.
func (f Format) String() string {
	if name, known := formatNames[f]; known {
		return name
	}
	return fmt.Sprintf("Format(%d)", int(f))
}

// ParseFormat recognises a format by file name extension, with or without
// the dot, in either case.
func ParseFormat(extension string) (Format, error) {
	wanted := strings.ToLower(strings.TrimPrefix(extension, "."))
	for format, name := range formatNames {
		if name == wanted {
			return format, nil
		}
	}
	return 0, fmt.Errorf("figure format %q is not one of pdf, svg, png, tex", extension)
}

// Render draws the figure. It replaces f.Warnings and writes nothing unless
// the whole figure could be drawn. The same figure gives the same bytes.
func (f *Figure) Render(w io.Writer, format Format) error {
	content, err := f.rendered(format)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

// rendered turns a panic of a drawing library into an error: one broken
// figure must not take a long study down with it.
func (f *Figure) rendered(format Format) (content []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			content, err = nil, fmt.Errorf("figure %q: drawing failed: %v", f.Name, cause)
		}
	}()
	f.Warnings = nil
	if err := f.Validate(); err != nil {
		return nil, err
	}
	curves, x, y, err := f.curves()
	if err != nil {
		return nil, err
	}
	w := newWriter()
	l := f.arrange(w, curves, x, y)
	switch format {
	case PDF:
		sheet := newPDF(l.width, l.height, f)
		(&artist{l, sheet, w}).draw(curves)
		return sheet.bytes()
	case SVG:
		sheet := newSVG(l.width, l.height, f)
		(&artist{l, sheet, w}).draw(curves)
		return sheet.bytes(), nil
	case PNG:
		sheet := newPNG(l.width, l.height)
		(&artist{l, sheet, w}).draw(curves)
		return sheet.bytes()
	case TeX:
		return f.tex(l, curves), nil
	}
	return nil, fmt.Errorf("figure %q: unknown format %v", f.Name, format)
}

// WriteFile draws the figure into a file, in the format of its extension.
// The file appears complete or not at all: an existing one is replaced only
// after the new one has been written.
func (f *Figure) WriteFile(path string) error {
	format, err := ParseFormat(filepath.Ext(path))
	if err != nil {
		return err
	}
	return replaceFile(path, func(w io.Writer) error { return f.Render(w, format) })
}

// WriteDataFile writes the plotted series as CSV, as [Figure.WriteData] does,
// into a file that appears complete or not at all.
func (f *Figure) WriteDataFile(path string) error {
	return replaceFile(path, f.WriteData)
}

// replaceFile writes a file that appears complete or not at all.
func replaceFile(path string, write func(io.Writer) error) error {
	var content bytes.Buffer
	if err := write(&content); err != nil {
		return err
	}
	return wholefile.Write(path, content.Bytes())
}
