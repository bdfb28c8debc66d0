package ode

import (
	"context"
	"fmt"
)

// Integrate solves y' = F(t, y) from y(t0) = y0 to t1, which may lie before
// t0.
//
// It returns an error if an argument is outside its range, and the error of
// the context, together with the solution so far, if that is cancelled. An
// integration that does not get to its end is no error: see Solution.Status
// and Solution.Err.
func Integrate(ctx context.Context, p Problem, t0 float64, y0 []float64, t1 float64, s Settings) (*Solution, error) {
	in, err := NewIntegrator(p, t0, y0, t1, s)
	if err != nil {
		return nil, err
	}
	if err := checkTimes(s.Times, t0, t1); err != nil {
		return nil, err
	}
	out := newRecorder(in, &s)
	for {
		if err := ctx.Err(); err != nil {
			return out.finish(Cancelled), err
		}
		if s.Progress != nil {
			s.Progress(share(in.Time()-t0, t1-t0, in.Stats().Work, s.MaxWork))
		}
		status := in.Step()
		out.collect()
		if status != Running {
			return out.finish(status), nil
		}
	}
}

// share is the part of the interval or of the work that is behind.
func share(done, interval float64, work, most int64) float64 {
	share := 0.0
	if interval != 0 {
		share = done / interval
	}
	if most > 0 {
		share = max(share, float64(work)/float64(most))
	}
	return share
}

func checkTimes(times []float64, t0, t1 float64) error {
	before := t0
	for k, t := range times {
		ordered := t >= before && t <= t1
		if t1 < t0 {
			ordered = t <= before && t >= t1
		}
		if !ordered {
			return fmt.Errorf("ode: Settings.Times[%d] = %v, must lie between %v and %v", k, t, before, t1)
		}
		before = t
	}
	return nil
}

// recorder collects what a Solution shows of an integrator's steps.
type recorder struct {
	in       *Integrator
	settings *Settings
	solution *Solution
	accepted int
}

func newRecorder(in *Integrator, s *Settings) *recorder {
	r := &recorder{in: in, settings: s, solution: &Solution{}}
	if s.KeepTrajectory {
		r.solution.Trajectory = &Trajectory{dim: in.course.problem.Dim, direction: in.course.direction}
		r.solution.Trajectory.begin(in.course)
	}
	switch {
	case s.EveryStep:
		r.add(in.Time(), in.State())
	case len(s.Times) > 0:
		dim := in.course.problem.Dim
		block := make([]float64, len(s.Times)*dim)
		r.solution.Times = make([]float64, 0, len(s.Times))
		r.solution.States = make([][]float64, 0, len(s.Times))
		for k := range s.Times {
			r.solution.States = append(r.solution.States, block[k*dim:(k+1)*dim:(k+1)*dim])
		}
		r.solution.States = r.solution.States[:0]
		r.collectTimes(in.Time())
	}
	return r
}

func (r *recorder) add(t float64, y []float64) {
	r.solution.Times = append(r.solution.Times, t)
	r.solution.States = append(r.solution.States, append([]float64(nil), y...))
}

// collect takes the output of the last step, if there was one.
func (r *recorder) collect() {
	in := r.in
	if in.course.stats.Accepted == r.accepted {
		return
	}
	r.accepted = in.course.stats.Accepted
	for _, h := range in.Hits() {
		h.State = append([]float64(nil), h.State...)
		r.solution.Hits = append(r.solution.Hits, h)
	}
	if r.settings.EveryStep {
		r.add(in.Time(), in.State())
	} else {
		r.collectTimes(in.Time())
	}
	if r.solution.Trajectory != nil {
		in.method.completeDense()
		r.solution.Trajectory.append(in.course)
	}
}

// collectTimes interpolates at the requested times up to the present.
func (r *recorder) collectTimes(present float64) {
	s := r.solution
	for k := len(s.Times); k < len(r.settings.Times); k++ {
		t := r.settings.Times[k]
		if (t-present)*r.in.course.direction > 0 {
			return
		}
		s.Times = append(s.Times, t)
		s.States = s.States[:k+1]
		if t == present && !r.in.fresh {
			copy(s.States[k], r.in.State())
		} else {
			r.in.Interpolate(t, s.States[k])
		}
	}
}

func (r *recorder) finish(status Status) *Solution {
	s := r.solution
	s.Status, s.Stats = status, r.in.Stats()
	s.Time = r.in.Time()
	s.State = append([]float64(nil), r.in.State()...)
	return s
}
