package stein

import "math"

// freeEta leaves η to the choices.
const freeEta = -1

// margins are the free choices of the sharp version of the argument: how far
// from the fluid values the sets begin, how wide the buffer for the jumps is,
// and the drifts that remain. All are positive.
type margins struct {
	delta  float64 // δ, the drift of the simple fluid system
	crowd  float64 // S_{1,2} drifts down above p/μ2 + crowd
	width  [4]float64
	drift1 float64 // drift of S_{1,1} towards λ/μ1
	drift2 float64 // drift of S_{1,2} towards pλ/μ2
	drift3 float64 // drift of the queue
}

// values lists the choices for the optimiser.
func (c *margins) values() []*float64 {
	return []*float64{&c.delta, &c.drift3, &c.width[3], &c.crowd, &c.width[0], &c.drift1, &c.width[1], &c.drift2, &c.width[2]}
}

// scaledMargins follow the explicit version, with s in the place of δ.
func (m model) scaledMargins(s float64) margins {
	return margins{
		delta: s, crowd: s / 2, width: [4]float64{s / 2, s / 2, s / 2, s / 2},
		drift1: m.mu1 * s, drift2: m.mu2 * s / 2, drift3: s,
	}
}

// sharpProof is the argument with free choices and every rate as sharp as the
// proof allows:
//
//   - the probability of being sent to a busy server is evaluated exactly at the
//     level in question instead of being bounded by 1/√N;
//
//   - up-rates use the set in which they are needed; min(η - S_1, Σ_{i>=2} S_i)
//     grows by a departure from a server with one job or by an arrival at a busy
//     one, never by both;
//
//   - D_1 < λ + δ needs only the set of the phase that carries the larger rate,
//     the drift of the queue only the other one; with a single rate D_1 = S_1
//     and neither is needed;
//
//   - for X > η - 1/N the two quadratic terms add up to at most
//     E[λ(1-A_b) + D_1]/(2Nδ) = λ(1-P(block))/(Nδ), because E D_1 is the
//     throughput. Hence
//
//     E(X - η)^+ <= λ/(Nδ) + ((b-η)(λ+δ)/δ) P(X > η, D_1 < λ + δ).
//
// With η - λ given, the start of the queue step is what is left of it and
// drift3 follows; with given = freeEta, η follows from drift3.
func (m model) sharpProof(c margins, given float64) *Proof {
	p := &Proof{Delta: c.delta, LogExcess: math.Inf(1)}
	lack := 0.0     // what D_1 may fall short by: (w_u - w_l) times the lack of a phase
	surplus := 0.0  // what it may exceed by
	failed := false // a hypothesis of a lemma
	if !m.constant {
		p.Steps = m.sharpPhases(c)
		for i := range p.Steps {
			outside := math.Inf(-1)
			if i > 0 {
				outside = p.Steps[i-1].LogTail
			}
			if failed = failed || !p.Steps[i].holds(); !failed {
				p.Steps[i].conclude(outside)
			}
		}
		heavy, light := p.Steps[1].Reach, p.Steps[2].Reach
		if m.firstLow {
			heavy, light = light, heavy
		}
		lack, surplus = (m.fast-m.slow)*heavy, (m.fast-m.slow)*light
	}
	kappa := (c.delta + lack) / m.slow // κδ
	queue, over := m.sharpQueue(c, kappa, surplus, given)
	p.Kappa, p.K, p.Eta = kappa/c.delta, over/c.delta, m.load+over
	if failed || !queue.holds() || !(p.Eta < m.b) {
		p.Steps = append(p.Steps, queue)
		return p
	}
	outside, last := math.Inf(-1), math.Inf(-1)
	if !m.constant {
		queue.Given, outside, last = []int{2}, p.Steps[2].LogTail, p.Steps[1].LogTail
		if m.firstLow {
			queue.Given, outside, last = []int{1}, last, outside
		}
	}
	queue.conclude(outside)
	p.Steps = append(p.Steps, queue)
	tail := math.Min(0, logSum(queue.LogTail, last))
	p.LogExcess = logSum(math.Log(m.load/(m.n*c.delta)), math.Log((m.b-p.Eta)*(m.load+c.delta)/c.delta)+tail)
	return p
}

func (m model) sharpPhases(c margins) []Step {
	jump := 1 / m.n
	full := m.p / m.mu2
	crowd := newStep(PhaseTwoCrowd, m.n, full, full+c.crowd, full+c.crowd+c.width[0])
	crowd.Drift = m.mu1 * m.mu2 * c.crowd
	crowd.UpRate = m.p * m.mu1 * math.Min(1, 1/m.mu1-c.crowd+2*jump)

	// Where S_{1,1} is low and phase 2 not crowded, there are idle servers:
	// S_1 <= 1 - (1-λ)/μ1 - start + crowding, with start to be found from the
	// drift μ1 start - λ A_1. A smaller start gives a larger level, so that A_1
	// at the start of no loss is safe.
	spread := c.crowd + c.width[0]
	start := c.drift1 / m.mu1
	start = (c.drift1 + m.load*m.routed(1-m.gap/m.mu1-start+spread)) / m.mu1
	first := newStep(PhaseOneLack, m.n, m.load/m.mu1, start, start+c.width[1])
	first.Drift = c.drift1
	first.Outside = m.load - m.mu1*start
	first.UpRate = m.load - m.mu1*start + 2*m.mu1*jump
	first.Given = []int{0}

	fluid := m.p * m.load / m.mu2
	begin := (m.p*m.mu1*first.Reach + c.drift2) / m.mu2
	second := newStep(PhaseTwoLack, m.n, fluid, begin, begin+c.width[2])
	second.Drift = c.drift2
	second.Outside = fluid*m.mu2 - m.mu2*begin
	second.UpRate = fluid*m.mu2 - m.mu2*begin + 2*m.mu2*jump
	second.Given = []int{1}
	return []Step{crowd, first, second}
}

// sharpQueue is the step about V = min(η - S_1, Σ_{i>=2} S_i), and η - λ. Where
// V >= start, S_1 <= λ + reach of κδ and of the width =: λ + y and S_2 >=
// start/(b-1), so that
//
//	drift of η - S_1         <= λA + w_u y + surplus - w_l start/(b-1)
//	drift of Σ_{i>=2} S_i    <= λA - w_l start/(b-1)
//	without the set of phases <= -λ(1-A) + w_u (λ + y - start/(b-1)) for the former.
func (m model) sharpQueue(c margins, kappa, surplus, given float64) (Step, float64) {
	jump := 1 / m.n
	y := kappa + c.width[3]
	routed := m.routed(m.load + y)
	pull := m.load*routed + math.Max(m.fast*y+surplus, 0)
	start, drift := 0.0, c.drift3
	if given >= 0 {
		start = given - y
		drift = m.slow*start/(m.b-1) - pull
	} else {
		start = (m.b - 1) * (pull + drift) / m.slow
	}
	over := start + y
	s := newStep(Queue, m.n, m.load+over, start, start+c.width[3])
	s.Drift = drift
	second := start / (m.b - 1)
	s.Outside = math.Max(m.load*routed-m.slow*second, m.fast*(m.load+y-second)-m.load*(1-routed))
	single := math.Min(1, m.load+y+2*jump) - math.Max(0, (start-2*jump)/(m.b-1))
	s.UpRate = math.Max(m.fast*single, m.load*m.routed(m.load+y+2*jump))
	return s, over
}
