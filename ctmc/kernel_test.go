package ctmc

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestSamplingTail holds the kernel against exact rational arithmetic:
// C(m,d)/C(n,d) and (m/n)^d.
func TestSamplingTail(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 400).Draw(t, "n")
		d := rapid.Int64Range(1, n).Draw(t, "d")
		m := rapid.Int64Range(0, n).Draw(t, "m")
		without := new(big.Rat)
		if m >= d {
			without.SetFrac(new(big.Int).Binomial(m, d), new(big.Int).Binomial(n, d))
		}
		with := big.NewRat(1, 1)
		for j := int64(0); j < d; j++ {
			with.Mul(with, big.NewRat(m, n))
		}
		for replacement, want := range map[bool]*big.Rat{false: without, true: with} {
			got := Sampling{Choices: d, Replacement: replacement}.Tail(m, n)
			exact, _ := want.Float64()
			if math.Abs(got-exact) > 1e-12*exact+1e-300 {
				t.Fatalf("d=%d n=%d m=%d replacement=%v: %g, want %g", d, n, m, replacement, got, exact)
			}
		}
	})
}

// TestSamplingExpansion: Tail(ns, n) minus the expansion up to order k decays
// like n^-(k+1), and the derivatives agree with central differences.
func TestSamplingExpansion(t *testing.T) {
	for _, d := range []int64{1, 2, 3, 7} {
		for _, replacement := range []bool{false, true} {
			k := Sampling{Choices: d, Replacement: replacement}
			const s = 0.75
			remainder := func(n int64, order int) float64 {
				sum, power := 0.0, 1.0
				for j := 0; j <= order; j++ {
					value := []float64{0}
					k.Expansion(s, j, value)
					sum += value[0] * power
					power /= float64(n)
				}
				return k.Tail(n*3/4, n) - sum
			}
			for order := 0; order <= 2; order++ {
				small, large := remainder(400, order), remainder(800, order)
				if math.Abs(small) < 1e-12 {
					continue
				}
				if observed := math.Log2(small / large); math.Abs(observed-float64(order+1)) > 0.1 {
					t.Errorf("%v order %d: remainder falls like n^-%.3f", k, order, observed)
				}
			}
			for order := 0; order <= 2; order++ {
				var low, middle, high [5]float64
				const h = 1e-5
				k.Expansion(s-h, order, low[:])
				k.Expansion(s, order, middle[:])
				k.Expansion(s+h, order, high[:])
				for j := 0; j < 4; j++ {
					difference := (high[j] - low[j]) / (2 * h)
					if math.Abs(difference-middle[j+1]) > 1e-6*(1+math.Abs(middle[j+1])) {
						t.Errorf("%v order %d derivative %d: %g, central difference %g", k, order, j+1, middle[j+1], difference)
					}
				}
			}
		}
	}
}

// TestFrozenLengths: queues of 0, 1 and 5 jobs, two of three servers sampled
// without replacement: the idle one is seen with probability 2/3, otherwise
// the job goes to level 1.
func TestFrozenLengths(t *testing.T) {
	tail := []int64{3, 2, 1, 1, 1, 1, 0}
	route := make([]float64, 6)
	PowerOfD(2, false).RouteLevels(tail, route)
	want := []float64{2. / 3, 1. / 3, 0, 0, 0, 0}
	for i := range want {
		if math.Abs(route[i]-want[i]) > 1e-15 {
			t.Errorf("level %d: %g, want %g", i, route[i], want[i])
		}
	}
	PowerOfD(2, true).RouteLevels(tail, route)
	want = []float64{5. / 9, 3. / 9, 0, 0, 0, 1. / 9}
	for i := range want {
		if math.Abs(route[i]-want[i]) > 1e-15 {
			t.Errorf("with replacement, level %d: %g, want %g", i, route[i], want[i])
		}
	}
}

// TestRoutingAddsUp: for every policy and state the routing probabilities are
// non-negative and add to 1, and two samples of two servers are JSQ.
func TestRoutingAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 30).Draw(t, "servers")
		tail := []int64{n}
		for len(tail) < 6 {
			tail = append(tail, rapid.Int64Range(0, tail[len(tail)-1]).Draw(t, "count"))
		}
		tail = append(tail, 0)
		d := rapid.Int64Range(1, n).Draw(t, "d")
		for _, p := range []Policy{JSQ(), JIQ(), I1F(), Random(), PowerOfD(d, false), PowerOfD(d, true),
			JIQ().WithFallback(Sampling{Choices: d}), I1F().WithFallback(Sampling{Choices: d, Replacement: true})} {
			route := make([]float64, len(tail))
			p.RouteLevels(tail, route)
			sum := 0.0
			for level, a := range route {
				if a < 0 || (a > 0 && level+1 < len(tail) && tail[level] == tail[level+1]) {
					t.Fatalf("%v in %v: probability %g for level %d", p, tail, a, level)
				}
				sum += a
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("%v in %v: probabilities add to %g", p, tail, sum)
			}
		}
	})
}

func TestSamplingValidate(t *testing.T) {
	for _, c := range []struct {
		d, n int64
		ok   bool
	}{{0, 5, false}, {-1, 5, false}, {1, 1, true}, {5, 5, true}, {6, 5, false}} {
		if err := (Sampling{Choices: c.d}).Validate(c.n); (err == nil) != c.ok {
			t.Errorf("d=%d n=%d: %v", c.d, c.n, err)
		}
	}
}
