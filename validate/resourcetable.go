package validate

import (
	"fmt"
	"math"
	"strconv"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/sim"
)

// ResourceStudy is the setting in which dispatching policies are compared by
// what they need and what they achieve: n servers with Poisson arrivals and no
// buffer limit, n large.
type ResourceStudy struct {
	Load        float64 // λ in (0, 1)
	Law         sim.Law // of service
	Choices     int     // d of SQ(d), SQ(d,m) and LL(d); 0 leaves them out
	Remembered  int     // m of SQ(d,m); 0 means 1
	Memory      int64   // stored IDs of the pull rule; 0 means 1
	MessageRate float64 // of the pull rule, per server and unit of time; 0 means the arrival rate
}

// PolicyResources says what a policy needs and how long jobs wait.
type PolicyResources struct {
	Name           string                  // as the simulator of jobs reads it
	Memory         string                  // bits, a formula in n
	MemoryBits     func(n float64) float64 // their number at n
	Messages       string                  // per mean service time, a formula in n
	MessagesPerJob func(n float64) float64 // their number at n

	Formula  string    // of the limiting delay
	Delay    float64   // lim E[waiting time], in the unit of the service law, if Known
	Known    bool      // a formula or an equation gives the delay for this law
	Vanishes bool      // the delay goes to 0, with this law
	Kind     ctmc.Kind // of Delay

	policy func(n int) (sim.JobPolicy, error)
	start  func(n int64) sim.Start              // near equilibrium, nil for empty
	slow   bool                                 // queues of their own that fill slowly from an empty start
	exact  func(n int) (delay float64, ok bool) // at finite n, nil where nothing is known
}

// AtFinite returns the exact mean waiting time with n servers where theory has
// it: random dispatch, round robin with a law of two phases, least loaded with
// exponential service, size intervals.
func (p *PolicyResources) AtFinite(n int) (delay float64, ok bool) {
	if p.exact == nil {
		return 0, false
	}
	return p.exact(n)
}

// Table returns the rows of all policies, those with few resources first. The
// delay is Known for every law where it vanishes and for random dispatch, and
// size intervals; for laws of two phases everywhere but for SQ(d,m); the pull
// rule needs exponential service. Errors: a field out of range
// ([ctmc.FieldError]).
func (s ResourceStudy) Table() ([]PolicyResources, error) {
	s, err := s.withDefaults()
	if err != nil {
		return nil, err
	}
	rows := []func() (PolicyResources, error){s.random, s.roundRobin, s.sizeIntervals}
	if s.Choices > 0 {
		rows = append(rows, s.shortestOfD, s.shortestWithMemory, s.leastLoadedOfD)
	}
	rows = append(rows, s.pull, s.growingSample, s.jsq, s.leastLoaded, s.jiq, s.idleOneFirst)
	var table []PolicyResources
	for _, row := range rows {
		p, err := row()
		if err != nil {
			return nil, err
		}
		table = append(table, p)
	}
	return table, nil
}

func (s ResourceStudy) withDefaults() (ResourceStudy, error) {
	if s.Remembered == 0 {
		s.Remembered = 1
	}
	if s.Memory == 0 {
		s.Memory = 1
	}
	switch {
	case !(s.Load > 0 && s.Load < 1):
		return s, &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "> 0 and < 1"}
	case s.Law == nil:
		return s, &ctmc.FieldError{Field: "service", Value: nil, Allowed: "a law"}
	case s.Choices < 0 || s.Choices > 64:
		return s, &ctmc.FieldError{Field: "queries", Value: s.Choices, Allowed: "between 0 and 64 for the table of policies"}
	case s.Memory < 0 || !(s.MessageRate >= 0):
		return s, &ctmc.FieldError{Field: "memory", Value: s.Memory, Allowed: ">= 0"}
	}
	if s.MessageRate == 0 {
		s.MessageRate = s.Load / s.Law.Mean()
	}
	return s, nil
}

// coxianLaw is the service law if it has two phases at most.
func (s ResourceStudy) coxianLaw() (coxian.Dist, bool) { return sim.CoxianOf(s.Law) }

func (s ResourceStudy) hasPhases() bool {
	_, ok := s.coxianLaw()
	return ok
}

func (s ResourceStudy) exponential() bool {
	d, ok := s.coxianLaw()
	return ok && d.IsExponential()
}

// onlyValue says that all jobs have the same size.
func (s ResourceStudy) onlyValue() bool {
	_, ok := sim.OnlyValue(s.Law)
	return ok
}

func constant(x float64) func(float64) float64 { return func(float64) float64 { return x } }

func fixedPolicy(p sim.JobPolicy) func(int) (sim.JobPolicy, error) {
	return func(int) (sim.JobPolicy, error) { return p, nil }
}

// occupancyStart is the equilibrium of the fluid.
func (s ResourceStudy) occupancyStart(p ctmc.Policy) func(n int64) sim.Start {
	law, ok := s.coxianLaw()
	if !ok {
		return nil
	}
	return func(n int64) sim.Start {
		f, err := meanfield.Equilibrium(ctmc.System{Servers: n, Load: s.Load, Service: law, Policy: p})
		if err != nil {
			return sim.Start{}
		}
		return sim.RoundedStart(n, f.Tail, f.TailPhase2)
	}
}

// startWith is a state with the given mean waiting time: numbers of jobs at busy
// servers geometric, as they are under random dispatch.
func (s ResourceStudy) startWith(delay float64) func(n int64) sim.Start {
	law, ok := s.coxianLaw()
	if !ok {
		return nil
	}
	wait := delay / law.Mean()
	ratio, second := wait/(1+wait), law.P/law.Mu2/law.Mean()
	return func(n int64) sim.Start {
		var tail, phase2 []float64
		for busy := s.Load; busy*float64(n) > 0.5; busy *= ratio {
			tail, phase2 = append(tail, busy), append(phase2, busy*second)
		}
		return sim.RoundedStart(n, tail, phase2)
	}
}

func (s ResourceStudy) random() (PolicyResources, error) {
	d, err := meanfield.RandomDelay(s.Load, s.Law.Mean(), s.Law.SCV())
	if err != nil {
		return PolicyResources{}, err
	}
	return PolicyResources{
		Name: "random", Memory: "0", MemoryBits: constant(0), Messages: "0", MessagesPerJob: constant(0),
		Formula: "λ(1+scv)/(2(1-λ))", Delay: d.MeanWait, Known: true, Kind: ctmc.Exact,
		policy: fixedPolicy(sim.OccupancyPolicy(ctmc.Random())), start: s.occupancyStart(ctmc.Random()), slow: !s.hasPhases(),
		exact: func(int) (float64, bool) { return d.MeanWait, true },
	}, nil
}

func (s ResourceStudy) roundRobin() (PolicyResources, error) {
	p := PolicyResources{
		Name: "rr", Memory: "log2 n", MemoryBits: math.Log2, Messages: "0", MessagesPerJob: constant(0),
		Formula: "D/G/1: roots of e^{-s/λ} E e^{sS} = 1", Kind: ctmc.Limit, policy: fixedPolicy(sim.RoundRobin()), slow: true,
	}
	if s.onlyValue() {
		p.Known, p.Vanishes = true, true // D/D/1
		return p, nil
	}
	law, ok := s.coxianLaw()
	if !ok {
		return p, nil
	}
	d, err := meanfield.RoundRobin(0, s.Load, law)
	if err != nil {
		return p, err
	}
	p.Delay, p.Known = d.MeanWait, true
	p.start = s.startWith(d.MeanWait)
	p.exact = func(n int) (float64, bool) {
		d, err := meanfield.RoundRobin(int64(n), s.Load, law)
		if err != nil {
			return 0, false
		}
		return d.MeanWait, true
	}
	return p, nil
}

// sizeIntervals: with ever narrower intervals of equal load every server is an
// M/D/1 queue; by convexity no other division is better.
func (s ResourceStudy) sizeIntervals() (PolicyResources, error) {
	p := PolicyResources{
		Name: "sita", Memory: "0 (not symmetric)", MemoryBits: constant(0), Messages: "0", MessagesPerJob: constant(0),
		Formula: "M/D/1: λ/(2(1-λ))", Delay: s.Load / (2 * (1 - s.Load)) * s.Law.Mean(), Known: true, Kind: ctmc.Limit,
		policy: fixedPolicy(sim.SizeInterval()),
	}
	law, ok := s.Law.(sim.SizeLaw)
	if !ok || s.onlyValue() {
		p.Known, p.Delay = false, 0 // nothing to divide
		return p, nil
	}
	p.slow = true // a start would have to know the sizes of each server
	p.exact = func(n int) (float64, bool) {
		_, wait, err := sim.SizeIntervals(law, n, s.Load*float64(n)/law.Mean())
		return wait, err == nil
	}
	return p, nil
}

func (s ResourceStudy) shortestOfD() (PolicyResources, error) {
	d := int64(s.Choices)
	policy := ctmc.PowerOfD(d, false)
	p := PolicyResources{
		Name: fmt.Sprintf("sq:d=%d", d), Memory: "0", MemoryBits: constant(0),
		Messages: fmt.Sprintf("%dλn", 2*d), MessagesPerJob: constant(float64(2 * d)),
		Formula: "Σ_{i>=2} λ^{(d^i-d)/(d-1)}", Kind: ctmc.Limit,
		policy: func(n int) (sim.JobPolicy, error) {
			return sim.OccupancyPolicy(ctmc.PowerOfD(min(d, int64(n)), false)), nil
		},
		start: s.occupancyStart(policy),
	}
	if d == 1 {
		p.Formula = "λ(1+scv)/(2(1-λ))"
	} else if !s.exponential() {
		p.Formula = "equilibrium of the fluid"
	}
	law, ok := s.coxianLaw()
	if !ok {
		return p, nil
	}
	f, err := meanfield.Equilibrium(ctmc.System{Load: s.Load, Service: law, Policy: policy})
	if err != nil {
		return p, err
	}
	waiting := 0.0
	for i := len(f.Tail) - 1; i >= 1; i-- {
		waiting += f.Tail[i]
	}
	p.Delay, p.Known = waiting/f.Tail[0]*law.Mean(), true
	return p, nil
}

func (s ResourceStudy) shortestWithMemory() (PolicyResources, error) {
	d, m := s.Choices, s.Remembered
	return PolicyResources{
		Name: fmt.Sprintf("sq:d=%d,m=%d", d, m), Memory: multiple(m, "log2 n"),
		MemoryBits: func(n float64) float64 { return float64(m) * math.Log2(n) },
		Messages:   fmt.Sprintf("%dλn", 2*d), MessagesPerJob: constant(float64(2 * d)),
		Formula: "> 0", Kind: ctmc.Limit,
		policy: func(n int) (sim.JobPolicy, error) {
			return sim.ShortestWithMemory(min(d, n), min(m, n)), nil
		},
		start: s.occupancyStart(ctmc.PowerOfD(int64(d), false)),
	}, nil
}

func multiple(k int, unit string) string {
	if k == 1 {
		return unit
	}
	return fmt.Sprintf("%d %s", k, unit)
}

func (s ResourceStudy) leastLoadedOfD() (PolicyResources, error) {
	d := s.Choices
	p := PolicyResources{
		Name: fmt.Sprintf("ll:d=%d", d), Memory: "0", MemoryBits: constant(0),
		Messages: fmt.Sprintf("%dλn", 2*d), MessagesPerJob: constant(float64(2 * d)),
		Formula: "Σ_{k>=1} λ^{dk}/(1+k(d-1))", Kind: ctmc.Limit,
		policy: func(n int) (sim.JobPolicy, error) { return sim.LeastLoadedOf(min(d, n)), nil },
		start:  s.occupancyStart(ctmc.PowerOfD(int64(d), false)),
	}
	if !s.exponential() {
		p.Formula = "cavity queue, ∫F^d"
	}
	law, ok := s.coxianLaw()
	if !ok {
		return p, nil
	}
	limit, err := meanfield.LeastLoaded(int64(d), s.Load, law)
	if err != nil {
		return p, err
	}
	p.Delay, p.Known = limit.MeanWait, true
	return p, nil
}

func (s ResourceStudy) pull() (PolicyResources, error) {
	mean := s.Law.Mean()
	rule := ctmc.PullRule{Memory: s.Memory, Rate: twelveDigits(s.MessageRate / (1 - s.Load))}
	p := PolicyResources{
		Name: rule.String(), Memory: multiple(int(s.Memory), "log2 n"),
		MemoryBits: func(n float64) float64 { return float64(s.Memory) * math.Log2(n) },
		Messages:   fmt.Sprintf("%.4gn", s.MessageRate*mean), MessagesPerJob: constant(s.MessageRate * mean / s.Load),
		Formula: "λP0/(1-λP0), 1/P0 = Σ_{k<=c} (a/λ)^k", Kind: ctmc.Limit, policy: fixedPolicy(sim.PullWithMemory(rule)),
	}
	law, ok := s.coxianLaw()
	if !ok || !law.IsExponential() {
		return p, nil
	}
	system := ctmc.PullSystem{Load: s.Load, Service: law, Pull: rule}
	f, err := meanfield.PullEquilibrium(system)
	if err != nil {
		return p, err
	}
	p.Delay, p.Known = f.Delay, true
	p.start = func(n int64) sim.Start { return sim.RoundedStart(n, f.Tail, nil) }
	return p, nil
}

// twelveDigits rounds a rate to what is read easily.
func twelveDigits(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

// growing is d_n of SQ(d_n), log2 n rounded up.
func growing(n float64) float64 { return math.Max(1, math.Ceil(math.Log2(n))) }

func (s ResourceStudy) growingSample() (PolicyResources, error) {
	p := s.vanishing("sq:d=log2(n)", "0", "2λn log2 n", constant(0), func(n float64) float64 { return 2 * growing(n) }, nil)
	p.policy = func(n int) (sim.JobPolicy, error) {
		return sim.OccupancyPolicy(ctmc.PowerOfD(int64(growing(float64(n))), false)), nil
	}
	if law, ok := s.coxianLaw(); ok {
		p.start = func(n int64) sim.Start {
			f, err := meanfield.Equilibrium(ctmc.System{Load: s.Load, Service: law, Policy: ctmc.PowerOfD(int64(growing(float64(n))), false)})
			if err != nil {
				return sim.Start{}
			}
			return sim.RoundedStart(n, f.Tail, f.TailPhase2)
		}
	}
	return p, nil
}

// vanishing is a row of delay 0 in the limit.
func (s ResourceStudy) vanishing(name, memory, messages string, bits, perJob func(float64) float64, policy func(int) (sim.JobPolicy, error)) PolicyResources {
	return PolicyResources{Name: name, Memory: memory, MemoryBits: bits, Messages: messages, MessagesPerJob: perJob,
		Formula: "0", Known: true, Vanishes: true, Kind: ctmc.Limit, policy: policy}
}

func twiceN(n float64) float64 { return 2 * n }

func (s ResourceStudy) jsq() (PolicyResources, error) {
	p := s.vanishing("jsq", "0", "2λn²", constant(0), twiceN, fixedPolicy(sim.OccupancyPolicy(ctmc.JSQ())))
	p.start = s.occupancyStart(ctmc.JSQ())
	return p, nil
}

func (s ResourceStudy) leastLoaded() (PolicyResources, error) {
	p := s.vanishing("ll", "0", "2λn²", constant(0), twiceN, fixedPolicy(sim.LeastLoaded()))
	p.start = s.occupancyStart(ctmc.JSQ())
	if law, ok := s.coxianLaw(); ok && law.IsExponential() {
		p.exact = func(n int) (float64, bool) { // a central queue: M/M/n
			pooled := ctmc.Pooled{Servers: int64(n), Offered: s.Load * float64(n)}
			return pooled.WaitProbability() / (float64(n) * (1 - s.Load)) * law.Mean(), true
		}
	}
	return p, nil
}

func (s ResourceStudy) jiq() (PolicyResources, error) {
	p := s.vanishing("jiq", "n", "<= λn", func(n float64) float64 { return n }, constant(1), fixedPolicy(sim.OccupancyPolicy(ctmc.JIQ())))
	p.start = s.occupancyStart(ctmc.JIQ())
	return p, nil
}

func (s ResourceStudy) idleOneFirst() (PolicyResources, error) {
	p := s.vanishing("i1f", "n log2 3", "<= λn", func(n float64) float64 { return n * math.Log2(3) }, constant(1), fixedPolicy(sim.OccupancyPolicy(ctmc.I1F())))
	p.start = s.occupancyStart(ctmc.I1F())
	return p, nil
}
