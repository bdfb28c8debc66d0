package sim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/estimate"
)

// Saturation is the load at which servers whose queues never empty are sent as
// much as they can serve.
type Saturation struct {
	// Critical is the load λ_Σ/μ_Σ with its interval; Found is false where no
	// set of slowest servers fills up below the load Highest.
	Critical estimate.Estimate
	Found    bool
	Highest  float64

	Servers int     // the slowest servers that fill up together
	Rate    float64 // of the fastest of them
	Slots   int64   // simulated
}

// CriticalBySaturation estimates the largest load of a policy that sends jobs to
// idle servers and, where none is known, anywhere (one dispatcher, no threshold
// that is ever raised).
//
// Take the k slowest servers as never idle. What the others leave to chance
// reaches them: f(λ) jobs per slot each. They can serve it if f(λ) < μ_n for
// the fastest of them, and so the load is critical where f(λ) = μ_n; the
// smallest such load over k is that of the system. f is simulated with the
// servers saturated, its root bracketed by bisection and found by one
// interpolation, the interval that of f at the last load divided by the slope.
//
// Errors: another policy ([LeavesToChance]), a setting out of range, or the
// error of the context.
func CriticalBySaturation(ctx context.Context, m *slotted.Model, p slotted.Policy, settings SlottedSettings) (*Saturation, error) {
	if !LeavesToChance(m, p) {
		return nil, &ctmc.FieldError{Field: "policy", Value: p.String(), Allowed: "jiq, or one with a threshold that stays 0, with one dispatcher"}
	}
	settings, err := settings.withDefaults()
	if err != nil {
		return nil, err
	}
	order := make([]int, m.Servers())
	for n := range order {
		order[n] = n
	}
	slices.SortStableFunc(order, func(a, b int) int { return compareRates(m, a, b) })
	best := &Saturation{Highest: highestTested}
	for k := 1; k < len(order); k++ {
		if m.Rates[order[k]] == m.Rates[order[k-1]] {
			continue // within a pool
		}
		s := &saturated{model: m, policy: p, settings: settings, servers: order[:k], rate: m.Rates[order[k-1]]}
		found, err := s.critical(ctx)
		if err != nil {
			return nil, err
		}
		best.Slots += s.slots
		if found != nil && (!best.Found || found.Value < best.Critical.Value) {
			best.Critical, best.Found, best.Servers, best.Rate = *found, true, k, s.rate
		}
	}
	return best, nil
}

// LeavesToChance tells whether [CriticalBySaturation] takes the policy.
func LeavesToChance(m *slotted.Model, p slotted.Policy) bool {
	declared := p.Declaration()
	return declared.Memory == slotted.Threshold && declared.Threshold.Period == 0 && m.DispatcherCount() == 1
}

func compareRates(m *slotted.Model, a, b int) int {
	switch x, y := m.Rates[a], m.Rates[b]; {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

const (
	// highestTested is the largest load at which stability is looked at.
	highestTested = 0.99
	// beyondReach is a queue that no run serves.
	beyondReach = 1 << 40

	saturatedCells   = 64
	bracketWidth     = 0.02
	bracketShare     = 20 // of the slots, for each step of the bisection
	bracketEndsShare = 4
)

// saturated is a system in which some servers never idle.
type saturated struct {
	model    *slotted.Model
	policy   slotted.Policy
	settings SlottedSettings
	servers  []int
	rate     float64
	slots    int64
}

// critical is the root of the excess flow, nil if there is none up to
// highestTested.
func (s *saturated) critical(ctx context.Context) (*estimate.Estimate, error) {
	// At most all arrivals are left to chance: f(λ) <= λ/N.
	low := s.rate * float64(s.model.Servers()) / s.model.TotalRate()
	high := highestTested
	if low >= high {
		return nil, nil
	}
	top, err := s.excess(ctx, high, bracketShare)
	if err != nil || top.Value+2*top.HalfWidth < 0 {
		return nil, err
	}
	for high-low > bracketWidth {
		middle := (low + high) / 2
		e, err := s.excess(ctx, middle, bracketShare)
		if err != nil {
			return nil, err
		}
		if e.Value > 0 {
			high = middle
		} else {
			low = middle
		}
	}
	// Noise may have misled the last steps: the ends of a wider bracket give the
	// slope.
	low, high = math.Max(low-bracketWidth/2, 0), math.Min(high+bracketWidth/2, 1-1e-3)
	below, err := s.excess(ctx, low, bracketEndsShare)
	if err != nil {
		return nil, err
	}
	above, err := s.excess(ctx, high, bracketEndsShare)
	if err != nil {
		return nil, err
	}
	slope := (above.Value - below.Value) / (high - low)
	if !(slope > 0) {
		return nil, fmt.Errorf("the flow to saturated servers does not grow with the load between %.4g and %.4g: simulate more slots", low, high)
	}
	guess := math.Min(math.Max(low-below.Value/slope, low), high)
	at, err := s.excess(ctx, guess, 1)
	if err != nil {
		return nil, err
	}
	root := scaled(at, 1/slope)
	root.Value = guess - root.Value
	return &root, nil
}

// excess is f(λ) - μ_n, jobs per slot and saturated server.
func (s *saturated) excess(ctx context.Context, load float64, share int64) (estimate.Estimate, error) {
	m := *s.model
	m.Load = load
	runs := s.settings.Replications
	perCell := int(math.Ceil(float64(s.settings.Slots) / float64(share) / float64(runs*saturatedCells)))
	series := estimate.NewSeries(runs, 1, saturatedCells)
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(max(s.settings.Threads, 1))
	for r := range runs {
		group.Go(func() (err error) {
			defer faultToError(&err)
			return s.simulate(groupCtx, &m, series, r, perCell)
		})
	}
	if err := group.Wait(); err != nil {
		return estimate.Estimate{}, err
	}
	s.slots += int64(runs) * saturatedCells * int64(perCell)
	if s.settings.Progress != nil {
		// The bisection takes about as many slots as the two ends of the bracket.
		expected := float64(s.settings.Slots) * (1 + 4./bracketEndsShare)
		s.settings.Progress(math.Min(float64(s.slots), expected), expected, fmt.Sprintf("saturated servers, load %.4f", load))
	}
	flow := series.Mean(0, series.FixedWarmUp(saturatedCells/8), s.settings.Level)
	flow.Value -= s.rate
	return flow, nil
}

func (s *saturated) simulate(ctx context.Context, m *slotted.Model, series *estimate.Series, replication, perCell int) error {
	draws, err := newSlottedDraws(m, s.settings.Seed, replication)
	if err != nil {
		return err
	}
	state := newSlottedState(m, s.policy, s.settings.Seed, replication, true)
	for _, n := range s.servers {
		state.view.Lengths[n] = beyondReach
	}
	atOnce := slotsAtOnce(m)
	for range saturatedCells {
		for slot := range perCell {
			if slot%atOnce == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			draws.next()
			state.advance(draws)
		}
		sent := 0.0
		for _, n := range s.servers {
			sent += state.sums.sent[n]
		}
		if err := series.Append(replication, []float64{sent / float64(perCell*len(s.servers))}); err != nil {
			return err
		}
		state.clear()
		draws.clear()
	}
	return nil
}
