package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestJobsFields: every promised field is there, and p_block is 0 where
// nothing is lost.
func TestJobsFields(t *testing.T) {
	r := invokeJSON(t, "simulate jobs -n 5 --load 0.8 --policy sq:d=2,m=1 --jobs 1e5")
	for _, name := range strings.Fields("mean_wait mean_response mean_jobs p_wait p_block messages_per_job query_messages_per_job reply_messages_per_job pull_messages_per_job update_messages_per_job wait_quantiles response_quantiles histogram_from histogram_to histogram_wait histogram_response system jobs jobs_used seconds jobs_per_second replications warmup seed ending status") {
		if _, ok := r[name]; !ok {
			t.Errorf("no field %q", name)
		}
	}
	near(t, "messages", number(t, r, "messages_per_job", "estimate"), 4, 0)
	near(t, "p_block", number(t, r, "p_block", "estimate"), 0, 0)
	near(t, "response - wait", number(t, r, "mean_response", "estimate")-number(t, r, "mean_wait", "estimate"), 1, 1e-12)
	levels := []float64{.5, .9, .95, .99, .999}
	for _, name := range []string{"wait_quantiles", "response_quantiles"} {
		list := r[name].([]any)
		if len(list) != len(levels) {
			t.Fatalf("%s: %d entries", name, len(list))
		}
		for i, entry := range list {
			q := entry.(map[string]any)
			x, low, high := number(t, q, "estimate"), number(t, q, "lower"), number(t, q, "upper")
			if number(t, q, "p") != levels[i] || !(low <= x && x <= high) || math.Abs((high-low)/2-number(t, q, "half_width")) > 1e-12 {
				t.Errorf("%s: %v", name, q)
			}
		}
	}
	system := r["system"].(map[string]any)
	if system["policy"] != "sq:d=2,m=1" || number(t, system, "service", "scv") != 1 {
		t.Errorf("system %v", system)
	}
}

// TestJobsKnownQueue: an M/D/1 queue at load .5 waits half a service time on
// average (Pollaczek-Khinchine), whatever the unit.
func TestJobsKnownQueue(t *testing.T) {
	r := invokeJSON(t, "simulate jobs -n 1 --load 0.5 --policy random --size deterministic:mean=3 --jobs 4e5")
	wait := number(t, r, "mean_wait", "estimate")
	if math.Abs(wait-1.5) > 4.5*number(t, r, "mean_wait", "standard_error") {
		t.Errorf("mean wait %g, want 1.5", wait)
	}
}

// TestJobsFromFile: sizes and arrivals from a file with a header.
func TestJobsFromFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "times.csv")
	if err := os.WriteFile(name, []byte("gap,size\n1,2\n2,4\n3,6\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	r := invokeJSON(t, "simulate jobs -n 2 --load 0.5 --policy ll --jobs 1e5 --size csv:"+name+",column=size --arrivals csv:"+name)
	near(t, "mean", number(t, r, "system", "service", "mean"), 4, 1e-15)
	near(t, "scv", number(t, r, "system", "arrivals", "scv"), 2./12, 1e-15)
}

// TestJobsRefusals are wrong requests, exit code 2.
func TestJobsRefusals(t *testing.T) {
	for _, c := range []struct{ command, message string }{
		{"simulate jobs", "--servers is missing"},
		{"simulate jobs -n 2", "give one of --load"},
		{"simulate jobs -n 2 --load 1", "< 1 with an unlimited buffer"},
		{"simulate jobs -n 1e8 --load 0.5", "between 1 and 1e7"},
		{"simulate jobs -n 2 --load 0.5 --policy lll", "one of"},
		{"simulate jobs -n 2 --load 0.5 --policy ll:d=3", "d = 3"},
		{"simulate jobs -n 2 --load 0.5 --policy sita --size deterministic", "size law = deterministic"},
		{"simulate jobs -n 2 --load 0.5 --size lognormal", "scv is missing"},
		{"simulate jobs -n 2 --load 0.5 --size csv:none.csv", "cannot read --size none.csv"},
		{"simulate jobs -n 2 --load 0.5 --arrivals erlang:k=0", "k = 0"},
		{"simulate jobs -n 2 --load 0.5 --size exp --service exp", "--service and --size were both given"},
		{"simulate jobs -n 2 --load 0.5 --policy rr --start fluid", "start = fluid"},
		{"simulate jobs -n 2 --load 0.5 --jobs 10", "jobs = 10"},
		{"simulate jobs 10", `unexpected argument "10"`},
		{"simulate jbos", `unexpected argument "jbos"`},
	} {
		o := invoke(strings.Fields(c.command)...)
		if o.code != exitRequest || !strings.Contains(o.stderr, c.message) || o.stdout != "" {
			t.Errorf("%s: exit code %d, %q, want %q", c.command, o.code, o.stderr, c.message)
		}
	}
}

// TestJobsFormats: no format prints NaN, also where every job is lost.
func TestJobsFormats(t *testing.T) {
	for _, command := range []string{"simulate jobs -n 2 --load 1e6 --buffer 1 --jobs 2e4", "simulate jobs -n 2 --load 1e-6 --jobs 2e4"} {
		for _, format := range formats {
			o := invoke(append(strings.Fields(command), "--format", format, "--quiet")...)
			if o.code != exitDone || strings.Contains(o.stdout, "NaN") || strings.Contains(o.stdout, "Inf") {
				t.Errorf("%s --format %s: exit code %d, %s%s", command, format, o.code, o.stderr, o.stdout)
			}
		}
	}
}
