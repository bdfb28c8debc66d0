package meanfield

import "qlimit/ctmc"

// Dynamics is the drift of the fluid limit of a system on states with a
// finite number of levels. Its time unit is one mean service time, in which
// the arrival rate per server is the load λ.
//
// It is not safe for concurrent use.
type Dynamics struct {
	Shape
	law    unitLaw
	router ctmc.FluidRouter
	route  []float64 // λ times the fraction of arrivals to each class
}

// NewDynamics returns the dynamics of a system on the given number of levels;
// levels = 0 takes the buffer of the system. Jobs sent to a server at the last
// level are lost, which is the buffer itself or, with an unlimited buffer, a
// truncation. A level counts as empty up to the fraction empty. Errors: a field
// out of range, or more levels than the buffer ([ctmc.FieldError]).
func NewDynamics(sys ctmc.System, levels int, empty float64) (*Dynamics, error) {
	// Only an equilibrium needs load < 1 when the buffer is unlimited.
	check := sys
	if check.Buffer == ctmc.Unlimited {
		check.Buffer = 1
	}
	if err := check.ValidateLimit(); err != nil {
		return nil, err
	}
	if levels == 0 {
		levels = sys.Buffer
	}
	if levels < 1 || (sys.Buffer != ctmc.Unlimited && levels > sys.Buffer) {
		return nil, &ctmc.FieldError{Field: "levels", Value: levels, Allowed: "between 1 and the buffer"}
	}
	law := newUnitLaw(sys.Service)
	d := &Dynamics{Shape: Shape{Levels: levels, Phases: law.phases()}, law: law,
		router: ctmc.FluidRouter{Policy: sys.Policy, Arrival: sys.Load, Service: law.dist(), Levels: levels, Empty: empty}}
	d.route = make([]float64, d.Classes())
	return d, nil
}

// Drift writes dq/dt and returns the regime of the policy at q:
//
//	dq_0     = -λ α_0 + (1-p)μ1 q_{1,1} + μ2 q_{1,2}
//	dq_{i,1} = λ (α_{i-1,1} - α_{i,1}) + (1-p)μ1 q_{i+1,1} + μ2 q_{i+1,2} - μ1 q_{i,1}
//	dq_{i,2} = λ (α_{i-1,2} - α_{i,2}) + pμ1 q_{i,1} - μ2 q_{i,2}
//
// where α_{i,m} is the fraction of arrivals sent to class (i,m), α_{0,1} =
// α_0, α_{0,2} = 0, and the arrivals to level b leave no trace. Where levels
// slide the drift is that of Filippov's solution (see [ctmc.FluidRouter]).
// The components add up to 0.
func (d *Dynamics) Drift(q State, drift []float64) ctmc.FluidRegime {
	regime := d.router.Route(q, d.route)
	l := &d.law
	drift[0] = 0
	from := 0 // first class of the level below
	for i := 1; i <= d.Levels; i++ {
		first := d.Class(i, 1)
		arrivals := d.router.Arrival * d.route[from]
		drift[from] -= arrivals
		drift[first] = arrivals - l.mu1*q[first]
		completed := l.leave * q[first]
		if d.Phases == 2 {
			second := first + 1
			drift[second] = l.proceed*q[first] - l.mu2*q[second]
			completed += l.mu2 * q[second]
			if i > 1 {
				arrivals = d.router.Arrival * d.route[from+1]
				drift[from+1] -= arrivals
				drift[second] += arrivals
			}
		}
		drift[from] += completed
		from = first
	}
	return regime
}
