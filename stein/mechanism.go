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

// class is a server class; idle is (0, 1).
type class struct{ level, phase int }

// after is the class of a server after a transition from class c, if there is
// such a transition.
func (m Mechanism) after(c class, buffer int) (to class, ok bool) {
	left := class{c.level - 1, 1}
	switch {
	case m == Arrivals:
		return class{c.level + 1, c.phase}, buffer == ctmc.Unlimited || c.level < buffer
	case c.level == 0:
		return c, false
	case m == Leaving:
		return left, c.phase == 1
	case m == Changing:
		return class{c.level, 2}, c.phase == 1
	}
	return left, c.phase == 2
}

// classesOf lists the classes of servers with at most the given number of
// jobs, in the order of [ctmc.Space].
func classesOf(levels, phases int) []class {
	list := []class{{0, 1}}
	for level := 1; level <= levels; level++ {
		for phase := 1; phase <= phases; phase++ {
			list = append(list, class{level, phase})
		}
	}
	return list
}
