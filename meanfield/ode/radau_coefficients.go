package ode

import "math"

// The three-stage Radau IIA method is collocation at the zeros c1, c2, c3 = 1
// of the second derivative of x²(x−1)³ (Hairer & Wanner 1996, §IV.5). The
// inverse of its matrix A has one real and two complex eigenvalues (§IV.8),
//
//	T⁻¹·A⁻¹·T = [[g, 0, 0], [0, α, −β], [0, β, α]],
//
// which splits the linear systems of dimension 3n of Newton's method into a
// real and a complex one of dimension n. The eigenvalues are the zeros of
// x³ − 9x² + 36x − 60.
var (
	radauNode1 = (4 - math.Sqrt(6)) / 10
	radauNode2 = (4 + math.Sqrt(6)) / 10

	radauReal    = 3 - math.Cbrt(3) + math.Cbrt(9)                  // g
	radauAlpha   = 3 + (math.Cbrt(3)-math.Cbrt(9))/2                // α
	radauBeta    = math.Sqrt(3) * (math.Cbrt(3) + math.Cbrt(9)) / 2 // β
	radauComplex = complex(radauAlpha, radauBeta)
)

// The matrix T of Hairer & Wanner, scaled so that its last row is (t31, 1, 0),
// and its inverse.
const (
	t11 = 9.1232394870892942792e-02
	t12 = -0.14125529502095420843
	t13 = -3.0029194105147424492e-02
	t21 = 0.24171793270710701896
	t22 = 0.20412935229379993199
	t23 = 0.38294211275726193779
	t31 = 0.96604818261509293619

	inverseT11 = 4.3255798900631553510
	inverseT12 = 0.33919925181580986954
	inverseT13 = 0.54177053993587487119
	inverseT21 = -4.1787185915519047273
	inverseT22 = -0.32768282076106238708
	inverseT23 = 0.47662355450055045196
	inverseT31 = -0.50287263494578687595
	inverseT32 = 2.5719269498556054292
	inverseT33 = -0.59603920482822492497
)

// The slope at θ = 0 of the cubic through 0 at θ = 0 and z1, z2, z3 at the
// nodes is slopeWeight1·z1 + slopeWeight2·z2 + slopeWeight3·z3.
var (
	slopeWeight1 = (13 + 7*math.Sqrt(6)) / 3
	slopeWeight2 = (13 - 7*math.Sqrt(6)) / 3
)

const slopeWeight3 = 1. / 3
