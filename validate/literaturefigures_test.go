package validate

import (
	"context"
	"math"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/stein"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

func seriesNamed(t *testing.T, f *figure.Figure, name string) figure.Series {
	t.Helper()
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	for _, s := range f.Series {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("%s has no series %q", f.Name, name)
	return figure.Series{}
}

// TestTailFigure: s_i = λ^((d^i - 1)/(d - 1)), and simulated points near it.
func TestTailFigure(t *testing.T) {
	f, err := TailFigure(context.Background(), TailStudy{Load: 0.7, Choices: []int64{1, 2}, Servers: 200,
		Simulation: sim.Settings{Seed: 3, Events: 300_000, Replications: 4}})
	if err != nil {
		t.Fatal(err)
	}
	line, points := seriesNamed(t, f, "d = 2"), seriesNamed(t, f, "d = 2, simulated")
	for i, y := range line.Y {
		if want := math.Pow(0.7, math.Exp2(float64(i))-1); math.Abs(y-want) > 1e-12 {
			t.Errorf("s_%d = %v, want %v", i, y, want)
		}
	}
	for i := 1; i <= 3; i++ {
		if math.Abs(points.Y[i]/line.Y[i]-1) > 0.1 {
			t.Errorf("simulated s_%d = %v, limit %v", i, points.Y[i], line.Y[i])
		}
		if !(0 < points.Low[i] && points.Low[i] < points.Y[i] && points.Y[i] < points.High[i]) {
			t.Errorf("s_%d = %v in [%v, %v]", i, points.Y[i], points.Low[i], points.High[i])
		}
	}
}

// TestExpansionErrorFigure: the errors fall like 1/N, 1/N² and 1/N³.
func TestExpansionErrorFigure(t *testing.T) {
	f, err := ExpansionStudy{Choices: 2, Load: 0.4, Servers: []int64{2, 6, 12}}.ErrorFigure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for order, name := range []string{"mean field", "to order 1/N", "to order 1/N²"} {
		s := seriesNamed(t, f, name)
		slope := math.Log(s.Y[1]/s.Y[2]) / math.Log(2)
		if math.Abs(slope-float64(order+1)) > 0.45 {
			t.Errorf("%s falls like N^-%.2f from 6 to 12 servers", name, slope)
		}
	}
}

// TestExpansionMeansFigure: the published table at N = 10, d = 2, load 0.9:
// 2.3527, 2.7513, 2.8045 (Gast, Bortolussi, Tribastone 2019), and the simulation
// as shipped, 2.80030; the printed table has 2.8002.
func TestExpansionMeansFigure(t *testing.T) {
	f, err := ExpansionStudy{Choices: 2, Load: 0.9}.MeansFigure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{"mean field": 2.3527, "to order 1/N": 2.7513, "to order 1/N²": 2.8045, "published simulations": 2.8003} {
		s := seriesNamed(t, f, name)
		found := false
		for i, x := range s.X {
			if x == 10 {
				found = true
				if math.Abs(s.Y[i]-want) > 6e-5 {
					t.Errorf("%s at N = 10: %.5f, want %.4f", name, s.Y[i], want)
				}
			}
		}
		if !found {
			t.Errorf("%s is not drawn at N = 10", name)
		}
	}
	if _, err := (ExpansionStudy{Choices: 2, Load: 0.123}).MeansFigure(context.Background()); err == nil || !strings.Contains(err.Error(), "load") {
		t.Errorf("a load without published data: %v", err)
	}
}

// TestExpansionPathFigure: what the expansion to 1/N leaves is of order 1/N², a
// quarter when N doubles.
func TestExpansionPathFigure(t *testing.T) {
	f, err := ExpansionStudy{Choices: 2, Load: 0.8, Servers: []int64{8, 16}}.PathFigure(context.Background(), 3, 6)
	if err != nil {
		t.Fatal(err)
	}
	last := func(line, exact string) float64 {
		x, y := seriesNamed(t, f, line), seriesNamed(t, f, exact)
		if x.X[len(x.X)-1] != y.X[len(y.X)-1] {
			t.Fatalf("%s ends at %v, %s at %v", line, x.X[len(x.X)-1], exact, y.X[len(y.X)-1])
		}
		return math.Abs(x.Y[len(x.Y)-1] - y.Y[len(y.Y)-1])
	}
	ratio := last("N = 8, to order 1/N", "N = 8, exact") / last("N = 16, to order 1/N", "N = 16, exact")
	if ratio < 3 || ratio > 5.5 {
		t.Errorf("from 8 to 16 servers the error falls by the factor %.2f", ratio)
	}
}

// TestLeastLoadedFigure: response -log(1 - λ²)/λ² for exponential service, and
// never above that of the fewest jobs.
func TestLeastLoadedFigure(t *testing.T) {
	f, err := LeastLoadedFigure([]int64{2}, coxian.Dist{Mu1: 1, Mu2: 1})
	if err != nil {
		t.Fatal(err)
	}
	work, jobs := seriesNamed(t, f, "LL(2)"), seriesNamed(t, f, "SQ(2)")
	for i, x := range work.X {
		if want := -math.Log1p(-x*x) / (x * x); math.Abs(work.Y[i]/want-1) > 1e-9 {
			t.Errorf("LL(2) at %v: %v, want %v", x, work.Y[i], want)
		}
		if jobs.Y[i] < work.Y[i]*(1-1e-12) {
			t.Errorf("at %v fewest jobs %v beat least work %v", x, jobs.Y[i], work.Y[i])
		}
	}
}

// TestDelayLawFigure: CQ waits exp(-αt) and is served exp(-t), at α = 1 together
// (1 + t)e^-t.
func TestDelayLawFigure(t *testing.T) {
	f, err := DelayLawFigure(1)
	if err != nil {
		t.Fatal(err)
	}
	s := seriesNamed(t, f, "CQ")
	for i, x := range s.X {
		if want := (1 + x) * math.Exp(-x); math.Abs(s.Y[i]-want) > 1e-12 {
			t.Errorf("P(T > %v) = %v, want %v", x, s.Y[i], want)
		}
	}
}

// TestSteinFigure: bounds are above the simulated points where both are drawn,
// and the best constants are never worse than the explicit ones.
func TestSteinFigure(t *testing.T) {
	f, err := SteinFigure(context.Background(), SteinStudy{Alpha: 0.25, Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1},
		Policy: ctmc.JSQ(), Servers: []int64{8}, Simulation: sim.Settings{Seed: 1, Events: 100_000, Replications: 4}})
	if err != nil {
		t.Fatal(err)
	}
	explicit, best := seriesNamed(t, f, "upper bound, explicit constants"), seriesNamed(t, f, "upper bound, best constants")
	last := len(best.Y) - 1
	if best.Y[last] > explicit.Y[len(explicit.Y)-1] || best.X[0] >= explicit.X[0] {
		t.Errorf("best %v from N = %v, explicit %v from %v", best.Y[last], best.X[0], explicit.Y[len(explicit.Y)-1], explicit.X[0])
	}
	// E(X - η)^+ <= 1.08484e-7 at N = 1e12 for the explicit version, and P(wait)
	// <= that over N^-1/4 - 5δ.
	delta := math.Log(1e12) / 1e6
	for i, x := range explicit.X {
		if x == 1e12 {
			if want := 1.08484e-7 / (1e-3 - 5*delta); math.Abs(explicit.Y[i]/want-1) > 1e-4 {
				t.Errorf("explicit bound at 1e12: %v, want %v", explicit.Y[i], want)
			}
		}
	}
}

// TestHeavyTrafficFigure: no policy is below the resource-pooled queue, whose
// ratio is 1 - ε²/ζ or more.
func TestHeavyTrafficFigure(t *testing.T) {
	m := slotted.Model{Rates: []float64{1, 1, 1, 1}, Dispatchers: 2}
	policy, err := slotted.ParsePolicy("lsq:push=2")
	if err != nil {
		t.Fatal(err)
	}
	study := HeavyTrafficStudy{Model: m, Policies: []slotted.Policy{policy}, Slacks: []float64{1, 0.5, 0.25},
		Settings: sim.SlottedSettings{Seed: 1, Slots: 40_000, PooledMean: SlottedPooledMean(context.Background())}}
	f, err := study.Figure(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s := seriesNamed(t, f, policy.String())
	if len(s.X) != 3 {
		t.Fatalf("%d points", len(s.X))
	}
	for i, slack := range s.X {
		pooled, err := stein.PoolSlotted(context.Background(), m.WithSlack(slack))
		if err != nil {
			t.Fatal(err)
		}
		arrivals, service, err := m.WithSlack(slack).Variances()
		if err != nil {
			t.Fatal(err)
		}
		if least := 2 * slack * pooled.MeanQueue / (arrivals + service + slack*slack); s.High[i] < least {
			t.Errorf("at slack %v: %v, the pooled queue has %v", slack, s.High[i], least)
		}
	}
}
