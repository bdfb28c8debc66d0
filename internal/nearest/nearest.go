// Package nearest finds the known name closest to a mistyped one, for messages
// that end in "did you mean jsq?". Closeness is the optimal string alignment
// distance, in which an exchange of neighbours counts one. There is no limit to it:
// whatever was typed, the closest name is suggested.
package nearest

// Of returns the known name with the smallest distance to the given one, the
// first among equals; "" if there is nothing to go by.
func Of(given string, known []string) string {
	best, bestDistance := "", 0
	for _, name := range known {
		if d := Distance(given, name); given != "" && (best == "" || d < bestDistance) {
			best, bestDistance = name, d
		}
	}
	return best
}

// Distance is the least number of insertions, deletions, substitutions and
// exchanges of neighbouring runes that turn a into b, no rune being touched
// twice (optimal string alignment).
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before := make([]int, len(t)+1) // row i-2
	above := make([]int, len(t)+1)  // row i-1
	row := make([]int, len(t)+1)
	for j := range above {
		above[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			change := above[j]
			if s[i] != t[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, above[j+1]+1)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(t)]
}
