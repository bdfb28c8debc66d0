package meanfield

import (
	"math"

	"qlimit/ctmc"
)

// residual is the largest absolute component of the drift at the equilibrium,
// relative to the load where that is above 1.
// Where the tail ends before the buffer, the last two levels are left out:
// their drift depends on what lies behind.
func (p *equilibriumProblem) residual(f *Fixpoint) float64 {
	levels := len(f.Tail)
	d := &Dynamics{Shape: Shape{Levels: levels, Phases: p.law.phases()}, law: p.law,
		router: ctmc.FluidRouter{Policy: p.sys.Policy, Arrival: p.load, Service: p.law.dist(), Levels: levels}}
	buffer := make([]float64, 3*d.Classes())
	q, drift := State(buffer[:d.Classes()]), buffer[d.Classes():2*d.Classes()]
	d.route = buffer[2*d.Classes():]
	f.fillState(q, d.Shape)
	d.Drift(q, drift)
	if levels != p.buffer {
		drift = drift[:max(1, d.Class(levels-1, 1))]
	}
	largest := 0.0
	for _, v := range drift {
		largest = math.Max(largest, math.Abs(v))
	}
	return largest / math.Max(1, p.load)
}

// State returns the equilibrium as fractions of servers in the classes of the
// given shape. A shape with fewer levels than the tail is a misuse and panics.
func (f *Fixpoint) State(shape Shape) State {
	q := make(State, shape.Classes())
	f.fillState(q, shape)
	return q
}

func (f *Fixpoint) fillState(q State, shape Shape) {
	if shape.Levels < len(f.Tail) {
		panic("meanfield: state with fewer levels than the equilibrium")
	}
	q[0] = 1 - f.Tail[0]
	for i := range f.Tail {
		above, aboveSecond := 0.0, 0.0
		if i+1 < len(f.Tail) {
			above, aboveSecond = f.Tail[i+1], f.TailPhase2[i+1]
		}
		first := shape.Class(i+1, 1)
		if shape.Phases == 1 {
			q[first] = f.Tail[i] - above
			continue
		}
		q[first+1] = f.TailPhase2[i] - aboveSecond
		q[first] = (f.Tail[i] - f.TailPhase2[i]) - (above - aboveSecond)
	}
}
