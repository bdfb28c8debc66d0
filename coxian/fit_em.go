package coxian

import (
	"fmt"
	"math"
)

// EMSettings controls [FitEM]. The zero value is the default.
type EMSettings struct {
	// Start is the first iterate, 0 < P < 1. The zero value means FitSample's
	// law, moved away from p = 0 and p = 1, which the iteration cannot leave.
	Start Dist
	// Tolerance is the largest component of the score per observation, with
	// respect to log μ1, logit p and log μ2, at which the iteration stops.
	// 0 means 1e-6.
	Tolerance float64
	// MaxIterations bounds the number of iterations. 0 means 10000.
	MaxIterations int
}

// EMStatus says how [FitEM] ended.
type EMStatus int

const (
	Converged      EMStatus = iota // the score is within tolerance
	IterationLimit                 // it is not; the result is the best iterate
)

// String returns "converged" or "iteration limit".
func (s EMStatus) String() string {
	switch s {
	case Converged:
		return "converged"
	case IterationLimit:
		return "iteration limit"
	}
	return "unknown"
}

// EMFit is a maximum likelihood fit.
type EMFit struct {
	Dist          Dist     // the fitted law
	LogLikelihood float64  // Σ log f(x_i) at Dist
	Score         float64  // largest component of the score per observation at Dist
	Iterations    int      // made until Status
	Status        EMStatus // whether Score came within the tolerance
}

// FitEM fits a Coxian-2 law to a sample by maximum likelihood with the EM
// algorithm for phase-type laws (Asmussen, Nerman, Olsson, Scand. J. Statist.
// 23, 1996), in closed form for two phases. The missing data are the phases:
// given a service time x, the second phase was entered with odds
// pμ2 (e^{δx}-1)/(δq), δ = μ1-μ2, and then the time in phase 1 is exponential of
// rate δ conditioned to lie in [0, x]. Every iteration raises the likelihood.
// The iteration stops on the size of the score, that is on the first-order
// condition, not on slow progress.
//
// The likelihood can have several local maxima, and it has none if the sample
// holds a zero (it grows without bound as μ1 grows): the values must be > 0.
func FitEM(x []float64, settings EMSettings) (EMFit, error) {
	if err := validateSample(x); err != nil {
		return EMFit{}, err
	}
	for i, value := range x {
		if value == 0 {
			return EMFit{}, &ParameterError{Field: fmt.Sprintf("sample[%d]", i), Value: value, Allowed: "> 0: the likelihood is unbounded otherwise"}
		}
	}
	d, err := startEM(x, settings.Start)
	if err != nil {
		return EMFit{}, err
	}
	tolerance, limit := settings.Tolerance, settings.MaxIterations
	if tolerance == 0 {
		tolerance = 1e-6
	}
	if limit == 0 {
		limit = 10000
	}
	fit := EMFit{Dist: d}
	for {
		step := expectPhases(x, fit.Dist)
		fit.LogLikelihood, fit.Score = step.logLikelihood, step.score(fit.Dist)
		if fit.Score <= tolerance {
			fit.Status = Converged
			return fit, nil
		}
		next := step.maximize()
		if fit.Iterations == limit || next.Validate() != nil {
			fit.Status = IterationLimit
			return fit, nil
		}
		fit.Dist = next
		fit.Iterations++
	}
}

func startEM(x []float64, start Dist) (Dist, error) {
	if start.Mu1 != 0 || start.P != 0 || start.Mu2 != 0 {
		if err := start.Validate(); err != nil {
			return Dist{}, err
		}
		if start.P == 0 || start.P == 1 {
			return Dist{}, &ParameterError{Field: "start p", Value: start.P, Allowed: "strictly between 0 and 1: EM cannot leave either end"}
		}
		return start, nil
	}
	fit, err := FitSample(x)
	if err != nil {
		return Dist{}, err
	}
	d := fit.Dist
	d.P = math.Min(math.Max(d.P, 0.02), 0.98)
	return d, nil
}

// phaseMeans are conditional expectations, averaged over the sample.
type phaseMeans struct {
	first, second float64 // time in each phase
	goOn          float64 // chance of a second phase
	logLikelihood float64 // total, not averaged
}

func expectPhases(x []float64, d Dist) phaseMeans {
	var m phaseMeans
	var logLikelihood compensated
	difference := d.Mu1 - d.Mu2
	for _, value := range x {
		r := d.goesOnGiven(value)
		second := r * value * truncatedMean(-difference*value) // the part of x after phase 1
		m.goOn += r
		m.second += second
		m.first += value - second
		logLikelihood.add(d.LogProb(value))
	}
	n := float64(len(x))
	m.first /= n
	m.second /= n
	m.goOn /= n
	m.logLikelihood = logLikelihood.value()
	return m
}

// goesOnGiven is the probability that a service that took x had a second phase.
func (d Dist) goesOnGiven(x float64) float64 {
	if d.P == 0 {
		return 0
	}
	if d.P == 1 {
		return 1
	}
	odds := growth(d.P*d.Mu2, d.Mu1-d.Mu2, x) / d.exit()
	if odds > maxFloat {
		return 1
	}
	return odds / (1 + odds)
}

// maximize is the M step.
func (m phaseMeans) maximize() Dist {
	return Dist{Mu1: 1 / m.first, P: math.Min(1, m.goOn), Mu2: m.goOn / m.second}
}

// score is the largest component of the gradient of the log-likelihood per
// observation in (log μ1, logit p, log μ2), by Fisher's identity the gradient
// of the E step's function at its own parameters.
func (m phaseMeans) score(d Dist) float64 {
	return math.Max(math.Abs(1-d.Mu1*m.first),
		math.Max(math.Abs(m.goOn-d.P), math.Abs(m.goOn-d.Mu2*m.second)))
}

// truncatedMean is the mean 1/t - 1/(e^t - 1) of the exponential law of rate t
// (of either sign) conditioned to [0, 1], by its Taylor series near t = 0.
func truncatedMean(t float64) float64 {
	switch {
	case math.Abs(t) < 0.1:
		t2 := t * t
		return 0.5 - t/12*(1-t2/60*(1-t2/42*(1-t2/40)))
	case t > 40:
		return 1 / t
	}
	return 1/t - 1/math.Expm1(t)
}
