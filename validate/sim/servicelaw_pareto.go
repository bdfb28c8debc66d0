package sim

import (
	"fmt"
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
)

// BoundedPareto is the law on [low, high] with density proportional to
// x^{-alpha-1}. One word a sample, by inversion. Errors: a parameter out of
// range (*ctmc.FieldError).
func BoundedPareto(alpha, low, high float64) (SizeLaw, error) {
	if !(alpha > 0 && alpha <= 100) {
		return nil, &ctmc.FieldError{Field: "alpha", Value: alpha, Allowed: "> 0 and at most 100"}
	}
	if err := checkPositive("low", low); err != nil {
		return nil, err
	}
	if err := checkPositive("high", high); err != nil {
		return nil, err
	}
	if !(high > low*(1+1e-9)) || high/low > 1e15 {
		return nil, &ctmc.FieldError{Field: "high", Value: high, Allowed: fmt.Sprintf("above low = %g and at most 1e15 times that", low)}
	}
	l := paretoLaw{alpha: alpha, low: low, high: high}
	l.mass = powerIntegral(-alpha-1, high/low)
	l.cut = alpha * l.mass // 1 - (low/high)^alpha
	return l, nil
}

// paretoLaw measures lengths in units of low: density y^{-alpha-1}/mass on
// [1, high/low].
type paretoLaw struct{ alpha, low, high, mass, cut float64 }

func (l paretoLaw) Mean() float64 { return l.PartialMoment(1, l.high) }

// SCV is the variance about the mean, whose partial moments do not cancel
// unless the interval is narrow.
func (l paretoLaw) SCV() float64 {
	mean := l.Mean()
	return math.Max(0, l.PartialMoment(2, l.high)/(mean*mean)-1)
}

func (l paretoLaw) String() string {
	return fmt.Sprintf("pareto:alpha=%g,low=%g,high=%g", l.alpha, l.low, l.high)
}

// Sample inverts the distribution function: low (1 - u cut)^{-1/alpha}.
func (l paretoLaw) Sample(random *rand.PCG) float64 {
	x := l.low * math.Exp(-math.Log1p(-middleUnit(random)*l.cut)/l.alpha)
	return math.Min(x, l.high)
}

func (l paretoLaw) PartialMoment(k int, x float64) float64 {
	if x <= l.low {
		return 0
	}
	y := math.Min(x, l.high) / l.low
	return math.Pow(l.low, float64(k)) * powerIntegral(float64(k)-l.alpha-1, y) / l.mass
}

// powerIntegral is ∫ x^power dx over [1, high]: expm1((power+1) log high) /
// (power+1), a logarithm where power = -1.
func powerIntegral(power, high float64) float64 {
	width := math.Log(high)
	exponent := power + 1
	if math.Abs(exponent*width) < 1e-9 {
		return width * (1 + exponent*width/2)
	}
	return math.Expm1(exponent*width) / exponent
}
