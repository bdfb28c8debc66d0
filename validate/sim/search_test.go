package sim

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestLastAbove holds the search against looking at one entry after the other.
func TestLastAbove(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SliceOfN(rapid.Int64Range(0, 20), 2, 300).Draw(t, "row")
		slices.SortFunc(row, func(a, b int64) int { return int(b - a) })
		row = append(row, 0) // as in an occupancy, nothing is above 0 at the end
		x := rapid.Float64Range(0, 21).Draw(t, "x")
		want := 0
		for float64(row[want+1]) > x && want+2 < len(row) {
			want++
		}
		if got := lastAbove(row, x); got != want {
			t.Fatalf("%v, %g: %d, want %d", row, x, got, want)
		}
	})
}
