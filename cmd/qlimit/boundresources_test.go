package main

import (
	"math"
	"strings"
	"testing"
)

// TestResourcesFields: the command promises these JSON fields.
func TestResourcesFields(t *testing.T) {
	for _, command := range []string{
		"bound resources --load 0.9 --memory 1 --queries 2",
		"bound resources --load 0.9 --c 0 --d 0 --service coxian:mean=1,scv=4",
		"bound resources --load 0.5 --memory 3 --message-rate 0.5 --message-clock 5",
		"bound resources --load 0.9 --size pareto:alpha=1.5,low=1,high=1000",
		"bound resources --load 1e-6 --alpha 0 --memory 100",
	} {
		r := invokeJSON(t, command)
		for _, field := range strings.Fields("kind bound log10_bound iterated_log10 iterations gamma theta p_work p_arrivals p_busy p_no_departure p0 p_k policies message_clock") {
			if _, ok := r[field]; !ok {
				t.Errorf("%s: no field %q", command, field)
			}
		}
		if r["kind"] != "lower-bound" {
			t.Errorf("%s: kind %v", command, r["kind"])
		}
	}
}

// TestResourcesValues: worked out by hand from the formulas.
func TestResourcesValues(t *testing.T) {
	fixed := " --message-clock 1 --gamma 0.1 --theta 0.1"
	for command, want := range map[string]float64{
		"--load 0.9 --memory 1 --queries 2" + fixed:                      3.1758267594e-9,
		"--load 0.9 --memory 2 --queries 2" + fixed:                      7.7415894641e-14,
		"--load 0.9 --memory 1 --queries 2 --size deterministic" + fixed: 4.5940926872e-9,
		"--load 0.9 --memory 1 --queries 0":                              5.7527e-4,
		"--load 0.9 --memory 1 --queries 2":                              8.1345e-5,
		"--load 0.9 --memory 1 --queries 2 --service exp:mean=60":        60 * 8.1345e-5,
	} {
		r := invokeJSON(t, "bound resources "+command)
		bound := number(t, r, "bound")
		digits := 6e-5
		if strings.Contains(command, "gamma") {
			digits = 5e-11
		}
		if math.Abs(bound/want-1) > digits || math.Abs(number(t, r, "log10_bound")-math.Log10(bound)) > 1e-12 {
			t.Errorf("%s: %.11g, want %.11g", command, bound, want)
		}
	}
	high := invokeJSON(t, "bound resources --load 0.9 --memory 2 --message-rate 0.9")
	if high["bound"] != nil || high["log10_bound"] != nil || number(t, high, "iterations") != 3 || !(number(t, high, "iterated_log10") > 100) {
		t.Errorf("a tower of powers: %v, %v, %v", high["bound"], high["log10_bound"], high["iterated_log10"])
	}
}

// TestResourcesTable: the policies stand beside the bound, and --simulate puts
// estimates beside them.
func TestResourcesTable(t *testing.T) {
	r := invokeJSON(t, "bound resources --load 0.8 --simulate --servers 1,20 --jobs 1e4")
	rows, ok := r["policies"].([]any)
	if !ok || len(rows) != 12 {
		t.Fatalf("policies: %v", r["policies"])
	}
	for _, entry := range rows {
		row := entry.(map[string]any)
		for _, field := range strings.Fields("policy memory_bits message_rate messages_per_job delay delay_formula vanishes kind delay_1 half_width_1 exact_20 messages_per_job_20") {
			if _, ok := row[field]; !ok {
				t.Errorf("%v: no field %q", row["policy"], field)
			}
		}
		if row["policy"] == "random" && (math.Abs(number(t, row, "delay")-4) > 1e-12 || math.Abs(number(t, row, "exact_1")-4) > 1e-12) {
			t.Errorf("random: %v", row)
		}
	}
}

// TestResourcesRefusals: what is out of range is refused with its name.
func TestResourcesRefusals(t *testing.T) {
	for command, message := range map[string]string{
		"--load 1":                 "load = 1",
		"--load 1.2":               "load = 1.2",
		"--load 0":                 "load = 0",
		"--memory 1":               "--load is missing",
		"--load 0.9 --memory -1":   "memory = -1",
		"--load 0.9 --memory inf":  "memory = inf",
		"--load 0.9 --queries 1.5": "queries = 1.5",
		"--load 0.9 --queries 2 --message-rate 1":           "were both given",
		"--load 0.9 --gamma 0.1":                            "given together",
		"--load 0.9 --gamma 1 --theta 0.5":                  "gamma = 1",
		"--load 0.9 --message-clock -1":                     "message-clock = -1",
		"--load 0.9 --service erlang2 --size deterministic": "were both given",
		"--load 0.9 --simulate --servers 0":                 "servers = 0",
		"--load 0.9 --simulate --servers 1e9":               "servers = 1e+09",
		"--load 0.9 --jobs 10":                              "jobs = 10",
	} {
		o := invoke(strings.Fields("bound resources " + command)...)
		if o.code != exitRequest || o.stdout != "" || !strings.Contains(o.stderr, message) {
			t.Errorf("%s: exit code %d, %q, want %q", command, o.code, o.stderr, message)
		}
	}
}
