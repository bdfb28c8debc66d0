package ode

import (
	"math"
	"testing"
)

// radauMatrix is A of the Radau IIA method by collocation: a_ij is the integral
// of the j-th Lagrange polynomial from 0 to c_i.
func radauMatrix() (a [][]float64, b []float64) {
	c := []float64{radauNode1, radauNode2, 1}
	a = make([][]float64, 3)
	for i := range a {
		a[i] = make([]float64, 3)
		for j := range a[i] {
			p, q := c[(j+1)%3], c[(j+2)%3]
			x := c[i]
			integral := x*x*x/3 - (p+q)*x*x/2 + p*q*x
			a[i][j] = integral / ((c[j] - p) * (c[j] - q))
		}
	}
	return a, a[2]
}

func TestRadauOrderConditions(t *testing.T) {
	a, b := radauMatrix()
	for order := 1; order <= 5; order++ {
		if r := worstCondition(order, a, b, 1); r > 1e-15 {
			t.Errorf("order %d: residual %.2g", order, r)
		}
	}
	if r := worstCondition(6, a, b, 1); r < 1e-5 {
		t.Errorf("order 6: residual %.2g, cannot hold", r)
	}
}

// A·T·Λ = T, Λ having the blocks g and [[α, −β], [β, α]], and T⁻¹·T = I.
func TestRadauModes(t *testing.T) {
	a, _ := radauMatrix()
	from := [3][3]float64{{t11, t12, t13}, {t21, t22, t23}, {t31, 1, 0}}
	to := [3][3]float64{
		{inverseT11, inverseT12, inverseT13},
		{inverseT21, inverseT22, inverseT23},
		{inverseT31, inverseT32, inverseT33},
	}
	modes := [3][3]float64{{radauReal, 0, 0}, {0, radauAlpha, -radauBeta}, {0, radauBeta, radauAlpha}}
	for i := range 3 {
		for j := range 3 {
			product, identity := 0.0, 0.0
			for k := range 3 {
				identity += to[i][k] * from[k][j]
				for l := range 3 {
					product += a[i][k] * from[k][l] * modes[l][j]
				}
			}
			if math.Abs(product-from[i][j]) > 1e-14 {
				t.Errorf("(A·T·Λ)[%d][%d] = %v, want %v", i, j, product, from[i][j])
			}
			want := 0.0
			if i == j {
				want = 1
			}
			if math.Abs(identity-want) > 1e-14 {
				t.Errorf("(T⁻¹·T)[%d][%d] = %v, want %v", i, j, identity, want)
			}
		}
	}
}

// The method is stiffly accurate, so that R(∞) = 0 (L-stability), and A-stable
// on the imaginary axis: |R(iy)| <= 1 with R = (1 + 2z/5 + z²/20) / (1 − 3z/5 +
// 3z²/20 − z³/60), whose denominator is det(I − zA). Its zeros are the inverse
// eigenvalues of A, here compared with those used.
func TestRadauStabilityFunction(t *testing.T) {
	denominator := func(z complex128) complex128 { return 1 - 3*z/5 + 3*z*z/20 - z*z*z/60 }
	for _, z := range []complex128{complex(radauReal, 0), radauComplex} {
		if d := denominator(z); math.Hypot(real(d), imag(d)) > 1e-14 {
			t.Errorf("det(I − zA) = %v at z = %v, want 0", d, z)
		}
	}
	a, b := radauMatrix()
	for i := range 3 {
		if a[2][i] != b[i] {
			t.Errorf("not stiffly accurate in column %d", i)
		}
	}
}

// The slope weights differentiate the cubic through (0, 0) and the nodes at 0
// exactly: θ has slope 1, θ² and θ³ slope 0.
func TestRadauSlopeAtStart(t *testing.T) {
	for power, want := range map[float64]float64{1: 1, 2: 0, 3: 0} {
		got := slopeWeight1*math.Pow(radauNode1, power) + slopeWeight2*math.Pow(radauNode2, power) + slopeWeight3
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("slope of θ^%v at 0 = %v, want %v", power, got, want)
		}
	}
}
