package main

import (
	"math"
	"strings"
	"testing"
)

// TestBoundPooledInSlots: values of the theory, by both routes; kinds; a refusal
// of the explicit bound that says why.
func TestBoundPooledInSlots(t *testing.T) {
	r := invokeJSON(t, "bound pooled --rates 1x10 --load 0.9")
	near(t, "mean_queue", number(t, r, "mean_queue"), 7.1713966624, 1e-10)
	near(t, "mean_queue_second", number(t, r, "mean_queue_second"), 7.1713966624, 1e-10)
	near(t, "zeta", number(t, r, "zeta"), 20, 1e-15)
	near(t, "limit", number(t, r, "limit"), 10, 0)
	near(t, "limit_at_load", number(t, r, "limit_at_load"), 9.5, 0)
	near(t, "mean_response", number(t, r, "mean_response"), 7.1713966624/9, 1e-10)
	if reason, _ := r["lower_bound_reason"].(string); r["lower_bound"] != nil || !strings.Contains(reason, "unbounded") {
		t.Errorf("lower_bound %v: %v", r["lower_bound"], r["lower_bound_reason"])
	}
	kinds := r["kinds"].(map[string]any)
	for name, want := range map[string]string{"mean_queue": "exact", "zeta": "exact", "lower_bound": "lower-bound", "limit": "limit"} {
		if kinds[name] != want {
			t.Errorf("kind of %s is %v, want %s", name, kinds[name], want)
		}
	}
	burst := invokeJSON(t, "bound pooled --servers 10 --load 0.99 --service-law burst:k=10")
	near(t, "mean_queue", number(t, burst, "mean_queue"), 492.52394, 1e-8)
	near(t, "lower_bound", number(t, burst, "lower_bound"), (9.9+90+.01)/.2-50, 1e-12)
	same := invokeJSON(t, "bound pooled --servers 10 --load 0.9 --slotted")
	near(t, "mean_queue", number(t, same, "mean_queue"), number(t, r, "mean_queue"), 0)
}

// TestBoundPooledInContinuousTime: M/M/10 and M/G/1 of speed N.
func TestBoundPooledInContinuousTime(t *testing.T) {
	r := invokeJSON(t, "bound pooled --servers 10 --load 0.9")
	near(t, "mean_jobs", number(t, r, "mean_jobs"), 1.5018583716969276, 1e-13)
	near(t, "mean_jobs_mg1", number(t, r, "mean_jobs_mg1"), .9, 1e-13)
	if r["system"] != "M/M/N" || r["kind"] != "lower-bound" {
		t.Errorf("system %v, kind %v", r["system"], r["kind"])
	}
	coxian := invokeJSON(t, "bound pooled --servers 10 --load 0.9 --service coxian:mean=1,scv=10")
	near(t, "mean_jobs_mg1", number(t, coxian, "mean_jobs_mg1"), 4.545, 1e-12)
	if kind := coxian["kinds"].(map[string]any)["mean_jobs_mg1"]; coxian["mean_jobs_mmn"] != nil || kind != "exact" {
		t.Errorf("M/M/N %v; kind of M/G/1 %v, want exact: no bound at scv 10", coxian["mean_jobs_mmn"], kind)
	}
	// One spare server of 1e15: N - a must not be taken from the rounded load.
	one := invokeJSON(t, "bound pooled --servers 1e15 --spare 1")
	near(t, "mean_jobs", number(t, one, "mean_jobs"), 1+number(t, one, "p_wait_mmn"), 1e-13)
	near(t, "mean_jobs_mg1", number(t, one, "mean_jobs_mg1"), 1-1e-15, 1e-15)
	if wait := number(t, one, "p_wait_mmn"); math.Abs(wait-1) > 1e-7 {
		t.Errorf("p_wait_mmn = %g", wait)
	}
}

func TestBoundPooledRefusals(t *testing.T) {
	for command, message := range map[string]string{
		"bound pooled --servers 10 --load 1":                        "load = 1 (must be > 0 and < 1)",
		"bound pooled --servers 10 --load 1.2":                      "load = 1.2 (must be > 0 and < 1)",
		"bound pooled --servers 10 --load 0":                        "load = 0 (must be a number > 0)",
		"bound pooled --rates 1x10 --load 1":                        "load = 1 (must be between 0 and 1, 1 excluded)",
		"bound pooled --rates 1x10 --load 1.2":                      "load = 1.2 (must be between 0 and 1, 1 excluded)",
		"bound pooled --load 0.5":                                   "--servers is missing",
		"bound pooled --rates 1x10 --load 0.5 --service exp":        "--service is for continuous time",
		"bound pooled --servers 2e6 --load 0.5 --slotted":           "at most 1e6 servers",
		"bound pooled --rates 1x10 --load 0.9 --arrivals burst:k=6": "between 0 and the size of a burst, 6",
	} {
		if o := invoke(strings.Fields(command)...); o.code != exitRequest || !strings.Contains(o.stderr, message) || o.stdout != "" {
			t.Errorf("%s: exit code %d, %q, want %q", command, o.code, o.stderr, message)
		}
	}
}
