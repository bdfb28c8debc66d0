package ctmc

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"qlimit/coxian"
)

func solve(t testing.TB, s System) *Stationary {
	t.Helper()
	r, err := SolveStationary(context.Background(), s, SolverSettings{}, 0)
	if err != nil {
		t.Fatalf("%v: %v", s, err)
	}
	return r
}

// TestRanking: ranks are a bijection onto 0..C(N+k,k)-1 in both directions.
func TestRanking(t *testing.T) {
	for _, c := range []struct {
		servers int64
		levels  int
		phases  int
	}{{1, 1, 1}, {5, 3, 1}, {4, 3, 2}, {7, 1, 2}, {30, 2, 1}} {
		space, err := NewSpace(c.servers, c.levels, c.phases)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := float64(space.States()), CountStates(c.servers, c.levels, c.phases); got != want {
			t.Errorf("%+v: %g states, want %g", c, got, want)
		}
		state := make([]int64, space.Classes())
		for rank := int64(0); rank < space.States(); rank++ {
			space.Unrank(rank, state)
			total := int64(0)
			for _, n := range state {
				if n < 0 {
					t.Fatalf("%+v: negative count in %v", c, state)
				}
				total += n
			}
			if total != c.servers || space.Rank(state) != rank {
				t.Fatalf("%+v: rank %d gives %v, which ranks %d", c, rank, state, space.Rank(state))
			}
		}
	}
}

func TestCountStates(t *testing.T) {
	// C(N+2b, 2b) for N = 20, b = 3 is 230,230; C(26, 6) too.
	if got := CountStates(20, 3, 2); got != 230230 {
		t.Errorf("20 servers, 3 levels, 2 phases: %g states", got)
	}
	if got := CountStates(1e9, 500, 2); !math.IsInf(got, 1) && got < 1e300 {
		t.Errorf("1e9 servers, 500 levels: %g states", got)
	}
}

// serverChain is the chain on the queue lengths of the individual servers,
// written without occupancies, exchangeability or the routing of this package.
type serverChain struct {
	servers, buffer int
	load            float64
	mu1, p, mu2     float64
	choose          func(lengths []int) []float64 // routing probabilities by server
}

func (c serverChain) Initial() []int64 { return make([]int64, 2*c.servers) }

// Visit: state[2i] is the length of server i, state[2i+1] its phase (0 idle).
func (c serverChain) Visit(state []int64, emit func([]int64, float64)) {
	lengths := make([]int, c.servers)
	for i := range lengths {
		lengths[i] = int(state[2*i])
	}
	next := append([]int64(nil), state...)
	with := func(i int, length, phase int64, rate float64) {
		if rate > 0 {
			next[2*i], next[2*i+1] = length, phase
			emit(next, rate)
			next[2*i], next[2*i+1] = state[2*i], state[2*i+1]
		}
	}
	for i, q := range c.choose(lengths) {
		if lengths[i] < c.buffer {
			with(i, state[2*i]+1, max(state[2*i+1], 1), q*c.load*float64(c.servers))
		}
		left := state[2*i] - 1
		after := int64(1)
		if left == 0 {
			after = 0
		}
		switch state[2*i+1] {
		case 1:
			with(i, left, after, (1-c.p)*c.mu1)
			with(i, left+1, 2, c.p*c.mu1)
		case 2:
			with(i, left, after, c.mu2)
		}
	}
}

// uniformOver spreads probability 1 over the servers that satisfy a condition.
func uniformOver(lengths []int, ok func(int) bool) []float64 {
	q, n := make([]float64, len(lengths)), 0.0
	for _, l := range lengths {
		if ok(l) {
			n++
		}
	}
	for i, l := range lengths {
		if ok(l) {
			q[i] = 1 / n
		}
	}
	return q
}

func shortest(lengths []int) int {
	least := lengths[0]
	for _, l := range lengths {
		least = min(least, l)
	}
	return least
}

func chooseJSQ(lengths []int) []float64 {
	least := shortest(lengths)
	return uniformOver(lengths, func(l int) bool { return l == least })
}

func chooseI1F(lengths []int) []float64 {
	if least := shortest(lengths); least <= 1 {
		return uniformOver(lengths, func(l int) bool { return l == least })
	}
	return uniformOver(lengths, func(int) bool { return true })
}

// choosePo2 goes through all pairs, with or without repetition, and splits
// ties evenly.
func choosePo2(replacement bool) func([]int) []float64 {
	return func(lengths []int) []float64 {
		q, pairs := make([]float64, len(lengths)), 0.0
		for i := range lengths {
			for j := range lengths {
				if i == j && !replacement {
					continue
				}
				pairs++
				switch {
				case lengths[i] < lengths[j]:
					q[i]++
				case lengths[j] < lengths[i]:
					q[j]++
				default:
					q[i] += .5
					q[j] += .5
				}
			}
		}
		for i := range q {
			q[i] /= pairs
		}
		return q
	}
}

// TestExchangeSymmetry: the occupancy chain has the law of the chain on the
// individual servers.
func TestExchangeSymmetry(t *testing.T) {
	law := coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	for _, c := range []struct {
		policy Policy
		choose func([]int) []float64
	}{
		{JSQ(), chooseJSQ},
		{I1F(), chooseI1F},
		{PowerOfD(2, false), choosePo2(false)},
		{PowerOfD(2, true), choosePo2(true)},
	} {
		const servers, buffer, load = 3, 4, .9
		brute := serverChain{servers, buffer, load, law.Mu1, law.P, law.Mu2, c.choose}
		generator, err := Explore(context.Background(), brute, 0)
		if err != nil {
			t.Fatal(err)
		}
		pi, err := generator.Stationary(context.Background(), SolverSettings{Tolerance: 1e-13})
		if err != nil {
			t.Fatal(err)
		}
		mean := 0.0
		reached := map[int64][]int64{}
		collect(brute, reached, generator)
		for i, state := range reached {
			for k := 0; k < servers; k++ {
				mean += pi.Probability[i] * float64(state[2*k]) / servers
			}
		}
		got := solve(t, System{Servers: servers, Load: load, Buffer: buffer, Service: law, Policy: c.policy})
		if math.Abs(got.MeanJobs-mean) > 1e-10 {
			t.Errorf("%v: mean jobs %.13g by occupancy, %.13g server by server", c.policy, got.MeanJobs, mean)
		}
	}
}

// collect walks the chain once more to list its states by number.
func collect(c Chain, reached map[int64][]int64, g *Generator) {
	queue := [][]int64{c.Initial()}
	reached[g.Index(c.Initial())] = c.Initial()
	for len(queue) > 0 {
		state := queue[0]
		queue = queue[1:]
		c.Visit(state, func(next []int64, _ float64) {
			i := g.Index(next)
			if _, seen := reached[i]; !seen {
				reached[i] = append([]int64(nil), next...)
				queue = append(queue, reached[i])
			}
		})
	}
}

// TestGeneratorIdentities: Q 1 = 0, and in equilibrium the flow over every
// cut between k and k+1 jobs balances: λN P(not lost) restricted to k jobs
// equals the departures from k+1.
func TestGeneratorIdentities(t *testing.T) {
	for _, s := range []System{
		{Servers: 4, Load: .9, Buffer: 3, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: I1F()},
		{Servers: 5, Load: 1.2, Buffer: 4, Service: exponential(), Policy: PowerOfD(3, false)},
	} {
		chain, err := s.Chain()
		if err != nil {
			t.Fatal(err)
		}
		g, err := Explore(context.Background(), chain, 0)
		if err != nil {
			t.Fatal(err)
		}
		ones, image := make([]float64, g.States()), make([]float64, g.States())
		for i := range ones {
			ones[i] = 1
		}
		g.Apply(ones, image)
		for i, v := range image {
			if v != 0 {
				t.Fatalf("%v: row %d of the generator sums to %g", s, i, v)
			}
		}
		pi, err := g.Stationary(context.Background(), SolverSettings{})
		if err != nil {
			t.Fatal(err)
		}
		up, down := map[int]float64{}, map[int]float64{}
		state := make([]int64, chain.Classes())
		for i, p := range pi.Probability {
			chain.Unrank(int64(i), state)
			jobs := chain.Group(state)
			chain.Visit(state, func(next []int64, rate float64) {
				switch chain.Group(next) - jobs {
				case 1:
					up[jobs] += p * rate
				case -1:
					down[jobs-1] += p * rate
				}
			})
		}
		for k := range up {
			if math.Abs(up[k]-down[k]) > 1e-12 {
				t.Errorf("%v: cut %d: up %g, down %g", s, k, up[k], down[k])
			}
		}
		// E[Gf] = 0 for f = the square of the number of jobs.
		square := func(state []int64) float64 { x := float64(chain.Jobs(state)); return x * x }
		sum := 0.0
		for i, p := range pi.Probability {
			chain.Unrank(int64(i), state)
			sum += p * ApplyGenerator(chain, square, append([]int64(nil), state...))
		}
		if math.Abs(sum) > 1e-10 {
			t.Errorf("%v: E[Gf] = %g for f = jobs²", s, sum)
		}
	}
}

// TestSingleServer: with one server every policy is M/M/1/b.
func TestSingleServer(t *testing.T) {
	for _, load := range []float64{.3, 1, 1.2} {
		for _, buffer := range []int{1, 2, 17} {
			for _, p := range []Policy{JSQ(), JIQ(), I1F(), Random(), PowerOfD(1, true)} {
				r := solve(t, System{Servers: 1, Load: load, Buffer: buffer, Service: exponential(), Policy: p})
				sum, mean := 0.0, 0.0
				for k := 0; k <= buffer; k++ {
					sum += math.Pow(load, float64(k))
					mean += float64(k) * math.Pow(load, float64(k))
				}
				if math.Abs(r.MeanJobs-mean/sum) > 1e-13 || math.Abs(r.BlockProb-math.Pow(load, float64(buffer))/sum) > 1e-14 {
					t.Errorf("%v load %g buffer %d: mean %g block %g", p, load, buffer, r.MeanJobs, r.BlockProb)
				}
			}
		}
	}
}

// TestLossSystem: with a buffer of one job JSQ is M/M/N/N, whose loss is
// Erlang's B formula.
func TestLossSystem(t *testing.T) {
	for _, n := range []int64{1, 5, 30, 3000, 30_000} {
		for _, load := range []float64{.5, .9, 1, 1.2, 3} {
			r := solve(t, System{Servers: n, Load: load, Buffer: 1, Service: exponential(), Policy: JSQ()})
			want := ErlangB(n, load*float64(n))
			if math.Abs(r.BlockProb-want) > 1e-10*want+1e-280 || r.Law.Status != Converged {
				t.Errorf("N=%d load %g: loss %.15g, Erlang B %.15g", n, load, r.BlockProb, want)
			}
		}
	}
}

// TestExtremeRange: laws over hundreds of decades. With one or two jobs at a
// server and next to no load all jobs find idle servers; in gross overload all
// servers are full.
func TestExtremeRange(t *testing.T) {
	for _, c := range []struct {
		servers int64
		load    float64
		buffer  int
		jobs    float64 // per server
	}{
		{200, 1e-9, 2, 1e-9}, {1, 1e-100, 500, 1e-100}, {1, 1e5, 600, 600 - 1e-5},
		{500, 1e6, 2, 2 - 2e-9}, {100_000, 1e-3, 1, 1e-3},
	} {
		r := solve(t, System{Servers: c.servers, Load: c.load, Buffer: c.buffer, Service: exponential(), Policy: JSQ()})
		if math.Abs(r.MeanJobs-c.jobs) > 1e-10*c.jobs || r.Law.Status != Converged {
			t.Errorf("%+v: mean jobs %.12g, %v", c, r.MeanJobs, r.Law.Status)
		}
	}
}

// TestEqualSystems: declarations that must give the same chain.
func TestEqualSystems(t *testing.T) {
	law := coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	same := func(name string, a, b System) {
		t.Helper()
		x, y := solve(t, a), solve(t, b)
		for _, pair := range [][2]float64{{x.MeanJobs, y.MeanJobs}, {x.WaitProb, y.WaitProb}, {x.BlockProb, y.BlockProb}} {
			if math.Abs(pair[0]-pair[1]) > 1e-11 {
				t.Errorf("%s: %v", name, pair)
			}
		}
	}
	base := System{Servers: 4, Load: .9, Buffer: 4, Service: law}
	with := func(p Policy) System { s := base; s.Policy = p; return s }
	same("Po-d with d = N without replacement is JSQ", with(PowerOfD(4, false)), with(JSQ()))
	same("Po-1 is random", with(PowerOfD(1, true)), with(Random()))
	two := with(JSQ())
	two.Servers = 2
	twoPo2 := two
	twoPo2.Policy = PowerOfD(2, false)
	same("Po-2 on two servers is JSQ", two, twoPo2)
	// I1F with a buffer of two is JSQ with a buffer of two.
	i1f, jsq := with(I1F()), with(JSQ())
	i1f.Buffer, jsq.Buffer = 2, 2
	same("I1F with two places", i1f, jsq)
	// p = 0 is exponential whatever mu2; (2, 1/2, 1) is exactly exponential.
	a, b := with(JIQ()), with(JIQ())
	a.Service, b.Service = exponential(), coxian.Dist{Mu1: 1, P: 0, Mu2: 1e-3}
	same("p = 0", a, b)
	b.Service = coxian.Dist{Mu1: 2, P: .5, Mu2: 1}
	same("exponential in two phases", a, b)
	// Only the load matters, not the unit of time.
	a, b = with(PowerOfD(2, false)), with(PowerOfD(2, false))
	b.Service = coxian.Dist{Mu1: 20, P: .25, Mu2: 5}
	same("unit of time", a, b)
	if x, y := solve(t, a), solve(t, b); math.Abs(x.MeanResponse-10*y.MeanResponse) > 1e-10 {
		t.Errorf("response %g in one unit, %g in another", x.MeanResponse, y.MeanResponse)
	}
	// Replacement matters, and d = N with replacement is not JSQ.
	x, y := solve(t, with(PowerOfD(4, true))), solve(t, with(JSQ()))
	if math.Abs(x.MeanJobs-y.MeanJobs) < 1e-3 {
		t.Error("d = N with replacement came out as JSQ")
	}
}

// TestMethodsAgree on random systems, with the invariants of a law.
func TestMethodsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(1, 4).Draw(t, "servers")
		law := coxian.Dist{
			Mu1: math.Exp(rapid.Float64Range(-3, 3).Draw(t, "log mu1")),
			P:   rapid.SampledFrom([]float64{0, 1e-3, .3, 1}).Draw(t, "p"),
			Mu2: math.Exp(rapid.Float64Range(-3, 3).Draw(t, "log mu2")),
		}
		s := System{
			Servers: n, Service: law, Buffer: rapid.IntRange(1, 3).Draw(t, "buffer"),
			Load:   rapid.Float64Range(.01, 3).Draw(t, "load"),
			Policy: rapid.SampledFrom([]Policy{JSQ(), JIQ(), I1F(), Random(), PowerOfD(n, true)}).Draw(t, "policy"),
		}
		var mean float64
		for _, m := range []Method{Elimination, Aggregation} {
			r, err := SolveStationary(context.Background(), s, SolverSettings{Method: m}, 0)
			if err != nil {
				t.Fatal(err)
			}
			if r.Law.Status != Converged {
				t.Fatalf("%v %v: %v after %d sweeps, residual %g", s, m, r.Law.Status, r.Law.Iterations, r.Law.Residual)
			}
			if m == Elimination {
				mean = r.MeanJobs
			} else if math.Abs(r.MeanJobs-mean) > 1e-9 {
				t.Fatalf("%v: mean %.14g by elimination, %.14g by sweeps", s, mean, r.MeanJobs)
			}
			total := 0.0
			for _, q := range r.Occupancy {
				if q < 0 {
					t.Fatalf("%v: negative occupancy %g", s, q)
				}
				total += q
			}
			busy := 1 - r.Occupancy[0]
			if math.Abs(total-1) > 1e-12 || math.Abs(busy-s.Load*(1-r.BlockProb)) > 1e-10 {
				t.Fatalf("%v: occupancy sums to %g, busy %g against accepted load %g", s, total, busy, s.Load*(1-r.BlockProb))
			}
		}
	})
}

// TestWeakCoupling: a three-state cycle with one rate of 1e-15 has the law
// (1/3, 1/3, 1/3) when all rates around it balance; elimination with
// subtractions returns (1/2, 1/2, 0).
func TestWeakCoupling(t *testing.T) {
	q := []float64{
		0, 1, 1e-15,
		1, 0, 0,
		1e-15, 0, 0,
	}
	law, err := Eliminate(3, q)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range law {
		if math.Abs(p-1./3) > 1e-15 {
			t.Errorf("state %d: %g", i, p)
		}
	}
	if _, err := Eliminate(2, []float64{0, 1, 0, 0}); err == nil {
		t.Error("a reducible chain was accepted")
	}
}

func TestErlang(t *testing.T) {
	for _, c := range []struct {
		n       int64
		offered float64
		wait    float64
	}{
		{10, 6, .101299242687}, {100, 99, .882768462610}, {1000, 990, .659080421881}, {1, .5, .5},
	} {
		q := Pooled{Servers: c.n, Offered: c.offered}
		if got := q.WaitProbability(); math.Abs(got-c.wait) > 1e-12 {
			t.Errorf("C(%d, %g) = %.13g, want %.12g", c.n, c.offered, got, c.wait)
		}
	}
	// 1.5018583717 jobs per server at ten servers and load .9.
	if got := (Pooled{Servers: 10, Offered: 9}).MeanJobs() / 10; math.Abs(got-1.5018583716969276) > 1e-13 {
		t.Errorf("M/M/10: %.15g", got)
	}
	if got := (Pooled{Servers: 10_000, Offered: 9900}).WaitProbability(); !(got > 0 && got < 1) {
		t.Errorf("ten thousand servers: %g", got)
	}
	for _, bad := range []Pooled{{Offered: 1}, {Servers: 5, Offered: 5}, {Servers: 5}, {Servers: 5, Offered: math.NaN()}, {Servers: 2e15, Offered: 1}} {
		if bad.Validate() == nil {
			t.Errorf("%+v accepted", bad)
		}
	}
}

// TestTooLarge: a refusal comes before any memory is asked for.
func TestTooLarge(t *testing.T) {
	for _, c := range []struct {
		system    System
		settings  SolverSettings
		maxStates int64
	}{
		{System{Servers: 1e9, Load: .9, Buffer: 100, Service: exponential(), Policy: JSQ()}, SolverSettings{}, 0},
		{System{Servers: 1e15, Load: .9, Buffer: 1, Service: exponential(), Policy: JSQ()}, SolverSettings{}, 0},
		{System{Servers: 1e15, Load: .9, Service: exponential(), Policy: JSQ()}, SolverSettings{}, 0},
		{System{Servers: 1e6, Load: .9, Buffer: math.MaxInt32, Service: exponential(), Policy: JSQ()}, SolverSettings{}, 0},
		{System{Servers: 40, Load: .9, Buffer: 5, Service: exponential(), Policy: JSQ()}, SolverSettings{Memory: 1 << 20}, 0},
		{System{Servers: 100, Load: .9, Service: exponential(), Policy: PowerOfD(2, false)}, SolverSettings{}, 3_000},
		{System{Servers: 1, Load: 1 - 1e-9, Service: exponential(), Policy: JSQ()}, SolverSettings{}, 0},
	} {
		_, err := SolveStationary(context.Background(), c.system, c.settings, c.maxStates)
		if _, ok := err.(*TooLargeError); !ok {
			t.Errorf("%v: %v", c.system, err)
		}
	}
}

func BenchmarkStationary(b *testing.B) {
	s := System{Servers: 10, Load: .9, Buffer: 4, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: PowerOfD(2, false)}
	b.ReportMetric(CountStates(s.Servers, s.Buffer, 2), "states")
	for b.Loop() {
		solve(b, s)
	}
}
