package sim

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"qlimit/ctmc"
)

// TestJobPrecision: M/M/1 at load 0.7 (mean response 1/0.3) and least load as
// M/M/5 stop by themselves, at values that hold; jobs and histogram agree.
func TestJobPrecision(t *testing.T) {
	if testing.Short() {
		t.Skip("intervals of short runs prove nothing")
	}
	c := ctmc.Pooled{Servers: 5, Offered: 4}
	for _, k := range []struct {
		system JobSystem
		want   float64
	}{
		{random1(.7, nil, CoxianLaw(exponential)), 1 / .3},
		{JobSystem{Servers: 5, Load: .8, Service: CoxianLaw(exponential), Policy: LeastLoaded()}, c.MeanJobs() / 4},
	} {
		r, err := RunJobs(context.Background(), k.system, JobSettings{Seed: 4, Precision: .01})
		if err != nil {
			t.Fatal(err)
		}
		if r.Ending != PrecisionReached || r.MeanResponse.HalfWidth > .01*r.MeanResponse.Value {
			t.Errorf("%v: %s, response %+v", &k.system, r.Ending, r.MeanResponse)
		}
		within(t, "response", r.MeanResponse, k.want, 4.5, 0)
		share := 0.0
		for _, b := range r.Histogram {
			share += b.Wait
		}
		if math.Abs(share-1) > 1e-9 {
			t.Errorf("%v: the histogram adds to %.12g", &k.system, share)
		}
	}
}

// TestJobSequentialIsTheSame: the path does not depend on the looks, and the
// result not on the number of threads.
func TestJobSequentialIsTheSame(t *testing.T) {
	s := JobSystem{Servers: 20, Load: .8, Service: CoxianLaw(scv2), Policy: OccupancyPolicy(ctmc.JIQ())}
	settings := JobSettings{Seed: 4, Jobs: 2 << 20, WarmUp: -1}
	whole, err := RunJobs(context.Background(), s, settings)
	if err != nil {
		t.Fatal(err)
	}
	settings.Precision = 1e-9
	var before *JobResult
	for _, threads := range []int{1, 3} {
		settings.Threads = threads
		r, err := RunJobs(context.Background(), s, settings)
		if err != nil {
			t.Fatal(err)
		}
		if r.Jobs != whole.Jobs || math.Abs(r.MeanWait.Value-whole.MeanWait.Value) > 1e-12 || r.WaitQuantiles[3].Time.Value != whole.WaitQuantiles[3].Time.Value {
			t.Errorf("%d jobs, wait %.17g, p99 %.17g; at a stretch %d, %.17g, %.17g", r.Jobs, r.MeanWait.Value, r.WaitQuantiles[3].Time.Value, whole.Jobs, whole.MeanWait.Value, whole.WaitQuantiles[3].Time.Value)
		}
		if before != nil && (r.MeanWait.Value != before.MeanWait.Value || r.MeanWait.HalfWidth != before.MeanWait.HalfWidth) {
			t.Error("the number of threads changes the result")
		}
		before = r
	}
}

// TestJobBudget: the run ends by the clock, or says that it could not.
func TestJobBudget(t *testing.T) {
	s := JobSystem{Servers: 20, Load: .8, Service: CoxianLaw(exponential), Policy: OccupancyPolicy(ctmc.JSQ())}
	r, err := RunJobs(context.Background(), s, JobSettings{Seed: 1, Budget: 600 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ending != TimeSpent || r.MeanResponse.HalfWidth <= 0 || r.Jobs < 1000 {
		t.Errorf("%s after %d jobs", r.Ending, r.Jobs)
	}
	var field *ctmc.FieldError
	if _, err := RunJobs(context.Background(), s, JobSettings{Seed: 1, Budget: time.Nanosecond}); !errors.As(err, &field) || field.Field != "budget" {
		t.Errorf("a nanosecond: %v", err)
	}
	s.Servers = MaxJobServers
	if _, err := RunJobs(context.Background(), s, JobSettings{Seed: 1, Budget: time.Second}); !errors.As(err, &field) || field.Field != "servers" {
		t.Errorf("too large to keep: %v", err)
	}
}
