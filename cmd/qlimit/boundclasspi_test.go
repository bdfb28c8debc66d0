package main

import (
	"math"
	"strings"
	"testing"
)

// TestBoundClassPiState: three equal servers with 0, 1, 2 jobs under JBT-1 just
// after the threshold was sampled, and with threshold 0.
func TestBoundClassPiState(t *testing.T) {
	r := invokeJSON(t, "bound class-pi --policy jbt:d=1,T=1000 --rates 1x3 --state 2,0,1 --load 0.9")
	for n, want := range []float64{11. / 18, 5. / 18, 2. / 18} {
		near(t, "p", numbers(t, r, "p")[n], want, 1e-15)
	}
	if got := numbers(t, r, "server"); got[0] != 2 || got[1] != 3 || got[2] != 1 {
		t.Errorf("servers by rank: %v", got)
	}
	near(t, "delta", number(t, r, "delta"), 4./18, 1e-15)
	near(t, "drift", number(t, r, "drift"), 2.7*(5./18+4./18)-3, 1e-14)
	if r["tilted"] != true {
		t.Errorf("tilted = %v", r["tilted"])
	}
	fixed := invokeJSON(t, "bound class-pi --policy jbt:d=1,T=1000 --rates 1x3 --state 2,0,1 --threshold 0")
	near(t, "p", numbers(t, fixed, "p")[0], 1, 0)
	tie := invokeJSON(t, "bound class-pi --policy random --rates 1x4 --state 3,3,3,3")
	near(t, "delta", number(t, tie, "delta"), 0, 0)
	near(t, "equivalent_delta", number(t, tie, "equivalent_delta"), .25, 1e-15)
}

// TestBoundClassPiMember: members and witnesses.
func TestBoundClassPiMember(t *testing.T) {
	for command, member := range map[string]bool{
		"--policy jsq --rates 1x2,10x2": true, "--policy sq:d=2 --rates 1x4": true, "--policy sq:d=2 --rates 1x2,10x2": false,
		"--policy jiq --rates 1x4": false, "--policy jbtg:d=1,T=50 --rates 1x2,3x2": true, "--policy lsq:push=1 --rates 1x2,3x2 --dispatchers 3": true,
	} {
		r := invokeJSON(t, "bound class-pi --levels 3 "+command)
		if r["member"] != member || (r["not_delta_tilted_witness"] == nil) != member {
			t.Errorf("%s: member %v, witness %v", command, r["member"], r["not_delta_tilted_witness"])
		}
		if member == (number(t, r, "delta") == 0) {
			t.Errorf("%s: δ = %v", command, r["delta"])
		}
	}
	r := invokeJSON(t, "bound class-pi --policy lsq:refresh=0.2 --rates 1x10,10x10 --dispatchers 10 --levels 1 --load 0.99 --slots 1e5")
	near(t, "estimate_error_bound", number(t, r, "estimate_error_bound"), (108.9+10)*4, 1e-12)
	rows := r["estimate_errors"].([]any)
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		e := row.(map[string]any)
		if x := e["estimate_error"].(float64); !(x > 0 && x < e["bound"].(float64)) || math.IsNaN(x) {
			t.Errorf("%v", e)
		}
	}
}

func TestBoundClassPiRefusals(t *testing.T) {
	for command, message := range map[string]string{
		"--policy sq:d=2,m=1 --rates 1x3":                      "a policy that decides on queue lengths",
		"--policy jsq --rates 1x3 --state 1,2":                 "one for each of the 3 servers",
		"--policy jsq --rates 1x3 --state 1,2,-1":              "integers >= 0",
		"--policy jsq --rates 1x3 --state 1,2,3 --threshold 1": "--threshold is for policies with reporting servers",
		"--policy jiq --rates 1x3 --threshold 1":               "--threshold needs --state",
		"--policy jbt:d=1,T=5 --rates 1x3 --dispatchers 2":     "dispatchers = 2",
		"--policy jsq --rates 1":                               "servers = 1 (must be >= 2)",
		"--policy jsq --rates 1x3 --slots 1e5":                 "keeps none",
		"--policy jsq --rates 1x50 --levels 30":                "states times servers = ",
		"--policy jsk --rates 1x50":                            "did you mean jsq?",
	} {
		if o := invoke(strings.Fields("bound class-pi " + command)...); o.code != exitRequest || !strings.Contains(o.stderr, message) || o.stdout != "" {
			t.Errorf("%s: exit code %d, %q, want %q", command, o.code, o.stderr, message)
		}
	}
}
