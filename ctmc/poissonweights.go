package ctmc

// poissonWeights are the probabilities of a Poisson law with mean q on the
// smallest range around its mode outside which less than a given probability
// lies.
type poissonWeights struct {
	first  int       // P(first), P(first+1), ..
	weight []float64 // sum to 1; the true ones differ by less than outside in all
	// outside bounds the probability outside the range.
	outside float64
}

// newPoissonWeights computes the weights from the mode outwards, where they are
// in proportion to 1, q/(m+1), .. upwards and 1, m/q, .. downwards: nothing
// overflows, and what would underflow is outside. Beyond each end the ratio of
// successive weights keeps falling, so that a geometric series bounds the tail.
//
// This is the idea of Fox and Glynn, Commun. ACM 31 (1988), without their
// tabulated bounds, whose errors Jansen corrected (2011).
func newPoissonWeights(q, outside float64) poissonWeights {
	if q == 0 {
		return poissonWeights{weight: []float64{1}}
	}
	mode := int(q)
	up, upTail := poissonSide(outside/2, func(k int) float64 { return q / float64(mode+k) })
	down, downTail := poissonSide(outside/2, func(k int) float64 {
		return float64(max(mode-k+1, 0)) / q
	})
	w := poissonWeights{first: mode - len(down), weight: make([]float64, 0, len(down)+1+len(up))}
	for i := len(down) - 1; i >= 0; i-- {
		w.weight = append(w.weight, down[i])
	}
	w.weight = append(append(w.weight, 1), up...)
	// Small terms first.
	total := 0.0
	for i, j := 0, len(w.weight)-1; i <= j; {
		if w.weight[i] < w.weight[j] || i == j {
			total += w.weight[i]
			i++
		} else {
			total += w.weight[j]
			j--
		}
	}
	scale(w.weight, 1/total)
	w.outside = (upTail + downTail) / total
	return w
}

// poissonSide returns the products of ratio(1), ratio(2), .. until what follows
// is at most the given part of the whole, and the bound on what follows. The
// whole is at least 1, the term at the mode.
func poissonSide(part float64, ratio func(k int) float64) (terms []float64, tail float64) {
	term := 1.0
	for k := 1; ; k++ {
		r := ratio(k)
		if tail = term * r / (1 - r); r < 1 && tail <= part {
			return terms, tail
		}
		term *= r
		if term == 0 {
			return terms, 0
		}
		terms = append(terms, term)
	}
}

// last is the largest value in the range.
func (w *poissonWeights) last() int { return w.first + len(w.weight) - 1 }

// mean is Σ w_k y_k, where y_k = rest for k >= len(y).
func (w *poissonWeights) mean(y []float64, rest float64) float64 {
	sum := 0.0
	for i, p := range w.weight {
		if k := w.first + i; k < len(y) {
			sum += p * y[k]
		} else {
			sum += p * rest
		}
	}
	return sum
}

// timeAverage is the average over [0, t] of Σ w_k(s) y_k, that is
// (1/q) Σ_k P(Poisson > k) y_k, with q > 0 the mean.
func (w *poissonWeights) timeAverage(q float64, y []float64, rest float64) float64 {
	at := func(k int) float64 {
		if k < len(y) {
			return y[k]
		}
		return rest
	}
	// From the end of the range on, where the probabilities are small.
	sum, above := 0.0, 0.0
	for i := len(w.weight) - 1; i >= 0; i-- {
		sum += above * at(w.first+i)
		above += w.weight[i]
	}
	// Below the range P(Poisson > k) = 1.
	sum += float64(max(w.first-len(y), 0)) * rest
	for _, value := range y[:min(w.first, len(y))] {
		sum += value
	}
	return sum / q
}
