package meanfield

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield/ode"
)

// A journey is one draw of the randomised search: a system, a start and the
// output times.
type journey struct {
	sys   ctmc.System
	start State
	times []float64
}

func (j journey) String() string { return fmt.Sprintf("%v from %v to %g", j.sys, j.start, j.times) }

func drawJourney(r *rand.Rand) journey {
	pick := func(from, to float64) float64 { return from + (to-from)*r.Float64() }
	var j journey
	j.sys.Service = searchLaw(r)
	j.sys.Policy = searchPolicy(r)
	j.sys.Load = pick(.2, 3)
	if r.IntN(5) == 0 {
		j.sys.Load = []float64{1, .5, 1 - 1e-9, 1 + 1e-9, 2}[r.IntN(5)]
	}
	j.sys.Buffer = 1 + r.IntN(12)
	levels := j.sys.Buffer
	if r.IntN(4) == 0 {
		j.sys.Buffer = ctmc.Unlimited
		if r.IntN(2) == 0 {
			j.sys.Load = math.Min(j.sys.Load, pick(.2, .98))
		}
	}
	j.start = searchStart(r, Shape{Levels: levels, Phases: j.sys.Phases()}, j.sys.Load)
	end := math.Pow(10, pick(-1, 2))
	if r.IntN(20) == 0 {
		end = 1e4
	}
	if j.sys.Buffer == ctmc.Unlimited && j.sys.Load > .98 {
		end = math.Min(end, pick(1, 20)) // every level that fills is a front
	}
	j.times = []float64{0, end / 100, end / 10, end / 2, end}
	return j
}

func searchLaw(r *rand.Rand) coxian.Dist {
	hair := math.Pow(10, -4-8*r.Float64())
	var d coxian.Dist
	var err error
	switch r.IntN(9) {
	case 0:
		d, err = coxian.Exponential(1)
	case 1:
		d, err = coxian.Erlang2(1)
	case 2:
		d, err = coxian.FitMeanSCV(1, 50)
	case 3:
		d, err = coxian.FitMeanSCV(1, 1+hair)
	case 4:
		d, err = coxian.FitMeanSCV(1, 1-hair)
	case 5:
		d, err = coxian.New(1+9*r.Float64(), 1, 1+9*r.Float64())
	case 6:
		d, err = coxian.New(2, .5, 1) // exponential in disguise
	case 7: // a first phase so short that the law is nearly exponential
		d, err = coxian.New(math.Pow(10, 2+4*r.Float64()), 1, 1)
	default:
		d, err = coxian.New(.2+4*r.Float64(), r.Float64(), .1+4*r.Float64())
	}
	if err != nil {
		panic(err)
	}
	return d.Normalized()
}

func searchPolicy(r *rand.Rand) ctmc.Policy {
	kernel := ctmc.Sampling{Choices: []int64{1, 2, 3, 5, 20}[r.IntN(5)]}
	switch r.IntN(7) {
	case 0, 1:
		return ctmc.JSQ()
	case 2:
		return ctmc.JIQ().WithFallback(kernel)
	case 3:
		return ctmc.I1F().WithFallback(kernel)
	case 4:
		return ctmc.Policy{Name: "three levels first", Depth: 3, Fallback: kernel}
	}
	return ctmc.PowerOfD(kernel.Choices, false)
}

// searchStart draws dense and sparse starts, starts in one class, starts with
// tiny fractions, and starts on the boundary of two regimes, where a level
// completes exactly as many jobs as arrive.
func searchStart(r *rand.Rand, shape Shape, load float64) State {
	q := make(State, shape.Classes())
	kind := r.IntN(5)
	for c := range q {
		switch {
		case kind == 0 || kind == 1 && r.IntN(3) == 0:
			q[c] = r.Float64()
		case kind == 2 && r.IntN(2) == 0:
			q[c] = math.Pow(10, -12*r.Float64())
		}
	}
	one := r.IntN(len(q))
	switch kind {
	case 3:
		q[one] = 1
	case 4:
		level := 1 + r.IntN(shape.Levels)
		share := math.Min(1, load/2)
		q[shape.Class(level, shape.Phases)] = share
		q[shape.Class(min(level+1, shape.Levels), 1)] += 1 - share
	default:
		q[one] += 1e-3
	}
	total := 0.0
	for _, v := range q {
		total += v
	}
	for c := range q {
		q[c] /= total
	}
	return q
}

// travel follows a journey and checks what must hold of any path.
func (j journey) travel(t failer) *Path {
	t.Helper()
	p, err := Trajectory(context.Background(), j.sys, j.start, j.times, ode.Settings{})
	if err != nil {
		t.Errorf("%v: %v", j, err)
		return nil
	}
	if p.Status != ode.Done || len(p.States) != len(j.times) {
		t.Errorf("%v: %v, %v", j, p.Status, p.Warnings)
		return p
	}
	// Rounding errors grow with the rates.
	law := newUnitLaw(j.sys.Service)
	if limit := 1e-14 * (10 + math.Sqrt(math.Max(law.mu1, law.mu2))); p.MassError > limit {
		t.Errorf("%v: mass error %g", j, p.MassError)
	}
	if p.MostNegative < -1e-12 {
		t.Errorf("%v: negative fraction %g", j, p.MostNegative)
	}
	if !(p.NeglectedMass <= truncationLoss && p.NeglectedMass >= 0) {
		t.Errorf("%v: neglected %g", j, p.NeglectedMass)
	}
	for k, q := range p.States {
		total := 0.0
		for _, v := range q {
			if !(v >= 0 && v <= 1+1e-12) {
				t.Errorf("%v: fraction %g at %g", j, v, j.times[k])
			}
			total += v
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("%v: mass %.17g at %g", j, total, j.times[k])
		}
	}
	return p
}

// search follows journeys of consecutive seeds.
func search(t *testing.T, from, count int) {
	t.Helper()
	steps := 0
	var mass, negative float64
	for seed := from; seed < from+count && !t.Failed(); seed++ {
		p := drawJourney(rand.New(rand.NewPCG(uint64(seed), 7))).travel(t)
		if p != nil {
			steps = max(steps, p.Stats.Accepted+p.Stats.Rejected)
			mass, negative = math.Max(mass, p.MassError), math.Min(negative, p.MostNegative)
		}
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}
	t.Logf("at most %d steps, mass error %.2g, least component %.2g", steps, mass, negative)
	if steps > 50000 {
		t.Errorf("%d steps in one path", steps)
	}
}
