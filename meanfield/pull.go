package meanfield

import (
	"math"

	"qlimit/ctmc"
)

// PullFixpoint is the equilibrium of the many-server limit with a dispatcher
// that stores at most c IDs of idle servers (see [ctmc.PullRule]).
type PullFixpoint struct {
	Fixpoint
	EmptyProb   float64 // P0, fraction of time without a stored ID
	Delay       float64 // mean waiting time of the accepted jobs, in the unit of the service law
	MessageRate float64 // messages per server and unit of time, a = μ (1 - s_1)
}

// PullEquilibrium returns the equilibrium of the fluid
//
//	s_1' = λ (1 - P0) + λ (1 - s_1) P0 - (s_1 - s_2)
//	s_i' = λ (s_{i-1} - s_i) P0 - (s_i - s_{i+1}),   i >= 2,
//
// in units of the mean service time, where the fraction of time without a
// stored ID is
//
//	P0 = [Σ_{k=0}^c (μ (1 - s_1)/λ)^k]^{-1}      limited memory
//	P0 = [1 - μ (1 - s_1)/λ]^+                   c = ∞
//	P0 = [1 - (1 - s_2)/λ]^+ 1{s_1 = 1}          μ = ∞, c >= 1.
//
// In equilibrium the number of jobs at a busy server is geometric with ratio
// ρ = λ P0: s_i = λ ρ^{i-1} and a mean waiting time of ρ/(1-ρ) without a buffer
// limit. With a buffer of b jobs, which makes loads of 1 and above possible,
// q_i = q_1 ρ^{i-1} up to b; the idle fraction is the root of one equation.
//
// The third regime is that of join-the-idle-queue, to which, as to random
// dispatch (c = 0 or μ = 0), [Equilibrium] is left. Its MessageRate is that of
// messages that are needed, one for each server that becomes idle.
//
// Values have full relative accuracy. Kind: limit. Errors: a field out of its
// range, and those of [Equilibrium].
//
// Source: Gamarnik, Tsitsiklis, Zubeldia, Stoch. Syst. 8 (2018).
func PullEquilibrium(s ctmc.PullSystem) (*PullFixpoint, error) {
	if policy, ok := s.Pull.Memoryless(); ok {
		return memorylessPull(s, policy)
	}
	if err := s.ValidateLimit(); err != nil {
		return nil, err
	}
	if s.Buffer > MaxLevels {
		return nil, &ctmc.TooLargeError{What: "buffer", Value: float64(s.Buffer), Limit: MaxLevels, Hint: "use an unlimited buffer or a smaller one"}
	}
	p := newPullFluid(s)
	idle, evaluations := 1-s.Load, 0
	if s.Buffer != ctmc.Unlimited {
		idle, evaluations = p.idleWithBuffer(s.Buffer)
	}
	f := &PullFixpoint{EmptyProb: p.empty(idle), MessageRate: s.Pull.Rate * idle}
	f.Kind, f.Iterations, f.Status, f.Method = ctmc.Limit, evaluations, ctmc.Converged, "geometric tail"
	p.fill(f, idle, s.Buffer)
	f.MeanResponse = f.MeanJobs * s.Service.Mean() / f.Tail[0]
	f.Delay = f.waiting() * s.Service.Mean()
	if ratio := s.Load * f.EmptyProb; s.Buffer == ctmc.Unlimited {
		f.Delay = ratio / (1 - ratio) * s.Service.Mean() // also where the tail is too thin to be recorded
	}
	return f, nil
}

func memorylessPull(s ctmc.PullSystem, policy ctmc.Policy) (*PullFixpoint, error) {
	if err := s.Pull.Validate(); err != nil {
		return nil, err
	}
	f, err := Equilibrium(ctmc.System{Servers: s.Servers, Load: s.Load, Buffer: s.Buffer, Service: s.Service, Policy: policy})
	if err != nil {
		return nil, err
	}
	r := &PullFixpoint{Fixpoint: *f, EmptyProb: 1, MessageRate: s.Pull.Rate * (1 - f.Tail[0])}
	if math.IsInf(s.Pull.Rate, 1) && s.Pull.Memory > 0 {
		r.EmptyProb = f.WaitProb // jobs sent at random all wait: nobody is idle
		// A server becomes idle as often as a job finds an idle one.
		r.MessageRate = s.Load / s.Service.Mean() * (1 - f.WaitProb)
	} else if s.Pull.Memory == 0 {
		r.MessageRate = 0 // what cannot be stored need not be sent
	}
	r.Delay = r.waiting() * s.Service.Mean()
	return r, nil
}

// waiting is the mean waiting time of accepted jobs in mean service times: the
// waiting jobs Σ_{i>=2} s_i over the rate of accepted jobs, s_1.
func (f *PullFixpoint) waiting() float64 {
	jobs := 0.0
	for i := len(f.Tail) - 1; i >= 1; i-- {
		jobs += f.Tail[i]
	}
	return jobs / f.Tail[0]
}

// pullFluid holds the rates of the fluid in units of one over a mean service
// time.
type pullFluid struct {
	load, rate float64
	memory     int64
}

func newPullFluid(s ctmc.PullSystem) pullFluid {
	return pullFluid{load: s.Load, rate: s.ServerRate(), memory: s.Pull.Memory}
}

// empty is P0 when a fraction of the servers is idle: the dispatcher's memory is
// a birth and death chain with arrivals of IDs at rate μ (1 - s_1) and of jobs
// at rate λ, on a time scale of its own, Σ x^k = (1 - x^{c+1})/(1 - x).
func (p pullFluid) empty(idle float64) float64 {
	x := p.rate * idle / p.load
	switch {
	case p.memory == ctmc.AnyMemory:
		return math.Max(0, 1-x)
	case x <= 0:
		return 1
	case x == 1:
		return 1 / (float64(p.memory) + 1)
	}
	// With small exponents of opposite sign, and x > 1 turned round.
	log := math.Log(x)
	if math.Abs(x-1) < 0.5 {
		log = math.Log1p(x - 1)
	}
	c := float64(p.memory)
	if log > 0 {
		return math.Exp(-c*log) * math.Expm1(-log) / math.Expm1(-(c+1)*log)
	}
	return math.Expm1(log) / math.Expm1((c+1)*log)
}

// fill writes the tail of a given idle fraction, and what follows from it.
func (p pullFluid) fill(f *PullFixpoint, idle float64, buffer int) {
	ratio := p.load * f.EmptyProb
	if buffer == ctmc.Unlimited {
		for s := p.load; s > leastTail && len(f.Tail) < MaxLevels; s *= ratio {
			f.record(s, 0)
		}
	} else {
		p.fillFinite(f, idle, buffer, ratio)
	}
	for i := len(f.Tail) - 1; i >= 0; i-- {
		f.MeanJobs += f.Tail[i]
	}
	f.Levels = len(f.Tail)
	f.WaitProb = f.EmptyProb * f.Tail[0]
	if buffer != ctmc.Unlimited {
		f.BlockProb = f.EmptyProb * f.Tail[buffer-1]
	}
	f.Residual = p.residual(f, buffer)
}

// leastTail is where an unlimited tail ends.
const leastTail = 1e-300

// fillFinite adds up q_i = q_1 ρ^{i-1} from the top.
func (p pullFluid) fillFinite(f *PullFixpoint, idle float64, buffer int, ratio float64) {
	f.Tail, f.TailPhase2 = make([]float64, buffer), make([]float64, buffer)
	first := p.firstLevel(idle, f.EmptyProb)
	tail := 0.0
	for i := buffer; i >= 1; i-- {
		tail += first * math.Pow(ratio, float64(i-1))
		f.Tail[i-1] = tail
	}
}

// firstLevel is q_1 by the balance of idle servers.
func (p pullFluid) firstLevel(idle, empty float64) float64 {
	return p.load * ((1 - empty) + empty*idle)
}

// idleWithBuffer is the root of idle + q_1 Σ_{i<b} ρ^i = 1.
func (p pullFluid) idleWithBuffer(buffer int) (idle float64, evaluations int) {
	return rootOfDecreasing(func(idle float64) float64 {
		empty := p.empty(idle)
		ratio := p.load * empty
		return 1 - idle - p.firstLevel(idle, empty)*geometricSum(ratio, buffer)
	}, 1e-300, 1)
}

// geometricSum is 1 + r + .. + r^{n-1}.
func geometricSum(r float64, n int) float64 {
	if math.Abs(r-1) < 1e-3 || n < 32 {
		sum := 0.0
		for range n {
			sum = sum*r + 1
			if math.IsInf(sum, 1) {
				break
			}
		}
		return sum
	}
	return math.Expm1(float64(n)*math.Log(r)) / (r - 1)
}

// residual is the largest component of the drift at the equilibrium.
func (p pullFluid) residual(f *PullFixpoint, buffer int) float64 {
	flow := pullFlow{pullFluid: p}
	slope := make([]float64, len(f.Tail)+1)
	flow.drift(f.Tail, slope)
	if buffer == ctmc.Unlimited {
		slope = slope[:max(1, len(f.Tail)-1)] // the last level feeds one that is not recorded
	} else {
		slope = slope[:len(f.Tail)]
	}
	worst := 0.0
	for _, d := range slope {
		worst = math.Max(worst, math.Abs(d))
	}
	return worst / math.Max(1, p.load)
}
