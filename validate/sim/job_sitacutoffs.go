package sim

import "math"

// sizeDivision divides the sizes of jobs among servers.
type sizeDivision struct {
	law     SizeLaw
	rate    float64    // Λ
	moments [3]float64 // E[S^k]
}

func newSizeDivision(law SizeLaw, rate float64) *sizeDivision {
	d := &sizeDivision{law: law, rate: rate}
	for k := range d.moments {
		d.moments[k] = law.PartialMoment(k, math.Inf(1))
	}
	return d
}

// sizePoint is a size with the partial moments up to it.
type sizePoint struct {
	size  float64
	below [3]float64
}

func (d *sizeDivision) point(x float64) sizePoint {
	p := sizePoint{size: x}
	for k := range p.below {
		p.below[k] = d.law.PartialMoment(k, x)
	}
	return p
}

func (d *sizeDivision) end() sizePoint { return sizePoint{math.Inf(1), d.moments} }

// cost is the part of the mean waiting time that the jobs between two sizes
// contribute, +Inf if they are too much for a server.
func (d *sizeDivision) cost(a, b sizePoint) float64 {
	load := d.rate * (b.below[1] - a.below[1])
	if load >= 1 {
		return math.Inf(1)
	}
	share := b.below[0] - a.below[0]
	return share * d.rate * (b.below[2] - a.below[2]) / (2 * (1 - load))
}

func (d *sizeDivision) meanWait(cutoffs []float64) (wait float64, stable bool) {
	from := sizePoint{}
	for _, c := range cutoffs {
		to := d.point(c)
		wait += d.cost(from, to)
		from = to
	}
	wait += d.cost(from, d.end())
	return wait, !math.IsInf(wait, 1)
}

// where returns the least size at which an increasing function of the size
// reaches a value below its limit, by bisection in the logarithm.
func (d *sizeDivision) where(f func(x float64) float64, value float64) float64 {
	low, high := d.law.Mean(), d.law.Mean()
	for f(high) < value && high < math.MaxFloat64/4 {
		high *= 2
	}
	for f(low) >= value && low > 1e-280 {
		low /= 2
	}
	for range 120 {
		middle := math.Sqrt(low) * math.Sqrt(high)
		if middle <= low || middle >= high {
			break
		}
		if f(middle) >= value {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// equalLoads gives every server the load E[S]/n.
func (d *sizeDivision) equalLoads(servers int) []float64 {
	cutoffs := make([]float64, servers-1)
	load := func(x float64) float64 { return d.law.PartialMoment(1, x) }
	for i := range cutoffs {
		cutoffs[i] = d.where(load, d.moments[1]*float64(i+1)/float64(servers))
	}
	return cutoffs
}

// gridSize is the number of sizes that the dynamic program considers.
const gridSize = 400

// grid has sizes between which the shares of jobs, of work and of the second
// moment all change little.
func (d *sizeDivision) grid() []sizePoint {
	mixture := func(x float64) float64 {
		sum := 0.0
		for k, m := range d.moments {
			sum += d.law.PartialMoment(k, x) / m
		}
		return sum / float64(len(d.moments))
	}
	points := []sizePoint{{}}
	for i := 1; i < gridSize; i++ {
		if x := d.where(mixture, float64(i)/gridSize); x > points[len(points)-1].size {
			points = append(points, d.point(x))
		}
	}
	return append(points, d.end())
}

// bestOnGrid returns the grid and the indices of the best cut-offs on it: the
// least cost of sending what is below each point to k servers, k = 1, 2, ..
// There are fewer cut-offs than wanted if the grid is too short, none if no
// division is stable.
func (d *sizeDivision) bestOnGrid(servers int) (points []sizePoint, cuts []int) {
	points = d.grid()
	last := len(points) - 1
	if last < servers {
		return points, nil
	}
	least := make([]float64, len(points))
	for j := range points {
		least[j] = d.cost(points[0], points[j])
	}
	previous := make([][]int, servers)
	for k := 1; k < servers; k++ {
		next := make([]float64, len(points))
		previous[k] = make([]int, len(points))
		for j := range points {
			next[j] = math.Inf(1)
			for i := k; i < j; i++ {
				if c := least[i] + d.cost(points[i], points[j]); c < next[j] {
					next[j], previous[k][j] = c, i
				}
			}
		}
		least = next
	}
	cuts = make([]int, servers-1)
	for k, j := servers-1, last; k > 0; k-- {
		j = previous[k][j]
		cuts[k-1] = j
	}
	return points, cuts
}

// refine moves one cut-off at a time to the best place between the neighbours
// it has on the grid, until nothing is gained.
func (d *sizeDivision) refine(points []sizePoint, cuts []int) []float64 {
	cutoffs := make([]float64, len(cuts))
	for i, j := range cuts {
		cutoffs[i] = points[j].size
	}
	before, _ := d.meanWait(cutoffs)
	for range 200 {
		for i, j := range cuts {
			if j < 1 || j >= len(points)-1 {
				return nil
			}
			cutoffs[i] = d.bestBetween(cutoffs, i, points[j-1].size, points[j+1].size)
		}
		after, _ := d.meanWait(cutoffs)
		if before-after <= 1e-14*before {
			break
		}
		before = after
	}
	return cutoffs
}

// bestBetween is a golden section search for one cut-off, kept if it is better
// than what there was.
func (d *sizeDivision) bestBetween(cutoffs []float64, i int, low, high float64) float64 {
	from, to := sizePoint{}, d.end()
	if i > 0 {
		from = d.point(cutoffs[i-1])
	}
	if i < len(cutoffs)-1 {
		to = d.point(cutoffs[i+1])
	}
	low, high = math.Max(low, from.size), math.Min(high, to.size)
	if math.IsInf(high, 1) {
		high = 2 * cutoffs[i]
	}
	if low >= high {
		return cutoffs[i]
	}
	cost := func(x float64) float64 {
		p := d.point(x)
		return d.cost(from, p) + d.cost(p, to)
	}
	golden := (math.Sqrt(5) - 1) / 2
	a, b := high-golden*(high-low), low+golden*(high-low)
	costA, costB := cost(a), cost(b)
	for range 50 { // to 4e-11 of the interval
		if costA <= costB {
			high, b, costB = b, a, costA
			a = high - golden*(high-low)
			costA = cost(a)
		} else {
			low, a, costA = a, b, costB
			b = low + golden*(high-low)
			costB = cost(b)
		}
	}
	if best := (low + high) / 2; cost(best) < cost(cutoffs[i]) {
		return best
	}
	return cutoffs[i]
}
