package main

import (
	"fmt"
	"html/template"
	"math"
	"strings"

	"qlimit/validate"
	"qlimit/validate/estimate"
)

// picture is an inline SVG with the text that stands for it.
type picture struct {
	Title   string
	Caption string
	SVG     template.HTML
}

// strip is a row of marks about 0 with a band of what is tolerated.
type strip struct {
	title, description string // for readers who do not see it
	unit               string // of the vertical axis
	band, reach        float64
	marks              []stripMark
}

type stripMark struct {
	value float64
	class string // dot, ring or square
	label string // shown on hovering
}

// Geometry of a strip, in the units of its view box.
const (
	stripWidth, stripHeight = 640.0, 240.0
	stripLeft, stripRight   = 40.0, 632.0
	stripTop, stripBottom   = 14.0, 216.0
)

// svg draws the strip. Marks beyond its reach sit at the edge; the label has
// the number.
func (s *strip) svg() template.HTML {
	var b strings.Builder
	escape := template.HTMLEscapeString
	y := func(v float64) float64 {
		v = math.Max(-s.reach, math.Min(s.reach, v))
		return (stripTop+stripBottom)/2 - v/s.reach*(stripBottom-stripTop)/2
	}
	fmt.Fprintf(&b, `<svg viewBox="0 0 %g %g" role="img" aria-label="%s"><title>%s</title><desc>%s</desc>`,
		stripWidth, stripHeight, escape(s.title+": "+s.description), escape(s.title), escape(s.description))
	fmt.Fprintf(&b, `<rect class="band" x="%g" y="%.1f" width="%g" height="%.1f"/>`, stripLeft, y(s.band), stripRight-stripLeft, y(-s.band)-y(s.band))
	for _, v := range []float64{-s.reach, -s.band, 0, s.band, s.reach} {
		fmt.Fprintf(&b, `<line class="axis" x1="%g" y1="%.1f" x2="%g" y2="%.1f"/><text x="%g" y="%.1f" text-anchor="end">%g</text>`,
			stripLeft, y(v), stripRight, y(v), stripLeft-6, y(v)+4, v)
	}
	fmt.Fprintf(&b, `<text x="%g" y="%g">%s</text>`, stripLeft, stripHeight-6, escape(s.unit))
	for i, m := range s.marks {
		x := stripLeft + (float64(i)+0.5)/float64(len(s.marks))*(stripRight-stripLeft)
		if m.class == "square" {
			fmt.Fprintf(&b, `<rect class="square" x="%.1f" y="%.1f" width="8" height="8"><title>%s</title></rect>`, x-4, y(m.value)-4, escape(m.label))
		} else {
			fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="4"><title>%s</title></circle>`, m.class, x, y(m.value), escape(m.label))
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) // every text in it is escaped above
}

// markClasses give each verdict a shape of its own.
var markClasses = map[estimate.Verdict]string{estimate.Agree: "dot", estimate.Inconclusive: "ring", estimate.Disagree: "square"}

// differencePicture shows the difference of each row in units of its tolerance.
func differencePicture(rows []validate.Row) picture {
	s := strip{title: "Differences over tolerances", unit: "rows in the order of the table; (theory - simulated) / tolerance", band: 1, reach: 2}
	counts := map[estimate.Verdict]int{}
	for _, row := range rows {
		ratio := 0.0
		if row.Tolerance > 0 {
			ratio = row.Difference / row.Tolerance
		}
		counts[row.Verdict]++
		s.marks = append(s.marks, stripMark{ratio, markClasses[row.Verdict],
			fmt.Sprintf("%s of %v: %.3g of its tolerance, %s", row.Quantity, row.System, ratio, row.Verdict)})
	}
	s.description = fmt.Sprintf("%d rows: %d agree, %d disagree, %d are inconclusive", len(rows), counts[estimate.Agree], counts[estimate.Disagree], counts[estimate.Inconclusive])
	return picture{Title: s.title, SVG: s.svg(),
		Caption: s.description + ". Dots agree, squares disagree, rings are inconclusive; what lies beyond twice the tolerance is drawn at the edge."}
}

// identityPicture shows the mean of each identity in standard errors.
func identityPicture(t *validate.OutputTest) picture {
	s := strip{title: "Identities", unit: "identities in the order of the table; mean / standard error", band: 2, reach: 6}
	failing := 0
	for _, i := range t.Identities {
		size, class := 0.0, "dot"
		if i.StandardError > 0 {
			size = i.Mean / i.StandardError
		}
		if i.Adjusted < t.Level {
			class = "square"
			failing++
		}
		s.marks = append(s.marks, stripMark{size, class, fmt.Sprintf("%s: %.3g standard errors from 0", i.Name, size)})
	}
	s.description = fmt.Sprintf("%d identities, %d of them fail", len(t.Identities), failing)
	return picture{Title: s.title, SVG: s.svg(), Caption: s.description + ". Dots hold, squares fail; what lies beyond six standard errors is drawn at the edge."}
}
