package main

import (
	"strings"
	"testing"
)

// TestBoundStability: exact answers with their fraction, the verdict at a load.
func TestBoundStability(t *testing.T) {
	for _, c := range []struct {
		command, fraction, method string
		load                      float64
		stable                    bool
	}{
		{"--policy sq:d=2 --rates 1x5,10x5 --load 0.4", "9/22", "theory", 9. / 22, true},
		{"--policy sq:d=2,replacement=true --rates 1x5,10x5 --load 0.4", "4/11", "theory", 4. / 11, false},
		{"--policy random --rates 1x5,10x5 --load 0.1", "2/11", "theory", 2. / 11, true},
		{"--policy jsq --rates 1x5,10x5 --load 1", "1", "theory", 1, false},
	} {
		r := invokeJSON(t, "bound stability "+c.command)
		near(t, c.command, number(t, r, "critical_load"), c.load, 1e-15)
		if r["critical_load_fraction"] != c.fraction || r["method"] != c.method || r["kind"] != "exact" || r["stable"] != c.stable {
			t.Errorf("%s: %v, %v, %v, stable %v", c.command, r["critical_load_fraction"], r["method"], r["kind"], r["stable"])
		}
	}
}

// TestBoundStabilityBySimulation: JIQ on two pools by saturation, between .85 and
// .88; detection for what theory does not know.
func TestBoundStabilityBySimulation(t *testing.T) {
	jiq := invokeJSON(t, "bound stability --policy jiq --rates 1x5,10x5 --slots 1e5 --load 0.5")
	if low, high := number(t, jiq, "critical_load_low"), number(t, jiq, "critical_load_high"); low < .85 || high > .88 || low >= high || jiq["kind"] != "estimate" || jiq["method"] != "saturation" || jiq["stable"] != true {
		t.Errorf("JIQ: [%g, %g], %v, %v, %v", low, high, jiq["kind"], jiq["method"], jiq["stable"])
	}
	memory := invokeJSON(t, "bound stability --policy sq:d=2,m=3 --rates 1x5,10x5 --slots 1e5")
	trials := memory["trials"].([]any)
	if memory["method"] != "detection" || number(t, memory, "critical_load_low") != .99 || len(trials) != 1 || trials[0].(map[string]any)["verdict"] != "stable" {
		t.Errorf("SQ(2,3): %v", memory)
	}
}

func TestBoundStabilityRefusals(t *testing.T) {
	for command, message := range map[string]string{
		"--policy jiq --rates 1x5,10x5 --method theory":     "no theory gives the critical load of jiq",
		"--policy jsq --rates 1x5,10x5 --method saturation": "policy = jsq",
		"--policy sq:d=20 --rates 1x5,10x5":                 "d = 20",
		"--policy jiq --rates 1x5,10x5 --slots 10":          "slots = 10",
		"--policy jiq":                       "the servers are missing",
		"--policy jiq --rates 1x5 --width 2": "width = 2",
	} {
		if o := invoke(strings.Fields("bound stability " + command)...); o.code != exitRequest || !strings.Contains(o.stderr, message) || o.stdout != "" {
			t.Errorf("%s: exit code %d, %q, want %q", command, o.code, o.stderr, message)
		}
	}
}
