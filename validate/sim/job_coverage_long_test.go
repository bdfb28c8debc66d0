//go:build long

package sim

import (
	"context"
	"math"
	"testing"

	"qlimit/ctmc"
)

// TestJobCoverage counts how many of 400 intervals hold the truth, for means
// and quantiles known in closed form.
func TestJobCoverage(t *testing.T) {
	const jobs = 4e5
	c := ctmc.Pooled{Servers: 5, Offered: 4}.WaitProbability()
	for _, k := range []struct {
		name     string
		system   JobSystem
		wait     float64
		quantile func(p float64) float64
	}{
		{"M/M/1, load .7", random1(.7, nil, CoxianLaw(exponential)), .7 / .3, exponentialWait(.7, .3)},
		{"LL, 5 servers, load .8", JobSystem{Servers: 5, Load: .8, Service: CoxianLaw(exponential), Policy: LeastLoaded()}, c, exponentialWait(c, 1)},
	} {
		covered := make([]int, 1+len(jobProbabilities))
		for seed := uint64(1); seed <= seeds; seed++ {
			r, err := RunJobs(context.Background(), k.system, JobSettings{Seed: seed, Jobs: jobs})
			if err != nil {
				t.Fatal(err)
			}
			covered[0] += one(math.Abs(r.MeanWait.Value-k.wait) <= r.MeanWait.HalfWidth)
			for i, q := range r.WaitQuantiles {
				truth := k.quantile(q.P)
				covered[1+i] += one(q.Lower <= truth && truth <= q.Upper)
			}
		}
		for i, n := range covered {
			name := "mean"
			if i > 0 {
				name = "quantile"
			}
			percent := 100 * float64(n) / seeds
			t.Logf("%s: %s %d covered %.1f%%", k.name, name, i, percent)
			truthIsZero := i > 0 && k.quantile(jobProbabilities[i-1]) == 0
			if percent < 92 || percent > 98 && !truthIsZero {
				t.Errorf("%s: %s %d: 95%% intervals cover %.1f%%", k.name, name, i, percent)
			}
		}
	}
}
