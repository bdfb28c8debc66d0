package ctmc

// Population is a density-dependent population process. For size N its state
// is a vector of counts n = N x; jump k moves n by the integer vector ℓ_k, at
// total rate
//
//	N β_k(x, N),   β_k(x, N) = β_k(x) + β¹_k(x)/N + β²_k(x)/N² + O(N^-3).
//
// As N grows x follows dx/dt = Σ_k ℓ_k β_k(x) (Kurtz, J. Appl. Probab. 7,
// 1970); package meanfield has the corrections of order 1/N and 1/N². A
// [Model] is the easiest way to get one; a [System] with a smooth policy is
// another ([System.Population]).
//
// A Population may also be [Differentiable] and [Sized].
type Population interface {
	// Dim is the number of coordinates of a state, at least 1.
	Dim() int
	// Jumps lists the vectors ℓ_k. The caller must not change them.
	Jumps() []Jump
	// Rate returns the coefficient of N^-order of β_k at x, order 0, 1 or 2,
	// k the index of the jump in Jumps.
	Rate(jump, order int, x []float64) float64
}

// Jump is an integer vector ℓ without its zero entries.
type Jump []Change

// Change is one entry of a Jump.
type Change struct {
	Coordinate int   // index in the state
	By         int64 // what is added to the count there
}

// Differentiable is a Population that knows the derivatives of its rates. A
// rate depends on a few coordinates only, its support.
type Differentiable interface {
	Population
	// Support lists the coordinates on which the rate of a jump depends, at
	// every order.
	Support(jump int) []int
	// Differentiate fills d with the partial derivatives, up to the given
	// degree (0 to 4), of Rate(jump, order, x) in the coordinates of Support.
	Differentiate(jump, order int, x []float64, degree int, d *RateDerivatives)
}

// Sized is a Population whose rates at finite N are known as such, not only
// by the first terms of their expansion.
type Sized interface {
	Population
	// RateAt returns the total rate N β_k(n/N, N) in the state n = counts. It
	// must be safe for concurrent use.
	RateAt(jump int, counts []int64, size int64) float64
}

// RateDerivatives are the partial derivatives of one rate at one point in the
// s coordinates of its support.
type RateDerivatives struct {
	// Of[m] holds the s^m derivatives of degree m: the one in the coordinates
	// with places a_1, .., a_m in the support is at ((a_1 s + a_2) s + ..) + a_m.
	// Of[0][0] is the rate itself.
	Of [5][]float64
	// Error is an estimate of the largest absolute error of the derivatives,
	// relative to the largest derivative of the same degree; 0 when they come
	// from formulas.
	Error float64
}

// MaxDegree is the largest degree of the derivatives a rate is asked for.
const MaxDegree = 4

// Resize makes room for the derivatives in the given number of coordinates up
// to the given degree, all zero, and drops those of higher degree.
func (d *RateDerivatives) Resize(support, degree int) {
	size := 1
	for m := range d.Of {
		if m > degree {
			d.Of[m] = d.Of[m][:0]
			continue
		}
		if cap(d.Of[m]) < size {
			d.Of[m] = make([]float64, size)
		}
		d.Of[m] = d.Of[m][:size]
		clear(d.Of[m])
		size *= support
	}
	d.Error = 0
}

// FillSymmetric sets every derivative of degree m from its value at sorted
// places, a_1 <= .. <= a_m.
func (d *RateDerivatives) FillSymmetric(support, degree int, value func(places []int) float64) {
	var storage [MaxDegree]int
	places := storage[:degree]
	for {
		d.setPermuted(support, places, value(places))
		// Next non-decreasing tuple.
		m := degree - 1
		for m >= 0 && places[m] == support-1 {
			m--
		}
		if m < 0 {
			return
		}
		next := places[m] + 1
		for ; m < degree; m++ {
			places[m] = next
		}
	}
}

// setPermuted stores one value at all orders of the places.
func (d *RateDerivatives) setPermuted(support int, places []int, value float64) {
	of := d.Of[len(places)]
	if len(places) == 1 {
		of[places[0]] = value
		return
	}
	if len(places) == 2 {
		of[places[0]*support+places[1]], of[places[1]*support+places[0]] = value, value
		return
	}
	var used [MaxDegree]bool
	var walk func(depth, index int)
	walk = func(depth, index int) {
		if depth == len(places) {
			of[index] = value
			return
		}
		for m, a := range places {
			// Of equal places only the first unused one: each order once.
			if used[m] || (m > 0 && places[m-1] == a && !used[m-1]) {
				continue
			}
			used[m] = true
			walk(depth+1, index*support+a)
			used[m] = false
		}
	}
	walk(0, 0)
}

// TotalRate is the total rate N β_k at finite N: exact for a [Sized]
// population, else from the terms of the expansion up to 1/N².
func TotalRate(p Population, jump int, counts []int64, size int64, x []float64) float64 {
	if sized, ok := p.(Sized); ok {
		return sized.RateAt(jump, counts, size)
	}
	n := float64(size)
	for i, c := range counts {
		x[i] = float64(c) / n
	}
	return n*p.Rate(jump, 0, x) + p.Rate(jump, 1, x) + p.Rate(jump, 2, x)/n
}
