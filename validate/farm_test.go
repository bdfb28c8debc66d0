package validate

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"qlimit/ctmc"
)

// testFarm simulates server by server, with rules that may be wrong: the
// simulator of a user.
type testFarm struct {
	servers, phases      int
	arrival, mu1, p, mu2 float64
	choose               func(f *testFarm) int
	change               bool // false: phase 1 is followed by phase 1 again
	phasesLost           bool // all jobs in service are said to be in phase 1
	columnPhases         int  // phases in the header
	random               *rand.Rand
	length, phase        []int
	levels               [][]int // servers by length
	place                []int   // in its level
	busy                 [3][]int
	busyPlace            []int
}

func newTestFarm(s ctmc.System, seed uint64, choose func(f *testFarm) int) *testFarm {
	law := s.Service.Normalized()
	n := int(s.Servers)
	f := &testFarm{servers: n, phases: s.Phases(), arrival: s.Load * float64(n), mu1: law.Mu1, p: law.P, mu2: law.Mu2,
		choose: choose, change: true, columnPhases: s.Phases(), random: rand.New(rand.NewPCG(seed, 77)),
		length: make([]int, n), phase: make([]int, n), place: make([]int, n), busyPlace: make([]int, n), levels: make([][]int, 1)}
	for i := range n {
		f.levels[0] = append(f.levels[0], i)
		f.place[i] = i
	}
	return f
}

func (f *testFarm) move(server, to int) {
	from := f.length[server]
	list := f.levels[from]
	last := list[len(list)-1]
	list[f.place[server]], f.place[last] = last, f.place[server]
	f.levels[from] = list[:len(list)-1]
	if to == len(f.levels) {
		f.levels = append(f.levels, nil)
	}
	f.place[server] = len(f.levels[to])
	f.levels[to] = append(f.levels[to], server)
	f.length[server] = to
}

// serve puts the job in service of a server into a phase, 0 for none.
func (f *testFarm) serve(server, phase int) {
	if old := f.phase[server]; old > 0 {
		list := f.busy[old]
		last := list[len(list)-1]
		list[f.busyPlace[server]], f.busyPlace[last] = last, f.busyPlace[server]
		f.busy[old] = list[:len(list)-1]
	}
	if f.phase[server] = phase; phase > 0 {
		f.busyPlace[server] = len(f.busy[phase])
		f.busy[phase] = append(f.busy[phase], server)
	}
}

// advance simulates for the given time.
func (f *testFarm) advance(time float64) {
	for {
		first, second := f.mu1*float64(len(f.busy[1])), f.mu2*float64(len(f.busy[2]))
		total := f.arrival + first + second
		if time -= f.random.ExpFloat64() / total; time < 0 {
			return
		}
		switch x := f.random.Float64() * total; {
		case x < f.arrival:
			server := f.choose(f)
			f.move(server, f.length[server]+1)
			if f.length[server] == 1 {
				f.serve(server, 1)
			}
		case x < f.arrival+first:
			server := f.busy[1][f.random.IntN(len(f.busy[1]))]
			if f.phases == 2 && f.random.Float64() < f.p {
				if f.change {
					f.serve(server, 2)
				}
			} else {
				f.leave(server)
			}
		default:
			f.leave(f.busy[2][f.random.IntN(len(f.busy[2]))])
		}
	}
}

func (f *testFarm) leave(server int) {
	f.move(server, f.length[server]-1)
	phase := 0
	if f.length[server] > 0 {
		phase = 1
	}
	f.serve(server, phase)
}

// samples reads rows taken once in a mean service time, as from a file, after a
// warm-up.
func (f *testFarm) samples(rows int, warmUp float64) io.Reader {
	f.advance(warmUp)
	const levels = 30
	reader, writer := io.Pipe()
	go func() {
		out := bufio.NewWriter(writer)
		fmt.Fprint(out, "idle")
		for i := 1; i <= levels; i++ {
			for m := 1; m <= f.columnPhases; m++ {
				fmt.Fprintf(out, ",%d.%d", i, m)
			}
		}
		fmt.Fprintln(out)
		row := make([]byte, 0, 256)
		for range rows {
			row = fmt.Append(row[:0], len(f.levels[0]))
			for i := 1; i <= levels; i++ {
				var counts [3]int
				if i < len(f.levels) {
					for _, server := range f.levels[i] {
						phase := f.phase[server]
						if f.phasesLost {
							phase = 1
						}
						counts[phase]++
					}
				}
				for m := 1; m <= f.columnPhases; m++ {
					row = append(row, ',')
					row = fmt.Append(row, counts[m])
				}
			}
			_, _ = out.Write(append(row, '\n'))
			f.advance(1)
		}
		_ = out.Flush()
		_ = writer.Close()
	}()
	return reader
}

// Rules of dispatching.

// lowestLevel takes any of the servers of the lowest non-empty level.
func lowestLevel(f *testFarm) int {
	for _, list := range f.levels {
		if len(list) > 0 {
			return list[f.random.IntN(len(list))]
		}
	}
	panic("no servers")
}

// lowestIndex is lowestLevel with ties to the lowest index.
func lowestIndex(f *testFarm) int {
	for _, list := range f.levels {
		if len(list) > 0 {
			best := list[0]
			for _, server := range list {
				best = min(best, server)
			}
			return best
		}
	}
	panic("no servers")
}

// sampled is power-of-d, ties to the one sampled first.
func sampled(d int, replacement bool) func(f *testFarm) int {
	return func(f *testFarm) int {
		var seen []int
		best := -1
		for len(seen) < d {
			server := f.random.IntN(f.servers)
			if !replacement && slices.Contains(seen, server) {
				continue
			}
			seen = append(seen, server)
			if best < 0 || f.length[server] < f.length[best] {
				best = server
			}
		}
		return best
	}
}

// idleOneFirst is I1F with a rule for the jobs that find neither an idle server
// nor one with a single job.
func idleOneFirst(otherwise func(f *testFarm) int) func(f *testFarm) int {
	return func(f *testFarm) int {
		for i := 0; i < 2 && i < len(f.levels); i++ {
			if list := f.levels[i]; len(list) > 0 {
				return list[f.random.IntN(len(list))]
			}
		}
		return otherwise(f)
	}
}

func anyServer(f *testFarm) int { return f.random.IntN(f.servers) }

// idleAndOneTied does not see the job in service.
func idleAndOneTied(f *testFarm) int {
	low := len(f.levels[0])
	if len(f.levels) > 1 {
		low += len(f.levels[1])
	}
	switch k := f.random.IntN(max(low, 1)); {
	case low == 0:
		return anyServer(f)
	case k < len(f.levels[0]):
		return f.levels[0][k]
	default:
		return f.levels[1][k-len(f.levels[0])]
	}
}
