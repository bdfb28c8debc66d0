package diffusion

import (
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
)

// Path samples the process at times 0, step, .., steps·step from a start and
// returns the steps+1 values, none of them below 0. The same source gives the
// same path.
//
// Without repulsion the scheme is that of Lépingle (Math. Comput. Simul. 38,
// 1995): the drift is frozen over a step and the push of the boundary is
// sampled exactly, as the maximum of a Brownian motion with drift given its
// end. For constant coefficients the values have exactly the law of the
// process. With repulsion c/U the step is implicit in the singular part,
//
//	U' = U + r(U) h + σ(U) √h Z + c h/U',
//
// whose positive root never meets 0 (for constant noise: Alfonsi, Statist.
// Probab. Lett. 83, 2013; Neuenkirch and Szpruch, Numer. Math. 128, 2014).
//
// Strong order: without repulsion 1 for constant noise and smooth drift, 1/2
// for noise that depends on the state. With repulsion and constant noise 1 for
// γ = 2c/σ² > 3; at γ = 1, the case of all NDS processes, order 1/2 is what can
// be relied on, and 0.76 to 0.87 is measured (docs/diffusion.md).
//
// Errors: a field of the process, start, step or steps out of range
// ([ctmc.FieldError]).
func (p Process) Path(start, step float64, steps int, source rand.Source) ([]float64, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	switch {
	case !(start >= 0) || math.IsInf(start, 1):
		return nil, &ctmc.FieldError{Field: "start", Value: start, Allowed: ">= 0 above the boundary, and finite"}
	case !(step > 0) || math.IsInf(step, 1):
		return nil, &ctmc.FieldError{Field: "step", Value: step, Allowed: "> 0 and finite"}
	case steps < 0 || steps > maxSteps:
		return nil, &ctmc.FieldError{Field: "steps", Value: steps, Allowed: "between 0 and 1e8"}
	}
	values := make([]float64, steps+1)
	values[0] = start
	random := rand.New(source)
	root := math.Sqrt(step)
	for i := range steps {
		z := root * random.NormFloat64()
		if p.Repulsion > 0 {
			values[i+1] = p.implicitStep(values[i], step, z)
			continue
		}
		values[i+1] = p.reflectedStep(values[i], step, z, random.Float64())
	}
	return values, nil
}

const maxSteps = 100_000_000

// implicitStep is the positive root of U'² - m U' - c h = 0; z is the increment
// of the Brownian motion. The drift is evaluated just inside.
func (p Process) implicitStep(u, h, z float64) float64 {
	inside := math.Max(u, 1e-300)
	m := u + p.Drift(inside)*h + math.Sqrt(p.variance(inside))*z
	q := p.Repulsion * h
	root := math.Sqrt(m*m + 4*q)
	if m < 0 {
		return 2 * q / (root - m)
	}
	return (m + root) / 2
}

// reflectedStep adds the push max(0, A - u), A the maximum over the step of
// minus the displacement, sampled by inverting its law given the end y:
// A = (-y + sqrt(y² - 2σ²h log V))/2.
func (p Process) reflectedStep(u, h, z, uniform float64) float64 {
	variance := p.variance(u)
	y := p.Drift(u)*h + math.Sqrt(variance)*z
	least := (math.Sqrt(y*y-2*variance*h*math.Log1p(-uniform)) - y) / 2
	// With a push the end is y + A, which is not negative.
	return math.Max(u, least) + y
}
