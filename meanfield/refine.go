package meanfield

import (
	"context"
	"fmt"
	"math"

	"qlimit/ctmc"
)

// Refinement is the expansion of the stationary means of a system in powers of
// 1/N about the mean-field limit. Means are per server, times in the unit of
// the service law. Coefficients do not depend on N; the values named Order1
// and Order2 do:
//
//	Order1 = limit + Correction1/N,   Order2 = Order1 + Correction2/N².
//
// The corrections carry an absolute error of some 1e-13 of the largest of
// them, not a small relative error in each level. At order 1 the fields of
// order 2 are nil or 0.
type Refinement struct {
	System ctmc.System // whose N enters Order1 and Order2
	Order  int         // 1 or 2

	MeanJobsLimit            float64 // of the mean field
	MeanJobsOrder1           float64 // with Correction1/N
	MeanJobsOrder2           float64 // and Correction2/N²
	Correction1, Correction2 float64 // of the mean jobs per server

	// By Little's law on accepted jobs, whose rate is the fraction of busy
	// servers over the mean service time at every order.
	MeanResponseLimit  float64
	MeanResponseOrder1 float64
	MeanResponseOrder2 float64

	// Fraction of servers with at least i = 1..Levels jobs.
	TailLimit                        []float64
	TailOrder1, TailOrder2           []float64
	TailCorrection1, TailCorrection2 []float64

	// Levels is the number of levels of the expansion. Neglected estimates
	// what the levels beyond would add to the mean jobs at this N.
	Levels    int
	Neglected float64

	// ErrorIndication is the size that the next term of the mean jobs would
	// have if the terms of all levels went on in proportion and did not
	// cancel: mostly too large, no bound. Trusted is false when the terms do not
	// fall fast enough for the expansion to mean anything (see Warnings).
	ErrorIndication float64
	Trusted         bool

	Kind     ctmc.Kind // Limit
	Warnings []string  // sentences for footnotes
}

// Refine returns the expansion of a system with a smooth policy (power-of-d,
// random) to order 1 or 2 in 1/N.
//
// Errors: a policy with priority levels, for which there is no such expansion;
// a field out of its range ([ctmc.FieldError]); more levels than the dense
// algebra can take ([ctmc.TooLargeError]).
//
// Sources: Gast, Van Houdt, Proc. ACM Meas. Anal. Comput. Syst. 1(2), 2017;
// Gast, Bortolussi, Tribastone, Perform. Eval. 129, 2019. Equations and
// algorithm are in docs/expansion.md.
func Refine(ctx context.Context, sys ctmc.System, order int) (*Refinement, error) {
	if err := sys.Validate(); err != nil {
		return nil, err
	}
	if err := checkOrder(order); err != nil {
		return nil, err
	}
	if err := checkSmooth(sys); err != nil {
		return nil, err
	}
	fix, err := Equilibrium(sys)
	if err != nil {
		return nil, err
	}
	r := &Refinement{System: sys, Order: order, MeanJobsLimit: fix.MeanJobs, MeanResponseLimit: fix.MeanResponse, Kind: ctmc.Limit, Trusted: true}
	if independentServers(sys) {
		r.fillIndependent(fix)
		return r, nil
	}
	levels := expansionLevels(sys, fix, order)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.compute(ctx, fix, levels); err != nil {
			return nil, err
		}
		if levels == sys.Buffer || r.Neglected <= neglectedMass*r.MeanJobsLimit {
			break
		}
		levels += max(2, levels/4)
		if sys.Buffer != ctmc.Unlimited {
			levels = min(levels, sys.Buffer)
		}
	}
	r.judge()
	return r, nil
}

// checkSmooth refuses what has no expansion in powers of 1/N.
func checkSmooth(sys ctmc.System) error {
	if sys.Policy.Smooth() {
		return nil
	}
	return &ctmc.FieldError{Field: "policy", Value: sys.Policy.Name, Allowed: "a policy without priority levels, as pod or random",
		Reason: "a priority level makes the drift kink where it runs empty, so that the means have no expansion in powers of 1/N; simulate, or use the exact chain"}
}

// independentServers reports whether jobs are routed at random, which makes
// each server a queue of its own: the limit is exact at every N.
func independentServers(sys ctmc.System) bool {
	sampling, ok := sys.Policy.Fallback.(ctmc.Sampling)
	return ok && sampling.Choices == 1
}

func (r *Refinement) fillIndependent(fix *Fixpoint) {
	r.MeanJobsOrder1, r.MeanResponseOrder1 = r.MeanJobsLimit, r.MeanResponseLimit
	r.TailLimit, r.TailOrder1, r.TailCorrection1 = fix.Tail, fix.Tail, make([]float64, len(fix.Tail))
	if r.Order == 2 {
		r.MeanJobsOrder2, r.MeanResponseOrder2 = r.MeanJobsLimit, r.MeanResponseLimit
		r.TailOrder2, r.TailCorrection2 = fix.Tail, make([]float64, len(fix.Tail))
	}
	r.Levels = len(fix.Tail)
	r.Warnings = append(r.Warnings, "with random routing the servers are independent: the limit is exact at every N and all corrections vanish")
}

// neglectedMass is the part of the mean that the levels left out may carry.
const neglectedMass = 1e-13

// expansionLevels is the first guess of the number of levels. The correction
// of order k at level i is of the size of s_{i-k} times about d^(2k).
func expansionLevels(sys ctmc.System, fix *Fixpoint, order int) int {
	factor := 1.0
	if sampling, ok := sys.Policy.Fallback.(ctmc.Sampling); ok {
		factor = math.Pow(float64(sampling.Choices), 2*float64(order))
	}
	levels := 1
	for levels <= len(fix.Tail) && fix.Tail[levels-1]*factor > 1e-3*neglectedMass*fix.MeanJobs {
		levels++
	}
	levels += order - 1
	if sys.Buffer != ctmc.Unlimited {
		levels = min(levels, sys.Buffer)
	}
	return levels
}

// compute expands on the given number of levels.
func (r *Refinement) compute(ctx context.Context, fix *Fixpoint, levels int) error {
	if err := checkExpansionDim(levels*r.System.Phases(), r.Order); err != nil {
		return err // before memory is asked for
	}
	population, err := r.System.Population(levels)
	if err != nil {
		return err
	}
	local := newLocalModel(population)
	if err := local.at(fix.coordinates(levels, population.Phases), r.Order); err != nil {
		return err
	}
	e, err := local.expand(ctx, r.Order, nil)
	if err != nil {
		return err
	}
	r.Levels = levels
	n := float64(r.System.Servers)
	r.TailLimit = make([]float64, levels)
	copy(r.TailLimit, fix.Tail)
	r.TailCorrection1, r.Correction1 = levelSums(e.first, population.Phases)
	r.TailOrder1 = addScaled(r.TailLimit, r.TailCorrection1, 1/n)
	r.MeanJobsOrder1 = r.MeanJobsLimit + r.Correction1/n
	r.MeanResponseOrder1 = r.response(r.MeanJobsOrder1, r.TailOrder1)
	last := r.TailLimit[levels-1] + math.Abs(r.TailCorrection1[levels-1])/n
	if r.Order == 2 {
		r.TailCorrection2, r.Correction2 = levelSums(e.second, population.Phases)
		r.TailOrder2 = addScaled(r.TailOrder1, r.TailCorrection2, 1/(n*n))
		r.MeanJobsOrder2 = r.MeanJobsOrder1 + r.Correction2/(n*n)
		r.MeanResponseOrder2 = r.response(r.MeanJobsOrder2, r.TailOrder2)
		last += math.Abs(r.TailCorrection2[levels-1]) / (n * n)
	}
	r.Neglected = 0
	if levels != r.System.Buffer {
		r.Neglected = last
	}
	return nil
}

func (r *Refinement) response(jobs float64, tail []float64) float64 {
	return jobs * r.System.Service.Mean() / tail[0]
}

// coordinates are the tails s_{i,m} on the given number of levels.
func (f *Fixpoint) coordinates(levels, phases int) []float64 {
	x := make([]float64, levels*phases)
	for i := range min(levels, len(f.Tail)) {
		if phases == 1 {
			x[i] = f.Tail[i]
			continue
		}
		x[2*i], x[2*i+1] = f.Tail[i]-f.TailPhase2[i], f.TailPhase2[i]
	}
	return x
}

// levelSums adds the phases of every level, and all levels.
func levelSums(x []float64, phases int) (byLevel []float64, total float64) {
	byLevel = make([]float64, len(x)/phases)
	for i := len(byLevel) - 1; i >= 0; i-- {
		for m := range phases {
			byLevel[i] += x[i*phases+m]
		}
		total += byLevel[i]
	}
	return byLevel, total
}

func addScaled(x, y []float64, factor float64) []float64 {
	sum := make([]float64, len(x))
	for i := range x {
		sum[i] = x[i] + factor*y[i]
	}
	return sum
}

// Where the expansion is not trusted: a ratio of neighbouring terms, of the
// mean or summed over the levels in absolute value, beyond these. Measured
// against exact chains and published simulations (docs/expansion.md).
const (
	trustedFirst       = 1.0 / 3 // |V/N| against the limit
	trustedSecond      = 0.5     // |A_2/N²| against |V/N|
	trustedLevelSecond = 1.0     // the same with the terms of all levels made positive
)

// judge fills ErrorIndication, Trusted and Warnings from the ratios of terms.
// Levels may change in opposite directions, so the indication is made of the
// sums of absolute values, which do not cancel.
func (r *Refinement) judge() {
	n := float64(r.System.Servers)
	first := absoluteSum(r.TailCorrection1) / n
	ratio := first / r.MeanJobsLimit
	r.ErrorIndication = first * ratio
	if ratio > trustedFirst {
		r.distrust("the 1/N term is %.2g of the limit", ratio)
	}
	if r.Order == 2 && first > 0 {
		second := absoluteSum(r.TailCorrection2) / (n * n)
		levelRatio := second / first
		r.ErrorIndication = second * math.Max(ratio, levelRatio)
		net := math.Abs(r.Correction2) / n / math.Abs(r.Correction1)
		switch {
		case net > trustedSecond:
			r.distrust("the 1/N² term is %.2g of the 1/N term", net)
		case levelRatio > trustedLevelSecond:
			r.distrust("summed over the levels without signs the 1/N² terms are %.2g of the 1/N terms", levelRatio)
		}
	}
	r.warnOfBuffer()
	r.warnOfTails()
}

func absoluteSum(x []float64) float64 {
	sum := 0.0
	for i := len(x) - 1; i >= 0; i-- {
		sum += math.Abs(x[i])
	}
	return sum
}

// visibleBuffer is the fraction of servers at the buffer above which a term of
// the expansion that changes it by more than half gives a warning.
const visibleBuffer = 1e-3

// warnOfBuffer tells of a buffer that a finite system hits much more often
// than the limit does: no power of 1/N sees that well.
func (r *Refinement) warnOfBuffer() {
	if r.Levels != r.System.Buffer {
		return
	}
	last := r.Levels - 1
	before, after := r.TailLimit[last], r.TailOrder1[last]
	if r.Order == 2 {
		before, after = after, r.TailOrder2[last]
	}
	if change := math.Abs(after - before); change > visibleBuffer && change > math.Abs(before)/2 {
		r.Trusted = false
		r.Warnings = append(r.Warnings, fmt.Sprintf("the last term changes the fraction of full servers from %.2g to %.2g: the expansion does not see well how often the buffer is hit at %d servers", before, after, r.System.Servers))
	}
}

// warnOfTails tells of fractions outside [0, 1].
func (r *Refinement) warnOfTails() {
	for _, tail := range [][]float64{r.TailOrder1, r.TailOrder2} {
		if i := firstOutside(tail, neglectedMass); i >= 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("the expansion of the fraction of servers with at least %d jobs, %.3g, is not within [0, 1]: deep levels need a larger N", i+1, tail[i]))
			return
		}
	}
}

func (r *Refinement) distrust(format string, ratio float64) {
	r.Trusted = false
	r.Warnings = append(r.Warnings, fmt.Sprintf("the expansion is not trustworthy at %d servers: ", r.System.Servers)+fmt.Sprintf(format, ratio))
}

// firstOutside is the index of the first entry outside [0, 1] by more than
// the tolerance, or -1.
func firstOutside(tail []float64, tolerance float64) int {
	for i, s := range tail {
		if s < -tolerance || s > 1+tolerance {
			return i
		}
	}
	return -1
}
