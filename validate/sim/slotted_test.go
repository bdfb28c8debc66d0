package sim

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"qlimit/ctmc/slotted"
	"qlimit/stein"
	"qlimit/validate/estimate"
)

// exactPooled is the mean of the pooled queue by Spitzer's identity.
func exactPooled(m *slotted.Model) (float64, error) {
	p, err := stein.PoolSlotted(context.Background(), m)
	if err != nil {
		return 0, err
	}
	return p.MeanQueue, nil
}

func slottedModel(t testing.TB, rates string, load float64) *slotted.Model {
	t.Helper()
	r, err := slotted.ParseRates(rates)
	if err != nil {
		t.Fatal(err)
	}
	return &slotted.Model{Rates: r, Load: load}
}

func slottedPolicy(t testing.TB, text string) slotted.Policy {
	t.Helper()
	p, err := slotted.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func runSlotted(t testing.TB, m *slotted.Model, policy string, settings SlottedSettings) *SlottedResult {
	t.Helper()
	if settings.PooledMean == nil {
		settings.PooledMean = exactPooled
	}
	r, err := RunSlotted(context.Background(), m, slottedPolicy(t, policy), settings)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// within checks an estimate against a value: some standard errors, and the
// relative error of the value itself.
func within(t testing.TB, what string, e estimate.Estimate, want, sigmas, relative float64) {
	t.Helper()
	if e.Status != estimate.Usable && e.Status != estimate.Constant {
		t.Fatalf("%s: status %v", what, e.Status)
	}
	if d := math.Abs(e.Value - want); d > sigmas*e.StandardError+relative*math.Abs(want) {
		t.Errorf("%s = %.6g ± %.2g, want %.6g", what, e.Value, e.HalfWidth, want)
	}
}

// publishedSlotted are values of the whole-batch model with ten servers of
// rate 1, Poisson arrivals and service, T = 1000 (errors 0.5%, at load 0.99
// about 1%): mean response in slots and, where known, messages per slot with
// arrivals.
var publishedSlotted = []struct {
	policy             string
	load               float64
	response, messages float64
}{
	{"jsq", .5, 3.018, 20}, {"sq:d=2", .5, 3.513, 4}, {"sq:d=2,m=3", .5, 3.037, 4}, {"jiq", .5, 3.017, 1.000},
	{"jbt:d=2,T=1000", .5, 3.097, 1.009}, {"jbt:d=10,T=1000", .5, 3.018, 1.025}, {"random", .5, 6.016, 0},
	{"jsq", .9, 5.601, 20}, {"sq:d=2", .9, 11.455, 4}, {"sq:d=2,m=3", .9, 7.508, 4}, {"jiq", .9, 6.776, .757},
	{"jbt:d=2,T=1000", .9, 7.762, .926}, {"jbt:d=10,T=1000", .9, 6.666, .815}, {"random", .9, 50.05, 0},
	{"jsq", .99, 15.23, 20}, {"sq:d=2", .99, 30.50, 4}, {"sq:d=2,m=3", .99, 23.41, 4}, {"jiq", .99, 39.14, .166},
	{"jbt:d=2,T=1000", .99, 27.56, .770}, {"jbt:d=10,T=1000", .99, 20.77, .529},
}

// The values at loads .5 and .9: 1%, messages half a percent, and three
// standard errors of a short run.
func TestSlottedPublishedValues(t *testing.T) {
	for _, c := range publishedSlotted {
		if c.load == .99 || strings.HasPrefix(c.policy, "jbt") && c.load == .9 && testing.Short() {
			continue
		}
		r := runSlotted(t, slottedModel(t, "1x10", c.load), c.policy, SlottedSettings{Slots: 2e5})
		what := fmt.Sprintf("%s at %g: ", c.policy, c.load)
		within(t, what+"response", r.MeanResponse, c.response, 3, 0.01)
		within(t, what+"messages", r.MessagesPerArrivalSlot, c.messages, 3, 0.005)
		if !r.Stability.Stable || r.MeanQueue.Value < r.PooledMean {
			t.Errorf("%sstable %v, mean queue %g, pooled bound %g", what, r.Stability.Stable, r.MeanQueue.Value, r.PooledMean)
		}
		within(t, what+"throughput", r.Throughput, 10*c.load, 4, 0)
	}
}

// exactTwoServers solves the chain of two servers by iteration: 2 jobs or none
// arrive, a server serves 1 job or none; choose gives the probability that the
// first is chosen.
func exactTwoServers(load float64, choose func(a, b int) float64) (queue, cross float64) {
	const size = 44
	arrive, serve := load, 0.5 // P(2 jobs) = λ/2 with λ = load, P(service) = 1/2
	arrive /= 2
	p, next := make([]float64, size*size), make([]float64, size*size)
	p[0] = 1
	for range 2000 {
		clear(next)
		cross = 0
		for a := range size {
			for b := range size {
				w := p[a*size+b]
				if w < 1e-18 {
					continue
				}
				spread := func(a, b int, w float64) {
					for s := range 4 {
						left, right, unused := a, b, 0
						if s&1 == 1 {
							if left--; left < 0 {
								left, unused = 0, unused+1
							}
						}
						if s&2 == 2 {
							if right--; right < 0 {
								right, unused = 0, unused+1
							}
						}
						left, right = min(left, size-1), min(right, size-1)
						next[left*size+right] += w * serve * serve
						cross += w * serve * serve * float64((left+right)*unused)
					}
				}
				first := choose(a, b)
				spread(a, b, w*(1-arrive))
				spread(min(a+2, size+1), b, w*arrive*first)
				spread(a, min(b+2, size+1), w*arrive*(1-first))
			}
		}
		p, next = next, p
	}
	for a := range size {
		for b := range size {
			queue += p[a*size+b] * float64(a+b)
		}
	}
	return queue, cross
}

// The simulator against the exact chain of two servers: 4.5 standard errors
// for the mean queue by each estimator, the cross term, and the drift identity
// that ties them.
func TestSlottedAgainstChain(t *testing.T) {
	const load = 0.7
	half := func(a, b int) float64 {
		switch {
		case a < b:
			return 1
		case a > b:
			return 0
		}
		return 0.5
	}
	idle := func(a, b int) float64 {
		if (a == 0) != (b == 0) {
			return half(a, b)
		}
		return 0.5
	}
	for policy, choose := range map[string]func(a, b int) float64{"jsq": half, "jiq": idle, "random": func(int, int) float64 { return 0.5 }} {
		queue, cross := exactTwoServers(load, choose)
		m := slottedModel(t, "0.5x2", load)
		m.Arrivals, m.Services = slotted.Burst{Size: 2}, []slotted.Family{slotted.Burst{Size: 1}}
		r := runSlotted(t, m, policy, SlottedSettings{Slots: 8e5})
		within(t, policy+" queue", r.MeanQueue, queue, 4.5, 1e-9)
		within(t, policy+" plain queue", r.PlainQueue, queue, 4.5, 1e-9)
		within(t, policy+" cross term", r.Cross, cross, 4.5, 1e-9)
		if slack := m.Slack(); math.Abs(2*slack*r.MeanQueue.Value-(r.Zeta+2*r.Cross.Value-r.UnusedTwo.Value)) > 0.05*r.Zeta {
			t.Errorf("%s: the drift of the square does not vanish", policy)
		}
	}
}

// One server is the pooled queue: 0.7899365048 jobs at arrival rate 0.5
// (reference file), without controls within 4.5 standard errors, with them
// exactly.
func TestSlottedSingleServer(t *testing.T) {
	m := slottedModel(t, "1", 0.5)
	const want = 0.7899365048451724
	plain := runSlotted(t, m, "jsq", SlottedSettings{Slots: 4e5, Controls: ControlsOff})
	within(t, "plain", plain.MeanQueue, want, 4.5, 0)
	if plain.QueueMethod != byTimeAverage || plain.PooledKnown {
		t.Errorf("controls off: %s, pooled known %v", plain.QueueMethod, plain.PooledKnown)
	}
	within(t, "controlled", runSlotted(t, m, "jsq", SlottedSettings{Slots: 4e5}).MeanQueue, want, 0, 1e-9)
}

// The estimates of a run, whose messages, memory and speed may differ.
func flowsOf(r *SlottedResult) []any {
	return []any{r.MeanQueue, r.PlainQueue, r.Cross, r.Across, r.Throughput, r.ServerLoad, r.ServerQueue}
}

// With one dispatcher and every estimate refreshed in every slot LSQ is JSQ;
// JBT that never sets its threshold is JIQ: bit for bit on common random
// numbers, JBT with the messages.
func TestSlottedPoliciesThatCoincide(t *testing.T) {
	settings := SlottedSettings{Slots: 1e5}
	m := slottedModel(t, "1x3,2x2", 0.8)
	jsq, local := runSlotted(t, m, "jsq", settings), runSlotted(t, m, "lsq:refresh=1", settings)
	if !reflect.DeepEqual(flowsOf(jsq), flowsOf(local)) {
		t.Errorf("LSQ %v, JSQ %v", local.MeanQueue, jsq.MeanQueue)
	}
	if local.EstimateError.Value != 0 || local.EstimateError.Status != estimate.Constant {
		t.Errorf("estimate error %v", local.EstimateError)
	}
	jiq, threshold := runSlotted(t, m, "jiq", settings), runSlotted(t, m, "jbt:d=2,T=inf", settings)
	if !reflect.DeepEqual(flowsOf(jiq), flowsOf(threshold)) || !reflect.DeepEqual(jiq.Messages, threshold.Messages) {
		t.Errorf("JBT %v, JIQ %v", threshold.MeanQueue, jiq.MeanQueue)
	}
	if other := runSlotted(t, m, "jbt:d=2,T=50", settings); reflect.DeepEqual(flowsOf(jiq), flowsOf(other)) {
		t.Error("T = 50 makes no difference")
	}
}

// Policies see the same arrivals and service; neither company nor threads
// change a result; seeds do.
func TestSlottedCommonRandomNumbers(t *testing.T) {
	m := slottedModel(t, "1x4", 0.8)
	settings := SlottedSettings{Slots: 1e5, PooledMean: exactPooled, Threads: 1}
	alone := runSlotted(t, m, "jiq", settings)
	settings.Threads = 3
	both, err := CompareSlotted(context.Background(), m, []slotted.Policy{slottedPolicy(t, "jsq"), slottedPolicy(t, "jiq")}, settings)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(flowsOf(alone), flowsOf(both.Results[1])) {
		t.Errorf("alone %v, in company %v", alone.MeanQueue, both.Results[1].MeanQueue)
	}
	p := both.Pairs[0]
	if d := both.Results[0].PlainQueue.Value - both.Results[1].PlainQueue.Value; math.Abs(p.MeanQueue.Value-d) > 4*both.Results[1].PlainQueue.StandardError {
		t.Errorf("difference %g, of plain means %g", p.MeanQueue.Value, d)
	}
	if p.MeanQueue.Better != 0 || p.MessagesPerArrivalSlot.Better != 1 || p.MeanQueue.JointHalfWidth != p.MeanQueue.HalfWidth {
		t.Errorf("pair %+v", p)
	}
	settings.Seed = 2
	if other := runSlotted(t, m, "jiq", settings); reflect.DeepEqual(flowsOf(alone), flowsOf(other)) {
		t.Error("the seed has no effect")
	}
}

// Jobs are conserved, and a slot is arrivals, then service: by hand for JSQ,
// two servers, service of exactly one job.
func TestSlottedConservation(t *testing.T) {
	m := slottedModel(t, "1x2", 0.75)
	m.Services = []slotted.Family{slotted.Constant{}}
	d, err := newSlottedDraws(m, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := newSlottedState(m, slottedPolicy(t, "jsq"), 1, 0, true)
	for range 1000 {
		before := [2]int64{s.view.Lengths[0], s.view.Lengths[1]}
		d.next()
		s.advance(d)
		short := 0
		if before[1] < before[0] || before[1] == before[0] && d.totalArrived > 0 && s.chosen[0] == 1 {
			short = 1
		}
		before[short] += d.totalArrived
		for n := range before {
			if want := max(before[n]-1, 0); s.view.Lengths[n] != want {
				t.Fatalf("server %d: %d jobs, want %d", n, s.view.Lengths[n], want)
			}
		}
	}
	if left := s.view.Lengths[0] + s.view.Lengths[1]; d.sumArrived-s.sums.served != float64(left) {
		t.Errorf("%g arrived, %g served, %d left", d.sumArrived, s.sums.served, left)
	}
	if d.sumService-s.sums.served != s.sums.unused {
		t.Errorf("%g offered, %g served, %g unused", d.sumService, s.sums.served, s.sums.unused)
	}
}

// SQ(2) with five servers of rate 1 and five of rate 10 is stable below load
// 9/22 = 0.409 and serves no more than the fast pool gets and the slow pool can
// do beyond; a load of 1 or more is never stable.
func TestSlottedStability(t *testing.T) {
	settings := SlottedSettings{Slots: 4e5}
	for load, stable := range map[float64]bool{0.36: true, 0.47: false} {
		r := runSlotted(t, slottedModel(t, "1x5,10x5", load), "sq:d=2", settings)
		if r.Stability.Stable != stable || r.Stability.Confidence < 0.99 {
			t.Errorf("load %g: %+v", load, r.Stability)
		}
		if stable {
			within(t, "throughput", r.Throughput, 55*load, 4, 0)
			continue
		}
		// The slow pool gets λ C(5,2)/C(10,2) = 2λ/9 and serves 5.
		within(t, "throughput", r.Throughput, 5+7./9*55*load, 4, 0.002)
		if r.MeanQueue.Status != estimate.Undefined || r.MeanResponse.Status != estimate.Undefined {
			t.Errorf("an unstable system has mean queue %v", r.MeanQueue)
		}
	}
	for _, load := range []float64{1, 1.2} {
		if r := runSlotted(t, slottedModel(t, "1x3", load), "jsq", SlottedSettings{Slots: 2e4}); r.Stability.Stable {
			t.Errorf("load %g is said to be stable", load)
		}
	}
}

// With several dispatchers and a pair refreshed with probability p in a slot,
// E|Q_n - estimate| <= (λ_Σ + μ_n)(1 - p)/p for every server, and the error
// does not grow as ε falls; with p proportional to ε it does.
func TestSlottedEstimateErrors(t *testing.T) {
	m := slottedModel(t, "1x3,10x3", 0)
	m.Dispatchers = 3
	var errors [2][2]float64
	for i, slack := range []float64{1, 0.2} {
		for k, p := range []float64{0.2, 0.2 * slack} {
			r := runSlotted(t, m.WithSlack(slack), fmt.Sprintf("lsq:refresh=%g", p), SlottedSettings{Slots: 1e5})
			for n, e := range r.ServerError {
				if bound := (r.Model.ArrivalRate() + m.Rates[n]) * (1 - p) / p; e.Value > bound || e.Value <= 0 {
					t.Errorf("ε = %g, p = %g, server %d: error %g, bound %g", slack, p, n, e.Value, bound)
				}
			}
			errors[i][k] = r.EstimateError.Value
		}
	}
	if errors[1][0] > 1.1*errors[0][0] || errors[1][1] < 2*errors[0][1] {
		t.Errorf("errors %v: p fixed, p proportional to ε", errors)
	}
}

// JSQ is heavy-traffic delay optimal and JIQ is not: four servers.
func TestSlottedHeavyTraffic(t *testing.T) {
	m := slottedModel(t, "1x4", 0)
	settings := SlottedSettings{Slots: 4e5, PooledMean: exactPooled}
	for policy, verdict := range map[string]HeavyTrafficVerdict{"jsq": HeavyTrafficOptimal, "jiq": NotHeavyTrafficOptimal} {
		h, err := SweepHeavyTraffic(context.Background(), m, func(float64) (slotted.Policy, error) { return slottedPolicy(t, policy), nil }, []float64{0.1, 0.4, 0.2}, settings)
		if err != nil {
			t.Fatal(err)
		}
		if h.Verdict != verdict {
			t.Errorf("%s: %s, exponent %.3f ± %.3f", policy, h.Verdict, h.Exponent, h.ExponentError)
		}
		for i, p := range h.Points {
			if i > 0 && (p.Slack >= h.Points[i-1].Slack || policy == "jsq" && p.Ratio.Value >= h.Points[i-1].Ratio.Value) {
				t.Errorf("%s: ratio %g at slack %g", policy, p.Ratio.Value, p.Slack)
			}
		}
	}
	for _, slacks := range [][]float64{{0.1, 0.2}, {0.1, 0.2, 4}, {0.1, 0.1, 0.2}, {0, 0.1, 0.2}} {
		if _, err := SweepHeavyTraffic(context.Background(), m, nil, slacks, settings); err == nil {
			t.Errorf("slacks %v were taken", slacks)
		}
	}
}

// JBT needs at most 1 + (2d + N)/T messages for a slot with arrivals.
func TestSlottedMessageBound(t *testing.T) {
	for _, c := range []struct{ d, period float64 }{{2, 1}, {2, 10}, {10, 10}, {5, 100}} {
		for _, load := range []float64{0.3, 0.95} {
			r := runSlotted(t, slottedModel(t, "1x10", load), fmt.Sprintf("jbt:d=%g,T=%g", c.d, c.period), SlottedSettings{Slots: 1e5})
			if bound := 1 + (2*c.d+10)/c.period; r.MessagesPerArrivalSlot.Value > bound/(1-math.Exp(-10*load)) {
				t.Errorf("d = %g, T = %g, load %g: %g messages, bound %g", c.d, c.period, load, r.MessagesPerArrivalSlot.Value, bound)
			}
		}
	}
}

func TestSlottedExtremes(t *testing.T) {
	for _, c := range []struct {
		rates, policy string
		load          float64
	}{{"1", "jbt:d=1,T=1", 0.5}, {"1x3", "sq:d=3", 0.5}, {"1x3", "jsq", 1e-9}, {"1x2", "random", 0}, {"1e-3x2", "jsq", 0.5}, {"1000x2", "sed", 0.5}, {"1x300", "jiq", 0.5}} {
		r := runSlotted(t, slottedModel(t, c.rates, c.load), c.policy, SlottedSettings{Slots: 3e4})
		if !r.Stability.Stable {
			t.Errorf("%v: unstable", c)
		}
		for _, e := range []estimate.Estimate{r.MeanQueue, r.MeanResponse, r.Throughput, r.MessagesPerJob, r.Cross} {
			if math.IsNaN(e.Value) || math.IsInf(e.Value, 0) || e.Value < 0 {
				t.Errorf("%v: %v", c, e)
			}
		}
	}
}

func TestSlottedRefusals(t *testing.T) {
	m := slottedModel(t, "1x2", 0.5)
	for want, s := range map[string]SlottedSettings{
		"replications = 3": {Replications: 3}, "slots = 5": {Slots: 5}, "level = 2": {Level: 2}, "warmup = NaN": {WarmUp: math.NaN()},
	} {
		if _, err := RunSlotted(context.Background(), m, slottedPolicy(t, "jsq"), s); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := RunSlotted(context.Background(), m, slottedPolicy(t, "sq:d=3"), SlottedSettings{}); err == nil {
		t.Error("d = 3 of two servers was taken")
	}
	if _, err := CompareSlotted(context.Background(), m, []slotted.Policy{slottedPolicy(t, "jsq")}, SlottedSettings{}); err == nil {
		t.Error("a comparison of one was taken")
	}
}

// A cancelled run answers with what there is, if that is enough.
func TestSlottedInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	m := slottedModel(t, "1x2", 0.5)
	settings := SlottedSettings{Slots: 4e5, Progress: func(done, total float64, _ string) {
		if done > total/2 {
			cancel()
		}
	}}
	r, err := RunSlotted(ctx, m, slottedPolicy(t, "jsq"), settings)
	if err != nil || r.Ending != Interrupted || r.Slots >= 4e5 || r.Slots < 1e5 {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := RunSlotted(ctx, m, slottedPolicy(t, "jsq"), SlottedSettings{}); err == nil {
		t.Error("a run cancelled from the start answered")
	}
}
