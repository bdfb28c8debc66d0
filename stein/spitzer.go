package stein

import (
	"context"
	"fmt"
	"math"

	"qlimit/internal/gauss"
	"qlimit/internal/nearzero"
)

// spitzer holds the sums of Spitzer's identity for the stationary queue
// q = max_k X_k, X_k the walk after k steps:
//
//	E q = Σ_k E[X_k⁺]/k,  Var q = Σ_k E[(X_k⁺)²]/k,
//	log P(q = 0) = -Σ_k P(X_k > 0)/k.
//
// (F. Spitzer, Trans. Amer. Math. Soc. 82, 1956.)
type spitzer struct {
	mean, variance, logEmpty float64
	meanError                float64 // bound on the error of mean
	evaluations              int
}

// spitzerSums adds each series in closed form. On a circle |z| = ρ between 1
// and the root 1 + u0 of E z^X = 1 every |E z^X_k| <= (E ρ^X)^k < 1, and
// P(X_k = n) = (1/2πi)∮ (E z^X)^k z^(-n-1) dz, so that the sums over n and k
// can be taken under the integral:
//
//	E q = (1/2πi)∮ L(z)/(z-1)² dz,  L(z) = -log(1 - E z^X),
//	Var q = (1/2πi)∮ L(z) (z+1)/(z-1)³ dz,
//	Σ_k P(X_k > 0)/k = (1/2πi)∮ L(z)/(z (z-1)) dz.
//
// At ε -> 0 the series need 1/ε² terms; the integrals need panels whose
// lengths grow geometrically from the point nearest to z = 1.
func (w *walk) spitzerSums(ctx context.Context) (spitzer, error) {
	radius := w.saddle()
	if radius == 0 {
		return spitzer{}, nil
	}
	c := &contour{walk: w, radius: radius}
	if err := c.integrate(ctx); err != nil {
		return spitzer{}, err
	}
	return spitzer{
		mean:     c.sum[0] / math.Pi,
		variance: c.sum[1] / math.Pi, logEmpty: -c.sum[2] / math.Pi,
		meanError:   (c.doubt[0] + c.rounding()*c.modulus[0]) / math.Pi,
		evaluations: c.evaluations,
	}, nil
}

// saddle returns ρ - 1 where L(ρ)/(ρ-1)² is least, on the real line: there
// the integrand is largest at angle 0 and nothing cancels. It is 0 if the
// integral is below the smallest number.
func (w *walk) saddle() float64 {
	highest := w.decay()
	logSize := func(logU float64) float64 {
		l := w.logMoment(math.Exp(logU))
		if l < -40 {
			return l - 2*logU
		}
		return math.Log(-math.Log(-math.Expm1(l))) - 2*logU
	}
	low, high := math.Log(math.Min(w.slack/w.zeta(), highest)/16), math.Log(highest)
	const golden = 0.6180339887498949
	a, b := high-golden*(high-low), low+golden*(high-low)
	fa, fb := logSize(a), logSize(b)
	for high-low > 1e-3 {
		if fa < fb {
			high, b, fb = b, a, fa
			a = high - golden*(high-low)
			fa = logSize(a)
		} else {
			low, a, fa = a, b, fb
			b = low + golden*(high-low)
			fb = logSize(b)
		}
	}
	if math.Min(fa, fb) < -700 {
		return 0
	}
	return math.Exp((low + high) / 2)
}

// kernels is the number of integrals taken together: mean, variance, empty.
const kernels = 3

// contour integrates over the upper half of the circle |z| = 1 + radius.
type contour struct {
	*walk
	radius      float64
	sum         [kernels]float64
	modulus     [kernels]float64 // integral of the modulus
	doubt       [kernels]float64 // sum of the differences between a panel and its halves
	largest     [kernels]float64 // modulus of a panel so far, to judge differences by
	evaluations int
}

// panel is the Gauss-Legendre rule on one interval of angles.
type panel struct{ sum, modulus [kernels]float64 }

func (c *contour) panel(low, high float64) (p panel) {
	half, middle := (high-low)/2, (high+low)/2
	for i, x := range gauss.Nodes {
		values := c.integrands(middle + half*x)
		for k, v := range values {
			p.sum[k] += half * gauss.Weights[i] * real(v)
			p.modulus[k] += half * gauss.Weights[i] * math.Hypot(real(v), imag(v))
		}
	}
	c.evaluations += gauss.Order
	return p
}

// integrands are the kernels times z, from dz = i z dθ.
func (c *contour) integrands(angle float64) [kernels]complex128 {
	// u = z - 1 = ρ - 1 + ρ (e^(iθ) - 1)
	u := complex(c.radius, 0) + complex(1+c.radius, 0)*nearzero.Expm1(complex(0, angle))
	l := c.logOneMinus(u)
	square := u * u
	return [kernels]complex128{l * (1 + u) / square, l * (1 + u) * (2 + u) / (square * u), l / u}
}

// integrate adds the panels up, those next to angle 0 as long as the contour is
// far from z = 1.
func (c *contour) integrate(ctx context.Context) error {
	width := math.Min(c.radius/(1+c.radius), math.Pi)
	for low := 0.0; low < math.Pi; {
		high := math.Min(low+width, math.Pi)
		if math.Pi-high < width/4 {
			high = math.Pi
		}
		if err := c.refine(ctx, low, high, c.panel(low, high), 0); err != nil {
			return err
		}
		width, low = high, high
	}
	return nil
}

// tolerance is the difference between a panel and its halves, relative to the
// whole, at which a panel is done.
const tolerance = 1e-14

func (c *contour) refine(ctx context.Context, low, high float64, whole panel, depth int) error {
	middle := low + (high-low)/2
	left, right := c.panel(low, middle), c.panel(middle, high)
	done := true
	// The logarithms of the transforms are as large as the mean step times
	// |z - 1|, and so are, in units of rounding, the errors of what is integrated.
	least := math.Max(tolerance, 1e-15*c.service*(c.radius+high))
	for k := range kernels {
		c.largest[k] = math.Max(c.largest[k], left.modulus[k]+right.modulus[k])
		if math.IsNaN(left.sum[k]) || math.IsNaN(right.sum[k]) {
			return fmt.Errorf("pooled queue: the integrand of Spitzer's identity is not finite between %g and %g", low, high)
		}
		done = done && math.Abs(left.sum[k]+right.sum[k]-whole.sum[k]) <= least*c.largest[k]
	}
	if !done && depth < 40 {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.refine(ctx, low, middle, left, depth+1); err != nil {
			return err
		}
		return c.refine(ctx, middle, high, right, depth+1)
	}
	for k := range kernels {
		c.sum[k] += left.sum[k] + right.sum[k]
		c.modulus[k] += left.modulus[k] + right.modulus[k]
		c.doubt[k] += math.Abs(left.sum[k] + right.sum[k] - whole.sum[k])
	}
	return nil
}

// rounding is the relative error of an integrand: of the order of the rounding
// of the summed log transforms.
func (c *contour) rounding() float64 { return 4e-16 * float64(4+len(c.services)) }
