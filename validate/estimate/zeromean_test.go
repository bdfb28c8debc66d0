package estimate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFisherTail against the closed form with two degrees of freedom above,
// P(F > x) = (1 + 2x/d)^(-d/2), far into the tail too, and against the upper 5%
// points of printed tables.
func TestFisherTail(t *testing.T) {
	for _, d := range []float64{5, 60, 900} {
		for _, x := range []float64{0.1, 1, 10, 100} {
			got, want := fisherTail(x, 2, d), math.Pow(1+2*x/d, -d/2)
			if !(math.Abs(got/want-1) <= 1e-10) {
				t.Errorf("F(2,%g) > %g: %g, want %g", d, x, got, want)
			}
		}
	}
	for _, c := range [][3]float64{{1, 10, 4.9646}, {3, 20, 3.0984}, {10, 60, 1.9926}} {
		if got := fisherTail(c[2], c[0], c[1]); math.Abs(got-0.05) > 2e-5 {
			t.Errorf("F(%g,%g) > %g: %g, want 0.05", c[0], c[1], c[2], got)
		}
	}
	if got := StudentTails(2.2281, 10); math.Abs(got-0.05) > 2e-5 {
		t.Errorf("|T10| > 2.2281: %g, want 0.05", got)
	}
}

// normalColumns are q correlated normal columns of n batch means.
func normalColumns(random *rand.Rand, q, n int, mean float64) [][]float64 {
	columns := make([][]float64, q)
	for k := range columns {
		columns[k] = make([]float64, n)
	}
	for i := range n {
		common := random.NormFloat64()
		for k := range columns {
			columns[k][i] = mean + common + float64(k+1)*random.NormFloat64()
		}
	}
	return columns
}

// TestZeroMeanLevel: for normal batch means the level is exact, with one
// coefficient fitted too.
func TestZeroMeanLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const runs = 2000
	rejected, fitted := 0, 0
	for range runs {
		columns := normalColumns(random, 4, 200, 0)
		if TestZeroMean(columns).P < 0.05 {
			rejected++
		}
		shifted := make([][]float64, len(columns))
		direction := make([][]float64, len(columns))
		for k := range columns {
			shifted[k] = make([]float64, len(columns[k]))
			direction[k] = make([]float64, len(columns[k]))
			for i, x := range columns[k] {
				direction[k][i] = 1 + 0.1*random.NormFloat64()
				shifted[k][i] = x - 3*direction[k][i]
			}
		}
		test, beta := FitZeroMean(shifted, [][][]float64{direction})
		if test.P < 0.05 {
			fitted++
		}
		if math.Abs(beta[0]-3) > 1 {
			t.Fatalf("coefficient %g, want 3", beta[0])
		}
	}
	// Four standard errors of a binomial share.
	for name, count := range map[string]int{"plain": rejected, "one coefficient fitted": fitted} {
		if share, error := float64(count)/runs, math.Sqrt(0.05*0.95/runs); math.Abs(share-0.05) > 4*error {
			t.Errorf("%s: %.3f rejected at 0.05", name, share)
		}
	}
}

// TestZeroMeanInvariance: T² does not depend on the basis, and a quantity that
// depends on others adds nothing.
func TestZeroMeanInvariance(t *testing.T) {
	columns := normalColumns(rand.New(rand.NewPCG(3, 4)), 3, 60, 0.4)
	want := TestZeroMean(columns)
	mixed := make([][]float64, 4)
	for k, weights := range [][3]float64{{1, 1, 0}, {0, 2, -1}, {5, 0, 1}, {1, 1, 1}} {
		mixed[k] = make([]float64, 60)
		for j, w := range weights {
			subtract(mixed[k], columns[j], -w)
		}
	}
	got := TestZeroMean(mixed)
	if got.Rank != 3 || math.Abs(got.Statistic/want.Statistic-1) > 1e-9 || math.Abs(got.P/want.P-1) > 1e-8 {
		t.Errorf("T² %+v, want %+v", got, want)
	}
	// One quantity alone: T is Student's t.
	one, student := TestZeroMean(columns[:1]), TestBatchMean(columns[0])
	if math.Abs(one.P/student.P-1) > 1e-10 {
		t.Errorf("one column: p = %g, Student %g", one.P, student.P)
	}
}

// TestCarriers: equal shares of k batches give about k, the normal law a third.
func TestCarriers(t *testing.T) {
	column := make([]float64, 400)
	for i := range 10 {
		column[40*i] = float64(1 - 2*(i%2))
	}
	if got := Carriers(column); math.Abs(got-10) > 1e-9 || Testable(column) {
		t.Errorf("10 of 400 batches: %g carriers", got)
	}
	normal := normalColumns(rand.New(rand.NewPCG(5, 6)), 1, 9000, 0)[0]
	if got := Carriers(normal); math.Abs(got/3000-1) > 0.1 || !Testable(normal) {
		t.Errorf("normal: %g carriers of 9000", got)
	}
	if got := Carriers(make([]float64, 5)); got != 5 {
		t.Errorf("constant: %g carriers", got)
	}
}

// TestPath: cells are averages of as many rows each, in order.
func TestPath(t *testing.T) {
	p := NewPath(2, 8)
	for i := range 53 {
		if err := p.Append([]float64{float64(i), -float64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if p.Rows() != 53 || p.Span() != 8 || p.Cells() != 6 {
		t.Fatalf("%d rows in %d cells of %d", p.Rows(), p.Cells(), p.Span())
	}
	for k, got := range p.Column(1) {
		if want := -(8*float64(k) + 3.5); got != want {
			t.Errorf("cell %d: %g, want %g", k, got, want)
		}
	}
	if p.Append([]float64{math.NaN(), 0}) == nil || p.Append([]float64{0, math.Inf(1)}) == nil || p.Rows() != 53 {
		t.Error("NaN or Inf accepted")
	}
}
