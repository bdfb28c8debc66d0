package estimate

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// usable is an estimate of a long run with the given half-width at 95%.
func usable(value, halfWidth float64) Estimate {
	return Estimate{
		Status: Usable, Level: 0.95, Value: value, HalfWidth: halfWidth,
		StandardError:    halfWidth / studentQuantile(0.95, 31),
		DegreesOfFreedom: 31, Batches: 32, CorrelationTimes: 100, EffectiveSample: 1600,
	}
}

func TestTargetSatisfied(t *testing.T) {
	short := usable(10, 0.01)
	short.CorrelationTimes = 5
	constant := Estimate{Status: Constant, Value: 0, Level: 0.95}
	for _, c := range []struct {
		name   string
		target Target
		e      Estimate
		want   bool
	}{
		{"none asked", Target{}, Estimate{}, true},
		{"relative met", Target{RelativePrecision: 0.01}, usable(-10, 0.099), true},
		{"relative missed", Target{RelativePrecision: 0.01}, usable(10, 0.101), false},
		{"absolute met", Target{AbsolutePrecision: 0.2}, usable(10, 0.199), true},
		{"absolute missed", Target{AbsolutePrecision: 0.2}, usable(10, 0.201), false},
		{"the looser counts", Target{AbsolutePrecision: 0.2, RelativePrecision: 1e-3}, usable(10, 0.199), true},
		{"higher level, wider", Target{AbsolutePrecision: 0.2, Level: 0.99}, usable(10, 0.199), false},
		{"lower level, narrower", Target{AbsolutePrecision: 0.2, Level: 0.9}, usable(10, 0.22), true},
		{"few correlation times", Target{RelativePrecision: 0.01}, short, false},
		{"undefined", Target{AbsolutePrecision: 1}, Estimate{Level: 0.95}, false},
		{"constant, absolute", Target{AbsolutePrecision: 1}, constant, true},
		{"constant, relative", Target{RelativePrecision: 1}, constant, false},
	} {
		if got := c.target.Satisfied(c.e); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestNextCells(t *testing.T) {
	target := Target{AbsolutePrecision: 1}
	for _, c := range []struct {
		halfWidth float64
		want      int
	}{
		{0.9, 0},                    // met
		{1.01, 500},                 // at least 1.5 times
		{math.Sqrt(1.6 / 1.1), 600}, // square-root law with a tenth to spare
		{5, 1000},                   // at most twice
	} {
		if got := target.NextCells(1000, usable(3, c.halfWidth)); math.Abs(float64(got-c.want)) > 1 {
			t.Errorf("half-width %v: %d more cells, want %d", c.halfWidth, got, c.want)
		}
	}
	if got := target.NextCells(0, Estimate{}); got != 1 {
		t.Errorf("%d cells after none, want 1", got)
	}
}

// However the estimates turn out, the run grows 1.5 to 2 times per look.
func TestNextCellsGrowth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		current := rapid.IntRange(10, 1e6).Draw(t, "current")
		e := usable(rapid.Float64().Draw(t, "value"), rapid.Float64Range(0, 1e300).Draw(t, "half-width"))
		target := Target{RelativePrecision: rapid.Float64Range(1e-300, 10).Draw(t, "relative precision")}
		next := target.NextCells(current, e)
		if target.Satisfied(e) {
			if next != 0 {
				t.Fatalf("%d more cells for a satisfied target", next)
			}
			return
		}
		if growth := float64(next) / float64(current); growth < 0.5-1e-9 || next > current {
			t.Fatalf("%d more cells after %d", next, current)
		}
	})
}

func TestTargetValidate(t *testing.T) {
	if err := (Target{RelativePrecision: 0.01, AbsolutePrecision: 1, Level: 0.9}).Validate(); err != nil {
		t.Error(err)
	}
	for _, bad := range []Target{
		{RelativePrecision: -1}, {RelativePrecision: math.NaN()}, {RelativePrecision: math.Inf(1)},
		{AbsolutePrecision: -1}, {AbsolutePrecision: math.NaN()}, {AbsolutePrecision: math.Inf(1)},
		{Level: -0.1}, {Level: 1}, {Level: math.NaN()},
	} {
		if bad.Validate() == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
}
