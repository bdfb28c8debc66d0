package stein

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"qlimit/ctmc"
)

// mostBlock bounds the order of the matrices of the Wiener-Hopf solution.
const mostBlock = 512

// ladder is the strict descending ladder height D of the walk: how far below
// its start the walk is when it is there for the first time. The unused
// service of the pooled queue is a stationary sequence of ladder heights, so
// that with u = (q + X)⁻
//
//	E u² / E u = E D² / E D,  E q = (ζ - ε E D²/E D)/(2ε)
//
// (K. T. Marshall, Oper. Res. 16, 1968): no cancellation as ε -> 0, because D
// has a limit.
type ladder struct {
	mean, second float64 // E D, E D²
	block        int     // order of the matrices
	iterations   int
	missing      float64 // 1 - Σ P(D = k), 0 in exact arithmetic
	neglected    float64 // probability of the steps that were cut off
}

// meanQueue is E q with a bound on its error.
func (w *walk) meanQueue(l *ladder) (mean, bound float64) {
	ratio := l.second / l.mean
	mean = math.Max(0, w.zeta()/(2*w.slack)-ratio/2)
	// A cut step occurs in a descent of mean length E D/ε with probability at
	// most neglected·E D/ε and moves D by at most a few blocks.
	size := float64(l.block)
	bound = 4*l.neglected*size*size/w.slack + (math.Abs(l.missing)+1e-15*float64(l.iterations+10))*ratio +
		4e-16*w.zeta()/w.slack
	return mean, bound
}

// descend computes D. The walk is cut into levels of block steps, so that it
// moves by at most one level; the first passage matrix G one level down is
// found by logarithmic reduction, quadratically convergent, with every inverse
// taken by elimination without subtraction (G. Latouche and V. Ramaswami, J.
// Appl. Probab. 30, 1993; W. Grassmann, M. Taksar and D. Heyman, Oper. Res. 33,
// 1985). Only its first row is needed: from the lowest place of a level the
// first passage is a strict descent, to place j by block - j.
func (w *walk) descend(ctx context.Context) (*ladder, error) {
	step, err := w.stepLaw()
	if err != nil {
		return nil, err
	}
	b := step.block()
	if b > mostBlock {
		return nil, &ctmc.TooLargeError{What: "steps of the pooled queue", Value: float64(b), Limit: mostBlock, Hint: "Spitzer's identity has no such limit"}
	}
	l := &ladder{block: b, neglected: step.neglected}
	down, up := step.levels(b)
	first, reach := make([]float64, b), make([]float64, b)
	copy(first, down.RawRowView(0))
	copy(reach, up.RawRowView(0))
	for l.iterations = 1; l.iterations < 200 && sumOf(reach) > 1e-18; l.iterations++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		reduce(down, up)
		addRowTimes(first, reach, down)
		next := make([]float64, b)
		addRowTimes(next, reach, up)
		reach = next
	}
	total := 0.0
	for j, p := range first {
		height := float64(b - j)
		total += p
		l.mean += height * p
		l.second += height * height * p
	}
	l.missing = 1 - total
	return l, nil
}

// reduce replaces the probabilities of first moves down and up by those
// between every second level.
func reduce(down, up *mat.Dense) {
	b, _ := down.Dims()
	var stay, other mat.Dense
	stay.Mul(up, down)
	other.Mul(down, up)
	stay.Add(&stay, &other)
	right := mat.NewDense(b, 2*b, nil)
	right.Slice(0, b, 0, b).(*mat.Dense).Mul(down, down)
	right.Slice(0, b, b, 2*b).(*mat.Dense).Mul(up, up)
	censor(&stay, right)
	down.Copy(right.Slice(0, b, 0, b))
	up.Copy(right.Slice(0, b, b, 2*b))
}

// censor overwrites right by (I - stay)^-1 right for non-negative matrices
// whose rows add up to 1 together, without a subtraction.
func censor(stay, right *mat.Dense) {
	b, _ := stay.Dims()
	leave := make([]float64, b) // sum of the row in right
	for i := range leave {
		leave[i] = sumOf(right.RawRowView(i))
	}
	pivot := make([]float64, b)
	for k := b - 1; k >= 0; k-- {
		row, out := stay.RawRowView(k), right.RawRowView(k)
		pivot[k] = sumOf(row[:k]) + leave[k]
		for i := range k {
			from := stay.RawRowView(i)
			if from[k] == 0 {
				continue
			}
			share := from[k] / pivot[k]
			leave[i] += share * leave[k]
			addScaled(from[:k], share, row[:k])
			addScaled(right.RawRowView(i), share, out)
		}
	}
	for k := range b {
		out := right.RawRowView(k)
		for j, p := range stay.RawRowView(k)[:k] {
			if p > 0 {
				addScaled(out, p, right.RawRowView(j))
			}
		}
		for j := range out {
			out[j] /= pivot[k]
		}
	}
}

func addScaled(target []float64, a float64, x []float64) {
	for j, v := range x {
		target[j] += a * v
	}
}

func addRowTimes(target, row []float64, m *mat.Dense) {
	for i, p := range row {
		if p > 0 {
			addScaled(target, p, m.RawRowView(i))
		}
	}
}

func sumOf(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum
}

// stepLaw is the law of X on lowest, lowest+1, ..
type stepLaw struct {
	lowest    int
	p         []float64
	neglected float64
}

// cut is the probability, relative to the most likely value, below which
// values are left out: the longer a descent lasts, the rarer they must be.
func (w *walk) cut() float64 { return 1e-20 * math.Max(math.Min(1, w.slack), 1e-10) }

// stepLaw convolves the laws of arrivals and service.
func (w *walk) stepLaw() (*stepLaw, error) {
	if spread := math.Sqrt(w.arrivalVariance + w.serviceVariance); spread > mostBlock/4 {
		return nil, &ctmc.TooLargeError{What: "standard deviation of a step of the pooled queue", Value: spread, Limit: mostBlock / 4, Hint: "Spitzer's identity has no such limit"}
	}
	cut := w.cut()
	arrivals := newPiece(w.arrivals.Window(cut))
	arrivals = arrivals.power(int64(w.dispatchers), cut)
	service := piece{p: []float64{1}}
	for _, g := range w.services {
		service = service.plus(newPiece(g.law.Window(cut)).power(g.count, cut), cut)
	}
	// A law cut at this part of its mode leaves out less than that times the
	// number of values kept, for each of the summands.
	summands := w.dispatchers
	for _, g := range w.services {
		summands += float64(g.count)
	}
	x := arrivals.plus(service.negative(), cut)
	s := &stepLaw{lowest: x.first, p: x.p, neglected: cut * summands * float64(len(x.p))}
	if s.lowest >= 0 {
		return nil, fmt.Errorf("the pooled queue never falls: its smallest step is %d", s.lowest)
	}
	return s, nil
}

// block is the largest step down or up.
func (s *stepLaw) block() int { return max(-s.lowest, s.lowest+len(s.p)-1) }

func (s *stepLaw) at(k int) float64 {
	if k < s.lowest || k >= s.lowest+len(s.p) {
		return 0
	}
	return s.p[k-s.lowest]
}

// levels returns where the walk is when it leaves a level of b places, by place
// of the level below and of the level above.
func (s *stepLaw) levels(b int) (down, up *mat.Dense) {
	stay, right := mat.NewDense(b, b, nil), mat.NewDense(b, 2*b, nil)
	for i := range b {
		for j := range b {
			stay.Set(i, j, s.at(j-i))
			right.Set(i, j, s.at(j-i-b))
			right.Set(i, j+b, s.at(j-i+b))
		}
	}
	censor(stay, right)
	return mat.DenseCopyOf(right.Slice(0, b, 0, b)), mat.DenseCopyOf(right.Slice(0, b, b, 2*b))
}

// piece holds the probabilities of first, first+1, ..
type piece struct {
	first int
	p     []float64
}

func newPiece(first int64, p []float64) piece { return piece{int(first), p} }

// plus is the law of the sum of independent counts, cut at both ends.
func (a piece) plus(b piece, cut float64) piece {
	sum := piece{a.first + b.first, make([]float64, len(a.p)+len(b.p)-1)}
	for i, x := range a.p {
		addScaled(sum.p[i:i+len(b.p)], x, b.p)
	}
	return sum.trimmed(cut)
}

// trimmed leaves out what is below the cut at both ends.
func (a piece) trimmed(cut float64) piece {
	largest := 0.0
	for _, x := range a.p {
		largest = math.Max(largest, x)
	}
	low, high := 0, len(a.p)
	for a.p[low] < cut*largest {
		low++
	}
	for a.p[high-1] < cut*largest {
		high--
	}
	return piece{a.first + low, a.p[low:high]}
}

// power is the law of the sum of n independent copies.
func (a piece) power(n int64, cut float64) piece {
	result := piece{p: []float64{1}}
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			result = result.plus(a, cut)
		}
		if n > 1 {
			a = a.plus(a, cut)
		}
	}
	return result
}

func (a piece) negative() piece {
	n := piece{-(a.first + len(a.p) - 1), make([]float64, len(a.p))}
	for i, x := range a.p {
		n.p[len(a.p)-1-i] = x
	}
	return n
}
