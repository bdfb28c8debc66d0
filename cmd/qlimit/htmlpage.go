package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"html/template"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/internal/manifest"
	"qlimit/internal/wholefile"
)

//go:embed htmlpage.tmpl
var htmlTemplate string

// htmlPage is a report as one self-contained page: no script, no reference to
// anything outside.
type htmlPage struct {
	Title    string
	Status   string
	Summary  [][2]string // what was found, in words
	Pictures []picture
	Tables   []htmlTable
	Facts    []htmlFact
	Notes    []string
	Settings []manifest.Setting
	Manifest string
}

// htmlFact is a name with its value, or its list of values.
type htmlFact struct {
	Name   string
	Values []string
}

// htmlTable is a grid with its caption.
type htmlTable struct {
	Caption string
	Header  []string
	Rows    [][]htmlCell
}

type htmlCell struct {
	Text  string
	Class string // "" or the class of a verdict
}

// checkReport finds out before long work whether the page can be written.
func (o *validateOptions) checkReport() error {
	if o.report == "" {
		return nil
	}
	if err := wholefile.Check(o.report); err != nil {
		return environmentFailed("cannot write --report %s: %w", o.report, reason(err))
	}
	return nil
}

// present shows a report and writes it as a page too where --report asks for it.
func (o *validateOptions) present(r *report, code int, pictures ...picture) error {
	if err := o.show(r); err != nil || o.report == "" {
		return err
	}
	m := o.runManifest(o.command, code)
	m.Inputs = slices.DeleteFunc(m.Inputs, func(f manifest.File) bool { return f.Name == o.report }) // an older page
	page, err := newHTMLPage(r.withoutClock(), o.command, m, pictures)
	if err != nil {
		return environmentFailed("cannot make the page: %w", err)
	}
	text, err := page.render()
	if err != nil {
		return environmentFailed("cannot make the page: %w", err)
	}
	if err := wholefile.Write(o.report, text); err != nil {
		return environmentFailed("cannot write --report %s: %w", o.report, reason(err))
	}
	return o.record.saved(o.report, nil)
}

// newHTMLPage lays a report out. Nothing on the page depends on the clock.
func newHTMLPage(r *report, c *cobra.Command, m manifest.Manifest, pictures []picture) (*htmlPage, error) {
	m.Seconds = 0
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	p := &htmlPage{Title: "qlimit " + r.command, Status: r.status, Pictures: pictures, Notes: r.warnings, Settings: settingsOf(c), Manifest: string(text)}
	if r.system != nil {
		p.Summary = append(p.Summary, [2]string{"system", describe(*r.system)}, [2]string{"service", describeLaw(r.system.Service)})
	}
	for _, list := range r.lists() {
		titles, grids := list.grids()
		for i, g := range grids {
			caption := strings.TrimSpace(list.name + " " + titles[i])
			p.Tables = append(p.Tables, newHTMLTable(caption, g))
		}
	}
	for _, row := range workGrid(r).rows {
		if row[0] == "" { // a list goes on
			last := &p.Facts[len(p.Facts)-1]
			last.Values = append(last.Values, row[1])
			continue
		}
		p.Facts = append(p.Facts, htmlFact{row[0], row[1:]})
	}
	return p, nil
}

// verdictClasses colour verdicts; the word says the same.
var verdictClasses = map[string]string{
	"agree": "good", "holds": "good", "disagree": "bad", "fails": "bad", "inconclusive": "open",
}

func newHTMLTable(caption string, g grid) htmlTable {
	t := htmlTable{Caption: caption, Header: g.header}
	for _, row := range g.rows {
		cells := make([]htmlCell, len(row))
		for k, text := range row {
			cells[k] = htmlCell{Text: text, Class: verdictClasses[text]}
		}
		t.Rows = append(t.Rows, cells)
	}
	return t
}

var htmlParsed = template.Must(template.New("page").Parse(htmlTemplate))

func (p *htmlPage) render() ([]byte, error) {
	var b bytes.Buffer
	err := htmlParsed.Execute(&b, p)
	return b.Bytes(), err
}
