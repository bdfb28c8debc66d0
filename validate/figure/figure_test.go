package figure

import (
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"

	"qlimit/ctmc"
)

func one(s Series) *Figure { return &Figure{Name: "f", Series: []Series{s}} }

func TestMalformedFiguresAreRefused(t *testing.T) {
	ok := Series{Name: "JSQ", X: []float64{1, 2}, Y: []float64{1, 2}}
	with := func(change func(*Series)) *Figure {
		s := ok
		change(&s)
		return one(s)
	}
	for _, c := range []struct {
		figure *Figure
		want   string
	}{
		{&Figure{Name: "f"}, "no series"},
		{with(func(s *Series) { s.X, s.Y = nil, nil }), `series "JSQ": no points`},
		{with(func(s *Series) { s.Y = s.Y[:1] }), `series "JSQ": length of Y is 1, of X 2`},
		{with(func(s *Series) { s.Y = []float64{1, math.NaN()} }), `series "JSQ": Y[1] = NaN`},
		{with(func(s *Series) { s.X = []float64{math.Inf(-1), 1} }), `series "JSQ": X[0] = -Inf`},
		{with(func(s *Series) { s.Y = []float64{1, 1e301} }), `Y[1] = 1e+301`},
		{with(func(s *Series) { s.Low = s.Y }), "lengths of Low and High are 2 and 0, of X 2"},
		{with(func(s *Series) { s.Low, s.High = []float64{1, 3}, []float64{1, 2} }), "Low[1] = 3 is above High[1] = 2"},
		{with(func(s *Series) { s.Style = Band }), "lengths of Low and High are 0 and 0"},
		{with(func(s *Series) { s.Style = Step; s.X = []float64{2, 1} }), "X[1] = 1 is below X[0] = 2"},
		{with(func(s *Series) { s.Style = 9 }), "style 9"},
		{with(func(s *Series) { s.Dash = -1 }), "dash -1"},
		{with(func(s *Series) { s.Group = -1 }), "group -1"},
		{with(func(s *Series) { s.Name = ""; s.Y = nil }), "series number 1"},
		{with(func(s *Series) { s.Kinds = []ctmc.Kind{ctmc.Limit} }), "length of Kinds is 1, of X 2"},
		{with(func(s *Series) { s.Kind = -1 }), "unknown kind -1"},
		{with(func(s *Series) { s.Kinds = []ctmc.Kind{ctmc.Limit, ctmc.Estimate + 1} }), "unknown kind 7"},
		{&Figure{Series: []Series{ok}, Size: 7}, "size 7"},
		{&Figure{Series: []Series{ok}, X: Axis{Scale: 3}}, "x axis: unknown scale 3"},
		{&Figure{Series: []Series{ok}, Y: Axis{Min: new(1.0), Max: new(1.0)}}, "y axis: Min 1 must be below Max 1"},
		{&Figure{Series: []Series{ok}, Y: Axis{Scale: Log, Min: new(0.0)}}, "y axis: Min 0 must be positive"},
		{&Figure{Series: []Series{ok}, X: Axis{Ticks: []Tick{{At: math.NaN()}}}}, "x axis: tick 1"},
		{&Figure{Series: []Series{ok}, Marks: []Mark{{At: math.Inf(1), Label: "m"}}}, `mark 1 ("m")`},
		{&Figure{Series: []Series{ok}, Marks: []Mark{{Direction: 2}}}, "unknown direction 2"},
		{&Figure{Series: []Series{{Name: "z", X: []float64{1}, Y: []float64{0}}}, Y: Axis{Scale: Log}}, "no point"},
	} {
		err := c.figure.Render(io.Discard, SVG)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if err := one(ok).Render(io.Discard, Format(9)); err == nil {
		t.Error("unknown format accepted")
	}
}

func TestWhatLogAxesCannotShowIsNamed(t *testing.T) {
	f := one(Series{
		Name: "JIQ", Style: Points, X: []float64{0, 1, 10, 100}, Y: []float64{1, 0, 2, 3},
		Low: []float64{1, 0, -1, 2}, High: []float64{1, 0, 3, 4},
	})
	f.X.Scale, f.Y.Scale = Log, Log
	for _, format := range []Format{PDF, SVG, PNG, TeX} {
		render(t, f, format)
		want := []string{
			`series "JIQ": 2 points left out: not positive on a log axis`,
			`series "JIQ": 1 interval cut at the bottom of the log axis: lower end not positive`,
		}
		if !slices.Equal(f.Warnings, want) {
			t.Errorf("%v: warnings %q", format, f.Warnings)
		}
	}
	f = one(Series{Name: "JIQ", X: []float64{1, 2, 3}, Y: []float64{1, 2, 3}})
	f.X.Max, f.Marks = new(2.5), []Mark{{At: 7, Label: "late"}}
	render(t, f, SVG)
	want := []string{`series "JIQ": 1 point outside the axes`, `mark "late" at 7 outside the axes`}
	if !slices.Equal(f.Warnings, want) {
		t.Errorf("warnings %q, want %q", f.Warnings, want)
	}
	f.Marks = nil
	f.Title = "no glyph for \U0010FFFD"
	if render(t, f, SVG); !strings.Contains(strings.Join(f.Warnings, "\n"), "U+10FFFD") {
		t.Errorf("warnings %q", f.Warnings)
	}
}

// A recorder keeps everything drawn.
type recorder struct {
	fills, strokes []vg.Path
	inks           []ink // of fills
	pens           []pen
}

func (r *recorder) Fill(path vg.Path, with ink) {
	r.fills, r.inks = append(r.fills, path), append(r.inks, with)
}
func (r *recorder) Stroke(path vg.Path, with pen) {
	r.strokes, r.pens = append(r.strokes, path), append(r.pens, with)
}

func record(f *Figure) (*recorder, *layout, error) {
	f.Warnings = nil
	if err := f.Validate(); err != nil {
		return nil, nil, err
	}
	curves, x, y, err := f.curves()
	if err != nil {
		return nil, nil, err
	}
	w, r := newWriter(), &recorder{}
	l := f.arrange(w, curves, x, y)
	(&artist{l, r, w}).draw(curves)
	return r, l, nil
}

// staysOnPage checks that nothing drawn, lines with their width, is cut off.
func staysOnPage(r *recorder, l *layout) (rect, bool) {
	for i, path := range append(slices.Clone(r.fills), r.strokes...) {
		box := boundsOf(path)
		if i >= len(r.fills) {
			box = box.grown(r.pens[i-len(r.fills)].Width / 2)
		}
		if !(box.x0 >= 0 && box.y0 >= 0 && box.x1 <= l.width && box.y1 <= l.height) {
			return box, false
		}
	}
	return rect{}, true
}

func TestNothingIsCutOff(t *testing.T) {
	for name, f := range samples() {
		for _, size := range []Size{SingleColumn, DoubleColumn, Screen} {
			f.Size = size
			r, l, err := record(f)
			if err != nil {
				t.Fatal(err)
			}
			if box, ok := staysOnPage(r, l); !ok {
				t.Errorf("%s, size %d: %+v off a page of %v by %v", name, size, box, l.width, l.height)
			}
			for _, path := range append(r.fills, r.strokes...) {
				for _, c := range path {
					if x, y := float64(c.Pos.X), float64(c.Pos.Y); math.IsNaN(x+y) || math.IsInf(x+y, 0) {
						t.Fatalf("%s: point %v", name, c.Pos)
					}
				}
			}
		}
	}
}

// Whatever the words and numbers, drawing works and stays on the page.
func TestAnyFigureStaysOnPage(t *testing.T) {
	text := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`([a-zA-Zλμ⁻¹²]{1,20} ){0,12}`),
		rapid.SampledFrom([]string{"", "Q\u0302", strings.Repeat("W", 150), strings.Repeat("many words ", 30)}))
	value := rapid.OneOf(
		rapid.Float64Range(-1e300, 1e300), rapid.Float64Range(0, 1),
		rapid.SampledFrom([]float64{0, 1, -1, 1e-300, 1e300, -1e300, 5e-324, 1 + 1e-15, 1e15, 123456}))
	rapid.Check(t, func(t *rapid.T) {
		axis := rapid.Custom(func(t *rapid.T) Axis {
			a := Axis{Label: text.Draw(t, "label"), Scale: Scale(rapid.IntRange(0, 1).Draw(t, "scale"))}
			if rapid.Bool().Draw(t, "limited") {
				a.Min = new(math.Abs(value.Draw(t, "min")))
			}
			if rapid.IntRange(0, 4).Draw(t, "ticked") == 0 {
				a.Ticks = []Tick{{At: 1, Label: text.Draw(t, "tick")}, {At: 2}}
			}
			return a
		})
		f := &Figure{
			Title: text.Draw(t, "title"), X: axis.Draw(t, "x"), Y: axis.Draw(t, "y"),
			Size:  Size(rapid.IntRange(0, 2).Draw(t, "size")),
			Marks: []Mark{{Direction: Direction(rapid.IntRange(0, 1).Draw(t, "direction")), At: math.Abs(value.Draw(t, "at")), Label: text.Draw(t, "mark")}},
		}
		for range rapid.IntRange(1, 8).Draw(t, "series") {
			n := rapid.IntRange(1, 5).Draw(t, "n")
			column := rapid.SliceOfN(value, n, n)
			s := Series{
				Name: text.Draw(t, "name"), Style: Style(rapid.IntRange(0, 4).Draw(t, "style")),
				X: column.Draw(t, "X"), Y: column.Draw(t, "Y"), Group: rapid.IntRange(0, 2).Draw(t, "group"),
			}
			if s.Style == Band || rapid.Bool().Draw(t, "intervals") {
				a, b := column.Draw(t, "a"), column.Draw(t, "b")
				for i := range a {
					s.Low, s.High = append(s.Low, math.Min(a[i], b[i])), append(s.High, math.Max(a[i], b[i]))
				}
			}
			slices.Sort(s.X)
			f.Series = append(f.Series, s)
		}
		r, l, err := record(f)
		if err != nil {
			if !strings.Contains(err.Error(), "positive") {
				t.Fatal(err)
			}
			return
		}
		if box, ok := staysOnPage(r, l); !ok {
			t.Fatalf("%+v off a page of %v by %v", box, l.width, l.height)
		}
		f.tex(l, nil)
	})
}

func TestLegendHidesNothing(t *testing.T) {
	inside := 0
	for name, f := range samples() {
		_, l, err := record(f)
		if err != nil {
			t.Fatal(err)
		}
		curves, _, _, _ := f.curves()
		switch {
		case l.legend == nil:
			t.Errorf("%s has no legend", name)
		case !l.legend.inside:
			if l.legend.box.y1 >= l.frame.y0-l.xTickDepth {
				t.Errorf("%s: legend %+v reaches into the axis", name, l.legend.box)
			}
		default:
			inside++
			for i := range curves {
				for j := range curves[i].y {
					if l.legend.box.contains(l.point(curves[i].x[j], curves[i].y[j])) {
						t.Errorf("%s: legend hides a point of %s", name, curves[i].Name)
					}
				}
			}
		}
	}
	if inside == 0 {
		t.Error("no legend found its place inside")
	}
	// A scatter over the whole frame leaves no room.
	s := Series{Name: "everywhere", Style: Points}
	for i := range 400 {
		s.X, s.Y = append(s.X, float64(i%20)), append(s.Y, float64(i/20))
	}
	if _, l, err := record(one(s)); err != nil || l.legend.inside {
		t.Errorf("legend inside a full plot, error %v", err)
	}
}

func TestTickLabelsKeepApart(t *testing.T) {
	w := newWriter()
	for name, f := range samples() {
		_, l, err := record(f)
		if err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(l.xMajor); i++ {
			a, b := l.xMajor[i-1], l.xMajor[i]
			left := l.horizontal(a.at) + w.width(a.label, l.tickSize)/2
			right := l.horizontal(b.at) - w.width(b.label, l.tickSize)/2
			if right-left < l.tickSize/2 {
				t.Errorf("%s: x labels %s and %s are %v apart", name, a.label, b.label, right-left)
			}
		}
		for i := 1; i < len(l.yMajor); i++ {
			if d := l.vertical(l.yMajor[i].at) - l.vertical(l.yMajor[i-1].at); d < 1.2*l.tickSize {
				t.Errorf("%s: y labels are %v apart", name, d)
			}
		}
	}
}

func TestGroupsShareColours(t *testing.T) {
	got := looks(theorySample().Series)
	for i := 0; i < len(got); i += 2 {
		if got[i].ink != got[i+1].ink {
			t.Errorf("series %d and %d of one group differ in colour", i, i+1)
		}
		for j := 0; j < i; j += 2 {
			if got[i].ink == got[j].ink || got[i].dash == got[j].dash || got[i+1].marker == got[j+1].marker {
				t.Errorf("groups %d and %d look alike", j/2, i/2)
			}
		}
	}
	single := looks(make([]Series, 8))
	for i := range single {
		for j := range i {
			if single[i].ink == single[j].ink {
				t.Errorf("series %d and %d share a colour without a group", i, j)
			}
		}
	}
}

// Thinning a long noisy path keeps its extremes and its ends.
func TestThinnedPathLooksTheSame(t *testing.T) {
	var path stretch
	for i := range 50000 {
		path = append(path, at(200*float64(i)/50000, 50+40*math.Sin(float64(i)*1.7)*math.Sin(float64(i)/3000)))
	}
	thin := path.thinned()
	if len(thin) > 4*(200/resolution+1) {
		t.Errorf("%d points left", len(thin))
	}
	if thin[0] != path[0] || thin[len(thin)-1] != path[len(path)-1] {
		t.Error("an end was lost")
	}
	if boundsOf(pathOf(thin)) != boundsOf(pathOf(path)) {
		t.Error("an extreme was lost")
	}
}

func pathOf(s stretch) vg.Path {
	var p vg.Path
	for _, point := range s {
		p.Line(point)
	}
	return p
}

func TestClipping(t *testing.T) {
	box := rect{0, 0, 10, 10}
	a, b, visible := box.clipSegment(at(-5, 0), at(15, 20))
	if !visible || a != at(0, 5) || b != at(5, 10) {
		t.Errorf("diagonal cut to %v %v, visible %v", a, b, visible)
	}
	if _, _, visible := box.clipSegment(at(-5, 8), at(5, 18)); visible {
		t.Error("a segment past the corner is shown")
	}
	if _, _, visible := box.clipSegment(at(-5, 11), at(15, 11)); visible {
		t.Error("a segment above is shown")
	}
	ring := box.clipRing(stretch{at(5, 5), at(15, 5), at(15, 15), at(5, 15)})
	if got := boundsOf(pathOf(ring)); got != (rect{5, 5, 10, 10}) {
		t.Errorf("square cut to %v", ring)
	}
}
