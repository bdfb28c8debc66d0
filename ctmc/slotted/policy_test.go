package slotted

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"qlimit/ctmc"
)

func mustPolicy(t *testing.T, text string) Policy {
	t.Helper()
	p, err := ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// canonical are policies as they print themselves.
var canonical = []string{
	"jsq", "sq:d=2", "sq:d=2,replacement=true", "sq:d=2,m=3", "sq:d=2,m=3,stale", "jiq", "random", "weighted", "sed",
	"jbt:d=2,T=1000", "jbt:d=4,T=inf", "jbtg:d=2,T=10", "jbt:average,T=1000", "jbtg:average,T=5",
	"lsq:push=2", "lsq:pull=0.5", "lsq:smart", "lsq:smart,pull=0.25", "lsq:refresh=0.1", "lsq:pull=0",
	"local-sq:d=2,push=1", "local-jba:pull=1", "local-jba:push=2,refresh=0.5",
}

func TestPoliciesParse(t *testing.T) {
	for _, text := range canonical {
		if p := mustPolicy(t, text); p.String() != text {
			t.Errorf("%s prints %s", text, p)
		}
	}
	for text, want := range map[string]string{
		"iqf": "jiq", "pod:d=3": "sq:d=3", "jbt:d=2": "jbt:d=2,T=1000", "JBT:d=2,T=1e4": "jbt:d=2,T=10000",
		"local-jba": "local-jba:push=2", "local-jba,pull=.5": "local-jba:pull=0.5", "lsq": "lsq:push=2", "local-sq:d=3": "local-sq:d=3,push=2",
	} {
		if p := mustPolicy(t, text); p.String() != want {
			t.Errorf("%s prints %s, want %s", text, p, want)
		}
	}
}

func TestPolicyTextsThatAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"jsk": "did you mean jsq?", "sq": "d is missing", "sq:d=0": "d = 0", "sq:d=2,d=3": "d is repeated", "sq:d": "is no option",
		"jbt:T=5": "d is missing", "jbt:d=2,T=0": "T = 0", "jbt:d=2,T=-3": "T = -3", "jbt:average,d=2": "do not go together", "jbt:average=1": "is no option",
		"lsq:refresh=0": "refresh = 0", "lsq:refresh=1.5": "refresh = 1.5", "lsq:pull=-1": "pull = -1", "lsq:d=2": "policy option", "jsq:d=2": "without options",
		"jsq:": "key=value", "sq:d=2,m=1,replacement=true": "do not go together", "sq:d=2,stale": "stale needs m", "sq:d=2,replacement=maybe": "true or false", "": "one of",
	} {
		if _, err := ParsePolicy(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want ...%s...", text, err, want)
		}
	}
}

func TestPolicyRefusesModel(t *testing.T) {
	m := &Model{Rates: []float64{1, 1, 1}, Load: 0.5}
	for text, want := range map[string]string{
		"sq:d=4": "d = 4 (must be between 1 and the number of servers, 3)", "sq:d=4,m=1": "d = 4", "sq:d=2,m=4": "m = 4",
		"jbt:d=4,T=5": "d = 4", "lsq:push=4": "push = 4 (must be between 1 and the number of servers, 3)", "local-sq:d=9,push=1": "d = 9",
	} {
		if err := mustPolicy(t, text).Validate(m); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want ...%s...", text, err, want)
		}
	}
}

func testView(lengths []int64, dispatchers int) *View {
	return &View{
		Lengths: lengths, Served: make([]int64, len(lengths)), Arrived: make([]int64, dispatchers),
		Routing: rand.NewPCG(5, 6), Upkeep: rand.NewPCG(7, 8),
	}
}

// The declared probabilities add to 1 and are those of the decisions, five
// standard errors, for lengths with and without ties; of a policy with a
// threshold after it was set by sampling, of a local one from estimates that
// are the lengths.
func TestDeclaredProbabilities(t *testing.T) {
	m := &Model{Rates: []float64{1, 1, 2, 3, 1}, Load: 0.5}
	const draws = 20_000
	for _, lengths := range [][]int64{{0, 1, 2, 3, 4}, {2, 0, 0, 5, 2}, {7, 7, 7, 7, 7}, {3, 3, 1, 1, 1}} {
		for _, text := range []string{
			"jsq", "sq:d=2", "sq:d=5", "sq:d=3,replacement=true", "random", "weighted", "sed",
			"jbt:d=2,T=1", "jbtg:d=5,T=1", "jbt:average,T=1", "jbtg:average,T=1", "lsq:refresh=1", "local-sq:d=2,refresh=1", "local-jba:refresh=1",
		} {
			p := mustPolicy(t, text)
			v := testView(lengths, 1)
			frequency := make([]float64, len(lengths))
			want := make([]float64, len(lengths))
			one := make([]float64, len(lengths))
			d := p.Dispatcher(m, v)
			for range draws {
				d.EndOfSlot(v)
				threshold := int64(0)
				if r, reports := d.(*reportDispatcher); reports {
					threshold = r.r
				}
				p.Declaration().Probabilities(m, lengths, threshold, one)
				sum := 0.0
				for n, x := range one {
					want[n] += x / draws
					sum += x
				}
				if math.Abs(sum-1) > 1e-14 {
					t.Fatalf("%s in %v: probabilities add to %.17g", text, lengths, sum)
				}
				frequency[d.Choose(v, 0, 1)] += 1. / draws
			}
			for n := range want {
				if diff := math.Abs(frequency[n] - want[n]); diff > 5*math.Sqrt(want[n]*(1-want[n])/draws)+1e-12 {
					t.Errorf("%s in %v: server %d chosen with frequency %.4f, declared %.4f", text, lengths, n, frequency[n], want[n])
				}
			}
		}
	}
}

// On (0, 1, 5), SQ(2) without replacement takes 0 with probability 2/3 and
// never 5; with replacement 5/9, 3/9, 1/9.
func TestPowerOfTwoOnFrozenLengths(t *testing.T) {
	m := &Model{Rates: []float64{1, 1, 1}, Load: 0.5}
	p := make([]float64, 3)
	for text, want := range map[string][]float64{"sq:d=2": {2. / 3, 1. / 3, 0}, "sq:d=2,replacement=true": {5. / 9, 3. / 9, 1. / 9}} {
		mustPolicy(t, text).Declaration().Probabilities(m, []int64{0, 1, 5}, 0, p)
		for n := range p {
			if math.Abs(p[n]-want[n]) > 1e-15 {
				t.Errorf("%s: %v, want %v", text, p, want)
			}
		}
	}
}

// Messages of one decision and of one end of slot, lengths (1, 0, 4, 2), one
// job to one dispatcher of two.
func TestMessageCounts(t *testing.T) {
	m := &Model{Rates: []float64{1, 1, 1, 1}, Load: 0.5, Dispatchers: 2}
	for text, want := range map[string][ctmc.MessageKinds]int64{
		"jsq":    {4, 4, 0, 0},
		"sed":    {4, 4, 0, 0},
		"sq:d=3": {3, 3, 0, 0},
		"random": {}, "weighted": {},
		"sq:d=2,m=3": {2, 2, 0, 0}, "sq:d=2,m=3,stale": {2, 2, 0, 0},
		"lsq:push=3":    {3, 3, 0, 0}, // the dispatcher with arrivals alone
		"lsq:pull=1":    {0, 0, 2, 0}, // servers 0 and 1 have served
		"lsq:pull=0":    {0, 0, 1, 0}, // server 1 has become idle
		"lsq:smart":     {0, 0, 2, 0},
		"lsq:refresh=1": {0, 0, 0, 8},
	} {
		v := testView([]int64{1, 0, 4, 2}, 2)
		d := mustPolicy(t, text).Dispatcher(m, v)
		v.Messages = [ctmc.MessageKinds]int64{}
		d.Choose(v, 1, 1)
		v.Arrived[1], v.Served[0], v.Served[1] = 1, 2, 1
		d.EndOfSlot(v)
		if v.Messages != want {
			t.Errorf("%s: %v, want %v", text, v.Messages, want)
		}
	}
}

// A server reports once: JBT-4 with T = 2 over four slots, lengths by hand.
func TestReports(t *testing.T) {
	m := &Model{Rates: []float64{1, 1, 1, 1}, Load: 0.5}
	v := testView([]int64{0, 0, 0, 0}, 1)
	d := mustPolicy(t, "jbt:d=4,T=2").Dispatcher(m, v).(*reportDispatcher)
	if v.Messages[Pull] != 4 {
		t.Fatalf("%d reports at the start, all are idle", v.Messages[Pull])
	}
	v.Messages = [ctmc.MessageKinds]int64{}
	d.EndOfSlot(v) // slot 1: nothing changes
	copy(v.Lengths, []int64{0, 3, 0, 2})
	d.EndOfSlot(v) // slot 2: r = 0, IDs discarded, servers 0 and 2 report
	if v.Messages != [ctmc.MessageKinds]int64{4, 4, 2, 0} || d.r != 0 {
		t.Errorf("after slot 2: %v, r = %d", v.Messages, d.r)
	}
	first, second := d.Choose(v, 0, 1), d.Choose(v, 0, 2)
	if first+second != 2 || len(d.stored[0]) != 0 {
		t.Errorf("chose %d and %d of the stored 0 and 2", first, second)
	}
	copy(v.Lengths, []int64{1, 3, 2, 2})
	d.EndOfSlot(v) // slot 3: all above 0
	if v.Messages[Pull] != 2 {
		t.Errorf("%d reports after slot 3", v.Messages[Pull])
	}
	d.EndOfSlot(v) // slot 4: r = 1, server 0 reports
	if v.Messages != [ctmc.MessageKinds]int64{8, 8, 3, 0} || d.r != 1 || len(d.stored[0]) != 1 || d.stored[0][0] != 0 {
		t.Errorf("after slot 4: %v, r = %d, stored %v", v.Messages, d.r, d.stored[0])
	}
}

// A smart report goes to the dispatcher that is furthest off.
func TestSmartAddressee(t *testing.T) {
	m := &Model{Rates: []float64{1, 1}, Load: 0.5, Dispatchers: 3}
	v := testView([]int64{0, 0}, 3)
	d := mustPolicy(t, "lsq:smart").Dispatcher(m, v).(*localDispatcher)
	copy(d.estimates[0], []int64{2, 0})
	copy(d.estimates[1], []int64{5, 0})
	copy(d.estimates[2], []int64{0, 0})
	v.Lengths[0], v.Served[0] = 3, 1
	d.EndOfSlot(v)
	if d.estimates[2][0] != 3 || d.estimates[0][0] != 2 || d.estimates[1][0] != 5 {
		t.Errorf("estimates of server 0: %d %d %d", d.estimates[0][0], d.estimates[1][0], d.estimates[2][0])
	}
}

// Stale lengths are those of the answers and grow with the jobs sent.
func TestMemoryIsNotRefreshed(t *testing.T) {
	m := &Model{Rates: []float64{1, 1, 1}, Load: 0.5}
	v := testView([]int64{4, 4, 4}, 1)
	d := mustPolicy(t, "sq:d=1,m=2,stale").Dispatcher(m, v).(*rememberingDispatcher)
	first := d.Choose(v, 0, 3)
	if c := d.known[0][0]; int(c.server) != first || c.length != 7 {
		t.Fatalf("remembers %+v", c)
	}
	for n := range v.Lengths {
		v.Lengths[n] = 9
	}
	// Whatever is asked now answers 9; the remembered 7 is shorter.
	if got := d.Choose(v, 0, 1); got != first && d.known[0][0].length != 8 {
		t.Errorf("chose %d, knows %+v", got, d.known[0])
	}
}

func TestMemoryBits(t *testing.T) {
	m := &Model{Rates: make([]float64, 10), Load: 0.5}
	for n := range m.Rates {
		m.Rates[n] = 1
	}
	for text, want := range map[string]float64{"jsq": 0, "random": 0, "jiq": 10, "jbt:d=2,T=1": 13, "lsq:refresh=1": 30, "sq:d=10,m=3": 12, "sq:d=10,m=3,stale": 21} {
		v := testView([]int64{4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, 1)
		d := mustPolicy(t, text).Dispatcher(m, v)
		d.EndOfSlot(v)
		d.Choose(v, 0, 1)
		if got := d.MemoryBits(); got != want {
			t.Errorf("%s: %g bits, want %g", text, got, want)
		}
	}
}
