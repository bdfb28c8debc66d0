package validate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// mostTiedServers bounds the systems in which the mistaken rule is simulated.
const mostTiedServers = 1000

// tiedRule is join-the-shortest-queue (choices 0) or power-of-d by a dispatcher
// that sees waiting jobs only.
type tiedRule struct {
	sim.Unnotified
	choices     int
	replacement bool
	sampled     []int
}

// Choose scans all servers, or the sampled ones; ties are broken uniformly.
func (d *tiedRule) Choose(f *sim.Farm, _ float64, random *rand.PCG) int {
	draw := rand.New(random)
	d.sampled = d.sampled[:0]
	best, ties := -1, 0
	consider := func(server int) {
		switch waiting := max(0, f.Len(server)-1); {
		case best < 0 || waiting < max(0, f.Len(best)-1):
			best, ties = server, 1
		case waiting == max(0, f.Len(best)-1):
			if ties++; draw.IntN(ties) == 0 {
				best = server
			}
		}
	}
	if d.choices == 0 {
		for server := range f.Servers() {
			consider(server)
		}
		return best
	}
	for len(d.sampled) < d.choices {
		server := draw.IntN(f.Servers())
		if !d.replacement && slices.Contains(d.sampled, server) {
			continue
		}
		d.sampled = append(d.sampled, server)
		consider(server)
	}
	return best
}

// withIdleTied simulates the mistaken rule job by job.
func withIdleTied(ctx context.Context, c *dataComparison, row *DataRow) (bestKnown, error) {
	result, err := c.theories.tied(ctx, row.System)
	if err != nil {
		return bestKnown{}, fmt.Errorf("line %d: %w", row.Line, err)
	}
	e := result.MeanJobs
	switch row.Quantity {
	case MeanResponse:
		e = result.MeanResponse
	case WaitProb:
		e = result.WaitProb
	}
	return bestKnown{method: Simulated, kind: ctmc.Estimate, value: e.Value, standardError: e.StandardError, freedom: e.DegreesOfFreedom}, nil
}

// tiedWork bounds the looks at servers of a simulation of the mistaken rule.
const tiedWork = int64(4e7)

func (t *theories) tied(ctx context.Context, s ctmc.System) (*sim.JobResult, error) {
	one, err := t.system(ctx, s)
	if err != nil || one.tied != nil {
		return one.tied, err
	}
	rule := tiedRule{choices: int(samples(s.Policy))}
	looks := s.Servers
	if k := s.Policy.Fallback.(ctmc.Sampling); rule.choices > 0 {
		rule.replacement, looks = k.Replacement, k.Choices
	}
	system := sim.JobSystem{Servers: int(s.Servers), Load: s.Load, Buffer: s.Buffer, Service: lawOf(s.Service),
		Policy: sim.JobPolicy{Name: "waiting jobs only, " + s.Policy.String(), Prepare: func(*sim.JobSystem) (func() sim.Dispatcher, error) {
			return func() sim.Dispatcher { own := rule; return &own }, nil
		}}}
	jobs := min(t.simulation.Events/4, max(tiedWork/looks, 200_000), 4_000_000)
	one.tied, err = sim.RunJobs(ctx, system, sim.JobSettings{Seed: t.simulation.Seed, Threads: t.simulation.Threads, Jobs: max(jobs, 50_000)})
	return one.tied, err
}

func lawOf(d coxian.Dist) sim.Law { return sim.CoxianLaw(d) }
