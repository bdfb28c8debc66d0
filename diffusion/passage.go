package diffusion

import (
	"math"

	"qlimit/ctmc"
)

// MeanFirstPassage is the mean time to reach to from from, both > 0 (from may
// be 0). With m the stationary density,
//
//	up:   ∫_from^to  (2/(σ² m)) P(U < z) dz
//	down: ∫_to^from  (2/(σ² m)) P(U > z) dz
//
// (Karlin and Taylor 1981, section 15.3; 0 lets nothing through). Errors: a
// place out of range, or a mean time beyond 1e300.
func (l *Law) MeanFirstPassage(from, to float64) (float64, error) {
	for _, place := range []struct {
		name string
		at   float64
		low  bool
	}{{"from", from, from == 0}, {"to", to, false}} {
		if !(place.at > 0 || place.low) || place.at > l.end {
			return 0, &ctmc.FieldError{Field: place.name, Value: place.at, Allowed: "> 0 (a start may be 0) and within the reach of the law"}
		}
	}
	part := l.CDF
	if from > to {
		from, to, part = to, from, l.Survival
	}
	time := l.overPanels(from, to, func(u float64) float64 {
		return 2 / l.process.variance(u) * math.Exp(math.Log(part(u))-l.LogDensity(u))
	})
	if !(time <= 1e300) {
		return 0, &ctmc.TooLargeError{What: "mean passage time", Value: time, Limit: 1e300}
	}
	return time, nil
}

// overPanels integrates a function that is smooth within panels.
func (l *Law) overPanels(lo, hi float64, f func(float64) float64) float64 {
	sum := 0.0
	for i := range l.panels {
		p := &l.panels[i]
		if a, b := math.Max(lo, p.a), math.Min(hi, p.b); a < b {
			sum += gauss.integrate(f, a, b)
		}
	}
	return sum
}
