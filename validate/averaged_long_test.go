//go:build long

package validate

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// A nearLoadOne is a system near load 1 whose mean number of jobs is simulated
// and predicted.
type nearLoadOne struct {
	discipline diffusion.Discipline
	servers    int64
	spare      float64
	service    coxian.Dist
}

func (s nearLoadOne) load() float64 { return 1 - s.spare/float64(s.servers) }

// averaged is the mean jobs per server of the averaged birth-death chain, for
// IQF with or without the corner correction.
func (s nearLoadOne) averaged(t *testing.T, repair bool) float64 {
	t.Helper()
	law, err := diffusion.Averaged{Discipline: s.discipline, Servers: s.servers, Load: s.load(), Service: s.service, CornerRepair: repair}.Solve()
	if err != nil {
		t.Fatal(err)
	}
	return law.MeanJobs()
}

func (s nearLoadOne) limit(t *testing.T) float64 {
	t.Helper()
	mean, err := diffusion.NDS{Discipline: s.discipline, Spare: s.spare, Service: s.service}.MeanJobs()
	if err != nil {
		t.Fatal(err)
	}
	return mean
}

// simulate runs the system with control variates from about its stationary
// mean: the relaxation time is 16/(1 - load)² events and more.
func (s nearLoadOne) simulate(t *testing.T, events int64) estimate.Estimate {
	t.Helper()
	system := ctmc.System{Servers: s.servers, Load: s.load(), Service: s.service, Policy: s.discipline.Policy()}
	result, err := sim.Run(context.Background(), system, sim.Settings{
		Seed: 5, Events: events, Replications: 4,
		Start: sim.BalancedStart(s.servers, s.averaged(t, s.discipline == diffusion.IQF)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return result.MeanJobs
}

// relativeError is prediction/simulated - 1 in percent and its 95% half width.
func relativeError(prediction float64, simulated estimate.Estimate) (percent, halfWidth float64) {
	ratio := prediction / simulated.Value
	return 100 * (ratio - 1), 100 * ratio * simulated.HalfWidth / simulated.Value
}

// The averaged birth-death chain at N = 1000, α = 1/2, 1, 2 against simulation:
// within 0.5% of the mean for JSQ and I1F with exponential service. The errors
// of the other service laws and of IQF go into the log (docs/diffusion.md holds
// them); none may exceed 0.5% beyond its interval either.
func TestAveragedAgainstSimulation(t *testing.T) {
	laws := []struct {
		name string
		law  coxian.Dist
	}{
		{"exponential", unitExponential},
		{"scv 2", coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}},
		{"Erlang-2", coxian.Dist{Mu1: 2, P: 1, Mu2: 2}},
	}
	events := map[float64]int64{0.5: 2e9, 1: 1e9, 2: 5e8}
	t.Log("| policy | α | service | simulated | averaged | error % | corrected % | limit % |")
	for _, discipline := range []diffusion.Discipline{diffusion.JSQ, diffusion.I1F, diffusion.IQF} {
		for _, spare := range []float64{2, 1, 0.5} {
			for _, law := range laws {
				s := nearLoadOne{discipline, 1000, spare, law.law}
				simulated := s.simulate(t, events[spare])
				plain, width := relativeError(s.averaged(t, false), simulated)
				corrected, _ := relativeError(s.averaged(t, discipline == diffusion.IQF), simulated)
				limit, _ := relativeError(s.limit(t), simulated)
				t.Logf("| %s | %g | %s | %.5f ± %.5f | %.5f | %+.3f ± %.3f | %+.3f | %+.2f | %v", discipline, spare, law.name,
					simulated.Value, simulated.HalfWidth, s.averaged(t, false), plain, width, corrected, limit, simulated.Warnings)
				mustHold := discipline != diffusion.IQF && law.law == unitExponential
				if allowed := 0.5; math.Abs(plain) > allowed+width || mustHold && (math.Abs(plain) > allowed || width > 0.1) {
					t.Errorf("%s α = %g %s: error %.3f%% ± %.3f%%", discipline, spare, law.name, plain, width)
				}
			}
		}
	}
}

// How the errors fall as N grows from 10 to 10⁴ at α = 2: the averaged
// birth-death chain like 1/N or a little faster, the limit like N^-0.8 at first
// (log N/N in the end).
func TestErrorOrders(t *testing.T) {
	for _, c := range []struct {
		nearLoadOne
		repair        bool
		lowest, least float64 // bounds of the order of the chain and of the limit
	}{
		{nearLoadOne{discipline: diffusion.JSQ, service: unitExponential}, false, 0.9, 0.6},
		{nearLoadOne{discipline: diffusion.I1F, service: unitExponential}, false, 0.9, 0.6},
		{nearLoadOne{discipline: diffusion.IQF, service: unitExponential}, false, 0.9, 0.6},
		{nearLoadOne{discipline: diffusion.IQF, service: unitExponential}, true, 0.9, 0.6},
		{nearLoadOne{discipline: diffusion.JSQ, service: coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}}, false, 0.9, 0.6},
	} {
		var chain, limit orderFit
		for _, n := range []int64{10, 30, 100, 300, 1000, 3000, 10_000} {
			s := c.nearLoadOne
			s.servers, s.spare = n, 2
			simulated := s.simulate(t, min(max(1e8, 500_000*n), 4e9))
			percent, width := relativeError(s.averaged(t, c.repair), simulated)
			chain.add(n, percent, width)
			ofLimit, widthOfLimit := relativeError(s.limit(t), simulated)
			limit.add(n, ofLimit, widthOfLimit)
			t.Logf("| %s repaired %t | %s | %d | %.5f ± %.5f | %+.4f ± %.4f | %+.3f ± %.3f | %v", s.discipline, c.repair, s.service, n,
				simulated.Value, simulated.HalfWidth, percent, width, ofLimit, widthOfLimit, simulated.Warnings)
		}
		order, uncertainty := chain.slope()
		orderOfLimit, uncertaintyOfLimit := limit.slope()
		t.Logf("%s repaired %t %s: order %.3f ± %.3f, limit %.3f ± %.3f", c.discipline, c.repair, c.service, order, uncertainty, orderOfLimit, uncertaintyOfLimit)
		if order+uncertainty < c.lowest {
			t.Errorf("%s %s: the error of the averaged chain falls like N^-%.2f ± %.2f", c.discipline, c.service, order, uncertainty)
		}
		if orderOfLimit+uncertaintyOfLimit < c.least {
			t.Errorf("%s %s: the error of the limit falls like N^-%.2f ± %.2f", c.discipline, c.service, orderOfLimit, uncertaintyOfLimit)
		}
	}
}

// An orderFit fits error ~ N^-order.
type orderFit struct{ logSize, logError []float64 }

// add takes a relative error in where simulation resolves it, that is where it
// is more than twice its half width.
func (f *orderFit) add(servers int64, percent, halfWidth float64) {
	if math.Abs(percent) > 2*halfWidth {
		f.logSize = append(f.logSize, math.Log(float64(servers)))
		f.logError = append(f.logError, math.Log(math.Abs(percent)))
	}
}

// slope is the order by least squares with its standard error, which comes from
// the scatter about the line.
func (f *orderFit) slope() (order, standardError float64) {
	intercept, slope := stat.LinearRegression(f.logSize, f.logError, nil, false)
	residuals, spread := 0.0, 0.0
	mean := stat.Mean(f.logSize, nil)
	for i, x := range f.logSize {
		residual := f.logError[i] - intercept - slope*x
		residuals += residual * residual
		spread += (x - mean) * (x - mean)
	}
	return -slope, math.Sqrt(residuals / float64(len(f.logSize)-2) / spread)
}
