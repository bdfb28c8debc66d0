package validate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

func run(t *testing.T, text string) *Report {
	t.Helper()
	e, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), e, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSmallExperiment: lists combine, every row carries its kind and both
// sides, and the numbers are those of the methods asked for.
func TestSmallExperiment(t *testing.T) {
	r := run(t, `
title = "small"
[simulation]
events = 1e6
seed = 11
[[system]]
group = "g"
servers = [1, 4]
load = [0.5, 0.8]
buffer = 3
policy = ["jsq", "random"]
methods = ["exact", "mean-field"]
quantities = ["mean_jobs", "p_wait", "p_block", "tail_2"]
`)
	if r.Done != 8 || r.Cases != 8 || len(r.Rows) != 8*2*4 {
		t.Fatalf("%d of %d systems, %d rows", r.Done, r.Cases, len(r.Rows))
	}
	for _, row := range r.Rows {
		wantKind := map[Method]ctmc.Kind{ExactChain: ctmc.Exact, MeanField: ctmc.Limit}[row.Method]
		if row.Kind != wantKind || row.Why == "" || row.Tolerance <= 0 {
			t.Errorf("%v %s %s: kind %v, tolerance %g (%s)", row.System, row.Method, row.Quantity, row.Kind, row.Tolerance, row.Why)
		}
		if row.Method == ExactChain && row.Verdict == estimate.Disagree {
			t.Errorf("%v %s: exact %g, simulated %g ± %g", row.System, row.Quantity, row.Theory, row.Simulated, row.HalfWidth)
		}
		// One server of the exact chain is M/M/1/3 under either policy.
		if row.System.Servers == 1 && row.Method == ExactChain && row.Quantity == "tail_2" {
			l := row.System.Load
			want := (l*l + l*l*l) / (1 + l + l*l + l*l*l)
			if math.Abs(row.Theory-want) > 1e-12 {
				t.Errorf("M/M/1/3 at load %g: P(at least 2) = %.15g, want %.15g", l, row.Theory, want)
			}
		}
	}
	if r.Events < 6e6 || r.Elapsed <= 0 || r.Seed != 11 {
		t.Errorf("events %d, elapsed %v, seed %d", r.Events, r.Elapsed, r.Seed)
	}
}

// TestWrongTheoryIsCaught: published values that are off by five percent, or
// belong to the other way of sampling, are found out.
func TestWrongTheoryIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("needs narrow intervals")
	}
	system := ctmc.System{Servers: 10, Load: .9, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.PowerOfD(2, false)}
	// 2.6836 without replacement and 2.8023 with it, from simulations by others.
	for value, want := range map[float64]estimate.Verdict{2.6836: estimate.Agree, 2.8023: estimate.Disagree, 2.6836 * 1.05: estimate.Disagree} {
		r, err := Run(context.Background(), Experiment{
			Simulation: sim.Settings{Seed: 2, Events: 2e7},
			Cases:      []Case{{System: system, Published: []PublishedValue{{MeanJobs, value, .002}}}},
		}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Rows[0].Verdict; got != want {
			t.Errorf("%g against %g ± %g: %s, want %s", value, r.Rows[0].Simulated, r.Rows[0].HalfWidth, got, want)
		}
	}
}

// TestPublished: the data are read in full and the exact chain meets them.
func TestPublished(t *testing.T) {
	rows, err := PublishedPowerOfD()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 38 {
		t.Errorf("%d published rows", len(rows))
	}
	r := run(t, `
[simulation]
events = 1e6
[[published]]
data = "power-of-d"
servers = 10
load = 0.7
methods = ["exact", "mean-field"]
`)
	if len(r.Rows) != 3 || len(r.Skipped) != 0 {
		t.Fatalf("rows %+v skipped %+v", r.Rows, r.Skipped)
	}
	for _, row := range r.Rows {
		if row.Verdict != estimate.Agree {
			t.Errorf("%s: %g against %g ± %g, tolerance %g: %s", row.Method, row.Theory, row.Simulated, row.HalfWidth, row.Tolerance, row.Verdict)
		}
	}
	if exact := r.Rows[0]; exact.Against != AgainstPublished || exact.Simulated != 1.2193 {
		t.Errorf("the exact chain was held against %s, %g", exact.Against, exact.Simulated)
	}
}

// TestSkipped: what cannot be predicted is listed with the reason.
func TestSkipped(t *testing.T) {
	r := run(t, `
[simulation]
events = 1e5
[[system]]
servers = 50
load = 1
buffer = 9
policy = "jsq"
methods = ["exact", "mean-field"]
`)
	if len(r.Rows) != 0 || len(r.Skipped) != 2 {
		t.Fatalf("%d rows, skipped %+v", len(r.Rows), r.Skipped)
	}
	for k, want := range []string{"states", "not unique"} {
		if !strings.Contains(r.Skipped[k].Reason, want) {
			t.Errorf("skipped %s because %q, want a mention of %q", r.Skipped[k].Method, r.Skipped[k].Reason, want)
		}
	}
}

// TestCancellation keeps the finished systems.
func TestCancellation(t *testing.T) {
	e, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	e.Simulation.Events = 1e5
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := Run(ctx, e, func(done, _ float64, _ string) {
		if done == 2 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || r == nil || r.Done != 2 || len(r.Rows) == 0 {
		t.Fatalf("report %+v, error %v", r, err)
	}
}

// TestThreadsDoNotMatter for a whole report.
func TestThreadsDoNotMatter(t *testing.T) {
	text := `
[simulation]
events = 2e5
[[system]]
servers = 4
load = 0.8
buffer = 3
policy = ["jsq", "pod:d=2"]
methods = "exact"
`
	e, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var first []Row
	for _, threads := range []int{1, 3} {
		e.Simulation.Threads = threads
		r, err := Run(context.Background(), e, nil)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r.Rows
		}
		for i := range r.Rows {
			if r.Rows[i] != first[i] {
				t.Errorf("%d threads: %+v, with one %+v", threads, r.Rows[i], first[i])
			}
		}
	}
}

// TestChart: the figure holds the curve and both point sets.
func TestChart(t *testing.T) {
	r := run(t, `
[simulation]
events = 1e5
[[published]]
data = "power-of-d"
servers = [10, 100]
load = [0.7, 0.9]
`)
	f, err := PublishedChart(r)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(f.Series) != 5 || len(f.Series[2].X) != 2 || f.Series[2].Y[0] != 1.2193 {
		t.Errorf("series %+v", f.Series)
	}
	for i, want := range []ctmc.Kind{ctmc.Limit, ctmc.Estimate, ctmc.Estimate, ctmc.Estimate, ctmc.Estimate} {
		if got := f.Series[i].Kind; got != want {
			t.Errorf("%s has kind %v, want %v", f.Series[i].Name, got, want)
		}
	}
	if none, err := PublishedChart(&Report{}); none != nil || err != nil {
		t.Errorf("chart of nothing: %v %v", none, err)
	}
}
