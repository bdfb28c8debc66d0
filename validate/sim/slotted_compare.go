package sim

import (
	"context"
	"fmt"
	"time"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate/estimate"
)

// SlottedComparison is what [CompareSlotted] found.
type SlottedComparison struct {
	Results  []*SlottedResult // of each policy
	Pairs    []SlottedPair    // of stable policies, first before second
	Elapsed  time.Duration    // wall clock
	Warnings []string         // sentences for footnotes
}

// SlottedPair holds the differences, first policy minus second.
type SlottedPair struct {
	First, Second                                   int        // indices of the policies
	MeanQueue, MeanResponse, MessagesPerArrivalSlot Difference // first minus second
}

// CompareSlotted simulates several policies on the same arrivals and the same
// service, slot by slot, and estimates the difference between every two of them
// from paired observations. Errors: fewer than two policies, an invalid model
// or policy, or the error of the context where too little was simulated.
func CompareSlotted(ctx context.Context, m *slotted.Model, policies []slotted.Policy, settings SlottedSettings) (*SlottedComparison, error) {
	if len(policies) < 2 || len(policies) > maxCompared {
		return nil, &ctmc.FieldError{Field: "compare", Value: len(policies), Allowed: fmt.Sprintf("between 2 and %d policies", maxCompared)}
	}
	e, err := newSlottedExperiment(m, policies, settings)
	if err != nil {
		return nil, err
	}
	interrupted, err := e.run(ctx)
	if err != nil {
		return nil, err
	}
	out := &SlottedComparison{Elapsed: time.Since(e.started)}
	for i := range policies {
		out.Results = append(out.Results, e.result(i, interrupted))
	}
	e.addPairs(out)
	return out, nil
}

func (e *slottedExperiment) addPairs(out *SlottedComparison) {
	var stable []int
	for i, r := range out.Results {
		if r.Stability.Stable {
			stable = append(stable, i)
		}
	}
	pairs := len(stable) * (len(stable) - 1) / 2
	warm := e.commonWarmUp(stable)
	var improved []*estimate.Controls
	none := e.series.Controls(nil, warm)
	for _, i := range stable {
		by := none
		if e.layout.knowsPooled() {
			by = e.series.Controls(estimate.Sums(e.layout.groups(i)), warm)
		}
		improved = append(improved, by)
	}
	for a, i := range stable {
		for b := a + 1; b < len(stable); b++ {
			k := stable[b]
			first, second := out.Results[i], out.Results[k]
			queue := e.queueDifference(i, k, improved[a], improved[b], none)
			rate := e.model.ArrivalRate()
			response := estimate.Estimate{Level: e.settings.Level}
			if rate > 0 {
				response = scaled(queue, 1/rate)
			}
			out.Pairs = append(out.Pairs, SlottedPair{
				First: i, Second: k,
				MeanQueue:              difference(queue, i, k, first.MeanQueue, second.MeanQueue, pairs),
				MeanResponse:           difference(response, i, k, first.MeanResponse, second.MeanResponse, pairs),
				MessagesPerArrivalSlot: difference(e.messageDifference(i, k, warm), i, k, first.MessagesPerArrivalSlot, second.MessagesPerArrivalSlot, pairs),
			})
		}
	}
}

func (e *slottedExperiment) commonWarmUp(policies []int) estimate.WarmUp {
	w, given := e.givenWarmUp()
	for _, i := range policies {
		if !given {
			w = longer(e.warmUp(i), w)
		}
	}
	return w
}

// queueDifference takes the narrower of the plain and the improved difference.
func (e *slottedExperiment) queueDifference(i, k int, first, second, none *estimate.Controls) estimate.Estimate {
	a, b := []int{e.layout.block(i) + slotQueue}, []int{e.layout.block(k) + slotQueue}
	minus := func(x []float64) (float64, []float64) { return x[0] - x[1], []float64{1, -1} }
	plain := none.Paired(a, none, b, minus, e.settings.Level)
	if first.Observations() < fewestRegressionBatches {
		return plain
	}
	return narrower(first.Paired(a, second, b, minus, e.settings.Level), plain)
}

// messageDifference is that of two ratios to the same number of decisions.
func (e *slottedExperiment) messageDifference(i, k int, warm estimate.WarmUp) estimate.Estimate {
	var l estimate.Linear
	for kind := range int(ctmc.MessageKinds) {
		l.Columns = append(l.Columns, e.layout.block(i)+slotMessages+kind, e.layout.block(k)+slotMessages+kind)
		l.Coefficients = append(l.Coefficients, 1, -1)
	}
	return silentConstant(e.series.Ratio(l, estimate.ColumnMean(slotDecisions), warm, e.settings.Level))
}
