package estimate

import (
	"math"
	"testing"
)

func TestCompareVerdicts(t *testing.T) {
	constant := func(value float64) Estimate { return Estimate{Status: Constant, Value: value, Level: 0.95} }
	for _, c := range []struct {
		name              string
		theory, allowance float64
		e                 Estimate
		want              Verdict
	}{
		{"equal", 10, 0, usable(10, 0.1), Agree},
		{"one half-width off", 10.1, 0, usable(10, 0.1), Agree},
		{"two half-widths off", 10.2, 0, usable(10, 0.1), Disagree},
		{"two off, allowance", 10.2, 0.1, usable(10, 0.1), Agree},
		{"wide", 10, 0, usable(10, 2.1), Inconclusive},
		{"wide, but far off", 100, 0, usable(10, 2.1), Disagree},
		{"wide for the value, narrow for the allowance", 0.001, 0.1, usable(0, 0.05), Agree},
		{"no estimate", 1, 0, Estimate{Level: 0.95}, Inconclusive},
		{"constant, equal", 0.1, 0, constant(0.1), Agree},
		{"never seen, rare in theory", 1e-9, 0, constant(0), Inconclusive},
		{"never seen, allowance", 1e-9, 1e-6, constant(0), Agree},
	} {
		if got := Compare(c.theory, c.allowance, c.e, 3); got.Verdict != c.want {
			t.Errorf("%s: %+v, want %s", c.name, got, c.want)
		}
	}
}

// Three sigmas leave 0.27%: Student's t for 31 degrees is then above 3 and for
// one degree cot(π·0.00135).
func TestCompareTolerance(t *testing.T) {
	e := Estimate{Status: Usable, Value: 1, HalfWidth: 0.1, StandardError: 0.5, Level: 0.95, DegreesOfFreedom: 1}
	tail := 0.5 * math.Erfc(3/math.Sqrt2)
	want := 0.5/math.Tan(math.Pi*tail) + 0.25
	c := Compare(3, 0.25, e, 3)
	if math.Abs(c.Tolerance/want-1) > 1e-9 || c.Difference != 2 {
		t.Errorf("%+v, want tolerance %v and difference 2", c, want)
	}
	e.DegreesOfFreedom = 1e7
	if c := Compare(3, 0, e, 3); math.Abs(c.Tolerance-1.5) > 1e-5 {
		t.Errorf("tolerance %v with many degrees of freedom, want 3 standard errors", c.Tolerance)
	}
}

// True theories must be rejected no more often than three sigmas promise.
func TestCompareRarelyRejectsTheTruth(t *testing.T) {
	rejected := 0
	for seed := range 1000 {
		s := NewSeries(4, 1, 0)
		appendAR1(t, s, 0.5, 60, math.NaN(), seeded(seed))
		if Compare(10, 0, s.Mean(0, NoWarmUp(), 0.95), 3).Verdict == Disagree {
			rejected++
		}
	}
	// Expected 2.7; more than 12 has probability below 1e-5.
	if rejected > 12 {
		t.Errorf("the truth was rejected %d times of 1000", rejected)
	}
}

func TestComparePanicsOnMisuse(t *testing.T) {
	for _, c := range [][3]float64{{math.NaN(), 0, 3}, {math.Inf(1), 0, 3}, {1, -1, 3}, {1, math.NaN(), 3}, {1, 0, 0}, {1, 0, math.NaN()}, {1, 0, 31}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Compare%v did not panic", c)
				}
			}()
			Compare(c[0], c[1], usable(1, 0.1), c[2])
		}()
	}
}
