// Package nearest finds the known name closest to a mistyped one.
package nearest

// Of returns the name with the smallest edit distance to the given one, or ""
// when none is within half the length of the given name (at least 2 edits).
func Of(given string, known []string) string {
	best, bestDistance := "", max(2, len(given)/2)+1
	for _, name := range known {
		if d := Distance(given, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// Distance is the Levenshtein distance: the least number of insertions,
// deletions and substitutions of runes that turn a into b.
func Distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	row := make([]int, len(t)+1)
	for j := range row {
		row[j] = j
	}
	for i := range s {
		diagonal := row[0]
		row[0] = i + 1
		for j := range t {
			change := diagonal
			if s[i] != t[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(t)]
}
