package estimate

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// ZeroMean is the outcome of Hotelling's test that several quantities all have
// mean 0, seen through n batch means y_1 .. y_n of each:
//
//	T² = n ȳ' S⁻¹ ȳ,   T² (n-q)/(q(n-1)) ~ F(q, n-q),
//
// S the sample covariance, q its rank: quantities that are constant, or linear
// combinations of others to the relative tolerance 1e-3, are left out, so are
// those of which the part that is left has too few [Carriers], and no more than
// one for every eight batches is taken in. Exact for normal and independent batch
// means.
type ZeroMean struct {
	Statistic float64 // T²
	Rank      int     // q
	Batches   int     // n
	P         float64 // probability of a T² at least as large if all means are 0; 1 with rank 0
}

// TestZeroMean is Hotelling's test; columns[k] holds the batch means of
// quantity k. It panics if the columns differ in length.
func TestZeroMean(columns [][]float64) ZeroMean {
	z := newWhitening(columns)
	return z.test(z.mean, 0)
}

// FitZeroMean is the test that the quantities y_k + Σ_j β_j x_jk have mean 0
// for some coefficients β, which it finds by minimising T², the covariance
// being that of the fitted quantities (generalised method of moments, iterated).
// Each coefficient costs a degree of freedom. offered[j][k] holds the batch
// means of x_jk. Coefficients beyond the rank of the problem are 0.
func FitZeroMean(columns [][]float64, offered [][][]float64) (ZeroMean, []float64) {
	beta := make([]float64, len(offered))
	fitted := combined(columns, offered, beta)
	z := newWhitening(fitted)
	for range fittingRounds {
		design := make([][]float64, len(offered))
		for j := range offered {
			design[j] = z.whiten(offered[j])
		}
		goal := append([]float64(nil), z.mean...)
		scale(goal, -1)
		step := newRegression(design, min(len(design), max(z.fit.rank()-1, 0)))
		for i, change := range step.coefficients(goal) {
			beta[step.kept[i]] += change
		}
		fitted = combined(columns, offered, beta)
		z = newWhitening(fitted)
	}
	return z.test(z.mean, len(offered)), beta
}

// fittingRounds suffice for the covariance to settle: it changes by the
// relative size of the coefficients' own change.
const fittingRounds = 4

func combined(columns [][]float64, offered [][][]float64, beta []float64) [][]float64 {
	sum := make([][]float64, len(columns))
	for k := range columns {
		sum[k] = append([]float64(nil), columns[k]...)
		for j, b := range beta {
			subtract(sum[k], offered[j][k], -b)
		}
	}
	return sum
}

// whitening maps vectors of the quantities to coordinates in which the batch
// means have covariance (X'X)/(n-1) = 1/(n-1).
type whitening struct {
	fit     regression
	batches int
	mean    []float64 // R⁻ᵀ ȳ, of length rank
}

func newWhitening(columns [][]float64) whitening {
	if len(columns) == 0 {
		return whitening{}
	}
	z := whitening{batches: len(columns[0])}
	centred := make([][]float64, len(columns))
	for k, column := range columns {
		if len(column) != z.batches {
			panic("estimate: columns of different lengths")
		}
		centred[k] = append([]float64(nil), column...)
		centre(centred[k])
	}
	z.fit = newRegressionOf(centred, z.batches/batchesPerControl, carriedByMany)
	z.mean = z.whiten(columns)
	return z
}

// fewestCarriers is the smallest number of [Carriers] that the mean of a quantity,
// or of a combination of quantities, is tested with; with fewer than 160 batches
// a quarter of them.
const fewestCarriers = 40.0

// Carriers is (Σ d²)²/Σ d⁴ for the deviations d of batch means from their mean:
// the number of batches that the variation comes from, if they had equal shares;
// a third of all for the normal law, all without variation. Rare events give
// few, and means far from normal.
func Carriers(column []float64) float64 {
	about := append([]float64(nil), column...)
	centre(about)
	size := norm(about)
	if size == 0 {
		return float64(len(column))
	}
	scale(about, 1/size)
	return 1 / fourthMoment(about)
}

func fourthMoment(a []float64) float64 {
	sum := 0.0
	for _, x := range a {
		sum += x * x * x * x
	}
	return sum
}

// Testable tells whether a column has carriers enough for its mean to be tested.
func Testable(column []float64) bool {
	return Carriers(column) >= carriersWanted(len(column))
}

func carriersWanted(batches int) float64 { return math.Min(fewestCarriers, float64(batches)/4) }

// carriedByMany is [Testable] for a centred direction of norm 1.
func carriedByMany(direction []float64) bool {
	return fourthMoment(direction)*carriersWanted(len(direction)) <= 1
}

// whiten returns R⁻ᵀ times the means of the columns that were taken in.
func (z *whitening) whiten(columns [][]float64) []float64 {
	means := make([]float64, len(columns))
	for _, k := range z.fit.kept {
		means[k] = mean(columns[k])
	}
	return z.fit.whiten(means)
}

// test holds the length of the whitened means against Hotelling's law, with
// the given number of coefficients fitted.
func (z *whitening) test(whitened []float64, fitted int) ZeroMean {
	n, q := float64(z.batches), float64(z.fit.rank()-fitted)
	out := ZeroMean{Rank: max(int(q), 0), Batches: z.batches, P: 1}
	if q < 1 || n <= q+1 {
		return out
	}
	h := dot(whitened, whitened)
	out.Statistic = n * (n - 1) * h
	out.P = fisherTail(n*(n-q)/q*h, q, n-q)
	return out
}

// fisherTail is P(F > x) for the F law, accurate in the tail.
func fisherTail(x, d1, d2 float64) float64 {
	if x <= 0 {
		return 1
	}
	return mathext.RegIncBeta(d2/2, d1/2, d2/(d2+d1*x))
}

// BatchMean is the mean of batch means with its standard error and the
// probability of one as far from 0 if the true one is 0 (Student).
type BatchMean struct {
	Mean, StandardError, P float64 // P of Student's test that the mean is 0
}

// TestBatchMean treats batch means as independent and normal. Without variation
// P is 1 if the mean is 0 and 0 otherwise.
func TestBatchMean(column []float64) BatchMean {
	n := float64(len(column))
	b := BatchMean{Mean: mean(column), P: 1}
	if n < 2 {
		return b
	}
	about := append([]float64(nil), column...)
	centre(about)
	b.StandardError = norm(about) / math.Sqrt(n*(n-1))
	switch {
	case b.StandardError > 0:
		t := b.Mean / b.StandardError
		b.P = fisherTail(t*t, 1, n-1)
	case b.Mean != 0:
		b.P = 0
	}
	return b
}

// Lag1 is the correlation of neighbours in a record; 0 if it is constant.
func Lag1(record []float64) float64 {
	if len(record) < 2 {
		return 0
	}
	b := batching{replications: 1, perRun: len(record), size: 1}
	b.describe(record)
	return b.lag1
}

// Paired is the record of averages of neighbouring pairs; the last of an odd
// number is left out.
func Paired(record []float64) []float64 { return groupAverages(record, 2) }

// StudentTails is P(|T| > |t|) for the Student law.
func StudentTails(t, degreesOfFreedom float64) float64 { return fisherTail(t*t, 1, degreesOfFreedom) }
