package stein

import (
	"fmt"
	"slices"
	"testing"
)

// memoryPolicy is a dispatching policy with a memory, by its law in each state
// of the memory once the queried servers have answered.
type memoryPolicy struct {
	name   string
	memory float64 // c: the states are n^c at most
	states func(n int) [][]int
	// destination is the law of the destination in a state, given the queried
	// servers, of which the first best is preferred if it is said to be idle.
	destination func(n int, state, queried []int, firstIsIdle bool) []float64
	// renamed is the state that stands for a state after a renaming.
	renamed func(state, permutation []int) []int
	queries int
}

func subsets(n, most int) [][]int {
	var list [][]int
	for mask := range 1 << n {
		var set []int
		for j := range n {
			if mask>>j&1 == 1 {
				set = append(set, j)
			}
		}
		if len(set) <= most {
			list = append(list, set)
		}
	}
	return list
}

func sequences(n, length int) [][]int {
	list := [][]int{nil}
	for range length {
		var longer [][]int
		for _, s := range list {
			for j := range n {
				if !slices.Contains(s, j) {
					longer = append(longer, append(slices.Clone(s), j))
				}
			}
		}
		list = longer
	}
	return list
}

func uniformOn(n int, set []int) []float64 {
	p := make([]float64, n)
	if len(set) == 0 {
		for j := range p {
			p[j] = 1 / float64(n)
		}
		return p
	}
	for _, j := range set {
		p[j] = 1 / float64(len(set))
	}
	return p
}

func renameSequence(state, permutation []int) []int {
	var s []int
	for _, j := range state {
		s = append(s, permutation[j])
	}
	return s
}

func renameSet(state, permutation []int) []int {
	s := renameSequence(state, permutation)
	slices.Sort(s)
	return s
}

// examplePolicies: none, stored IDs of idle servers (pull, up to two of them,
// whose n(n-1)/2 + n + 1 subsets are n² states at most from n = 3 on), a server
// remembered beside two that are asked, and the last of two remembered servers
// taken in turn.
func examplePolicies() []memoryPolicy {
	return []memoryPolicy{
		{name: "random", states: func(int) [][]int { return [][]int{nil} },
			destination: func(n int, _, _ []int, _ bool) []float64 { return uniformOn(n, nil) }, renamed: renameSet},
		{name: "two asked", queries: 2, states: func(int) [][]int { return [][]int{nil} },
			destination: func(n int, _, queried []int, first bool) []float64 {
				if first {
					return uniformOn(n, queried[:1])
				}
				return uniformOn(n, queried)
			}, renamed: renameSet},
		{name: "pull, two IDs", memory: 2, states: func(n int) [][]int { return subsets(n, 2) },
			destination: func(n int, state, _ []int, _ bool) []float64 { return uniformOn(n, state) }, renamed: renameSet},
		{name: "two asked, one remembered", memory: 1, queries: 2, states: func(n int) [][]int { return sequences(n, 1) },
			destination: func(n int, state, queried []int, first bool) []float64 {
				if first {
					return uniformOn(n, queried[:1])
				}
				return uniformOn(n, append(slices.Clone(queried), state...))
			}, renamed: renameSequence},
		{name: "two remembered in order", memory: 2, states: func(n int) [][]int { return sequences(n, 2) },
			destination: func(n int, state, _ []int, _ bool) []float64 {
				p := uniformOn(n, state[:1])
				p[state[0]], p[state[1]] = .75, .25
				return p
			}, renamed: renameSequence},
	}
}

// TestDistinguishedServers enumerates, for up to six servers, the states of the
// memory, the queried servers and all renamings of the servers: the example
// policies are symmetric, and the servers they distinguish are at most c.
func TestDistinguishedServers(t *testing.T) {
	for _, policy := range examplePolicies() {
		for n := 3; n <= 6; n++ {
			states := policy.states(n)
			most := 1.0
			for range int(policy.memory) {
				most *= float64(n)
			}
			if float64(len(states)) > most {
				t.Fatalf("%s, n = %d: %d states, more than %g", policy.name, n, len(states), most)
			}
			for _, queried := range sequences(n, policy.queries) {
				for _, state := range states {
					for _, first := range []bool{false, true} {
						law := policy.destination(n, state, queried, first)
						if set := Distinguished(law, queried); len(set) > int(policy.memory) {
							t.Errorf("%s, n = %d, state %v, asked %v: distinguished %v", policy.name, n, state, queried, set)
						}
						checkSymmetry(t, policy, n, state, queried, first, law)
					}
				}
			}
		}
	}
}

// checkSymmetry: the renamed state leads to the renamed law, and fixing the
// queried servers, the laws that renamings lead to are no more than there are
// states, which is what bounds the number of distinguished servers.
func checkSymmetry(t *testing.T, policy memoryPolicy, n int, state, queried []int, first bool, law []float64) {
	seen := map[string]bool{}
	for _, permutation := range sequences(n, n) {
		renamed := policy.destination(n, policy.renamed(state, permutation), renameSequence(queried, permutation), first)
		fixed := true
		for j := range n {
			if renamed[permutation[j]] != law[j] {
				t.Fatalf("%s, n = %d: state %v is not symmetric under %v", policy.name, n, state, permutation)
			}
			fixed = fixed && (!slices.Contains(queried, j) || permutation[j] == j)
		}
		if fixed {
			seen[fmt.Sprint(renamed)] = true
		}
	}
	if len(seen) > len(policy.states(n)) {
		t.Errorf("%s, n = %d: %d laws from %d states", policy.name, n, len(seen), len(policy.states(n)))
	}
}

// TestMostDistinguished: the count against a direct one, and where it reaches
// the c of the lemma.
func TestMostDistinguished(t *testing.T) {
	for _, c := range []struct {
		free   int
		states float64
		want   int
	}{
		{6, 1, 0}, {6, 5, 0}, {6, 6, 1}, {6, 14, 1}, {6, 15, 2}, {6, 20, 3}, // two halves: C(6,3)
		{4, 24, 3}, {4, 23, 2}, {1, 1, 0}, {0, 1, 0},
	} {
		if got := MostDistinguished(c.free, c.states); got != c.want {
			t.Errorf("%d servers, %g states: %d, want %d", c.free, c.states, got, c.want)
		}
	}
	for n := 3; n <= 30; n++ {
		if got := MostDistinguished(n, float64(n)); got != 1 {
			t.Errorf("c = 1, n = %d: %d", n, got)
		}
		// C(n,3) <= n² up to n = 8: three servers could be told from the rest.
		if got := MostDistinguished(n, float64(n*n)); n >= 9 && got != 2 || n >= 6 && n < 9 && got != 3 {
			t.Errorf("c = 2, n = %d: %d", n, got)
		}
	}
}
