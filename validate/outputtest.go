package validate

import (
	"context"
	"fmt"
	"io"
	"slices"

	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/estimate"
)

// OutputTest is what samples of a simulation say about the system that it
// claims to simulate, without knowing the stationary law: in steady state
// E[Gf] = 0 for every test function f, G the generator of the claimed system
// (package stein).
type OutputTest struct {
	System ctmc.System // claimed
	Level  float64     // of the test
	Rows   int64       // read
	Weight float64     // sum of the weights
	Batches,
	Rank int // of the joint test

	P          float64           // of the whole: twice the smaller of the next two, at most 1
	Joint      estimate.ZeroMean // Hotelling's test of all identities together
	Stationary Stationarity      // the beginning against the rest
	Identities []TestedIdentity  // one by one
	LeftOut    []string          // identities that too few batches bear on

	Explanations []Explanation // of a rejected joint test, best first
	Suggestion   string        // one sentence
	Warnings     []string      // sentences for footnotes
}

// Rejected tells whether the samples contradict the claim.
func (t *OutputTest) Rejected() bool { return t.P < t.Level }

// TestedIdentity is one E[Gf] = 0.
type TestedIdentity struct {
	stein.Identity
	estimate.BatchMean         // of Gf, per mean service time
	Adjusted           float64 // P, adjusted for the number of identities (Holm)
}

// leastSampleRows is the smallest file that the test takes.
const leastSampleRows = 256

// pilotRows place knots and centres.
const pilotRows = 4096

// TestOutput tests samples at the given level. The joint statistic is
// Hotelling's of batch means of Gf over a basis of test functions; batches are
// joined in pairs while neighbours are correlated. The first rows are held
// against the rest as well ([Stationarity]).
//
// Malformed rows are errors that name the line.
func TestOutput(ctx context.Context, samples *Samples, level float64, progress ctmc.Progress) (*OutputTest, error) {
	if !(level > 0 && level < 1) {
		return nil, &ctmc.FieldError{Field: "level", Value: level, Allowed: "between 0 and 1"}
	}
	r := &outputRecord{samples: samples, routes: alternativeRoutes(samples.system.Policy, samples.system.Servers)}
	if err := r.read(ctx, progress); err != nil {
		return nil, err
	}
	return r.test(level), nil
}

// outputRecord is the batch means of everything that the test looks at. The
// columns of a row, each times the row's weight: for every identity the parts
// of the mechanisms, then the part of the arrivals for each alternative route;
// the weight; the work.
type outputRecord struct {
	samples *Samples
	routes  []alternativeRoute
	basis   *stein.Basis
	path    *estimate.Path
	claimed stein.Route

	parts  [][stein.Mechanisms]float64
	row    []float64
	first  firstRows
	weight float64
	rows   int64
}

func (r *outputRecord) read(ctx context.Context, progress ctmc.Progress) error {
	system := r.samples.system
	r.claimed = func(tail []int64, shares []float64) { system.Policy.RouteLevels(tail, shares) }
	var pilot [][]int64
	var weights []float64
	for {
		counts, weight, err := r.samples.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if r.path == nil {
			pilot, weights = append(pilot, slices.Clone(counts)), append(weights, weight)
			if len(pilot) == pilotRows {
				if err := r.begin(pilot, weights); err != nil {
					return err
				}
			}
			continue
		}
		if err := r.add(counts, weight); err != nil {
			return err
		}
		if r.rows%pilotRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			if progress != nil {
				progress(float64(r.rows), 0, "reading")
			}
		}
	}
	if r.path == nil {
		if len(pilot) < leastSampleRows {
			return fmt.Errorf("%d rows (must be at least %d)", len(pilot), leastSampleRows)
		}
		if err := r.begin(pilot, weights); err != nil {
			return err
		}
	}
	if r.weight == 0 {
		return fmt.Errorf("the weights of all rows are 0")
	}
	return nil
}

// begin makes the basis, the first quarter of the pilot rows being left out
// for it, and takes in the pilot rows.
func (r *outputRecord) begin(pilot [][]int64, weights []float64) error {
	var err error
	if r.basis, err = stein.NewBasis(r.samples.system, r.samples.levels, pilot[len(pilot)/4:]); err != nil {
		return err
	}
	identities := len(r.basis.Identities())
	r.parts = make([][stein.Mechanisms]float64, identities)
	r.row = make([]float64, identities*r.perIdentity()+2)
	r.path = estimate.NewPath(len(r.row), 0)
	for i, counts := range pilot {
		if err := r.add(counts, weights[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *outputRecord) perIdentity() int { return int(stein.Mechanisms) + len(r.routes) }

func (r *outputRecord) add(counts []int64, weight float64) error {
	r.basis.Evaluate(counts, r.claimed, r.parts)
	each := r.perIdentity()
	for k := range r.parts {
		for m, x := range r.parts[k] {
			r.row[k*each+m] = weight * x
		}
	}
	for a := range r.routes {
		r.basis.EvaluateArrivals(counts, r.routes[a].route, r.parts)
		for k := range r.parts {
			r.row[k*each+int(stein.Mechanisms)+a] = weight * r.parts[k][stein.Arrivals]
		}
	}
	work := r.basis.Work()
	r.row[len(r.row)-2] = weight
	r.row[len(r.row)-1] = weight * work
	r.first.add(work)
	r.weight += weight
	r.rows++
	if err := r.path.Append(r.row); err != nil {
		return fmt.Errorf("line %d: %w", r.samples.Line(), err)
	}
	return nil
}

// column returns the batch means of one part of an identity, batches of the
// given number of cells.
func (r *outputRecord) column(index, cells int) []float64 {
	values := r.path.Column(index)
	for ; cells > 1; cells /= 2 {
		values = estimate.Paired(values)
	}
	return values
}

func (r *outputRecord) test(level float64) *OutputTest {
	beginning := r.stationarity()
	g := r.choose(float64(r.rows) / beginning.Independent)
	t := &OutputTest{System: r.samples.system, Level: level, Rows: r.rows, Weight: r.weight, Stationary: beginning, LeftOut: g.leftOut}
	t.Joint = g.joint(g.claimed())
	t.Batches, t.Rank = t.Joint.Batches, t.Joint.Rank
	t.Identities = g.identities()
	t.P = min(1, 2*min(t.Joint.P, t.Stationary.P))
	if t.Stationary.Short {
		t.Warnings = append(t.Warnings, fmt.Sprintf("the rows are worth about %.0f independent ones: too few to see whether the beginning differs from the rest, and correct runs are rejected more often than alpha says", t.Stationary.Independent))
	}
	if t.Rank < 3 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("only %d identities could be tested: more rows would say more", t.Rank))
	}
	if t.Joint.P < level {
		t.Explanations = g.explain()
	}
	t.Suggestion = suggest(t, g)
	return t
}
