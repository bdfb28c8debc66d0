package ctmc

import "math"

// extrapolation accelerates a linearly converging sequence x_{k+1} = F(x_k) by
// reduced rank extrapolation: of the combinations Σ γ_k x_{k+1} with Σ γ_k = 1
// it takes the one whose differences Σ γ_k (x_{k+1} - x_k) are least. For a
// linear F that is what GMRES finds in as many steps.
//
// Differences are kept in single precision: they correct digits that are still
// wrong. Source: Sidi, Vector Extrapolation Methods (2017), chapter 2.
type extrapolation struct {
	workers     int
	signed      bool        // components may be of either sign
	last        []float64   // the latest iterate
	differences [][]float32 // x_{k+1} - x_k, in units of size_k
	size        []float64   // Σ |x_{k+1} - x_k|
	used        int
}

func newExtrapolation(states, window, workers int) *extrapolation {
	e := &extrapolation{workers: workers, last: make([]float64, states), size: make([]float64, window+1)}
	for range window + 1 {
		e.differences = append(e.differences, make([]float32, states))
	}
	return e
}

// begin starts a new sequence.
func (e *extrapolation) begin(x []float64) {
	copy(e.last, x)
	e.used = 0
}

// add appends an iterate; one that equals the last is left out.
func (e *extrapolation) add(x []float64) {
	size := reduce(len(x), e.workers, 1, func(low, high int, sums []float64) {
		sums[0] = distance1(x[low:high], e.last[low:high])
	})[0]
	if size == 0 {
		return
	}
	d := e.differences[e.used]
	forRange(len(x), e.workers, func(low, high int) {
		for i := low; i < high; i++ {
			d[i] = float32((x[i] - e.last[i]) / size)
			e.last[i] = x[i]
		}
	})
	e.size[e.used] = size
	e.used++
}

// distance1 is Σ |x_i - y_i|.
func distance1(x, y []float64) float64 {
	sum := 0.0
	for i, v := range x {
		sum += math.Abs(v - y[i])
	}
	return sum
}

// extrapolate replaces x, the latest iterate, by the combination; components
// that would not be positive stay. It reports whether it did.
func (e *extrapolation) extrapolate(x []float64) bool {
	weights := e.weights()
	if weights == nil {
		return false
	}
	// Σ γ_k x_{k+1} = x_last - Σ_m (γ_0 + .. + γ_{m-1}) (x_{m+1} - x_m).
	factors, sum := make([]float64, len(weights)), 0.0
	for m, w := range weights {
		factors[m] = sum * e.size[m]
		sum += w
	}
	forRange(len(x), e.workers, func(low, high int) {
		for i := low; i < high; i++ {
			y := x[i]
			for m := 1; m < len(factors); m++ {
				y -= factors[m] * float64(e.differences[m][i])
			}
			if y > 0 || e.signed {
				x[i] = y
			}
		}
	})
	return true
}

// weights solves the least squares problem for γ by its normal equations,
// G γ ∝ 1 with G_kl the inner products of the differences; nil when there is
// nothing to combine.
func (e *extrapolation) weights() []float64 {
	k := e.used
	if k < 2 {
		return nil
	}
	gram := e.innerProducts()
	// In units of the lengths the diagonal is 1.
	length := make([]float64, k)
	for a := range k {
		length[a] = math.Sqrt(gram[a*k+a])
	}
	gamma := make([]float64, k)
	for a := range k {
		for b := range a + 1 {
			gram[a*k+b] = gram[b*k+a] / (length[a] * length[b])
		}
		gram[a*k+a] = 1 + ridge
		gamma[a] = 1 / (length[a] * (e.size[a] / e.size[k-1]))
	}
	if !solveCholesky(gram, gamma) {
		return nil
	}
	sum := 0.0
	for a := range k {
		gamma[a] /= length[a] * (e.size[a] / e.size[k-1])
		sum += gamma[a]
	}
	scale(gamma, 1/sum)
	for _, w := range gamma {
		if math.IsNaN(w) || math.Abs(w) > 1e8 {
			return nil
		}
	}
	return gamma
}

// ridge keeps the normal equations solvable when the differences are nearly
// dependent.
const ridge = 1e-13

// innerProducts returns those of the scaled differences, above the diagonal.
func (e *extrapolation) innerProducts() []float64 {
	k := e.used
	return reduce(len(e.last), e.workers, k*k, func(low, high int, sums []float64) {
		for a := range k {
			for b := a; b < k; b++ {
				x, y := e.differences[a][low:high], e.differences[b][low:high]
				sum := 0.0
				for i := range x {
					sum += float64(x[i]) * float64(y[i])
				}
				sums[a*k+b] = sum
			}
		}
	})
}

// solveCholesky solves A x = b in place for a small positive definite matrix;
// false when it is not.
func solveCholesky(a, b []float64) bool {
	n := len(b)
	for j := range n {
		d := a[j*n+j]
		for k := range j {
			d -= a[j*n+k] * a[j*n+k]
		}
		if !(d > 0) {
			return false
		}
		d = math.Sqrt(d)
		a[j*n+j] = d
		for i := j + 1; i < n; i++ {
			s := a[i*n+j]
			for k := range j {
				s -= a[i*n+k] * a[j*n+k]
			}
			a[i*n+j] = s / d
		}
	}
	for i := range n {
		for k := range i {
			b[i] -= a[i*n+k] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= a[k*n+i] * b[k]
		}
		b[i] /= a[i*n+i]
	}
	return true
}
