package meanfield

import (
	"math"
	"math/big"
	"testing"

	"qlimit/ctmc"
)

// TestKernelValues holds the evaluations of s^d against 320-bit powers, near
// s = 1, near 0, and for neighbouring arguments.
func TestKernelValues(t *testing.T) {
	for _, d := range []int{1, 2, 3, 5, 16, 17, 50, 400} {
		k := newLimitKernel(ctmc.Sampling{Choices: int64(d)})
		for _, s := range []float64{1 - 0x1p-40, .999, .9, .6, .5, .3, .01} {
			deficit := 1 - s
			h := power(number(s), d)
			check(t, "h", d, s, k.tail(s, deficit), h)
			check(t, "1-h", d, s, k.shortfall(deficit), sum(number(1), minus(h)))
			check(t, "s-h", d, s, k.gap(s, deficit), sum(number(s), minus(h)))
			for _, share := range []float64{0x1p-45, 1e-9, 1e-6, 1e-4, .1, .5, .999} {
				x := s - s*share
				difference := sum(number(s), minus(number(x)))
				step, _ := difference.Float64()
				want := quotient(sum(h, minus(power(number(x), d))), difference)
				got, derivative := k.slope(s, k.tail(s, deficit), step)
				check(t, "K", d, s, got, want)
				check(t, "K of ctmc", d, s, ctmc.LimitSlope(ctmc.Sampling{Choices: int64(d)}, s, x), want)
				// ∂K/∂x = (K - h'(x))/(s - x).
				exact, _ := quotient(sum(want, minus(product(number(float64(d)), power(number(x), d-1)))), difference).Float64()
				if math.Abs(derivative-exact) > 1e-5*math.Abs(exact) {
					t.Errorf("d=%d s=%g x=%g: ∂K/∂x = %g, want %g", d, s, x, derivative, exact)
				}
			}
		}
	}
}

func check(t *testing.T, name string, d int, s, got float64, exact *big.Float) {
	t.Helper()
	want, _ := exact.Float64()
	// The power amplifies the rounding of its argument.
	if tolerance := 1e-15 * (4 + float64(d)*math.Min(-math.Log(s), 1)); math.Abs(got-want) > tolerance*math.Abs(want)+1e-300 {
		t.Errorf("d=%d s=%g: %s = %.17g, want %.17g", d, s, name, got, want)
	}
}
