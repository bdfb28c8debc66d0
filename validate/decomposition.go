package validate

import (
	"context"
	"math"

	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/estimate"
)

// TermValues is one term of Stein's decomposition evaluated in up to three ways.
type TermValues struct {
	Term      stein.Term         // which one
	Exact     *float64           // under the law of the exact chain
	Closed    *float64           // under a closed form of the law
	Simulated *estimate.Estimate // along simulated paths
}

// DecompositionReport holds the terms side by side, and what follows from them.
type DecompositionReport struct {
	Decomposition *stein.Decomposition // with its η and δ
	Terms         []TermValues         // in the order of stein.Term

	Gap TermValues // the left side less the sum of the terms

	// Bounds on the left side with the exact probability of X > η, D_1 < λ + δ.
	Split, SharpSplit *float64
}

// exactMeans are the stationary means of all terms under a law of the states.
func exactMeans(d *stein.Decomposition, chain *ctmc.SystemChain, law []float64) [stein.Terms]float64 {
	var means, terms [stein.Terms]float64
	state := make([]int64, chain.Classes())
	for i, p := range law {
		chain.Unrank(int64(i), state)
		d.At(state, &terms)
		for k := range means {
			means[k] += p * terms[k]
		}
	}
	return means
}

// gapOf is the left side less the sum of the terms.
func gapOf(means [stein.Terms]float64) float64 {
	gap := means[stein.LeftSide]
	for _, t := range stein.Summed() {
		gap -= means[t]
	}
	return gap
}

// productLaw normalises the closed form of a law, nil if there is none.
func productLaw(chain *ctmc.SystemChain) []float64 {
	weight := stein.ProductForm(chain.System)
	if weight == nil {
		return nil
	}
	law := make([]float64, chain.States())
	state := make([]int64, chain.Classes())
	largest := math.Inf(-1)
	for i := range law {
		chain.Unrank(int64(i), state)
		law[i] = weight(state)
		largest = math.Max(largest, law[i])
	}
	total := 0.0
	for i := range law {
		law[i] = math.Exp(law[i] - largest)
		total += law[i]
	}
	for i := range law {
		law[i] /= total
	}
	return law
}

// Decompose evaluates the terms of Stein's decomposition of E(X - η)^+: exactly
// where the chain has at most 200,000 states, by a closed form of the law where
// there is one, and by simulation where samples are asked for. Errors: those of
// [stein.NewDecomposition], of the solver, or of the context.
func Decompose(ctx context.Context, s ctmc.System, eta, delta float64, settings StateSimulation) (*DecompositionReport, error) {
	d, err := stein.NewDecomposition(s, eta, delta)
	if err != nil {
		return nil, err
	}
	r := &DecompositionReport{Decomposition: d, Terms: make([]TermValues, stein.Terms)}
	for t := range r.Terms {
		r.Terms[t].Term = stein.Term(t)
	}
	if ctmc.CountStates(s.Servers, s.Buffer, s.Phases()) <= mostAuditStates {
		if err := r.addExact(ctx); err != nil {
			return nil, err
		}
	}
	if settings.Samples > 0 {
		if err := r.simulate(ctx, settings); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *DecompositionReport) addExact(ctx context.Context) error {
	chain, law, err := stationaryLaw(ctx, r.Decomposition.System)
	if err != nil {
		return err
	}
	means := exactMeans(r.Decomposition, chain, law)
	for t := range r.Terms {
		r.Terms[t].Exact = &means[t]
	}
	gap := gapOf(means)
	split, sharp := r.Decomposition.SplitBound(means[stein.LackProb]), r.Decomposition.SharpSplitBound(means[stein.LackProb])
	r.Gap.Exact, r.Split, r.SharpSplit = &gap, &split, &sharp
	if closed := productLaw(chain); closed != nil {
		means := exactMeans(r.Decomposition, chain, closed)
		for t := range r.Terms {
			r.Terms[t].Closed = &means[t]
		}
		gap := gapOf(means)
		r.Gap.Closed = &gap
	}
	return nil
}
