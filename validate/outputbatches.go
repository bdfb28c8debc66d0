package validate

import (
	"cmp"
	"math"
	"slices"

	"qlimit/stein"
	"qlimit/validate/estimate"
)

// outputBatches are the batch means of the identities that are tested.
type outputBatches struct {
	record  *outputRecord
	cells   int // of the record in each batch
	list    []stein.Identity
	leftOut []string
	rates   [stein.Mechanisms]float64
	parts   [][][]float64 // [identity kept][mechanism, then alternative route] -> batch means
}

const (
	// fewestOutputBatches bounds the joining of batches that are correlated:
	// below, Hotelling's test loses its power.
	fewestOutputBatches = 128
	// Batches are joined while the lag-one correlation of an identity, in
	// standard deviations, is above the first, or on average above the second.
	worstCorrelation, meanCorrelation = 4.0, 0.75
	// batchMemories is the length of a batch in correlation times of the work, as
	// far as that leaves memoryBatches of them. Gf itself forgets quickly, but not
	// how large it is: in shorter batches a long queue makes many large ones.
	batchMemories = 8.0
	memoryBatches = 32
)

// choose makes batches long enough to be hardly correlated; memory is the
// correlation time of the work in rows.
func (r *outputRecord) choose(memory float64) *outputBatches {
	cells := 1
	for float64(r.path.Span()*cells) < batchMemories*memory && r.path.Cells()/cells >= 2*memoryBatches {
		cells *= 2
	}
	for {
		b := r.batches(cells)
		if r.path.Cells()/cells < 2*fewestOutputBatches || !b.correlated() {
			return b
		}
		cells *= 2
	}
}

func (r *outputRecord) batches(cells int) *outputBatches {
	b := &outputBatches{record: r, cells: cells, rates: stein.MechanismRates(r.samples.system)}
	each := r.perIdentity()
	for k, identity := range r.basis.Identities() {
		columns := make([][]float64, each)
		for e := range columns {
			if e >= int(stein.Mechanisms) || b.rates[e] > 0 {
				columns[e] = r.column(k*each+e, cells)
			}
		}
		one := &outputBatches{rates: b.rates, parts: [][][]float64{columns}}
		if !changes(columns) || !estimate.Testable(one.claimed()[0]) {
			b.leftOut = append(b.leftOut, identity.Name)
			continue
		}
		b.list = append(b.list, identity)
		b.parts = append(b.parts, columns)
	}
	return b
}

// changes tells whether a test function ever changes.
func changes(columns [][]float64) bool {
	return slices.ContainsFunc(columns, func(column []float64) bool {
		return slices.ContainsFunc(column, func(x float64) bool { return x != 0 })
	})
}

// claimed is Gf of the claimed system.
func (b *outputBatches) claimed() [][]float64 { return b.generator(b.rates, int(stein.Arrivals)) }

// generator is Gf with the given rates of the mechanisms and the arrivals of
// the column given.
func (b *outputBatches) generator(rates [stein.Mechanisms]float64, arrivals int) [][]float64 {
	out := make([][]float64, len(b.parts))
	for k, parts := range b.parts {
		sum := make([]float64, len(parts[stein.Arrivals]))
		for m, rate := range rates {
			column := parts[m]
			if m == int(stein.Arrivals) {
				column = parts[arrivals]
			}
			for i, x := range column {
				sum[i] += rate * x
			}
		}
		out[k] = sum
	}
	return out
}

// mechanism is the part of one mechanism of every identity.
func (b *outputBatches) mechanism(m stein.Mechanism) [][]float64 {
	out := make([][]float64, len(b.parts))
	for k := range out {
		out[k] = b.parts[k][m]
	}
	return out
}

// joint is Hotelling's test, which cannot see quantities that do not vary: one
// that is not 0 settles the matter.
func (b *outputBatches) joint(columns [][]float64) estimate.ZeroMean {
	test := estimate.TestZeroMean(columns)
	for _, column := range columns {
		if one := estimate.TestBatchMean(column); one.StandardError == 0 && one.Mean != 0 {
			test.P = 0
		}
	}
	return test
}

// fitted is [estimate.FitZeroMean], with P = 0 where nothing is left to test.
func fitted(columns [][]float64, offered ...[][]float64) (estimate.ZeroMean, []float64) {
	test, beta := estimate.FitZeroMean(columns, offered)
	if test.Rank < 1 {
		test.P = 0
	}
	return test, beta
}

func (b *outputBatches) correlated() bool {
	sum, worst := 0.0, 0.0
	columns := b.claimed()
	for _, column := range columns {
		z := estimate.Lag1(column) * math.Sqrt(float64(len(column)))
		sum += z
		worst = math.Max(worst, z)
	}
	return worst > worstCorrelation || sum > meanCorrelation*float64(len(columns))
}

// identities tests each identity alone.
func (b *outputBatches) identities() []TestedIdentity {
	perWeight := float64(b.record.rows) / b.record.weight
	list := make([]TestedIdentity, len(b.list))
	for k, column := range b.claimed() {
		one := estimate.TestBatchMean(column)
		one.Mean *= perWeight
		one.StandardError *= perWeight
		list[k] = TestedIdentity{Identity: b.list[k], BatchMean: one}
	}
	adjust(list)
	return list
}

// adjust fills in Holm's P: with P in increasing order, the largest of
// (n-i) P_i up to the one in question.
func adjust(list []TestedIdentity) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(list[a].P, list[b].P)
	})
	largest := 0.0
	for i, k := range order {
		largest = math.Max(largest, math.Min(1, float64(len(list)-i)*list[k].P))
		list[k].Adjusted = largest
	}
}
