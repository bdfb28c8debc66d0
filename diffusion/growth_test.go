package diffusion_test

import (
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/meanfield"
)

// Power-of-d at arrival rate N - α: whenever N grows by the factor d the mean
// field gains one job per server, while its distance from log_d(N/α) stays
// bounded. There is no limit.
func TestPowerOfDGrowsLikeTheLogarithm(t *testing.T) {
	for _, d := range []int64{2, 3, 10} {
		for _, alpha := range []float64{0.5, 1, 4} {
			mean := func(n int64) float64 {
				f, err := meanfield.Equilibrium(ctmc.System{Load: 1 - alpha/float64(n), Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.PowerOfD(d, true)})
				if err != nil {
					t.Fatal(err)
				}
				return f.MeanJobs
			}
			growth := func(n int64) float64 {
				g, err := diffusion.PowerOfDGrowth(d, n, alpha)
				if err != nil {
					t.Fatal(err)
				}
				return g
			}
			n := int64(1000)
			first := mean(n) - growth(n)
			for range 5 {
				if step := mean(n*d) - mean(n); math.Abs(step-1) > 30*alpha*float64(d)/float64(n) {
					t.Errorf("d = %d α = %g: %g jobs more from N = %d to %d", d, alpha, step, n, n*d)
				}
				n *= d
				if distance := mean(n) - growth(n); math.Abs(distance-first) > 0.05 || math.Abs(distance) > 2 {
					t.Errorf("d = %d α = %g N = %d: distance %g from the logarithm, %g at first", d, alpha, n, distance, first)
				}
			}
		}
	}
	for _, bad := range [][3]float64{{1, 100, 1}, {2, 0, 1}, {2, 100, 0}, {2, 100, 100}} {
		if _, err := diffusion.PowerOfDGrowth(int64(bad[0]), int64(bad[1]), bad[2]); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

// The averaged birth-death chain against exact values of JSQ (two and three
// servers: compensation method and direct solution of the chain; ten servers:
// 1.7217 per server): a few percent at these few servers.
func TestAveragedAgainstExact(t *testing.T) {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	for _, c := range []struct {
		servers   int64
		load      float64
		jobs      float64 // E of the jobs in the system
		tolerance float64
	}{
		{2, 0.9, 9.85484307834, 0.05}, {2, 0.95, 19.924613742, 0.03}, {3, 0.9, 10.75253945, 0.05}, {10, 0.9, 17.217, 0.05},
	} {
		law, err := diffusion.Averaged{Discipline: diffusion.JSQ, Servers: c.servers, Load: c.load, Service: exponential}.Solve()
		if err != nil {
			t.Fatal(err)
		}
		if relative := law.MeanJobs()*float64(c.servers)/c.jobs - 1; math.Abs(relative) > c.tolerance {
			t.Errorf("N = %d load %g: relative error %.4f", c.servers, c.load, relative)
		}
	}
}
