package validate

import (
	"context"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate/sim"
)

func ask(t *testing.T, s ctmc.System, settings QuestionSettings) *Answers {
	t.Helper()
	a, err := Ask(context.Background(), s, stein.FixedLoad(s.Load), settings)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *Answers) find(m Method, q Quantity) (Answer, bool) {
	for _, answer := range a.Answers {
		if answer.Method == m && answer.Quantity == q {
			return answer, true
		}
	}
	return Answer{}, false
}

// TestAnswersNearLoadOne: JSQ, N = 100, load .99. References: theory of the
// averaged chain and of the limit (2.14743, 2.23840584), Erlang C(100, 99) =
// .882768462610 for the pooled queue, the fluid's load; simulation 2.1389(5).
func TestAnswersNearLoadOne(t *testing.T) {
	a := ask(t, ctmc.System{Servers: 100, Load: 0.99, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}, QuestionSettings{})
	for _, c := range []struct {
		method Method
		want   float64
		digits float64
		kind   ctmc.Kind
	}{
		{AveragedChain, 2.14743, 5e-6, ctmc.Conjecture},
		{Slowdown, 2.23840584, 5e-9, ctmc.Limit},
		{MeanField, 0.99, 1e-12, ctmc.Limit},
		{PooledBound, 0.99 + .882768462610*0.99, 1e-9, ctmc.LowerBound},
	} {
		answer, ok := a.find(c.method, MeanJobs)
		if !ok || !answer.Applies || math.Abs(answer.Value-c.want) > c.digits || answer.Kind != c.kind {
			t.Errorf("%s: %+v, want %g (%v)", c.method, answer, c.want, c.kind)
		}
	}
	for _, m := range []Method{ExactChain, MeanField, Refined1, Refined2, AveragedChain, Slowdown, HalfinWhitt, PooledBound, SteinBound, ResourceBound} {
		answer, ok := a.find(m, MeanJobs)
		if !ok || answer.Note == "" {
			t.Errorf("%s has no answer, or one without a note: %+v", m, answer)
		}
	}
	if hw, _ := a.find(HalfinWhitt, WaitProb); math.Abs(hw.Value-.8828) > .01 || hw.OfThisSystem {
		t.Errorf("Halfin-Whitt says %+v, Erlang C is .8828", hw)
	}
	if a.Recommended < 0 || a.Answers[a.Recommended].Method != AveragedChain {
		t.Errorf("recommended %d (%s)", a.Recommended, a.Reason)
	}
}

// TestErrorsOfProbabilities: what a probability, here 0.97², may be off by leaves
// it a probability; the scale for the mean jobs, 3 here, does not.
func TestErrorsOfProbabilities(t *testing.T) {
	s := ctmc.System{Servers: 10, Load: 0.97, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.PowerOfD(2, true)}
	a := ask(t, s, QuestionSettings{})
	jobs, _ := a.find(MeanField, MeanJobs)
	wait, ok := a.find(MeanField, WaitProb)
	if !ok || !(jobs.ExpectedError > 1) || math.Abs(wait.ExpectedError-0.97*0.97) > 1e-12 {
		t.Errorf("mean jobs %+v, P(wait) %+v", jobs, wait)
	}
}

// TestRandomRoutingIsExact: independent M/G/1 queues (Pollaczek and Khinchine).
func TestRandomRoutingIsExact(t *testing.T) {
	s := ctmc.System{Servers: 10, Load: 0.9, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: ctmc.PowerOfD(1, false)}
	jobs, ok := ask(t, s, QuestionSettings{}).find(MeanField, MeanJobs)
	if want := .9 + .81*3/.2; !ok || math.Abs(jobs.Value-want) > 1e-9 || jobs.Kind != ctmc.Exact || jobs.ExpectedError != 0 {
		t.Errorf("%+v, want %g", jobs, want)
	}
}

// TestSmallChanceToWait: the averaged chain is off by a factor of four and a
// half where hardly a job waits (exact: 1.666e-10 by ctmc
// stationary), and says so.
func TestSmallChanceToWait(t *testing.T) {
	s := ctmc.System{Servers: 100, Load: 0.5, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}
	wait, ok := ask(t, s, QuestionSettings{}).find(AveragedChain, WaitProb)
	if off := math.Abs(wait.Value - 1.666e-10); !ok || off > wait.ExpectedError || wait.ExpectedError > 10*off {
		t.Errorf("%+v", wait)
	}
}

// TestAnswersAgainstExact: where the chain is solved, bounds hold, and what has
// an expected error is off by no more than three times that.
func TestAnswersAgainstExact(t *testing.T) {
	scv2 := coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}
	for _, c := range []struct {
		servers int64
		load    float64
		buffer  int
		service coxian.Dist
		policy  ctmc.Policy
	}{
		{2, 0.9, 0, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.JSQ()},
		{2, 0.6, 0, scv2, ctmc.JSQ()},
		{3, 0.8, 0, coxian.Dist{Mu1: 0.5, Mu2: 0.5}, ctmc.JIQ()},
		{4, 0.7, 0, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.JSQ()},
		{4, 0.6, 0, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.PowerOfD(2, true)},
		{6, 0.5, 0, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.PowerOfD(2, false)},
		{4, 0.6, 4, scv2, ctmc.Random()},
		{10, 0.9, 4, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.PowerOfD(2, false)},
		{10, 0.9, 4, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.I1F()},
		{20, 1.2, 2, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.JIQ()},
		{1, 0.9, 0, coxian.Dist{Mu1: 1, Mu2: 1}, ctmc.JSQ()},
	} {
		s := ctmc.System{Servers: c.servers, Load: c.load, Buffer: c.buffer, Service: c.service, Policy: c.policy}
		a := ask(t, s, QuestionSettings{TimeLimit: 1e12})
		exactJobs, _ := a.find(ExactChain, MeanJobs)
		checked := 0
		for _, answer := range a.Answers {
			exact, ok := a.find(ExactChain, answer.Quantity)
			if !ok || !exact.Applies {
				t.Fatalf("%v: no exact answer: %s", s, exact.Note)
			}
			if !answer.Applies || answer.Method == ExactChain || !answer.OfThisSystem {
				continue
			}
			off := answer.Value - exact.Value
			slack := 1e-9 * exact.Value
			switch {
			case answer.Method == ResourceBound: // of the limit
			case answer.Kind == ctmc.UpperBound && off < -slack, answer.Kind == ctmc.LowerBound && off > slack,
				!math.IsNaN(answer.ExpectedError) && math.Abs(off) > 3*answer.ExpectedError+slack:
				t.Errorf("%v: %s says %s = %.6g (expected error %.2g, %v), exact %.6g", s, answer.Method, answer.Quantity, answer.Value, answer.ExpectedError, answer.Kind, exact.Value)
			default:
				checked++
			}
		}
		if checked == 0 {
			t.Errorf("%v: nothing was compared", s)
		}
		if a.Recommended < 0 || math.Abs(a.Answers[a.Recommended].Value-exactJobs.Value) > 1e-8*exactJobs.Value {
			t.Errorf("%v: recommended %d (%s)", s, a.Recommended, a.Reason)
		}
	}
}

// TestAnswersSimulated: the estimate stands beside the theories and agrees with
// the exact value.
func TestAnswersSimulated(t *testing.T) {
	s := ctmc.System{Servers: 2, Load: 0.9, Service: coxian.Dist{Mu1: 1, Mu2: 1}, Policy: ctmc.JSQ()}
	a := ask(t, s, QuestionSettings{TimeLimit: 1e12, Simulate: &sim.Settings{Seed: 1, Events: 1e6}})
	const exact = 9.85484307834 / 2
	e, ok := a.find(Simulation, MeanJobs)
	if !ok || math.Abs(e.Value-exact) > 3*e.ExpectedError || e.ExpectedError > 0.05*exact || e.Kind != ctmc.Estimate {
		t.Errorf("simulated %+v, exact %g", e, exact)
	}
}

// TestNoRecommendation where nothing is known to be close.
func TestNoRecommendation(t *testing.T) {
	s := ctmc.System{Servers: 1000, Load: 0.97, Service: coxian.Dist{Mu1: 2, P: 0.05, Mu2: 0.1}, Policy: ctmc.JIQ(), Buffer: 50}
	if a := ask(t, s, QuestionSettings{TimeLimit: 1e7}); a.Recommended >= 0 {
		t.Errorf("recommended %+v (%s)", a.Answers[a.Recommended], a.Reason)
	}
}
