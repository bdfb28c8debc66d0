package stein

import (
	"cmp"
	"iter"
	"slices"
)

// increasing is the order of the servers by queue length, ties in the order of
// the servers.
func increasing(lengths []int64) []int {
	order := make([]int, len(lengths))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(lengths[a], lengths[b]) })
	return order
}

// ties runs over the longest runs [from, to) of equal lengths.
func ties(sorted []int64) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for from := 0; from < len(sorted); {
			to := from
			for to < len(sorted) && sorted[to] == sorted[from] {
				to++
			}
			if !yield(from, to) {
				return
			}
			from = to
		}
	}
}
