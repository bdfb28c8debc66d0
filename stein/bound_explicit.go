package stein

import "math"

// Proof is one run of the argument: the free choices, the conditions, the chain
// of sets and the bound on E(X - η)^+ that comes of it.
type Proof struct {
	Delta float64 // δ, the drift of the simple fluid system
	Kappa float64 // κ: below S_1 = λ + κδ the departures may be too few
	K     float64 // k, η = λ + kδ
	Eta   float64 // η
	Steps []Step  // the chain of sets

	// LogExcess is the logarithm of H >= E(X - η)^+. It means nothing unless
	// all Conditions hold.
	LogExcess  float64
	Conditions []Condition // all must hold for the bound
}

// Holds says that every condition does.
func (p *Proof) Holds() bool { return firstFailing(p.Conditions) == nil }

// LogTails are the logarithms of e_0, .., e_3, the bounds on the probabilities
// of leaving the sets; -Inf for sets that exponential service does not need.
func (p *Proof) LogTails() [4]float64 {
	logs := [4]float64{math.Inf(-1), math.Inf(-1), math.Inf(-1), math.Inf(-1)}
	for _, s := range p.Steps {
		logs[s.Focus] = s.LogTail
	}
	return logs
}

// explicit is the fully explicit version of the theorem: the paper's δ = log
// N/√N and J = floor(√N log N/4), every constant traced through the proof.
func (m model) explicit(tau float64) *Proof {
	delta := m.logN / m.root
	p := m.explicitProof(delta, math.Floor(m.n*delta/4))
	p.Conditions = m.explicitConditions(delta, p.Kappa, tau)
	return p
}

// explicitProof is the argument with any δ and J. In terms of X = Σ S_i,
// D_1 = (1-p)μ1 S_{1,1} + μ2 S_{1,2} and the steps of the collapse,
//
//	e0 >= P(S_{1,2} > p/μ2 + δ)
//	e1 >= P(S_{1,1} < λ/μ1 - 3δ/2)
//	e2 >= P(S_{1,2} < pλ/μ2 - k2 δ), k2 = 3pμ1/(2μ2) + 1
//	e3 >= P(V > (k-κ)δ), V = min(λ + kδ - S_1, Σ_{i>=2} S_i)
//	P(X > η, D_1 < λ + δ) <= e1 + e2 + e3
//	E(X - η)^+ <= 1/N + 2λ/(Nδ) + (λ + w_u)/(2Nδ) + (b(λ+δ)/δ)(e1 + e2 + e3)
//
// Each step fits J double jumps into δ/2 where J <= Nδ/4.
func (m model) explicitProof(delta, jumps float64) *Proof {
	p := &Proof{Delta: delta}
	k2 := 1.5*m.p*m.mu1/m.mu2 + 1
	kA, kB := 1.5, k2
	if m.firstLow {
		kA, kB = k2, 1.5
	}
	p.Kappa = (1 + (m.fast-m.slow)*kA) / m.slow
	room := (m.b - 1) * (m.fast*(p.Kappa+0.5) + (m.fast-m.slow)*kB + 2) / m.slow
	p.K = p.Kappa + 0.5 + room
	p.Eta = m.load + p.K*delta

	outside := math.Inf(-1) // log(e1 + e2)
	if m.p > 0 {
		p.Steps = m.explicitPhases(delta, k2)
	}
	queue := newStep(Queue, m.n, p.Eta, room*delta, (p.K-p.Kappa)*delta)
	queue.Drift, queue.Outside, queue.UpRate = delta, m.fast+m.load, m.fast+m.load
	if m.p > 0 {
		queue.Given = []int{1, 2}
	}
	p.Steps = append(p.Steps, queue)
	for i := range p.Steps {
		s := &p.Steps[i]
		s.Jumps = jumps
		switch {
		case s.Focus == Queue:
			if m.p > 0 {
				outside = logSum(p.Steps[1].LogTail, p.Steps[2].LogTail)
			}
			s.conclude(outside)
		case i > 0:
			s.conclude(p.Steps[i-1].LogTail)
		default:
			s.conclude(math.Inf(-1))
		}
	}
	tail := logSum(outside, p.Steps[len(p.Steps)-1].LogTail)
	near := 1/m.n + 2*m.load/(m.n*delta) + (m.load+m.fast)/(2*m.n*delta)
	p.LogExcess = logSum(math.Log(near), math.Log(m.b*(m.load+delta)/delta)+tail)
	return p
}

// explicitPhases are the steps about the phases in service.
func (m model) explicitPhases(delta, k2 float64) []Step {
	crowd := newStep(PhaseTwoCrowd, m.n, m.p/m.mu2, m.p/m.mu2+delta/2, m.p/m.mu2+delta)
	crowd.Drift = m.mu1 * m.mu2 * delta / 2 // (pμ1 + μ2) δ/2 at mean 1
	crowd.UpRate = m.p * m.mu1

	first := newStep(PhaseOneLack, m.n, m.load/m.mu1, delta, 1.5*delta)
	first.Drift = m.mu1*delta - 1/m.root
	first.Outside, first.UpRate = m.load, m.load
	first.Given = []int{0}

	fluid := m.p * m.load / m.mu2
	second := newStep(PhaseTwoLack, m.n, fluid, (k2-0.5)*delta, k2*delta)
	second.Drift = m.mu2 * delta / 2
	second.Outside, second.UpRate = m.p*m.load, m.p*m.load
	second.Given = []int{1}
	return []Step{crowd, first, second}
}

// explicitConditions are those of the explicit version.
func (m model) explicitConditions(delta, kappa, tau float64) []Condition {
	list := m.commonConditions()
	list = append(list,
		compare("log_n", "log N", m.logN, ">=", 1),
		compare("n_delta", "N δ = √N log N", m.n*delta, ">=", 2),
		compare("collapse_room", "(κ + 1/2) δ, against (1 - τ)(1 - λ)", (kappa+0.5)*delta, "<=", (1-tau)*m.gap),
	)
	if m.p > 0 {
		list = append(list,
			compare("tau", "τ, against 1/μ1", tau, "<=", 1/m.mu1),
			compare("phase_1_drift", "μ1 δ, against 1/√N", m.mu1*delta, ">", 1/m.root))
	}
	r := m.membership(tau)
	return append(list, compare("routing", "largest probability to be sent to a busy server where s_1 <= 1 - τ(1 - λ), against 1/√N", r.Routed, "<=", r.Limit))
}

// commonConditions are those that no choice of the constants can mend.
func (m model) commonConditions() []Condition {
	return []Condition{
		compare("load", "load λ", m.load, "<", 1),
		compare("p", "probability of a second phase", m.p, "<", 1),
		compare("buffer", "buffer b", m.b, ">=", 2),
	}
}
