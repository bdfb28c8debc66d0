package figure

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// A texSheet writes pgfplots source with the data inline.
type texSheet struct {
	*layout
	figure *Figure
	out    bytes.Buffer
}

// tex returns a tikzpicture for \input in a document that loads pgfplots.
// Limits, ticks, frame, colours and the place of the legend are those of the
// drawn figure; fonts are the document's. Very long series may need LuaLaTeX,
// whose memory grows.
func (f *Figure) tex(l *layout, curves []curve) []byte {
	t := &texSheet{layout: l, figure: f}
	fmt.Fprintf(&t.out, "%% %s\n", strings.TrimSpace("qlimit figure "+clean(f.Name)))
	if caption := clean(f.Caption); caption != "" {
		fmt.Fprintf(&t.out, "%% %s\n", caption)
	}
	t.out.WriteString("% needs \\usepackage{pgfplots} and \\pgfplotsset{compat=1.16}\n\\begin{tikzpicture}\n")
	t.axisOptions()
	for i := range curves {
		if c := &curves[i]; c.hasIntervals() && !c.Style.hasMarkers() {
			t.band(c)
		}
	}
	for _, m := range l.marks {
		t.mark(m)
	}
	for i := range curves {
		if c := &curves[i]; c.hasY() {
			t.plot(c)
		}
	}
	t.legendImages()
	t.out.WriteString("\\end{axis}\n\\end{tikzpicture}\n")
	return t.out.Bytes()
}

// latex escapes a label and warns about what may not compile.
func (t *texSheet) latex(what, text string) string {
	source, unknown := latex(text)
	for _, r := range unknown {
		t.figure.warn("%s: %q (%U) may need a font with it in LaTeX", what, r, r)
	}
	return source
}

func (t *texSheet) axisOptions() {
	f := t.figure
	t.out.WriteString("\\begin{axis}[\n")
	t.option("scale only axis, width=%.2fbp, height=%.2fbp", t.frame.width(), t.frame.height())
	t.option("tick label style={font=\\footnotesize}, label style={font=\\small}, legend style={font=\\footnotesize, cells={align=left}}")
	t.option("grid=major, grid style={black!9}, legend cell align=left, clip mode=individual, unbounded coords=jump, scaled ticks=false")
	if f.Title != "" {
		t.option("title style={align=center, text width=%.2fbp, font=\\small}, title={%s}", t.width, t.latex("title", f.Title))
	}
	t.axis("x", &f.X, t.x, t.xMajor, t.xMinor, t.frame.width())
	t.axis("y", &f.Y, t.y, t.yMajor, t.yMinor, t.frame.height())
	if t.legend != nil {
		t.legendPlace()
	}
	t.out.WriteString("]\n")
}

func (t *texSheet) option(format string, args ...any) {
	fmt.Fprintf(&t.out, "  "+format+",\n", args...)
}

// pgfResolution is the relative difference of values that pgfplots can plot.
const pgfResolution = 1e-4

func (t *texSheet) axis(which string, a *Axis, s span, major, minor []placedTick, length float64) {
	if a.Label != "" {
		t.option("%slabel style={align=center, text width=%.2fbp}, %slabel={%s}",
			which, length, which, t.latex(which+" label", a.Label))
	}
	if a.Scale == Log {
		t.option("%smode=log", which)
	}
	t.option("%smin=%s, %smax=%s", which, number(a.value(s.lo)), which, number(a.value(s.hi)))
	if s.hi-s.lo < pgfResolution*math.Max(math.Abs(s.lo), math.Abs(s.hi)) {
		t.figure.warn("%s axis: range too narrow for the arithmetic of pgfplots", which)
	}
	var places, labels, between []string
	for _, tick := range major {
		places = append(places, number(a.value(tick.at)))
		labels = append(labels, "{"+t.latex("tick", tick.label)+"}")
	}
	for _, tick := range minor {
		between = append(between, number(a.value(tick.at)))
	}
	t.option("%stick={%s}, %sticklabels={%s}", which, strings.Join(places, ","), which, strings.Join(labels, ","))
	t.option("minor %stick={%s}", which, strings.Join(between, ","))
}

// value is the number at an axis coordinate.
func (a *Axis) value(coordinate float64) float64 {
	if a.Scale != Log {
		return coordinate
	}
	if decade := math.Round(coordinate); math.Abs(coordinate-decade) < logHair {
		return math.Pow10(int(decade))
	}
	return math.Pow(10, coordinate)
}

func (t *texSheet) legendPlace() {
	g := t.legend
	if !g.inside {
		down := (t.frame.y0 - g.box.y1) / t.frame.height()
		t.option("legend columns=%d, legend style={draw=none, at={(0.5,%.4f)}, anchor=north}", g.columns, -down)
		return
	}
	vertical := [3]string{"south", "", "north"}[g.anchor.row]
	horizontal := [3]string{"west", "", "east"}[g.anchor.column]
	anchor := strings.TrimSpace(vertical + " " + horizontal)
	places := [3]float64{0.03, 0.5, 0.97}
	t.option("legend style={draw=black!15, at={(%.2f,%.2f)}, anchor=%s}", places[g.anchor.column], places[g.anchor.row], anchor)
}

func (i ink) tex() string {
	return fmt.Sprintf("{rgb,255:red,%d;green,%d;blue,%d}", i.R, i.G, i.B)
}

// line gives the options of the stroke of a curve.
func (t *texSheet) line(c *curve) string {
	with := t.penOf(c)
	options := fmt.Sprintf("color=%s, line width=%.2fbp", with.ink.tex(), with.Width)
	if with.Cover < 1 {
		options += fmt.Sprintf(", opacity=%.2f", with.Cover)
	}
	for i, length := range with.Dash {
		if i == 0 {
			options += ", dash pattern="
		}
		options += fmt.Sprintf("%s %.2fbp ", [2]string{"on", "off"}[i%2], length)
	}
	return strings.TrimSpace(options)
}

var texMarkers = []string{
	"mark=*", "mark=square*", "mark=triangle*", "mark=diamond*",
	"mark=triangle*, every mark/.append style={rotate=180}", "mark=x", "mark=o", "mark=square",
}

func (t *texSheet) marker(c *curve) string {
	return fmt.Sprintf("%s, mark size=%.2fbp, mark options={solid}", texMarkers[c.marker], t.markerRadius)
}

// style gives the options of a curve's line and markers.
func (t *texSheet) style(c *curve) string {
	options := t.line(c)
	switch {
	case c.Style == Points:
		options += ", only marks, " + t.marker(c)
	case c.Style == LinePoints:
		options += ", " + t.marker(c)
	default:
		options += ", mark=none"
	}
	if c.Style == Step {
		options += ", const plot"
	}
	return options
}

// plot writes the points of a curve; error bars are given by their lengths.
func (t *texSheet) plot(c *curve) {
	bars := c.hasIntervals() && c.Style.hasMarkers()
	options, columns := t.style(c), "x=x, y=y"
	if bars {
		options += ", error bars/.cd, y dir=both, y explicit, error bar style={solid}"
		columns += ", y error minus=minus, y error plus=plus"
	}
	fmt.Fprintf(&t.out, "\\addplot[forget plot, %s] table[%s, row sep=\\\\] {\nx y", options, columns)
	if bars {
		t.out.WriteString(" minus plus")
	}
	t.out.WriteString(" \\\\\n")
	for i, source := range c.source {
		if c.gap[i] {
			t.out.WriteString("nan nan" + map[bool]string{true: " 0 0"}[bars] + " \\\\\n")
		}
		x, y := c.X[source], c.Y[source]
		fmt.Fprintf(&t.out, "%s %s", number(x), number(y))
		if bars {
			minus, plus := math.Max(0, y-t.drawnLow(c, i)), math.Max(0, c.High[source]-y)
			fmt.Fprintf(&t.out, " %s %s", number(minus), number(plus))
		}
		t.out.WriteString(" \\\\\n")
	}
	t.out.WriteString("};\n")
}

// drawnLow is the lower end of an interval, or the end of the axis for one
// that reaches below it.
func (t *texSheet) drawnLow(c *curve, i int) float64 {
	if math.IsInf(c.low[i], -1) {
		return t.figure.Y.value(t.y.lo)
	}
	return c.Low[c.source[i]]
}

// band writes one closed region for each run of a curve without a gap.
func (t *texSheet) band(c *curve) {
	for begin := 0; begin < len(c.x); {
		end := begin + 1
		for end < len(c.x) && !c.gap[end] {
			end++
		}
		fmt.Fprintf(&t.out, "\\addplot[forget plot, draw=none, fill=%s, fill opacity=%.2f] coordinates {\n", c.ink.tex(), bandCover)
		for i := begin; i < end; i++ {
			if i > begin && c.Style == Step {
				t.coordinate(c, i, c.High[c.source[i-1]])
			}
			t.coordinate(c, i, c.High[c.source[i]])
		}
		for i := end - 1; i >= begin; i-- {
			t.coordinate(c, i, t.drawnLow(c, i))
			if i > begin && c.Style == Step {
				t.coordinate(c, i, t.drawnLow(c, i-1))
			}
		}
		t.out.WriteString("} -- cycle;\n")
		begin = end
	}
}

func (t *texSheet) coordinate(c *curve, i int, y float64) {
	fmt.Fprintf(&t.out, "(%s,%s)\n", number(c.X[c.source[i]]), number(y))
}

func (t *texSheet) mark(m placedMark) {
	x, y := &t.figure.X, &t.figure.Y
	place := number(m.At)
	from, to := place+","+number(y.value(t.y.lo)), place+","+number(y.value(t.y.hi))
	along, rotate, above := (m.box.y0+m.box.y1)/2-t.frame.y0, 90, m.box.x0 < t.horizontal(m.at)
	along /= t.frame.height()
	if m.Direction == Horizontal {
		from, to = number(x.value(t.x.lo))+","+place, number(x.value(t.x.hi))+","+place
		along, rotate, above = ((m.box.x0+m.box.x1)/2-t.frame.x0)/t.frame.width(), 0, m.box.y0 > t.vertical(m.at)
	}
	node := ""
	if m.label != "" {
		anchor := map[bool]string{true: "south", false: "north"}[above]
		node = fmt.Sprintf(" node[pos=%.3f, rotate=%d, anchor=%s, font=\\footnotesize, inner sep=1.5bp, black] {%s}",
			along, rotate, anchor, t.latex("mark", m.label))
	}
	fmt.Fprintf(&t.out, "\\draw[black!65, densely dashed] (axis cs:%s) -- (axis cs:%s)%s;\n", from, to, node)
}

// legendImages lists the entries row by row, as pgfplots reads them, with
// blanks for places left empty.
func (t *texSheet) legendImages() {
	if t.legend == nil {
		return
	}
	rows, columns := len(t.legend.rowHeights), t.legend.columns
	cells := make([]*legendEntry, rows*columns)
	for i := range t.legend.entries {
		row, column := t.legend.place(i)
		cells[row*columns+column] = &t.legend.entries[i]
	}
	for _, e := range cells {
		if e == nil {
			t.out.WriteString("\\addlegendimage{empty legend}\n\\addlegendentry{}\n")
			continue
		}
		lines := make([]string, len(e.lines))
		for i, line := range e.lines {
			lines[i] = t.latex("legend entry", line)
		}
		fmt.Fprintf(&t.out, "\\addlegendimage{%s}\n\\addlegendentry{%s}\n", t.image(e), strings.Join(lines, `\\`))
	}
}

// image gives the options of the sample before a legend entry.
func (t *texSheet) image(e *legendEntry) string {
	if e.hasIntervals() && !e.Style.hasMarkers() {
		colour := e.ink.tex()
		return fmt.Sprintf("area legend, draw=%s, fill=%s, fill opacity=%.2f", colour, colour, shade(e.layers))
	}
	return t.style(e.curve)
}
