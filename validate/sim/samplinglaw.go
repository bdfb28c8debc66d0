package sim

import (
	"math"
	"slices"
	"sort"

	"qlimit/ctmc"
)

// samplingLaw is the stationary law of the averaged birth-death chain of
// power-of-d near load 1, where the number of jobs X is the one slow variable: the
// slowest modes of the mean-field limit have relaxation times 142 and 2.4 at load
// 0.99, d = 2. At a given X the servers settle in the mean-field equilibrium with
// X/N jobs per server, of whichever load has that ([balancedStates]); I(X)/N is its
// fraction of idle servers. X goes up at the rate λN and down at N - I(X), and with
// other service laws than the exponential the noise enters as in heavy traffic,
//
//	log π(X) - log π(X-1) = 2/(1 + scv) log(λN/(N - I(X))).
//
// Conjecture. The mean is too high by 8% at N = 10 and load 0.9, by 3% at N = 10
// and load 0.99, by 0.9% at N = 100 and by 0.1% at N = 1000 (d = 2, exponential).
//
// π is tabulated at every stride-th state, an odd number, and taken to be the same
// for the states about it: a cell.
type samplingLaw struct {
	balanced *balancedStates
	servers  float64
	halfRate float64   // V/2, V the variance rate of X; λN for exponential service
	first    float64   // the state in the middle of cell 0
	stride   float64   // states in a cell
	state    []float64 // P(X = x) of each state x of a cell
	below    []float64 // P(X in an earlier cell)
	above    []float64 // P(X in a later cell)
	mean     float64   // of X
	variance float64
}

const (
	samplingCells = 4096 // of the law, about
	// logNegligible is the logarithm of π, relative to its largest value, at which
	// the law is cut.
	logNegligible = -40
	// mostAveragedServers: beyond, the mean-field limit says as much.
	mostAveragedServers = int64(1e7)
)

// newSamplingLaw returns the law for power-of-d with d >= 2. A finite buffer must
// be so large that it is not felt.
func newSamplingLaw(s ctmc.System) (*samplingLaw, error) {
	kernel, sampling := s.Policy.Fallback.(ctmc.Sampling)
	switch {
	case s.Policy.Depth > 0 || !sampling || kernel.Choices < 2:
		return nil, &ctmc.FieldError{Field: "policy", Value: s.Policy.Name, Allowed: "jsq, jiq, i1f or pod with d >= 2 for a start from the averaged chain"}
	case !(s.Load >= 0.5 && s.Load < 1):
		return nil, &ctmc.FieldError{Field: "load", Value: s.Load, Allowed: "at least 0.5 and < 1", Reason: "the averaging is for loads near 1"}
	case s.Servers > mostAveragedServers:
		return nil, &ctmc.FieldError{Field: "servers", Value: s.Servers, Allowed: "at most 1e7 for a start from the averaged chain"}
	}
	balanced, err := newBalancedStates(s)
	if err != nil {
		return nil, err
	}
	limit, err := balanced.equilibrium(1 - s.Load)
	if err != nil {
		return nil, err
	}
	n, noise := float64(s.Servers), 1+s.Service.SCV()
	ascent := func(x float64) float64 {
		return 2 / noise * (math.Log(s.Load) - math.Log1p(-balanced.idleAt(x/n)))
	}
	l := &samplingLaw{balanced: balanced, servers: n, halfRate: s.Load * n * noise / 2, first: math.Round(n * limit.MeanJobs)}
	l.stride = oddAtLeast(l.width(ascent, 2/noise*math.Log(s.Load)) / samplingCells)
	l.tabulate(ascent)
	if err := l.checkBuffer(s.Buffer); err != nil {
		return nil, err
	}
	return l, nil
}

// startShare is what a start leaves of a law on either side.
const startShare = 1e-9

// checkBuffer requires that all starts fit in, with a level to spare.
func (l *samplingLaw) checkBuffer(buffer int) error {
	if buffer == ctmc.Unlimited {
		return nil
	}
	tail, _, err := l.balanced.tails(l.Quantile(1 - startShare))
	if err != nil {
		return err
	}
	levels := sort.Search(len(tail), func(i int) bool { return l.servers*tail[i] < startShare }) + 1
	if levels > buffer {
		return &ctmc.FieldError{Field: "buffer", Value: buffer, Allowed: "unlimited or so large that it is hardly ever full, for a start from the averaged chain"}
	}
	return nil
}

func oddAtLeast(x float64) float64 { return 2*math.Ceil((math.Max(x, 1)-1)/2) + 1 }

// width is about that of the law: of the normal one that the ascent has where it
// passes through 0, or of the exponential one that it has far above, whichever is
// larger.
func (l *samplingLaw) width(ascent func(x float64) float64, farAbove float64) float64 {
	near := math.Max(1, math.Sqrt(l.first))
	curvature := (ascent(l.first) - ascent(l.first+near)) / near
	return math.Max(2*math.Sqrt(-2*logNegligible/curvature), logNegligible/farAbove)
}

// tabulate climbs up and down from the place where the ascent is 0.
func (l *samplingLaw) tabulate(ascent func(x float64) float64) {
	climb := func(step float64) (states []float64) {
		log := 0.0
		for x := l.first + step; x >= 0; x += step {
			// The ascents of the states between, by that in their middle.
			if log += step * ascent(x-step/2+0.5); log < logNegligible {
				break
			}
			states = append(states, math.Exp(log))
		}
		return states
	}
	down, up := climb(-l.stride), climb(l.stride)
	slices.Reverse(down)
	l.first -= float64(len(down)) * l.stride
	l.state = slices.Concat(down, []float64{1}, up)
	l.normalise()
}

// normalise scales the states to total 1 and computes sums and moments.
func (l *samplingLaw) normalise() {
	total := 0.0
	for _, p := range l.state {
		total += l.stride * p
	}
	l.below, l.above = make([]float64, len(l.state)), make([]float64, len(l.state))
	sum := 0.0
	for k := range l.state {
		l.state[k] /= total
		l.below[k] = sum
		sum += l.stride * l.state[k]
		l.mean += l.stride * l.state[k] * l.middle(k)
	}
	sum = 0
	for k := len(l.state) - 1; k >= 0; k-- {
		l.above[k] = sum
		sum += l.stride * l.state[k]
		d := l.middle(k) - l.mean
		l.variance += l.stride * l.state[k] * (d*d + (l.stride*l.stride-1)/12)
	}
}

// middle is the state in the middle of cell k.
func (l *samplingLaw) middle(k int) float64 { return l.first + float64(k)*l.stride }

// cell is that of state x, and the number of its states up to x.
func (l *samplingLaw) cell(x float64) (k int, upTo float64) {
	from := x - l.first + (l.stride-1)/2
	k = int(math.Floor(from / l.stride))
	return k, from - float64(k)*l.stride + 1
}

// MeanJobs is E X/N.
func (l *samplingLaw) MeanJobs() float64 { return l.mean / l.servers }

// Variance of X/N.
func (l *samplingLaw) Variance() float64 { return l.variance / (l.servers * l.servers) }

// Density is N P(X = N x), x rounded to whole jobs.
func (l *samplingLaw) Density(x float64) float64 {
	k, _ := l.cell(math.Round(x * l.servers))
	if k < 0 || k >= len(l.state) {
		return 0
	}
	return l.servers * l.state[k]
}

// wholeJob makes up for the rounding of X/N and back.
const wholeJob = 1e-6

// CDF is P(X/N <= x).
func (l *samplingLaw) CDF(x float64) float64 {
	switch k, upTo := l.cell(math.Floor(x*l.servers + wholeJob)); {
	case k < 0:
		return 0
	case k >= len(l.state):
		return 1
	default:
		return l.below[k] + upTo*l.state[k]
	}
}

// Survival is P(X/N > x).
func (l *samplingLaw) Survival(x float64) float64 {
	switch k, upTo := l.cell(math.Floor(x*l.servers + wholeJob)); {
	case k < 0:
		return 1
	case k >= len(l.state):
		return 0
	default:
		return l.above[k] + (l.stride-upTo)*l.state[k]
	}
}

// Quantile is the smallest x = X/N with P(X/N <= x) >= p, 0 < p < 1.
func (l *samplingLaw) Quantile(p float64) float64 {
	k := max(sort.SearchFloat64s(l.below, p)-1, 0)
	upTo := math.Min(math.Max(math.Ceil((p-l.below[k])/l.state[k]), 1), l.stride)
	return math.Max(0, l.middle(k)-(l.stride+1)/2+upTo) / l.servers
}
