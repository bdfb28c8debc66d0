package stein

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
)

func pool(t interface {
	Helper()
	Fatal(...any)
}, m slotted.Model) *SlottedPooling {
	t.Helper()
	p, err := PoolSlotted(context.Background(), &m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func unitRates(n int) []float64 { return slices.Repeat([]float64{1}, n) }

func bothRoutes(t *testing.T, p *SlottedPooling, want, tolerance float64) {
	t.Helper()
	if !p.HasSecondRoute {
		t.Fatalf("%v: %s", p.Model.String(), p.SecondRouteReason)
	}
	for name, got := range map[string]float64{"Spitzer": p.MeanQueue, "Wiener-Hopf": p.SecondRoute} {
		if math.Abs(got-want) > tolerance {
			t.Errorf("%v: E q = %.13g by %s, want %.13g", p.Model.String(), got, name, want)
		}
	}
	if p.MeanQueueError > 1e-10 || p.SecondRouteError > 1e-10 {
		t.Errorf("%v: error bounds %.2g and %.2g", p.Model.String(), p.MeanQueueError, p.SecondRouteError)
	}
}

// TestPooledReference: reference file, see testdata/README.md.
func TestPooledReference(t *testing.T) {
	text, err := os.ReadFile("testdata/pooled_slotted.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ArrivalMean float64 `json:"arrival_mean"`
			ServiceMean float64 `json:"service_mean"`
			MeanQueue   float64 `json:"mean_queue"`
		}
	}
	if err := json.Unmarshal(text, &file); err != nil || len(file.Cases) != 3 {
		t.Fatal(len(file.Cases), err)
	}
	for _, c := range file.Cases {
		bothRoutes(t, pool(t, slotted.Model{Rates: []float64{c.ServiceMean}, Load: c.ArrivalMean / c.ServiceMean}), c.MeanQueue, 2e-9)
	}
}

// TestPooledValues: N servers of unit rate, Poisson arrivals; values of the
// theory's section on resource pooling, printed to the digits given.
func TestPooledValues(t *testing.T) {
	burst := []slotted.Family{slotted.Burst{Size: 10}}
	for _, c := range []struct {
		servers         int
		load            float64
		services        []slotted.Family
		want, tolerance float64
	}{
		{10, .5, nil, 0.2098687878, 2e-10}, {10, .9, nil, 7.1713966624, 2e-10}, {10, .99, nil, 96.8966308329, 2e-10},
		{50, .9, nil, 4.953045836, 2e-9}, {50, .99, nil, 93.7995087491, 2e-10},
		{10, .9, burst, 42.821025, 5e-7}, {10, .99, burst, 492.52394, 5e-6},
	} {
		bothRoutes(t, pool(t, slotted.Model{Rates: unitRates(c.servers), Load: c.load, Services: c.services}), c.want, c.tolerance)
	}
}

// TestPooledClosedForm: arrivals 2 with probability λ/2 and one job served each
// slot make a birth and death chain with up-rate λ/2 and down-rate 1 - λ/2:
// geometric with ratio r = (λ/2)/(1-λ/2).
func TestPooledClosedForm(t *testing.T) {
	for _, load := range []float64{.01, .3, .9, .999, 1 - 1e-7} {
		p := pool(t, slotted.Model{Rates: []float64{1}, Load: load, Arrivals: slotted.Burst{Size: 2}, Services: []slotted.Family{slotted.Constant{}}})
		r := load / (2 - load)
		mean := load / (2 * (1 - load))
		for name, pair := range map[string][2]float64{
			"mean by Spitzer": {p.MeanQueue, mean}, "mean by Wiener-Hopf": {p.SecondRoute, mean},
			"variance": {p.VarianceQueue, mean * (mean + 1)}, "P(empty)": {p.EmptyProbability, 1 - r},
		} {
			if math.Abs(pair[0]-pair[1]) > 2e-13*(1+pair[1]) {
				t.Errorf("load %g: %s = %.15g, want %.15g", load, name, pair[0], pair[1])
			}
		}
	}
}

// TestPooledAgainstIteration: the law of q by repeating q -> (q + X)⁺ from 0 on
// a long vector until nothing changes.
func TestPooledAgainstIteration(t *testing.T) {
	for _, m := range []slotted.Model{
		{Rates: []float64{1, 2.5}, Load: .7, Services: []slotted.Family{slotted.Geometric{}, slotted.Binomial{Trials: 4}}},
		{Rates: []float64{.5, .5, 1}, Load: .6, Arrivals: slotted.Burst{Size: 7}, Services: []slotted.Family{slotted.Burst{Size: 3}}},
		{Rates: []float64{2, 1}, Load: .8, Arrivals: slotted.Geometric{}, Dispatchers: 3},
	} {
		w, err := newWalk(&m)
		if err != nil {
			t.Fatal(err)
		}
		step, err := w.stepLaw()
		if err != nil {
			t.Fatal(err)
		}
		const size = 600
		law := make([]float64, size)
		law[0] = 1
		for range 1500 {
			next := make([]float64, size)
			for k, x := range law {
				if x < 1e-25 {
					continue
				}
				for i, y := range step.p {
					next[min(max(k+step.lowest+i, 0), size-1)] += x * y
				}
			}
			law = next
		}
		mean, second := 0.0, 0.0
		for k, x := range law {
			mean += float64(k) * x
			second += float64(k*k) * x
		}
		p := pool(t, m)
		for name, pair := range map[string][2]float64{
			"mean": {p.MeanQueue, mean}, "second route": {p.SecondRoute, mean},
			"variance": {p.VarianceQueue, second - mean*mean}, "P(empty)": {p.EmptyProbability, law[0]},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*(1+pair[1]) {
				t.Errorf("%v: %s = %.12g, by iteration %.12g", m.String(), name, pair[0], pair[1])
			}
		}
	}
}

var familyGenerator = rapid.Custom(func(t *rapid.T) slotted.Family {
	size := rapid.Int64Range(3, 12).Draw(t, "size")
	return []slotted.Family{slotted.Poisson{}, slotted.Geometric{}, slotted.Burst{Size: size}, slotted.Binomial{Trials: size}}[rapid.IntRange(0, 3).Draw(t, "family")]
})

// TestPooledRoutesAgree on random models, and the explicit bound and the
// identities hold. PoolSlotted itself refuses routes that disagree.
func TestPooledRoutesAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := slotted.Model{
			Rates:    rapid.SliceOfN(rapid.Float64Range(.2, 1.5), 1, 3).Draw(t, "rates"),
			Load:     1 - math.Exp(-rapid.Float64Range(.1, 14).Draw(t, "distance")),
			Services: []slotted.Family{familyGenerator.Draw(t, "service")},
		}
		if m.Arrivals = familyGenerator.Draw(t, "arrivals"); m.Validate() != nil {
			t.Skip("the arrivals do not reach this load")
		}
		p := pool(t, m)
		if gap := math.Abs(p.MeanQueue - p.SecondRoute); p.HasSecondRoute && gap > 1e-11*(p.Zeta/p.Slack+1) {
			t.Fatalf("%v: routes %.15g and %.15g", m.String(), p.MeanQueue, p.SecondRoute)
		}
		// E q = (ζ - E u²)/(2ε) with 0 <= E u² <= S ε for bounded service.
		slip := 1e-12 * p.Zeta / p.Slack
		if p.MeanQueue > p.Zeta/(2*p.Slack)+slip || p.HasExplicitBound && p.ExplicitBound > p.MeanQueue+slip {
			t.Fatalf("%v: E q = %.15g outside [%.15g, %.15g]", m.String(), p.MeanQueue, p.ExplicitBound, p.Zeta/(2*p.Slack))
		}
		if !(p.EmptyProbability >= 0 && p.EmptyProbability <= 1 && p.VarianceQueue >= 0) {
			t.Fatalf("%v: P(empty) = %g, variance %g", m.String(), p.EmptyProbability, p.VarianceQueue)
		}
	})
}

// someFamily is a family of laws that a user wrote: bounded, not comparable, no
// generating function.
type someFamily struct{ slotted.Family }

func (f someFamily) At(mean float64) (slotted.Law, error) {
	law, err := f.Family.At(mean)
	return someLaw{Law: law, note: []string{"mine"}}, err
}

type someLaw struct {
	slotted.Law
	note []string
}

// TestPooledOfUsersLaw: the same answer as for the built-in law it hides.
func TestPooledOfUsersLaw(t *testing.T) {
	binomial := slotted.Binomial{Trials: 5}
	want := pool(t, slotted.Model{Rates: unitRates(3), Load: .95, Services: []slotted.Family{binomial}})
	got := pool(t, slotted.Model{Rates: unitRates(3), Load: .95, Services: []slotted.Family{someFamily{binomial}}})
	if math.Abs(got.MeanQueue-want.MeanQueue) > 1e-11 || got.SecondRoute != want.SecondRoute {
		t.Errorf("E q = %.15g, %.15g, want %.15g", got.MeanQueue, got.SecondRoute, want.MeanQueue)
	}
	var field *ctmc.FieldError
	unbounded := slotted.Model{Rates: unitRates(3), Load: .95, Services: []slotted.Family{someFamily{slotted.Poisson{}}}}
	if _, err := PoolSlotted(context.Background(), &unbounded); !errors.As(err, &field) || field.Field != "service-law" {
		t.Errorf("unbounded law without a generating function: %v", err)
	}
}

// TestPooledHeavyTraffic: ε E q -> (σ² + ν²)/2 with an error of order ε, down
// to ε = 1e-8.
func TestPooledHeavyTraffic(t *testing.T) {
	for _, slack := range []float64{1e-2, 1e-3, 1e-5, 1e-8} {
		m := slotted.Model{Rates: unitRates(10)}
		p := pool(t, *m.WithSlack(slack))
		if p.Limit != 10 || math.Abs(p.Slack*p.MeanQueue-p.Limit) > 4*slack {
			t.Errorf("ε = %g: ε E q = %.15g, limit %g", slack, p.Slack*p.MeanQueue, p.Limit)
		}
		if gap := math.Abs(p.MeanQueue - p.SecondRoute); gap > 1e-14/slack*p.Zeta {
			t.Errorf("ε = %g: routes differ by %g", slack, gap)
		}
	}
}

// TestPooledExtremes: no load, certain service, more servers than the second
// route can take, one server.
func TestPooledExtremes(t *testing.T) {
	if p := pool(t, slotted.Model{Rates: unitRates(3)}); p.MeanQueue != 0 || p.EmptyProbability != 1 || p.HasResponse {
		t.Errorf("no load: %+v", p)
	}
	certain := slotted.Model{Rates: unitRates(4), Load: .5, Arrivals: slotted.Constant{}, Services: []slotted.Family{slotted.Constant{}}}
	if p := pool(t, certain); p.MeanQueue != 0 || p.HasLimit != true || p.Limit != 0 {
		t.Errorf("certain service: %+v", p)
	}
	many := pool(t, slotted.Model{Rates: unitRates(100_000), Load: .99})
	if many.HasSecondRoute || many.SecondRouteReason == "" || math.Abs(many.MeanQueue-2.0033248) > 1e-6 {
		t.Errorf("100000 servers: %+v", many)
	}
	if p := pool(t, slotted.Model{Rates: unitRates(1_000_000), Load: .5}); p.MeanQueue != 0 || p.EmptyProbability != 1 {
		t.Errorf("a million servers at half load: E q = %g", p.MeanQueue)
	}
	var field *ctmc.FieldError
	for _, load := range []float64{1e-100, 1e-13, 1, 1.2, -1, math.NaN()} {
		if _, err := PoolSlotted(context.Background(), &slotted.Model{Rates: unitRates(2), Load: load}); !errors.As(err, &field) || field.Field != "load" {
			t.Errorf("load %g: %v", load, err)
		}
	}
	bounded := pool(t, slotted.Model{Rates: unitRates(10), Load: .9, Services: []slotted.Family{slotted.Burst{Size: 10}}})
	if want := bounded.Zeta/2 - 50; !bounded.HasExplicitBound || math.Abs(bounded.ExplicitBound-want) > 1e-12 {
		t.Errorf("explicit bound %g, want %g", bounded.ExplicitBound, want)
	}
	if p := pool(t, slotted.Model{Rates: unitRates(10), Load: .9}); p.HasExplicitBound || p.ExplicitBoundReason == "" {
		t.Errorf("Poisson service is unbounded: %+v", p)
	}
	few := pool(t, slotted.Model{Rates: unitRates(10), Load: .5, Arrivals: slotted.Burst{Size: 6}})
	if few.HasLimit || few.LimitReason == "" {
		t.Errorf("bursts of 6 cannot load 10 servers: %+v", few)
	}
}

func BenchmarkPooledSlotted(b *testing.B) { // below 10 ms, both routes, ten servers at load .999
	m := slotted.Model{Rates: unitRates(10), Load: .999}
	for b.Loop() {
		if _, err := PoolSlotted(context.Background(), &m); err != nil {
			b.Fatal(err)
		}
	}
}
