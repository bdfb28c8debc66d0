package sim

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"qlimit/ctmc"
)

// TestRefusedBeforeTheRun: what would leave nothing, or take more memory or
// time than there is, is refused by name before it begins.
func TestRefusedBeforeTheRun(t *testing.T) {
	system := ctmc.System{Servers: 10, Load: 0.9, Service: exponential, Policy: ctmc.JSQ()}
	crowded := ctmc.System{Servers: 1, Load: 0.999999, Service: exponential, Policy: ctmc.JSQ()}
	law, err := NewStartLaw(crowded)
	if err != nil {
		t.Fatal(err)
	}
	jobs := JobSystem{Servers: 10, Load: 0.9, Service: CoxianLaw(exponential), Policy: RoundRobin()}
	ctx := context.Background()
	for name, run := range map[string]func() error{
		"warmup": func() error {
			_, err := Run(ctx, system, Settings{Events: 1e5, WarmUp: 1e300})
			return err
		},
		"warmup of a comparison": func() error {
			_, err := Compare(ctx, []ctmc.System{system, system}, nil, Settings{Events: 1e5, WarmUp: 1e300})
			return err
		},
		"warmup of jobs": func() error {
			_, err := RunJobs(ctx, jobs, JobSettings{Jobs: 1e5, WarmUp: 1e300})
			return err
		},
		"start": func() error {
			_, err := Run(ctx, crowded, Settings{Start: law.Start()})
			return err
		},
		"jobs at the start": func() error {
			_, err := RunJobs(ctx, jobs, JobSettings{Start: Start{Tail: repeated(10, 5_000_000)}})
			return err
		},
		"events of the samples": func() error {
			return Snapshots(ctx, system, SnapshotSettings{Every: 1e300, Count: 10}, func(float64, []int64) error { return nil })
		},
	} {
		what, _, _ := strings.Cut(name, " of a comparison")
		what, _, _ = strings.Cut(what, " of jobs")
		err := run()
		var field *ctmc.FieldError
		var large *ctmc.TooLargeError
		if !errors.As(err, &field) && !errors.As(err, &large) || !strings.HasPrefix(err.Error(), what+" = ") {
			t.Errorf("%s: %v, want a refusal", name, err)
		}
	}
}

func repeated(n int64, levels int) []int64 {
	tail := make([]int64, levels)
	for i := range tail {
		tail[i] = n
	}
	return tail
}

// TestStartSizes: the bounds on a drawn start hold for the draws.
func TestStartSizes(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F()} {
		s := ctmc.System{Servers: 10, Load: 0.999, Service: exponential, Policy: policy}
		law, err := NewStartLaw(s)
		if err != nil {
			t.Fatal(err)
		}
		const draws = 100
		levels, jobs := law.Start().levels(draws), law.Start().jobs(draws)
		random := rand.NewPCG(1, 2)
		longest, most := 0, 0.0
		for k := range draws {
			one := law.at((float64(k)+0.5)/draws, random)
			longest, most = max(longest, len(one.Tail)), math.Max(most, one.jobs(1))
		}
		if float64(longest) > levels || levels > 4*float64(longest) {
			t.Errorf("%v: longest queue %d, bound %g", policy, longest, levels)
		}
		if most > jobs || jobs > 2*most {
			t.Errorf("%v: %g jobs, bound %g", policy, most, jobs)
		}
	}
}

// TestManyIDsAtOnce: idle servers that speak far more often than jobs arrive
// have stored their IDs before the run begins, as many as are in balance.
func TestManyIDsAtOnce(t *testing.T) {
	s := ctmc.PullSystem{Servers: 1e9, Load: 0.9, Service: exponential, Pull: ctmc.PullRule{Memory: 1e15, Rate: 1e50}}
	r, err := RunPull(context.Background(), s, Settings{Events: 1e5})
	if err != nil {
		t.Fatal(err)
	}
	if r.Events > 2e5 || r.EmptyProb.Value != 0 || math.Abs(r.Stored.Value/1e9-1) > 1e-3 {
		t.Errorf("%d events, P(no ID) = %g, %g IDs stored of 1e9 servers idle at the start", r.Events, r.EmptyProb.Value, r.Stored.Value)
	}
	// Restored, and with few IDs in balance, it begins as it is told.
	few := ctmc.PullSystem{Servers: 10, Load: 0.9, Service: exponential, Pull: ctmc.PullRule{Memory: 5, Rate: 1}}
	for _, c := range []struct {
		system  ctmc.PullSystem
		begin   int64
		want    int64
		meaning string
	}{{s, 7, 7, "restored"}, {few, unknownIDs, 0, "few"}} {
		if got := newPullOccupancy(c.system, Start{}, c.begin).stored; got != c.want {
			t.Errorf("%s: %d IDs at the start, want %d", c.meaning, got, c.want)
		}
	}
}
