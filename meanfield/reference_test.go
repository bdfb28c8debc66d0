package meanfield

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

func readJSON(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

type referenceLaw struct{ Mu1, P, Mu2 float64 }

func (l referenceLaw) dist() coxian.Dist { return coxian.Dist{Mu1: l.Mu1, P: l.P, Mu2: l.Mu2} }

func closeTo(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Abs(want)
}

// TestFixedPointReference holds power-of-d equilibria against values computed
// elsewhere, to a relative 1e-12 in every entry of the tail.
func TestFixedPointReference(t *testing.T) {
	var file struct {
		Cases []struct {
			D        int64
			Load     float64 `json:"lambda_"`
			Service  referenceLaw
			Jobs     float64   `json:"mean_jobs"`
			Response float64   `json:"mean_response"`
			S        []float64 `json:"s"`
			Phase2   []float64 `json:"s_phase2"`
		}
	}
	readJSON(t, "testdata/meanfield_fixed_point.json", &file)
	if len(file.Cases) < 30 {
		t.Fatalf("%d cases", len(file.Cases))
	}
	for _, c := range file.Cases {
		sys := ctmc.System{Load: c.Load, Service: c.Service.dist(), Policy: ctmc.PowerOfD(c.D, false)}
		f, err := Equilibrium(sys)
		if err != nil {
			t.Fatal(err)
		}
		checkInvariants(t, sys, f)
		if !closeTo(f.MeanJobs, c.Jobs, 2e-12) || !closeTo(f.MeanResponse, c.Response, 2e-12) {
			t.Errorf("%v: jobs %.15g response %.15g, want %.15g %.15g", sys, f.MeanJobs, f.MeanResponse, c.Jobs, c.Response)
		}
		for i, want := range c.S {
			if want < 1e-60 {
				continue // zero, or denormal in the file's arithmetic
			}
			if !closeTo(f.Tail[i], want, 2e-12) || !closeTo(f.TailPhase2[i], c.Phase2[i], 2e-12) {
				t.Errorf("%v: s_%d = %.15g, %.15g, want %.15g, %.15g", sys, i+1, f.Tail[i], f.TailPhase2[i], want, c.Phase2[i])
			}
		}
	}
}

type trajectoryCase struct {
	Policy  string
	D       int64
	Load    float64 `json:"lambda_"`
	Service referenceLaw
	Buffer  int
	Start   string
	T       []float64 `json:"t"`
	Jobs    []float64 `json:"jobs_per_server"`
	Idle    []float64 `json:"idle"`
	One     []float64 `json:"one_job"`
	Two     []float64 `json:"two_jobs"`
}

// start builds the state named in the file's note.
func (c trajectoryCase) start(shape Shape) State {
	phase := func(m int) int { return min(m, shape.Phases) }
	switch c.Start {
	case "two":
		return shape.Uniform(2, 1)
	case "three2":
		return shape.Uniform(3, phase(2))
	}
	q := make(State, shape.Classes())
	q[0] = 0.2
	q[shape.Class(1, 1)] += 0.1
	q[shape.Class(1, phase(2))] += 0.1
	q[shape.Class(3, 1)] += 0.3
	q[shape.Class(3, phase(2))] += 0.3
	return q
}

func smoothTrajectories(t *testing.T) (cases []trajectoryCase) {
	t.Helper()
	var file struct{ Cases []trajectoryCase }
	readJSON(t, "testdata/meanfield_trajectory.json", &file)
	for _, c := range file.Cases {
		if c.Policy == "pod" {
			cases = append(cases, c)
		}
	}
	if len(cases) != 4 {
		t.Fatalf("%d power-of-d cases", len(cases))
	}
	return cases
}

func (c trajectoryCase) system() ctmc.System {
	return ctmc.System{Load: c.Load, Buffer: c.Buffer, Service: c.Service.dist(), Policy: ctmc.PowerOfD(c.D, false)}
}

func (c trajectoryCase) compare(t *testing.T, k int, shape Shape, q State, tolerance float64) {
	t.Helper()
	for name, pair := range map[string][2]float64{
		"jobs": {shape.Jobs(q), c.Jobs[k]}, "idle": {q[0], c.Idle[k]},
		"one job": {shape.Mass(q, 1), c.One[k]}, "two jobs": {shape.Mass(q, 2), c.Two[k]},
	} {
		if math.Abs(pair[0]-pair[1]) > tolerance {
			t.Errorf("%v at %g: %s = %.12g, want %.12g", c.system(), c.T[k], name, pair[0], pair[1])
		}
	}
}

// TestDriftTrajectoryReference integrates the drift of the class fractions by
// the classical Runge-Kutta method with a step of 1/200.
func TestDriftTrajectoryReference(t *testing.T) {
	for _, c := range smoothTrajectories(t) {
		d, err := NewDynamics(c.system(), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		q, now := c.start(d.Shape), 0.0
		for k, until := range c.T {
			rungeKutta(d, q, until-now, 1.0/200)
			now = until
			c.compare(t, k, d.Shape, q, 2e-7)
		}
	}
}

// rungeKutta moves q by a time in steps of about the given size.
func rungeKutta(d *Dynamics, q State, time, size float64) {
	steps := max(1, int(math.Ceil(time/size-1e-9)))
	h := time / float64(steps)
	n := len(q)
	var k [4][]float64
	for j := range k {
		k[j] = make([]float64, n)
	}
	trial := make(State, n)
	for range steps {
		d.Drift(q, k[0])
		for j, share := range [3]float64{0.5, 0.5, 1} {
			for i := range q {
				trial[i] = q[i] + share*h*k[j][i]
			}
			d.Drift(trial, k[j+1])
		}
		for i := range q {
			q[i] += h / 6 * (k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i])
		}
	}
}
