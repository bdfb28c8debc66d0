package sim

import (
	"context"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// TestPullJobByJob: the same laws as the exact chain of occupancy and stored
// IDs, messages that change nothing included; with messages at once
// join-the-idle-queue.
func TestPullJobByJob(t *testing.T) {
	for _, s := range []ctmc.PullSystem{
		pullCase(3, .8, 5, 1, 2),
		pullCase(5, 1.1, 4, 3, 10),
		pullCase(4, .7, 6, ctmc.AnyMemory, .5),
	} {
		exact, err := ctmc.SolvePullStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		got, err := RunJobs(context.Background(), JobSystem{
			Servers: int(s.Servers), Load: s.Load, Buffer: s.Buffer, Service: CoxianLaw(s.Service), Policy: PullWithMemory(s.Pull),
		}, JobSettings{Seed: 3, Jobs: 8e5})
		if err != nil {
			t.Fatal(err)
		}
		checkWithin(t, s.String()+" jobs", got.MeanJobs, exact.MeanJobs, .02)
		checkWithin(t, s.String()+" P(wait)", got.WaitProb, exact.WaitProb, .02)
		checkWithin(t, s.String()+" P(block)", got.BlockProb, exact.BlockProb, .05)
		checkWithin(t, s.String()+" messages", got.MessagesPerJob, exact.MessageRate/s.Load, .03)
	}
}

// TestPullJobsWithoutMemory: a rule that needs no memory is the policy it
// equals.
func TestPullJobsWithoutMemory(t *testing.T) {
	run := func(text string) *JobResult {
		policy, err := ParseJobPolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		r, err := RunJobs(context.Background(), JobSystem{Servers: 10, Load: .9, Service: CoxianLaw(coxian.Dist{Mu1: 2, P: .25, Mu2: .5}), Policy: policy}, JobSettings{Jobs: 5e4})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for text, same := range map[string]string{"pull:memory=3,rate=inf": "jiq", "pull:memory=0,rate=7": "random"} {
		if a, b := run(text), run(same); a.MeanWait.Value != b.MeanWait.Value || a.MessagesPerJob.Value != b.MessagesPerJob.Value {
			t.Errorf("%s waits %g, %s %g", text, a.MeanWait.Value, same, b.MeanWait.Value)
		}
	}
	if _, err := RunJobs(context.Background(), JobSystem{Servers: 10, Load: .9, Service: CoxianLaw(exponential), Policy: PullWithMemory(ctmc.PullRule{Memory: 1, Rate: 1e9})}, JobSettings{Jobs: 5e4}); err == nil {
		t.Error("a rate of 1e9 accepted")
	}
}
