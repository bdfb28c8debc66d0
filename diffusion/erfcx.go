package diffusion

import "math"

// Erfcx is the scaled complementary error function e^{x²} erfc(x). The
// relative error is a few 1e-16 for x >= -1 (and that of e^{x²} below); it is
// +Inf from x = -26.7 down.
func Erfcx(x float64) float64 {
	if x < erfcxSwitch {
		return expSquare(x) * math.Erfc(x)
	}
	// Asymptotic series, (1/(x√π)) Σ (-1)^k (2k-1)!!/(2x²)^k: at x = 12 the
	// terms fall below 1e-17 after nine.
	z := 1 / (2 * x * x)
	term, sum := 1.0, 1.0
	for k := 1; k <= 12; k++ {
		term *= -float64(2*k-1) * z
		sum += term
	}
	return sum / (x * math.Sqrt(math.Pi))
}

const erfcxSwitch = 12

// expSquare is e^{x²} with the rounding of x² accounted for.
func expSquare(x float64) float64 {
	square := x * x
	return math.Exp(square) * (1 + math.FMA(x, x, -square))
}

// millsRatio is P(Z > x)/φ(x) for a standard normal Z.
func millsRatio(x float64) float64 { return math.Sqrt(math.Pi/2) * Erfcx(x/math.Sqrt2) }

// logNormalDensity is log φ(x).
func logNormalDensity(x float64) float64 { return -x*x/2 - math.Log(2*math.Pi)/2 }
