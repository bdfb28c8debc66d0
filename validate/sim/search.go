package sim

// linearSteps is the number of levels that are looked at one by one: fewer
// than that hold nearly all servers unless the load is close to 1.
const linearSteps = 24

// lastAbove returns the largest i up to which the entries of a falling row,
// from the second on, are above x; 0 where the second is not. Beyond
// linearSteps, of which near load 1 there are hundreds of thousands, its steps
// double.
func lastAbove[T int64 | float64](row []T, x float64) int {
	low := 0
	for low+1 < len(row) && float64(row[low+1]) > x {
		if low++; low == linearSteps {
			return low + lastAboveFar(row[low:], x)
		}
	}
	return low
}

func lastAboveFar[T int64 | float64](row []T, x float64) int {
	low, step := 0, 1
	for low+step < len(row) && float64(row[low+step]) > x {
		low += step
		step *= 2
	}
	high := min(low+step, len(row)) // entry low is above x or the first, entry high is not
	for high-low > 1 {
		if middle := (low + high) / 2; float64(row[middle]) > x {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
