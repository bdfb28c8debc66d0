package ctmc

import (
	"context"
	"math"
)

// ResponseLaw is the law of the time that an accepted job spends in the system
// under first come first served, and of its waiting time before service. Times
// are in the unit of the service law. Kind: exact, as the law of the states on
// which it rests.
//
// A job that joins a server with i >= 1 jobs, the one in service in phase m,
// waits for the rest of that service, which is a service begun in phase m, and
// for i - 1 more; its response time adds its own service. Both are of phase
// type. They are followed from one event to the next of a Poisson process at
// the larger of the two phase rates (uniformization): with r_n the probability
// that the job is still there after n events,
//
//	P(response > t) = Σ_n P(Poisson(Λt) = n) r_n,
//
// a sum of positive terms, so that small tails keep their digits.
type ResponseLaw struct {
	MeanResponse, VarianceResponse float64 // of the accepted jobs
	MeanWait, VarianceWait         float64 // the same before service begins

	rate             float64   // Λ
	staying, waiting []float64 // r_n for the response and for the wait, r_0 = P(> 0)
}

// stayingCutoff is where the tails end: probabilities below it come out as 0.
const stayingCutoff = 1e-20

// LeastTail is the smallest tail probability whose quantile can be asked for.
const LeastTail = 1e-15

// ResponseLaw returns the law of response and waiting times of a solved system.
// Errors: a result without the law of the states that arrivals meet, or the
// error of the context.
func (r *Stationary) ResponseLaw(ctx context.Context) (*ResponseLaw, error) {
	s := r.System
	joined, accepted := append([]float64(nil), r.Joined...), 0.0
	for class := range joined {
		if !r.Truncated && levelOf(class, s.Phases()) == s.Buffer {
			joined[class] = 0 // lost
		}
		accepted += joined[class]
	}
	if !(accepted > 0) {
		return nil, &FieldError{Field: "Joined", Value: accepted, Allowed: "> 0 in all", Reason: "the law of the states that arrivals meet is missing"}
	}
	scale(joined, 1/accepted)
	l := &ResponseLaw{rate: s.Service.Mu1}
	if s.Phases() == 2 {
		l.rate = math.Max(s.Service.Mu1, s.Service.Mu2)
	}
	l.moments(s, joined)
	var err error
	if l.waiting, err = l.follow(ctx, s, joined, 0); err != nil {
		return nil, err
	}
	l.staying, err = l.follow(ctx, s, joined, 1)
	return l, err
}

// moments adds means and variances of independent services.
func (l *ResponseLaw) moments(s System, joined []float64) {
	mean, variance := s.Service.Mean(), s.Service.Variance()
	var wait, response [2]float64 // first and second moments
	add := func(moments *[2]float64, p, m, v float64) {
		moments[0] += p * m
		moments[1] += p * (v + m*m)
	}
	for class, p := range joined {
		level := float64(levelOf(class, s.Phases()))
		if class == 0 {
			add(&response, p, mean, variance)
			continue
		}
		m, v := mean, variance
		if s.Phases() == 2 && class%2 == 0 {
			m, v = 1/s.Service.Mu2, 1/(s.Service.Mu2*s.Service.Mu2)
		}
		add(&wait, p, m+(level-1)*mean, v+(level-1)*variance)
		add(&response, p, m+level*mean, v+level*variance)
	}
	l.MeanWait, l.VarianceWait = wait[0], wait[1]-wait[0]*wait[0]
	l.MeanResponse, l.VarianceResponse = response[0], response[1]-response[0]*response[0]
}

// follow returns r_0, r_1, .. for jobs that leave when the services of the jobs
// they meet and so many of their own are over.
func (l *ResponseLaw) follow(ctx context.Context, s System, joined []float64, own int) ([]float64, error) {
	levels := levelOf(len(joined)-1, s.Phases())
	first, second := make([]float64, levels+own+1), make([]float64, levels+own+1) // by services to go
	for class, p := range joined {
		k := levelOf(class, s.Phases()) + own
		if class > 0 && s.Phases() == 2 && class%2 == 0 {
			second[k] += p
		} else {
			first[k] += p
		}
	}
	if s.Phases() == 1 {
		return stayingThrough(first), nil
	}
	if steps := float64(levels) * float64(levels) * l.rate * s.Service.Mean(); steps > maxResponseSteps {
		return nil, &TooLargeError{What: "steps of the law of the response", Value: steps, Limit: maxResponseSteps,
			Hint: "their number grows as the square of the longest queue; give a smaller buffer or a smaller load, or simulate jobs"}
	}
	leave1, goOn, leave2 := (1-s.Service.P)*s.Service.Mu1/l.rate, s.Service.P*s.Service.Mu1/l.rate, s.Service.Mu2/l.rate
	stay1, stay2 := 1-s.Service.Mu1/l.rate, 1-leave2
	var there []float64
	for n := 0; ; n++ {
		sum := 0.0
		for k := len(first) - 1; k >= 1; k-- {
			sum += first[k] + second[k]
		}
		if sum <= stayingCutoff {
			return there, nil
		}
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if n > maxEvents {
			return nil, checkEvents(float64(n))
		}
		there = append(there, sum)
		for k := 1; k < len(first); k++ {
			a, b := first[k], second[k]
			// Services to go fall: what arrives in k-1 has been moved on.
			first[k-1] += leave1*a + leave2*b
			first[k], second[k] = stay1*a, goOn*a+stay2*b
		}
		first[0] = 0
	}
}

// maxResponseSteps bounds the work of a law of two phases: half a minute.
const maxResponseSteps = 5e9

// stayingThrough is r_0, r_1, .. where every event is the end of a service:
// the probability of more than n services to go.
func stayingThrough(toGo []float64) []float64 {
	there := make([]float64, len(toGo)-1)
	sum := 0.0
	for n := len(there) - 1; n >= 0; n-- {
		sum += toGo[n+1]
		there[n] = sum
	}
	for len(there) > 0 && there[len(there)-1] <= stayingCutoff {
		there = there[:len(there)-1]
	}
	return there
}

func (l *ResponseLaw) tail(there []float64, t float64) float64 {
	if len(there) == 0 {
		return 0
	}
	if t <= 0 {
		if t < 0 {
			return 1
		}
		return there[0]
	}
	q, last := math.Min(l.rate*t, math.MaxFloat64), float64(len(there)-1)
	// P(Poisson(q) <= m) <= exp(-(q - m - m log(q/m))), Chernoff.
	if q > last && q-last-last*math.Log(q/math.Max(last, 1)) > -math.Log(stayingCutoff) {
		return 0
	}
	w := newPoissonWeights(q, stayingCutoff)
	return w.mean(there, 0)
}

// ResponseTail is P(response > t).
func (l *ResponseLaw) ResponseTail(t float64) float64 { return l.tail(l.staying, t) }

// WaitTail is P(wait > t); at 0 the probability of having to wait.
func (l *ResponseLaw) WaitTail(t float64) float64 { return l.tail(l.waiting, t) }

// ResponseQuantile is the time that the response exceeds with probability 1 -
// p; for p such that 1 - p is at least [LeastTail]. Errors: a p out of range
// ([FieldError]).
func (l *ResponseLaw) ResponseQuantile(p float64) (float64, error) {
	return l.quantile(l.staying, p)
}

// WaitQuantile is the least time that the wait exceeds with a probability of at
// most 1 - p, 0 where that many jobs do not wait at all. Errors: a p out of
// range ([FieldError]).
func (l *ResponseLaw) WaitQuantile(p float64) (float64, error) {
	return l.quantile(l.waiting, p)
}

func (l *ResponseLaw) quantile(there []float64, p float64) (float64, error) {
	if !(p >= 0 && 1-p >= LeastTail) {
		return 0, &FieldError{Field: "quantile", Value: p, Allowed: "at least 0 and at most 1 - 1e-15"}
	}
	goal := 1 - p
	if len(there) == 0 || there[0] <= goal {
		return 0, nil
	}
	low, high := 0.0, 1/l.rate
	for l.tail(there, high) > goal {
		low, high = high, 2*high
	}
	for high-low > 1e-14*high {
		middle := low + (high-low)/2
		if middle == low || middle == high {
			break
		}
		if l.tail(there, middle) > goal {
			low = middle
		} else {
			high = middle
		}
	}
	return high, nil
}
