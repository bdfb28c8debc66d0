package sim

import (
	"math"
	"math/rand/v2"

	"qlimit/ctmc"
)

// Farm is the state of the servers of one replication, as dispatchers see it.
//
// Servers are first come first served, so a job's start and end are known when
// it arrives: it starts at the later of now and the time its server runs out
// of work (Lindley's recursion). What is left to be simulated are the moments
// at which queues get shorter.
type Farm struct {
	now     float64
	lengths []int32
	freeAt  []float64 // when a server runs out of work, in the past if idle
	buffer  int32     // math.MaxInt32 if unlimited

	departures *calendar
	dispatcher Dispatcher

	arrivals, sizes                          Law
	gapScale                                 float64
	arrivalRandom, serviceRandom, dispatches *rand.PCG

	sums           jobSums
	wait, response jobHistogram
}

// jobSums are counts and sums over the jobs of a block.
type jobSums struct {
	waiting, lost  int64
	wait, response float64 // of accepted jobs
	messages       [ctmc.MessageKinds]int64
}

// Servers is their number.
func (f *Farm) Servers() int { return len(f.lengths) }

// Now is the time.
func (f *Farm) Now() float64 { return f.now }

// Len is the number of jobs at a server, the one in service included.
func (f *Farm) Len(server int) int { return int(f.lengths[server]) }

// Work is the time a server needs for the jobs it has.
func (f *Farm) Work(server int) float64 { return math.Max(0, f.freeAt[server]-f.now) }

// Count records messages.
func (f *Farm) Count(kind Message, number int) { f.sums.messages[kind] += int64(number) }

// simulate lets a number of jobs arrive.
func (f *Farm) simulate(jobs int) {
	for range jobs {
		now := f.now + f.gapScale*f.arrivals.Sample(f.arrivalRandom)
		size := f.sizes.Sample(f.serviceRandom)
		f.depart(now)
		f.now = now
		f.offer(f.dispatcher.Choose(f, size, f.dispatches), size)
	}
}

// depart lets the jobs leave that end up to and including a time: a job that
// arrives at the very moment another leaves finds it gone.
func (f *Farm) depart(until float64) {
	for {
		due := f.departures.take(until)
		if len(due) == 0 {
			return
		}
		for i := range due {
			server := int(due[i].server)
			f.now = due[i].time
			f.lengths[server]--
			f.dispatcher.Left(f, server)
		}
	}
}

// offer adds a job to a server unless that is full.
func (f *Farm) offer(server int, size float64) {
	length := f.lengths[server]
	if length > 0 {
		f.sums.waiting++
	}
	if length >= f.buffer {
		f.sums.lost++
		return
	}
	wait := 0.0
	if length > 0 {
		wait = f.freeAt[server] - f.now
	}
	f.sums.wait += wait
	f.sums.response += wait + size
	f.wait.add(wait)
	f.response.add(wait + size)
	f.join(server, f.now+wait, size)
}

func (f *Farm) join(server int, start, size float64) {
	end := start + size
	f.freeAt[server] = end
	f.lengths[server]++
	f.departures.add(end, int32(server))
	f.dispatcher.Joined(f, server)
}
