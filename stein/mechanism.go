package stein

import "qlimit/ctmc"

// Mechanism is a kind of transition of the occupancy process: all transitions
// of one kind have rates proportional to the same parameter of the system, so
// that the generator is
//
//	G = λN A + (1-p)μ1 L + pμ1 C + μ2 E.
type Mechanism int

// The mechanisms; a server of class (i, m) has i jobs, the one in service in
// phase m.
const (
	Arrivals   Mechanism = iota // A: (i,m) -> (i+1,m), with the probability that the policy sends a job there
	Leaving                     // L: phase 1 ends and with it the service, (i,1) -> (i-1,1)
	Changing                    // C: phase 1 ends and phase 2 begins, (i,1) -> (i,2)
	Ending                      // E: phase 2 ends, (i,2) -> (i-1,1)
	Mechanisms                  // their number
)

// MechanismRates are λN, (1-p)μ1, pμ1, μ2 of a system, service rescaled to
// mean 1; the last two are 0 for exponential service.
func MechanismRates(s ctmc.System) [Mechanisms]float64 {
	law := s.Service.Normalized()
	rates := [Mechanisms]float64{Arrivals: s.Load * float64(s.Servers), Leaving: law.Mu1}
	if s.Phases() == 2 {
		rates[Leaving], rates[Changing], rates[Ending] = (1-law.P)*law.Mu1, law.P*law.Mu1, law.Mu2
	}
	return rates
}

// after is the class of a server after a transition from the given class, if
// there is such a transition. With an unlimited buffer it may be a class of the
// level above the last one.
func (m Mechanism) after(from int, g *Generator) (to int, ok bool) {
	level := g.Level(from)
	first := from == g.Class(level, 1)
	switch {
	case m == Arrivals && level == 0:
		return g.Class(1, 1), true
	case m == Arrivals:
		return from + g.Phases(), g.System.Buffer == ctmc.Unlimited || level < g.System.Buffer
	case level == 0 || first == (m == Ending) || m != Leaving && g.Phases() == 1:
		return from, false
	case m == Changing:
		return g.Class(level, 2), true
	}
	return g.Class(level-1, 1), true
}
