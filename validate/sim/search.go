package sim

// lastAbove returns the largest i up to which the entries of a falling row,
// from the second on, are above x; 0 where the second is not. Levels are few
// near their lowest, so the search begins there; near load 1 there are
// hundreds of thousands, so its steps double.
func lastAbove[T int64 | float64](row []T, x float64) int {
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
