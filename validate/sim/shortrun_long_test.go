//go:build long

package sim

import (
	"context"
	"fmt"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// scv4 is a service law of mean 1 and scv 4.
var scv4 = coxian.Dist{Mu1: 2, P: .125, Mu2: .25}

// TestCoverageShortRuns: power-of-d near load 1, in runs from a seventieth of an
// autocorrelation time to 27 of them per replication, from the start that the command
// chooses. The truth is from runs of 1e8 to 4e8 events of another seed with control
// variates (standard error given). Bounds are those of 400 seeds at 92 to 98%,
// widened by two binomial standard errors where there are fewer; runs of less than
// 20 service times say that they cannot be trusted, and are held to 85%.
func TestCoverageShortRuns(t *testing.T) {
	for _, c := range []struct {
		servers      int64
		load         float64
		d            int64
		service      coxian.Dist
		events       float64
		seeds        int
		truth, error float64
	}{
		{100, .99, 2, exponential, 1e6, 400, 5.88663, .0004},
		{100, .99, 2, exponential, 4e6, 200, 5.88663, .0004},
		{100, .99, 3, exponential, 1e6, 200, 4.36420, .0004},
		{100, .99, 2, scv4, 1e6, 200, 11.168, .007},
		{100, .999, 2, exponential, 1e6, 200, 16.3010, .0043},
		{1000, .99, 2, exponential, 1e6, 400, 5.42361, .0003},
		{10, .99, 2, exponential, 1e6, 200, 12.7296, .0008},
		{100, .95, 2, exponential, 1e6, 200, 3.28687, .0002},
		{10, .9, 2, exponential, 1e5, 400, 2.68455, .0002},
		{100, .95, 2, exponential, 1e5, 200, 3.28687, .0002},
		{1000, .95, 2, exponential, 1e5, 200, 3.221027, .00003},
	} {
		s := ctmc.System{Servers: c.servers, Load: c.load, Service: c.service, Policy: ctmc.PowerOfD(c.d, false)}
		t.Run(fmt.Sprintf("%v, %.0e events", s, c.events), func(t *testing.T) {
			var plain, improved, width, plainWidth, square, plainSquare float64
			least, most := .92, .98
			weight := 1 / float64(c.seeds)
			for seed := range c.seeds {
				r, err := Run(context.Background(), s, Settings{Seed: uint64(seed + 1), Events: int64(c.events), Start: startOf(s)})
				if err != nil {
					t.Fatal(err)
				}
				if r.Duration < shortRun {
					least = .85
				}
				off, plainOff := r.MeanJobs.Value-c.truth, r.Plain.MeanJobs.Value-c.truth
				improved += weight * float64(one(math.Abs(off) <= r.MeanJobs.HalfWidth+c.error))
				plain += weight * float64(one(math.Abs(plainOff) <= r.Plain.MeanJobs.HalfWidth+c.error))
				width, plainWidth = width+weight*r.MeanJobs.HalfWidth, plainWidth+weight*r.Plain.MeanJobs.HalfWidth
				square, plainSquare = square+weight*off*off, plainSquare+weight*plainOff*plainOff
			}
			t.Logf("| %.3g | %.1f%% (%.2g) | %.1f%% (%.2g) | %.3g |", c.events, 100*plain, plainWidth, 100*improved, width, plainSquare/square)
			slack := 2 * math.Sqrt(.05*.95*math.Max(0, weight-1./400))
			for name, covered := range map[string]float64{"plain": plain, "improved": improved} {
				if covered < least-slack || covered > most+slack {
					t.Errorf("95%% intervals of the %s estimate cover %.1f%%", name, 100*covered)
				}
			}
			if square > plainSquare/20 {
				t.Errorf("mean square error %g, plain %g", square, plainSquare)
			}
		})
	}
}
