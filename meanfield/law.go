package meanfield

import "qlimit/coxian"

// unitLaw is a service law rescaled to mean 1, with the combinations of its
// rates that the level recursion uses. At mean 1
//
//	μ1 μ2 = μ2 + p μ1   and   μ1 + μ2 = (1-p) μ1 + μ1 μ2.
type unitLaw struct {
	mu1, p, mu2 float64
	leave       float64 // (1-p) μ1, rate of completions from phase 1
	proceed     float64 // p μ1, rate of passing to phase 2
	product     float64 // μ1 μ2
	phase1      float64 // 1/μ1, share of a busy period of service spent in phase 1
	phase2      float64 // p/μ2
	exponential bool    // no second phase
}

func newUnitLaw(d coxian.Dist) unitLaw {
	if d.Phases() == 1 {
		return unitLaw{mu1: 1, mu2: 1, leave: 1, product: 1, phase1: 1, exponential: true}
	}
	// At mean 1, μ1 = 1 + pμ1/μ2, whatever the unit of the two rates.
	passing := d.P * (d.Mu1 / d.Mu2)
	d = d.Normalized()
	return unitLaw{
		mu1: d.Mu1, p: d.P, mu2: d.Mu2,
		leave: (1 - d.P) * d.Mu1, proceed: d.P * d.Mu1, product: d.Mu1 * d.Mu2,
		phase1: 1 / (1 + passing), phase2: passing / (1 + passing),
	}
}

func (l *unitLaw) phases() int {
	if l.exponential {
		return 1
	}
	return 2
}

// dist is the law itself.
func (l *unitLaw) dist() coxian.Dist {
	return coxian.Dist{Mu1: l.mu1, P: l.p, Mu2: l.mu2}
}
