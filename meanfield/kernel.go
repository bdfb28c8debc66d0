package meanfield

import (
	"math"

	"qlimit/ctmc"
)

// limitKernel evaluates the limit h(s) of a fallback kernel, h(0) = 0,
// h(1) = 1, without cancellation near s = 1, near s = 0 and between
// neighbouring levels. For sampling h(s) = s^d, with or without replacement.
type limitKernel struct {
	choices int64 // d for sampling, 0 for any other kernel
	d       float64
	other   ctmc.Kernel
	dst     []float64 // for the derivatives of the other kernel
}

// hornerChoices is the largest d for which a sum of d terms is used.
const hornerChoices = 16

func newLimitKernel(k ctmc.Kernel) limitKernel {
	if sampling, ok := k.(ctmc.Sampling); ok {
		return limitKernel{choices: sampling.Choices, d: float64(sampling.Choices)}
	}
	return limitKernel{other: k, dst: make([]float64, 3)}
}

// tail is h(s) for s = 1 - deficit.
func (k *limitKernel) tail(s, deficit float64) float64 {
	switch {
	case k.choices == 1:
		return s
	case k.choices == 2:
		return s * s
	case k.choices == 0:
		return k.derivatives(s)[0]
	case deficit <= 0.5:
		return math.Exp(k.d * math.Log1p(-deficit))
	}
	return math.Pow(s, k.d)
}

// shortfall is 1 - h(1 - deficit).
func (k *limitKernel) shortfall(deficit float64) float64 {
	switch k.choices {
	case 1:
		return deficit
	case 2:
		return deficit * (2 - deficit)
	case 0:
		slope, _ := k.slope(1, 1, deficit)
		return slope * deficit
	}
	return -math.Expm1(k.d * math.Log1p(-deficit))
}

// gap is s - h(s) for s = 1 - deficit, at least 0 for a convex h.
func (k *limitKernel) gap(s, deficit float64) float64 {
	switch {
	case k.choices == 1:
		return 0
	case k.choices == 2:
		return s * deficit
	case k.choices == 0:
		return k.shortfall(deficit) - deficit
	case deficit <= 0.5:
		return -s * math.Expm1((k.d-1)*math.Log1p(-deficit))
	}
	return -s * math.Expm1((k.d-1)*math.Log(s))
}

// slopeAtOne is h'(1).
func (k *limitKernel) slopeAtOne() float64 {
	if k.choices > 0 {
		return k.d
	}
	return k.derivatives(1)[1]
}

// slope returns K = (h(a) - h(x))/(a - x) and ∂K/∂x for x = a - step, given
// h(a). Both are sums of positive terms for sampling:
// K = Σ_j a^(d-1-j) x^j.
func (k *limitKernel) slope(a, ha, step float64) (slope, derivative float64) {
	switch {
	case k.choices == 1:
		return 1, 0
	case k.choices == 2:
		return 2*a - step, 1
	case k.choices == 0:
		return k.slopeByDerivatives(a, step)
	case k.choices <= hornerChoices:
		return hornerSlope(int(k.choices), a, a-step)
	}
	return k.slopeByLogarithm(a, ha, step)
}

// hornerSlope uses K_{n+1} = a^n + x K_n, K_1 = 1.
func hornerSlope(d int, a, x float64) (slope, derivative float64) {
	slope, power := 1.0, 1.0
	for n := 1; n < d; n++ {
		power *= a
		derivative = slope + x*derivative
		slope = power + x*slope
	}
	return slope, derivative
}

// slopeByLogarithm uses K = (h(a)/a) (1 - (1-t)^d)/t, t = 1 - x/a.
func (k *limitKernel) slopeByLogarithm(a, ha, step float64) (slope, derivative float64) {
	t, mean := step/a, ha/a
	if d := k.d; math.Abs(d*t) < 1e-5 {
		slope = mean * d * (1 - (d-1)/2*t*(1-(d-2)/3*t))
		return slope, mean / a * d * (d - 1) * (0.5 - (d-2)/3*t)
	}
	drop := -math.Expm1(k.d * math.Log1p(-t))
	slope = mean * drop / t
	atX := 0.0
	if x := a - step; x > 0 {
		atX = k.d * ha * (1 - drop) / x
	}
	return slope, (slope - atX) / step
}

// Gauss-Legendre nodes and weights on (0, 1), three points.
var (
	gaussNodes   = [3]float64{0.11270166537925831, 0.5, 0.8872983346207417}
	gaussWeights = [3]float64{5.0 / 18, 8.0 / 18, 5.0 / 18}
)

// slopeByDerivatives averages h' over the interval when it is short.
func (k *limitKernel) slopeByDerivatives(a, step float64) (slope, derivative float64) {
	x := a - step
	if math.Abs(step) > 1e-3 {
		at := k.derivatives(a)[0]
		below := k.derivatives(x)
		slope = (at - below[0]) / step
		return slope, (slope - below[1]) / step
	}
	for j, t := range gaussNodes {
		h := k.derivatives(x + t*step)
		slope += gaussWeights[j] * h[1]
		derivative += gaussWeights[j] * (1 - t) * h[2]
	}
	return slope, derivative
}

func (k *limitKernel) derivatives(s float64) []float64 {
	k.other.Expansion(s, 0, k.dst)
	return k.dst
}

// slopes returns K = (h(a) - h(x))/(a - x) and its two partial derivatives,
// for any a and x near [0, 1], in either order.
func (k *limitKernel) slopes(a, x float64) (slope, perA, perX float64) {
	switch {
	case k.choices == 1:
		return 1, 0, 0
	case k.choices == 2:
		return a + x, 1, 1
	case k.choices == 0:
		slope, perX = k.slopeByDerivatives(a, a-x)
		_, perA = k.slopeByDerivatives(x, x-a)
		return slope, perA, perX
	case k.choices <= hornerChoices:
		slope, perX = hornerSlope(int(k.choices), a, x)
		_, perA = hornerSlope(int(k.choices), x, a)
		return slope, perA, perX
	case a < x:
		slope, perX, perA = k.slopes(x, a)
		return slope, perA, perX
	case a <= 0:
		return 0, 0, 0 // below |a|^16
	}
	x = math.Max(x, 0)
	ha := math.Pow(a, k.d)
	slope, perX = k.slopeByLogarithm(a, ha, a-x)
	if t := (a - x) / a; k.d*t < 1e-5 {
		perA = ha / a / a * k.d * (k.d - 1) * (0.5 - (k.d-2)/6*t)
	} else {
		perA = (k.d*ha/a - slope) / (a - x)
	}
	return slope, perA, perX
}
