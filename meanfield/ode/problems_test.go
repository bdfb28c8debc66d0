package ode

import (
	"context"
	"math"
	"testing"
)

// A reference problem: an initial value problem with a solution known
// independently of this package.
type reference struct {
	name    string
	problem Problem
	start   []float64
	end     float64
	// exact is the solution at the end, or everywhere if everywhere is set.
	exact      []float64
	everywhere func(t float64) []float64
	// typical is the size of the components below which only absolute accuracy
	// is asked: AbsTol = typical·RelTol.
	typical float64
}

func (r *reference) at(t float64) []float64 {
	if r.everywhere != nil {
		return r.everywhere(t)
	}
	return r.exact
}

func run(t *testing.T, p Problem, t0 float64, y0 []float64, t1 float64, s Settings) *Solution {
	t.Helper()
	solution, err := Integrate(context.Background(), p, t0, y0, t1, s)
	if err != nil {
		t.Fatal(err)
	}
	return solution
}

// units returns the error of y in units of the tolerance rel·(typical + |y|).
func units(y, exact []float64, rel, typical float64) float64 {
	worst := 0.0
	for i := range y {
		worst = max(worst, math.Abs(y[i]-exact[i])/(rel*(typical+math.Abs(exact[i]))))
	}
	return worst
}

func oscillator() Problem {
	return Problem{Dim: 2, F: func(_ float64, y, d []float64) { d[0], d[1] = y[1], -y[0] }}
}

func kepler() Problem {
	return Problem{Dim: 4, F: func(_ float64, y, d []float64) {
		r := math.Hypot(y[0], y[1])
		d[0], d[1] = y[2], y[3]
		d[2], d[3] = -y[0]/(r*r*r), -y[1]/(r*r*r)
	}}
}

// keplerOrbit is the solution of the two-body problem that starts at the
// pericentre of an ellipse of semi-axis 1, from Kepler's equation
// E − e·sin E = t.
func keplerOrbit(e, t float64) []float64 {
	anomaly := t
	for range 50 {
		anomaly -= (anomaly - e*math.Sin(anomaly) - t) / (1 - e*math.Cos(anomaly))
	}
	sin, cos := math.Sincos(anomaly)
	r := 1 - e*cos
	b := math.Sqrt(1 - e*e)
	return []float64{cos - e, b * sin, -sin / r, b * cos / r}
}

func brusselator() Problem {
	return Problem{Dim: 2, F: func(_ float64, y, d []float64) {
		d[0] = 1 + y[0]*y[0]*y[1] - 4*y[0]
		d[1] = 3*y[0] - y[0]*y[0]*y[1]
	}}
}

// The restricted three-body problem of Arenstorf (Hairer, Nørsett & Wanner
// 1993, §II.0, equation (0.1)), whose orbit with this period is closed.
const arenstorfPeriod = 17.0652165601579625588917206249

func arenstorf() Problem {
	const mu = 0.012277471
	return Problem{Dim: 4, F: func(_ float64, y, d []float64) {
		d1 := math.Pow((y[0]+mu)*(y[0]+mu)+y[1]*y[1], 1.5)
		d2 := math.Pow((y[0]-1+mu)*(y[0]-1+mu)+y[1]*y[1], 1.5)
		d[0], d[1] = y[2], y[3]
		d[2] = y[0] + 2*y[3] - (1-mu)*(y[0]+mu)/d1 - mu*(y[0]-1+mu)/d2
		d[3] = y[1] - 2*y[2] - (1-mu)*y[1]/d1 - mu*y[1]/d2
	}}
}

func arenstorfStart() []float64 { return []float64{0.994, 0, 0, -2.00158510637908252240537862224} }

func nonStiffReferences() []reference {
	return []reference{
		{
			name:    "decay",
			problem: Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = -y[0] }},
			start:   []float64{1}, end: 5, typical: 1,
			everywhere: func(t float64) []float64 { return []float64{math.Exp(-t)} },
		},
		{
			name: "oscillator", problem: oscillator(),
			start: []float64{1, 0}, end: 10, typical: 1,
			everywhere: func(t float64) []float64 { return []float64{math.Cos(t), -math.Sin(t)} },
		},
		{
			name:    "logistic",
			problem: Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = y[0] * (1 - y[0]) }},
			start:   []float64{0.01}, end: 12, typical: 1,
			everywhere: func(t float64) []float64 { return []float64{1 / (1 + 99*math.Exp(-t))} },
		},
		{
			name: "time-dependent",
			problem: Problem{Dim: 1, F: func(t float64, y, d []float64) {
				d[0] = y[0] * math.Cos(t)
			}},
			start: []float64{1}, end: 12, typical: 1,
			everywhere: func(t float64) []float64 { return []float64{math.Exp(math.Sin(t))} },
		},
		{
			name: "two bodies", problem: kepler(),
			start: keplerOrbit(0.1, 0), end: math.Pi, typical: 1,
			everywhere: func(t float64) []float64 { return keplerOrbit(0.1, t) },
		},
		{
			// y(5) from a Taylor series method of order 40 with 50 decimal
			// digits; steps of 1/40 and 1/60 agree to 49 digits.
			name: "Brusselator", problem: brusselator(),
			start: []float64{1.5, 3}, end: 5, typical: 1,
			exact: []float64{0.42684766840753530733, 4.2948418058667477503},
		},
	}
}

func robertson() Problem {
	return Problem{Dim: 3,
		F: func(_ float64, y, d []float64) {
			d[0] = -0.04*y[0] + 1e4*y[1]*y[2]
			d[2] = 3e7 * y[1] * y[1]
			d[1] = -d[0] - d[2]
		},
		Jacobian: func(_ float64, y []float64, jac *Matrix) {
			jac.Set(0, 0, -0.04)
			jac.Set(0, 1, 1e4*y[2])
			jac.Set(0, 2, 1e4*y[1])
			jac.Set(2, 1, 6e7*y[1])
			for j := range 3 {
				jac.Set(1, j, -jac.At(0, j)-jac.At(2, j))
			}
		},
	}
}

func vanDerPol(epsilon float64) Problem {
	return Problem{Dim: 2, F: func(_ float64, y, d []float64) {
		d[0] = y[1]
		d[1] = ((1-y[0]*y[0])*y[1] - y[0]) / epsilon
	}}
}

func hires() Problem {
	return Problem{Dim: 8, F: func(_ float64, y, d []float64) {
		d[0] = -1.71*y[0] + 0.43*y[1] + 8.32*y[2] + 0.0007
		d[1] = 1.71*y[0] - 8.75*y[1]
		d[2] = -10.03*y[2] + 0.43*y[3] + 0.035*y[4]
		d[3] = 8.32*y[1] + 1.71*y[2] - 1.12*y[3]
		d[4] = -1.745*y[4] + 0.43*y[5] + 0.43*y[6]
		d[5] = -280*y[5]*y[7] + 0.69*y[3] + 1.71*y[4] - 0.43*y[5] + 0.69*y[6]
		d[6] = 280*y[5]*y[7] - 1.81*y[6]
		d[7] = -d[6]
	}}
}

func oregonator() Problem {
	return Problem{Dim: 3, F: func(_ float64, y, d []float64) {
		d[0] = 77.27 * (y[1] + y[0]*(1-8.375e-6*y[0]-y[1]))
		d[1] = (y[2] - (1+y[0])*y[1]) / 77.27
		d[2] = 0.161 * (y[0] - y[2])
	}}
}

// stiffReferences holds the end values published with F. Mazzia & C. Magherini,
// Test Set for Initial Value Problem Solvers, release 2.4 (2008), computed
// there in quadruple or extended precision to a tolerance of about 1e-18.
func stiffReferences() []reference {
	return []reference{
		{
			name: "Robertson", problem: robertson(),
			start: []float64{1, 0, 0}, end: 1e11, typical: 1e-8,
			exact: []float64{0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050},
		},
		{
			name: "van der Pol", problem: vanDerPol(1e-6),
			start: []float64{2, 0}, end: 2, typical: 1,
			exact: []float64{0.1706167732170483e1, -0.8928097010247975},
		},
		{
			name: "HIRES", problem: hires(),
			start: []float64{1, 0, 0, 0, 0, 0, 0, 0.0057}, end: 321.8122, typical: 1e-4,
			exact: []float64{
				0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
				0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2,
			},
		},
		{
			name: "Oregonator", problem: oregonator(),
			start: []float64{1, 2, 3}, end: 360, typical: 1,
			exact: []float64{0.1000814870318523e1, 0.1228178521549917e4, 0.1320554942846706e3},
		},
	}
}
