package sim

import (
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
)

// pullOccupancy is one replication of a system with stored IDs. Time is in mean
// service times.
type pullOccupancy struct {
	servers, memory int64
	buffer          int     // math.MaxInt when unlimited
	load            float64 // λ
	rate            float64 // μ, of the messages of an idle server

	tail   []int64 // servers with at least 0, 1, 2, .. jobs; two zeros or more at the end
	stored int64   // IDs, all of idle servers

	clock     float64
	last      []float64 // clock of the last change of tail[i]
	tailTime  []float64 // ∫ tail[i] dt up to then
	emptyTime float64   // ∫ 1{stored = 0} dt
	waitTime  float64   // ∫ tail[1] 1{stored = 0} dt
	lostTime  float64   // ∫ tail[buffer] 1{stored = 0} dt
	idsTime   float64   // ∫ stored dt
}

// unknownIDs leaves the number of IDs at the start to the replication.
const unknownIDs = -1

func newPullOccupancy(s ctmc.PullSystem, start Start, stored int64) *pullOccupancy {
	o := &pullOccupancy{
		servers: s.Servers, memory: min(s.Pull.Memory, s.Servers), buffer: s.Buffer,
		load: s.Load, rate: s.ServerRate(), stored: stored,
	}
	if o.buffer == ctmc.Unlimited {
		o.buffer = math.MaxInt
	}
	if stored == unknownIDs {
		o.stored = o.manyStored(start)
	}
	o.tail = append([]int64{s.Servers}, start.Tail...)
	o.tail = append(o.tail, make([]int64, firstLevels)...)
	o.last, o.tailTime = make([]float64, len(o.tail)), make([]float64, len(o.tail))
	return o
}

// manyStored are the IDs in balance with a start, messages being as frequent as
// arrivals, where there are so many that storing them one by one would take
// longer than the run: a short while after idle servers begin to speak. 0 for
// fewer: those the run finds by itself.
func (o *pullOccupancy) manyStored(start Start) int64 {
	const many = 100_000
	idle := o.servers
	if len(start.Tail) > 0 {
		idle -= start.Tail[0]
	}
	balance := int64(math.Min(float64(idle)-o.load*float64(o.servers)/o.rate, float64(o.memory)))
	if balance < many {
		return 0
	}
	return balance
}

// state is what a checkpoint keeps.
func (o *pullOccupancy) state() (Start, int64) {
	var s Start
	for i := 1; o.tail[i] > 0; i++ {
		s.Tail = append(s.Tail, o.tail[i])
	}
	return s, o.stored
}

func (o *pullOccupancy) simulateCell(time float64, random *rand.PCG, averages []float64, _ controlBasis) int64 {
	clear(o.tailTime)
	clear(o.last)
	o.clock, o.emptyTime, o.waitTime, o.lostTime, o.idsTime = 0, 0, 0, 0, 0
	events := o.runUntil(time, random)
	o.writeAverages(averages)
	return events
}

// runUntil follows the jump chain; every state counts with its expected holding
// time.
func (o *pullOccupancy) runUntil(end float64, random *rand.PCG) (events int64) {
	arrival := o.load * float64(o.servers)
	for ; o.clock < end; events++ {
		busy := o.tail[1]
		total := arrival + float64(busy)
		if o.stored < o.memory {
			total += o.rate * float64(o.servers-busy-o.stored)
		}
		hold := 1 / total
		o.clock += hold
		o.idsTime += float64(o.stored) * hold
		if o.stored == 0 {
			o.emptyTime += hold
			o.waitTime += float64(busy) * hold
			if o.buffer < len(o.tail) {
				o.lostTime += float64(o.tail[o.buffer]) * hold
			}
		}
		switch x := unit(random) * total; {
		case x >= arrival+float64(busy):
			o.stored++
		case x >= arrival:
			o.change(o.levelOf(1, x-arrival), -1)
		case o.stored > 0:
			o.stored--
			o.change(1, 1)
		default:
			if i := o.levelOf(0, x/o.load); i < o.buffer {
				o.change(i+1, 1)
			}
		}
	}
	return events
}

// levelOf is the number of jobs at the server at place x when the servers are
// lined up by falling number of jobs, at least the given one.
func (o *pullOccupancy) levelOf(least int, x float64) int {
	return least + lastAbove(o.tail[least:], x)
}

// change adds delta = ±1 servers to those with at least i jobs.
func (o *pullOccupancy) change(i int, delta int64) {
	o.tailTime[i] += float64(o.tail[i]) * (o.clock - o.last[i])
	o.last[i] = o.clock
	o.tail[i] += delta
	if i+2 >= len(o.tail) {
		o.tail = append(o.tail, make([]int64, len(o.tail))...)
		o.last = append(o.last, make([]float64, len(o.last))...)
		o.tailTime = append(o.tailTime, make([]float64, len(o.tailTime))...)
	}
}

// writeAverages ends a cell.
func (o *pullOccupancy) writeAverages(averages []float64) {
	n := float64(o.servers)
	jobs := 0.0
	for i := 1; i < len(o.tail); i++ {
		o.tailTime[i] += float64(o.tail[i]) * (o.clock - o.last[i])
		jobs += o.tailTime[i]
	}
	averages[jobsColumn] = jobs / o.clock / n
	averages[waitColumn] = o.waitTime / o.clock / n
	averages[blockColumn] = o.lostTime / o.clock / n
	tails := averages[firstTail : len(averages)-pullColumns]
	for k := range tails {
		tails[k] = 0
		if k+1 < len(o.tail) {
			tails[k] = o.tailTime[k+1] / o.clock / n
		}
	}
	own := averages[len(averages)-pullColumns:]
	own[emptyColumn] = o.emptyTime / o.clock
	own[storedColumn] = o.idsTime / o.clock
}
