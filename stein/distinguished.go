package stein

// Distinguished returns the servers that a dispatcher treats differently from
// the rest: the smallest set R such that all servers outside R and outside the
// queried ones have the same value, where value[j] is the probability that j is
// the destination of a job (or the next server to be asked) in one state of the
// memory. Of two smallest sets it is the one that leaves out the value met
// first.
//
// A symmetric policy is one for which every renaming of the servers goes with a
// renaming of the states of the memory that leaves its decisions the same.
// With n^c states at most, such a policy has no more than c distinguished
// servers once n is large (Gamarnik, Tsitsiklis, Zubeldia 2020); how large,
// [MostDistinguished] tells.
func Distinguished(value []float64, queried []int) []int {
	asked := make([]bool, len(value))
	for _, j := range queried {
		asked[j] = true
	}
	common, most := 0.0, 0
	for j, v := range value {
		count := 0
		for i, w := range value {
			if !asked[i] && w == v {
				count++
			}
		}
		if !asked[j] && count > most {
			common, most = v, count
		}
	}
	var set []int
	for j, v := range value {
		if !asked[j] && v != common {
			set = append(set, j)
		}
	}
	return set
}

// MostDistinguished returns the largest number of distinguished servers that
// a symmetric policy can have among free servers, those not queried, if its
// memory has the given number of states.
//
// The values of the free servers fall into classes of sizes k_1, k_2, ..; every
// rearrangement of them belongs to a state of its own, hence
//
//	free!/(k_1! k_2! ..) <= states.
//
// The answer is the largest free - max k over all partitions of free that obey
// this, found by trying them all: fast up to some fifty servers.
func MostDistinguished(free int, states float64) int {
	most := 0
	// choose(left, largest, arrangements): the servers left to be put into
	// classes of at most the given size; the first class is the largest.
	var choose func(left, largest, first int, arrangements float64)
	choose = func(left, largest, first int, arrangements float64) {
		if arrangements > states*(1+1e-9) {
			return
		}
		if left == 0 {
			most = max(most, free-first)
			return
		}
		for k := min(left, largest); k >= 1; k-- {
			if first == 0 {
				choose(left-k, k, k, binomial(left, k))
				continue
			}
			choose(left-k, k, first, arrangements*binomial(left, k))
		}
	}
	choose(free, free, 0, 1)
	return most
}

func binomial(n, k int) float64 {
	c := 1.0
	for j := 1; j <= k; j++ {
		c = c * float64(n-k+j) / float64(j)
	}
	return c
}
