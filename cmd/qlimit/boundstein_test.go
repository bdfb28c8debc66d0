package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// TestBoundSteinFields: the fields of the contract, and the values of the
// theory.
func TestBoundSteinFields(t *testing.T) {
	for _, c := range []struct {
		servers, service string
		k, excess        float64
	}{
		{"1e8", "coxian:mu1=2,p=0.5,mu2=1", 5, 1.61603e-5},
		{"1e12", "coxian:mu1=2,p=0.5,mu2=1", 5, 1.08484e-7},
		{"1e12", "coxian:mu1=1.5,p=0.16666666666666666,mu2=0.5", 23.25, 1.13008e-7},
	} {
		got := invokeJSON(t, fmt.Sprintf("bound stein --servers %s --load-exponent 0.25 --buffer 2 --service %s --policy jsq", c.servers, c.service))
		if k := number(t, got, "k"); math.Abs(k-c.k) > 1e-9 {
			t.Errorf("k = %g, want %g", k, c.k)
		}
		if h := number(t, got, "bound_excess"); math.Abs(h-c.excess) > 1e-5*c.excess/2 {
			t.Errorf("bound_excess = %g, want %g", h, c.excess)
		}
		eta, mean := number(t, got, "eta"), number(t, got, "bound_mean")
		if math.Abs(mean-eta-number(t, got, "bound_excess")) > 1e-12 {
			t.Errorf("bound_mean = %g with eta = %g", mean, eta)
		}
		if got["vacuous"] != false || number(t, got, "smallest_servers") > 2e11 || number(t, got, "bound_p_wait") >= 1 {
			t.Errorf("vacuous = %v, smallest_servers = %v", got["vacuous"], got["smallest_servers"])
		}
		for _, row := range got["conditions"].([]any) {
			condition := row.(map[string]any)
			if condition["holds"] != true || condition["name"] == "" || condition["value"] == nil || condition["limit"] == nil {
				t.Errorf("condition %v", condition)
			}
		}
	}
}

// TestBoundSteinNull: a failing condition gives null and its name, never a
// number, whatever is wrong.
func TestBoundSteinNull(t *testing.T) {
	for command, condition := range map[string]string{
		"--servers 100 --load 0.9 --buffer 2":                                                          "collapse_room",
		"--servers 1 --load 0.5 --buffer 2":                                                            "log_n",
		"--servers 1e6 --load 1 --buffer 2 --policy jiq":                                               "load",
		"--servers 1e6 --load 1.2 --buffer 3 --policy i1f --service coxian:mean=1,scv=4":               "load",
		"--servers 1e9 --load 0.9 --buffer 2 --service erlang2":                                        "p",
		"--servers 1e9 --load 0.9 --buffer 2 --policy random":                                          "routing",
		"--servers 1e9 --load 0.9 --buffer 2 --policy pod:d=2,replacement=true":                        "routing",
		"--servers 1e15 --load-exponent 0.49 --buffer 2 --service coxian:mean=1,scv=0.75 --policy i1f": "collapse_room",
	} {
		got := invokeJSON(t, "bound stein "+command)
		for _, name := range []string{"bound_excess", "bound_mean", "bound_p_wait", "bound_mean_wait", "bound_p_block"} {
			if value, there := got[name]; !there || value != nil {
				t.Errorf("%s: %s = %v, want null", command, name, value)
			}
		}
		failing := ""
		for _, row := range got["conditions"].([]any) {
			if c := row.(map[string]any); c["holds"] == false && failing == "" {
				failing = c["name"].(string)
			}
		}
		if failing != condition || got["vacuous"] != true || !strings.Contains(fmt.Sprint(got["warnings"]), "condition "+condition) {
			t.Errorf("%s: fails %q, want %q; vacuous %v, warnings %v", command, failing, condition, got["vacuous"], got["warnings"])
		}
	}
}

// TestBoundSteinRefusals: what no condition can express is refused.
func TestBoundSteinRefusals(t *testing.T) {
	for command, text := range map[string]string{
		"bound stein --servers 100 --load 0.9":                                           "buffer = 0 (must be >= 2)",
		"bound stein --servers 100 --load 0.9 --buffer 1":                                "buffer = 1 (must be >= 2)",
		"bound stein --servers 100 --load 0.9 --buffer 2 --policy pod:d=101":             "d = 101 (must be between 1 and the number of servers, 100)",
		"bound stein --servers 100 --load 0.9 --buffer 2 --tau 1":                        "tau = 1 (must be a number > 0 and < 1)",
		"bound stein --servers 1e16 --load 0.9 --buffer 2":                               "servers = 1e16 (must be an integer between 1 and 1e15)",
		"bound stein --load 0.9 --buffer 2":                                              "--servers is missing",
		"bound collapse --servers 10 --load 0.5 --buffer 2 --samples 5":                  "samples = 5 (must be at least 1024",
		"bound collapse --servers 10 --load 0.5 --buffer 2 --delta 1 --version explicit": "were both given",
		"bound terms --servers 10 --load 0.5":                                            "buffer = unlimited (must be >= 1)",
		"figure collapse --servers 10 --load 1.5 --buffer 2":                             "condition load",
	} {
		o := invoke(strings.Fields(command)...)
		if o.code != exitRequest || !strings.Contains(o.stderr, text) {
			t.Errorf("%s: exit code %d, %q does not contain %q", command, o.code, o.stderr, text)
		}
	}
}

// TestBoundCollapseFields: bound and exact probability of every step, the bound
// above.
func TestBoundCollapseFields(t *testing.T) {
	got := invokeJSON(t, "bound collapse --servers 16 --load 0.5 --buffer 2 --service coxian:mu1=2,p=0.4,mu2=0.8 --delta 0.05 --samples 2048")
	steps := got["steps"].([]any)
	if len(steps) != 4 || len(got["warnings"].([]any)) > 0 {
		t.Fatalf("%d steps, warnings %v", len(steps), got["warnings"])
	}
	for _, row := range steps {
		step := row.(map[string]any)
		bound, exact := step["bound"].(float64), step["exact"].(float64)
		if !(exact <= bound) || step["simulated"] == nil || step["half_width"] == nil {
			t.Errorf("step %v", step)
		}
	}
}

// TestBoundTermsFields: the terms add up.
func TestBoundTermsFields(t *testing.T) {
	got := invokeJSON(t, "bound terms --servers 5 --load 0.9 --buffer 2 --policy random")
	sum, left := 0.0, 0.0
	for _, row := range got["terms"].([]any) {
		term := row.(map[string]any)
		exact := term["exact"].(float64)
		if closed := term["closed_form"].(float64); math.Abs(closed-exact) > 1e-11 {
			t.Errorf("%v: closed form", term)
		}
		if term["in_sum"] == true {
			sum += exact
		}
		if term["term"] == "excess" {
			left = exact
		}
	}
	if left == 0 || math.Abs(sum-left) > 1e-12 {
		t.Errorf("the terms add up to %g, the left side is %g", sum, left)
	}
}
