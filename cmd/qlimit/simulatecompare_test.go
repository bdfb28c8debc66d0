package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSplitPolicies(t *testing.T) {
	got := splitPolicies("jsq,pod:d=2,replacement=true,jiq:fallback=pod:d=2,i1f")
	want := []string{"jsq", "pod:d=2,replacement=true", "jiq:fallback=pod:d=2", "i1f"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A comparison has a row for each policy and pair, and says who is better.
func TestCompareCommand(t *testing.T) {
	r := invokeJSON(t, "simulate -n 10 --load 0.9 --compare jsq,jiq,pod:d=2 --events 4e5")
	rows := r["rows"].([]any)
	if len(rows) != 3*(3+3) {
		t.Fatalf("%d rows", len(rows))
	}
	better := map[string]string{}
	for _, row := range rows {
		fields := row.(map[string]any)
		if fields["measure"] == "mean_jobs" && fields["against"] != "" {
			better[fields["policy"].(string)+" "+fields["against"].(string)] = fields["better"].(string)
		}
	}
	for pair, want := range map[string]string{"jsq jiq": "jsq", "jsq pod:d=2": "jsq", "jiq pod:d=2": "jiq"} {
		if better[pair] != want {
			t.Errorf("%s: better %q, want %q", pair, better[pair], want)
		}
	}
	for _, flags := range []string{"--policy jsq", "--precision 1%", "--budget 1s", "--checkpoint x"} {
		o := invoke(strings.Fields("simulate -n 10 --load 0.9 --compare jsq,jiq " + flags)...)
		if o.code != exitRequest || !strings.Contains(o.stderr, "--compare and "+strings.Fields(flags)[0]) {
			t.Errorf("%s: exit code %d, stderr %q", flags, o.code, o.stderr)
		}
	}
	if o := invoke(strings.Fields("simulate -n 10 --load 0.9 --compare jsq")...); o.code != exitRequest {
		t.Errorf("a single policy: exit code %d", o.code)
	}
}

// A finished checkpoint gives the same result again without simulating.
func TestCheckpointCommand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run")
	command := "simulate -n 10 --load 0.9 --events 1e5 --checkpoint " + file
	first, second := invokeJSON(t, command), invokeJSON(t, command)
	if a, b := number(t, first, "mean_jobs", "estimate"), number(t, second, "mean_jobs", "estimate"); a != b {
		t.Errorf("mean jobs %v, then %v", a, b)
	}
	o := invoke(strings.Fields("simulate -n 10 --load 0.9 --events 1e5 --seed 2 --checkpoint " + file)...)
	if o.code == exitDone || !strings.Contains(o.stderr, "checkpoint") {
		t.Errorf("another seed: exit code %d, stderr %q", o.code, o.stderr)
	}
}

// Control variates are reported, and can be switched off.
func TestControlsFlag(t *testing.T) {
	on := invokeJSON(t, "simulate -n 10 --load 0.9 --events 1e6")
	off := invokeJSON(t, "simulate -n 10 --load 0.9 --events 1e6 --controls off")
	if number(t, on, "variance_ratio") < 10 || number(t, on, "mean_jobs", "half_width")*3 > number(t, on, "plain_mean_jobs", "half_width") {
		t.Errorf("variance ratio %v", on["variance_ratio"])
	}
	if off["controls"] != "off" || off["variance_ratio"] != nil {
		t.Errorf("controls %v, ratio %v", off["controls"], off["variance_ratio"])
	}
}
