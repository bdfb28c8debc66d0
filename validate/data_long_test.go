//go:build long

package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// TestWholePublishedFile goes through unchanged, and every row is explained.
func TestWholePublishedFile(t *testing.T) { checkPublished(t, publishedPowerOfD, 0) }

// TestWarmUpMistake: means of runs from empty that keep their warm-up are
// explained by it, and the length of the runs is found.
func TestWarmUpMistake(t *testing.T) {
	const length = 400.0
	text := "policy,servers,load,mean_jobs,standard_error\n"
	for _, s := range []ctmc.System{
		{Servers: 10, Load: 0.9, Service: exponential, Policy: ctmc.JSQ()},
		{Servers: 20, Load: 0.9, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
		{Servers: 20, Load: 0.95, Service: exponential, Policy: ctmc.PowerOfD(2, false)},
	} {
		runs := 1500
		result, err := sim.Run(context.Background(), s, sim.Settings{Seed: 7, Replications: runs, WarmUp: -1, Controls: sim.ControlsOff,
			Events: int64(float64(runs) * length * 2 * s.Load * float64(s.Servers))})
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%s,%d,%g,%.5f,%.5f\n", s.Policy, s.Servers, s.Load, result.MeanJobs.Value, result.MeanJobs.StandardError)
	}
	r := compareData(t, text, DataDefaults{}, 2_000_000)
	k := slices.IndexFunc(r.Readings, func(x Reading) bool { return x.Name == "warm-up" })
	if k < 0 || !r.Readings[k].Fits {
		t.Fatalf("not found: %s\n%s", r.Suggestion, text)
	}
	var got float64
	_, rest, _ := strings.Cut(r.Readings[k].What, "about ")
	if _, err := fmt.Sscan(rest, &got); err != nil || math.Abs(got/length-1) > 0.3 {
		t.Errorf("%s: want %g", r.Readings[k].What, length)
	}
}
