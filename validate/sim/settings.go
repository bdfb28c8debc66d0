package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"time"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// Defaults of Settings.
const (
	DefaultReplications = 16
	DefaultEvents       = int64(1e8)
)

// endlessEvents is more than any run will see.
const endlessEvents = int64(1e15)

// minReplications keeps the Student factor of independent replications small.
const minReplications = 4

// Settings of Run; the zero value is the documented default.
type Settings struct {
	Seed         uint64   // of all random numbers
	Threads      int      // goroutines at once; 0 = all cores; never changes a result
	Replications int      // independent runs; 0 = DefaultReplications, at least 4
	Events       int64    // budget, all replications together, approximately; 0 = DefaultEvents
	Precision    float64  // stop once half width <= Precision × value for mean jobs and mean response; 0 = use the whole budget
	Level        float64  // confidence; 0 = 0.95
	WarmUp       float64  // time to leave out, in the unit of the service law; negative = none; 0 = chosen from the data (MSER-5)
	Start        Start    // zero value: empty system
	Controls     Controls // control variates; the zero value uses those that help

	// Budget ends the run after this time on the wall clock, whatever else has
	// been reached; 0 = no limit. With a Budget, Events 0 means no limit. How
	// far a run comes in a given time depends on the machine, and so does the
	// result.
	Budget time.Duration

	// Checkpoint is a file that keeps the state of the run; "" = none. If it
	// exists and belongs to this run, the run goes on from there.
	Checkpoint      string
	checkpointPause time.Duration // 0 = the default

	// Progress is told how much of the planned events is done, and the
	// precision at the last look.
	Progress ctmc.Progress
}

// Controls says whether control variates are used.
type Controls int

const (
	ControlsOn  Controls = iota // those that are worth their time; the default
	ControlsOff                 // none

	ControlsGenerator // from the generator of the system alone
	ControlsPooled    // the coupled queue alone: M/M/N, with Coxian-2 service M/G/1
	ControlsAll       // both
	ControlsAllSingle // both, the coupled queue being M/G/1 with any law
)

// Start is an initial state: the number of servers with at least 1, 2, ..
// jobs, and of those among them with the job in service in phase 2; or a law
// from which every replication draws its own ([StartLaw.Start]).
type Start struct {
	Tail, TailPhase2 []int64 // nil = empty system
	law              *StartLaw
}

// String names the state, or the law.
func (s Start) String() string {
	if s.law != nil {
		return "drawn from the averaged chain"
	}
	return fmt.Sprint(s.Tail, s.TailPhase2)
}

// at is the state that leaves a share u of the law below it.
func (s Start) at(u float64, random *rand.PCG) Start {
	if s.law != nil {
		return s.law.at(u, random)
	}
	return s
}

// RoundedStart scales tail fractions to a number of servers.
func RoundedStart(servers int64, tail, tailPhase2 []float64) Start {
	var s Start
	for i, fraction := range tail {
		n := int64(math.Round(fraction * float64(servers)))
		if n == 0 {
			break
		}
		s.Tail = append(s.Tail, n)
		second := int64(0)
		if i < len(tailPhase2) {
			second = int64(math.Round(tailPhase2[i] * float64(servers)))
		}
		s.TailPhase2 = append(s.TailPhase2, second)
	}
	s.makeConsistent()
	return s
}

// BalancedStart gives every server the mean number of jobs, rounded up or down.
func BalancedStart(servers int64, mean float64) Start {
	var tail []float64
	for left := mean; left > 0; left-- {
		tail = append(tail, math.Min(left, 1))
	}
	return RoundedStart(servers, tail, nil)
}

// makeConsistent lowers rounded counts so that every class keeps a
// non-negative number of servers.
func (s *Start) makeConsistent() {
	nextTotal, nextSecond := int64(0), int64(0)
	for i := len(s.Tail) - 1; i >= 0; i-- {
		s.Tail[i] = max(s.Tail[i], nextTotal)
		exactly := s.Tail[i] - nextTotal
		second := min(max(s.TailPhase2[i]-nextSecond, 0), exactly)
		nextTotal = s.Tail[i]
		nextSecond += second
		s.TailPhase2[i] = nextSecond
	}
}

func (s Settings) withDefaults() (Settings, error) {
	if s.Threads <= 0 {
		s.Threads = runtime.GOMAXPROCS(0)
	}
	if s.Replications == 0 {
		s.Replications = DefaultReplications
	}
	if s.Events == 0 {
		s.Events = DefaultEvents
		if s.Budget > 0 {
			s.Events = endlessEvents
		}
	}
	if s.checkpointPause == 0 {
		s.checkpointPause = checkpointPause
	}
	if s.Level == 0 {
		s.Level = estimate.DefaultLevel
	}
	switch {
	case s.Replications < minReplications || s.Replications > 10_000:
		return s, &ctmc.FieldError{Field: "replications", Value: s.Replications, Allowed: fmt.Sprintf("between %d and 10000", minReplications)}
	case s.Events < int64(s.Replications)*minCells*minCellEvents:
		return s, &ctmc.FieldError{Field: "events", Value: s.Events, Allowed: fmt.Sprintf("at least %d for %d replications", s.Replications*minCells*minCellEvents, s.Replications)}
	case !(s.Precision >= 0 && s.Precision < 1):
		return s, &ctmc.FieldError{Field: "precision", Value: s.Precision, Allowed: "between 0 and 1 (0 = no target)"}
	case !(s.Level > 0 && s.Level < 1):
		return s, &ctmc.FieldError{Field: "level", Value: s.Level, Allowed: "between 0 and 1"}
	case s.Budget < 0:
		return s, &ctmc.FieldError{Field: "budget", Value: s.Budget, Allowed: "a positive time (0 = no limit)"}
	case math.IsNaN(s.WarmUp) || math.IsInf(s.WarmUp, 0):
		return s, &ctmc.FieldError{Field: "warmup", Value: s.WarmUp, Allowed: "finite"}
	}
	return s, s.checkStartMemory()
}

// checkWarmUp refuses a warm-up after which nothing is left of replications of
// a given duration.
func checkWarmUp(warmUp, duration float64) error {
	if warmUp >= duration {
		return &ctmc.FieldError{Field: "warmup", Value: warmUp, Allowed: fmt.Sprintf("less than the time of a replication, %.4g", duration), Reason: "simulate more or leave out less"}
	}
	return nil
}

func (s Start) validate(system ctmc.System) error {
	before := system.Servers
	for i, n := range s.Tail {
		if n < 0 || n > before || (system.Buffer != ctmc.Unlimited && i >= system.Buffer && n > 0) {
			return &ctmc.FieldError{Field: "start", Value: s.Tail, Allowed: "counts of servers with at least 1, 2, .. jobs, non-increasing, at most the number of servers and within the buffer"}
		}
		before = n
	}
	return nil
}

// mostStartLevels bounds the memory of a start, levels of all replications
// together: about 150 bytes each.
const mostStartLevels = 8_000_000

func (s Settings) checkStartMemory() error {
	if levels := s.Start.levels(s.Replications); levels > float64(mostStartLevels/s.Replications) {
		return &ctmc.FieldError{Field: "start", Value: fmt.Sprintf("%.7g levels", levels), Allowed: fmt.Sprintf("at most %d levels for %d replications", mostStartLevels/s.Replications, s.Replications),
			Reason: "start with idle servers (--start empty), or give a finite buffer"}
	}
	return nil
}

// levels is the length of the longest queue, of the longest that so many draws
// are likely to have.
func (s Start) levels(draws int) float64 {
	if s.law != nil {
		return s.law.longest(1 - 0.25/float64(draws))
	}
	return float64(len(s.Tail))
}

// jobs is their number, of the largest that so many draws are likely to have.
func (s Start) jobs(draws int) float64 {
	if s.law != nil {
		return s.law.law.Quantile(1-0.25/float64(draws)) * float64(s.law.system.Servers)
	}
	sum := 0.0
	for _, n := range s.Tail {
		sum += float64(n)
	}
	return sum
}

// sequential tells whether the run may end before all events are spent.
func (s Settings) sequential() bool { return s.Precision > 0 || s.Budget > 0 }
