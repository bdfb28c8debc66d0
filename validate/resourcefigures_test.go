package validate

import (
	"context"
	"strings"
	"testing"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/figure"
)

// TestResourceFigures: the figures hold every policy, can be drawn, and show
// what the theory says.
func TestResourceFigures(t *testing.T) {
	s := ResourceStudy{Load: .6, Law: unitExponentialLaw, Choices: 2}
	rows, err := s.Table()
	if err != nil {
		t.Fatal(err)
	}
	points, err := s.Simulate(context.Background(), rows, ResourceSimulation{Servers: []int{2, 8}, Jobs: 2e4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	delay, err := s.DelayFigure(rows, points)
	if err != nil {
		t.Fatal(err)
	}
	if len(delay.Series) != len(rows) {
		t.Errorf("%d lines for %d policies", len(delay.Series), len(rows))
	}
	// An interval that reaches below 0 is written as it is.
	wide := []ResourcePoint{{Servers: 10, Delay: estimate.Estimate{Value: 1, HalfWidth: 1.5, Status: estimate.Usable}}}
	one, err := s.DelayFigure(rows[:1], [][]ResourcePoint{wide})
	if err != nil || one.Series[0].Low[0] != -0.5 || one.Series[0].High[0] != 2.5 {
		t.Errorf("1 ± 1.5 is drawn as %+v, %v", one, err)
	}
	resources, err := s.MapFigure(rows, 1000)
	if err != nil {
		t.Fatal(err)
	}
	surface, err := PullSurface(.9, []int64{1, 2, ctmc.AnyMemory})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*figure.Figure{delay, resources, surface} {
		if err := f.Validate(); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
	names := ""
	for _, series := range resources.Series {
		names += series.Name + "\n"
	}
	for _, want := range []string{"random: 1.5; sita: 0.75", "jsq: 0; ll: 0", "jiq: 0", "i1f: 0", "rr: "} {
		if !strings.Contains(names, want) {
			t.Errorf("no sign %q in\n%s", want, names)
		}
	}
	// More memory waits less at the same messages; without a limit the curve ends
	// at λ messages.
	for k := range surface.Series[0].X {
		if k < len(surface.Series[1].X) && surface.Series[1].Y[k] >= surface.Series[0].Y[k] {
			t.Errorf("%g messages: delay %g with two IDs, %g with one", surface.Series[0].X[k], surface.Series[1].Y[k], surface.Series[0].Y[k])
		}
	}
	unlimited := surface.Series[2]
	if last := unlimited.X[len(unlimited.X)-1]; last > .9 || last < .899 {
		t.Errorf("the curve without a limit ends at %g messages", last)
	}
}
