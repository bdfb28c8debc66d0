package diffusion

import (
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// HeavyTraffic is the classical regime: N fixed, the load tends to 1. The jobs
// in the system grow like coefficient/α, α = N(1 - load).
type HeavyTraffic struct {
	Servers int64       // N
	Service coxian.Dist // only its scv matters, and for I1F the first phase
}

// Coefficient is the limit of α E[jobs in the system] as α -> 0:
//
//	N σ²/2                JSQ, CQ, and every heavy-traffic delay optimal policy;
//	                      α·jobs tends to an exponential variable of this mean
//	N σ²/2 · 2N/(N+1)     JIQ: 2N²/(N+1) for exponential service
//	N σ²/2 · (1 + (1-p)μ1 (N-1)/(N(N+1)))   I1F: the exponential factor is 1 + (N-1)/(N(N+1))
//	N σ²/2 · N            random routing
//
// with σ² = 1 + scv. JIQ's value holds for the limiting reflected diffusion;
// that the limits may be exchanged is conjecture. JSQ and power-of-d with d >= 2
// are optimal (Eryilmaz and Srikant, Queueing Syst. 2012, for JSQ). I1F is not,
// by a part 1/N: jobs are many, and the level of one job is found as JIQ finds
// the idle servers; conjecture, from the averaging of [Averaged].
//
// Errors: a field out of range, or a policy without a known factor.
func (h HeavyTraffic) Coefficient(p ctmc.Policy) (float64, ctmc.Kind, error) {
	if h.Servers < 1 || h.Servers > ctmc.MaxServers {
		return 0, 0, &ctmc.FieldError{Field: "servers", Value: h.Servers, Allowed: "between 1 and 1e15"}
	}
	if err := p.Validate(h.Servers); err != nil {
		return 0, 0, err
	}
	if err := h.Service.Validate(); err != nil {
		return 0, 0, err
	}
	n := float64(h.Servers)
	optimal := n * noiseOf(h.Service) / 2
	kind := ctmc.Limit
	if !h.Service.IsExponential() && h.Servers > 1 {
		kind = ctmc.Conjecture
	}
	sampling, isSampling := p.Fallback.(ctmc.Sampling)
	switch {
	case p.Depth == ctmc.AllLevels || h.Servers == 1:
		return optimal, kind, nil
	case p.Depth == 1 && isSampling && sampling.Choices == 1:
		return optimal * 2 * n / (n + 1), ctmc.Conjecture, nil
	case p.Depth == 2 && isSampling && sampling.Choices == 1:
		return optimal * (1 + firstPhaseExit(h.Service)*(n-1)/(n*(n+1))), ctmc.Conjecture, nil
	case p.Depth == 0 && isSampling && sampling.Choices == 1:
		return optimal * n, ctmc.Limit, nil
	case p.Depth == 0 && isSampling:
		return optimal, kind, nil
	}
	return 0, 0, &ctmc.FieldError{Field: "policy", Value: p.Name, Allowed: "jsq, jiq, i1f, pod or random in classical heavy traffic"}
}

// firstPhaseExit is (1-p)μ1 at mean 1, the rate at which jobs in the first phase
// end.
func firstPhaseExit(service coxian.Dist) float64 {
	if service.Phases() == 1 {
		return 1
	}
	d := service.Normalized()
	return (1 - d.P) * d.Mu1
}

// PowerOfDGrowth is log_d(N/α), the order of growth of the mean number of jobs
// per server under power-of-d at arrival rate N - α: in the mean field at load
// 1 - α/N the levels below it are nearly full. It grows without bound, so that
// power-of-d has no non-degenerate slowdown limit. The difference to the mean
// field tends to a bounded, slowly oscillating function of N.
//
// Errors: choices below 2, or α not between 0 and N ([ctmc.FieldError]).
func PowerOfDGrowth(choices int64, servers int64, spare float64) (float64, error) {
	switch {
	case choices < 2:
		return 0, &ctmc.FieldError{Field: "d", Value: choices, Allowed: ">= 2"}
	case servers < 1:
		return 0, &ctmc.FieldError{Field: "servers", Value: servers, Allowed: ">= 1"}
	case !(spare > 0 && spare < float64(servers)):
		return 0, &ctmc.FieldError{Field: "spare", Value: spare, Allowed: "> 0 and below the number of servers"}
	}
	return math.Log(float64(servers)/spare) / math.Log(float64(choices)), nil
}
