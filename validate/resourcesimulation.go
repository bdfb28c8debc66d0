package validate

import (
	"context"
	"errors"
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// ResourcePoint is a policy simulated with a number of servers.
type ResourcePoint struct {
	Servers        int               // n
	Delay          estimate.Estimate // mean waiting time
	MessagesPerJob estimate.Estimate // of all kinds
	Exact          float64           // the same delay by theory, if Known
	Known          bool              // there is an Exact
	Refused        string            // why there is no simulation, "" where there is
}

// ResourceSimulation says how the policies of a table are simulated, all of them
// with the same jobs at the same times.
type ResourceSimulation struct {
	Servers  []int         // each between 1 and sim.MaxJobServers
	Jobs     int64         // at least, for each policy and number of servers; more where servers are many
	Seed     uint64        // of all random numbers
	Threads  int           // 0 = all cores; never changes a result
	Progress ctmc.Progress // nil = nobody listens
}

// Jobs are as many as four replications of this many mean service times have.
const (
	leastServices = 20
	mostServices  = 400
	fewServices   = 10  // over 1 - λ, the time scale of the queues
	manyServices  = 120 // where queues fill slowly; the first half is left out
)

// services is the least length of a replication in mean service times.
func (p *PolicyResources) services(load float64) float64 {
	if p.slow {
		return math.Min(manyServices/(1-load), 10*mostServices)
	}
	return math.Min(math.Max(fewServices/(1-load), leastServices), mostServices)
}

// jobs is the number of jobs of a policy with n servers.
func (r ResourceSimulation) jobs(load float64, p *PolicyResources, n int) int64 {
	return max(r.Jobs, int64(4*p.services(load)*load*float64(n)))
}

// Simulate simulates every policy of a table at every number of servers:
// points[i][k] is row i with Servers[k]. A policy that cannot be simulated in
// the setting says why; other errors end the work.
func (s ResourceStudy) Simulate(ctx context.Context, rows []PolicyResources, r ResourceSimulation) (points [][]ResourcePoint, err error) {
	total, done := 0.0, 0.0
	for _, n := range r.Servers {
		if n < 1 || n > sim.MaxJobServers {
			return nil, &ctmc.FieldError{Field: "servers", Value: n, Allowed: "between 1 and 1e7"}
		}
		for i := range rows {
			total += float64(r.jobs(s.Load, &rows[i], n))
		}
	}
	points = make([][]ResourcePoint, len(rows))
	for i := range rows {
		for _, n := range r.Servers {
			jobs := r.jobs(s.Load, &rows[i], n)
			p, err := s.simulate(ctx, &rows[i], n, r, func(part float64) {
				if r.Progress != nil {
					r.Progress(done+part*float64(jobs), total, fmt.Sprintf("%s, %d servers", rows[i].Name, n))
				}
			})
			if err != nil {
				return nil, err
			}
			points[i] = append(points[i], p)
			done += float64(jobs)
		}
	}
	return points, nil
}

func (s ResourceStudy) simulate(ctx context.Context, row *PolicyResources, n int, r ResourceSimulation, progress func(part float64)) (ResourcePoint, error) {
	point := ResourcePoint{Servers: n}
	point.Exact, point.Known = row.AtFinite(n)
	policy, err := row.policy(n)
	if err != nil {
		return point, err
	}
	settings := sim.JobSettings{Seed: r.Seed, Threads: r.Threads, Replications: 4, Jobs: r.jobs(s.Load, row, n),
		Progress: func(done, total float64, _ string) { progress(done / total) }}
	if row.slow {
		settings.WarmUp = row.services(s.Load) / 2 * s.Law.Mean()
	}
	if row.start != nil {
		settings.Start = row.start(int64(n))
	}
	result, err := sim.RunJobs(ctx, sim.JobSystem{Servers: n, Load: s.Load, Service: s.Law, Policy: policy}, settings)
	var refused *ctmc.FieldError
	switch {
	case errors.As(err, &refused):
		point.Refused = err.Error()
		return point, nil
	case err != nil:
		return point, err
	}
	if result.Ending == sim.Interrupted {
		return point, context.Canceled
	}
	point.Delay, point.MessagesPerJob = result.MeanWait, result.MessagesPerJob
	return point, nil
}
