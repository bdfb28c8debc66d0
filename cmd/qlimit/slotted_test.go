package main

import (
	"math"
	"strings"
	"testing"
)

// JSQ asks all ten servers at each slot with arrivals, and its mean queue is
// load × rates × mean response (Little), above the pooled bound 7.1713966624.
func TestSimulateSlotted(t *testing.T) {
	r := invokeJSON(t, "simulate slotted -n 10 --policy jsq --load 0.9 --slots 1e5")
	near(t, "messages", number(t, r, "messages_per_arrival_slot", "estimate"), 20, 0)
	near(t, "Little", number(t, r, "mean_queue", "estimate"), 9*number(t, r, "mean_response", "estimate"), 1e-12)
	near(t, "per server", number(t, r, "mean_queue", "estimate"), 10*number(t, r, "mean_queue_per_server", "estimate"), 1e-12)
	near(t, "response", number(t, r, "mean_response", "estimate"), 5.601, 0.01)
	near(t, "pooled", number(t, r, "pooled_mean_queue"), 7.1713966624, 2e-9)
	if r["stable"] != true || r["system"].(map[string]any)["policy"] != "jsq" {
		t.Errorf("stable %v, system %v", r["stable"], r["system"])
	}
	if list := r["server_load"].([]any); len(list) != 10 {
		t.Errorf("%d servers", len(list))
	}
}

// Counts that never vary are whole numbers, however short the cells.
func TestSlottedWholeMessages(t *testing.T) {
	for _, slots := range []string{"2e4", "3e4"} {
		r := invokeJSON(t, "simulate slotted -n 3 --load 0.5 --slots "+slots)
		if x := number(t, r, "messages_per_arrival_slot", "estimate"); x != 6 || len(r["warnings"].([]any)) > 0 {
			t.Errorf("%g messages, warnings %v", x, r["warnings"])
		}
	}
}

// An unstable system has no mean queue, but a throughput.
func TestSimulateSlottedUnstable(t *testing.T) {
	r := invokeJSON(t, "simulate slotted --rates 1x5,10x5 --policy sq:d=2 --load 0.6 --slots 1e5")
	if r["stable"] != false || r["mean_queue"].(map[string]any)["estimate"] != nil {
		t.Errorf("stable %v, mean queue %v", r["stable"], r["mean_queue"])
	}
	near(t, "throughput", number(t, r, "throughput", "estimate"), 5+7./9*33, 0.01)
}

func TestSimulateSlottedCompare(t *testing.T) {
	r := invokeJSON(t, "simulate slotted -n 4 --load 0.8 --compare jsq,sq:d=2,m=1,stale,jbt:average,T=10,jiq --slots 4e4")
	rows := r["rows"].([]any)
	if len(rows) != 3*(4+6)+4 {
		t.Fatalf("%d rows", len(rows))
	}
	if row := rows[4].(map[string]any); row["policy"] != "jsq" || row["against"] != "sq:d=2,m=1,stale" || row["better"] != "jsq" {
		t.Errorf("%v", row)
	}
}

func TestHeavyTrafficCommand(t *testing.T) {
	r := invokeJSON(t, "simulate slotted --rates 1x2,2x2 --dispatchers 2 --policy lsq:refresh=0.5*slack --heavy-traffic 0.4,0.8,0.2 --slots 4e4")
	points := r["points"].([]any)
	if len(points) != 3 || points[1].(map[string]any)["policy"] != "lsq:refresh=0.2" {
		t.Errorf("points %v", points)
	}
	near(t, "limit", number(t, r, "limit"), 6, 1e-12)
	if !strings.Contains(r["verdict"].(string), "heavy-traffic") && r["verdict"] != "undecided" {
		t.Errorf("verdict %v", r["verdict"])
	}
	for _, p := range points {
		point := p.(map[string]any)
		near(t, "zeta", 2*number(t, point, "half_zeta"), 12-number(t, point, "slack")+math.Pow(number(t, point, "slack"), 2), 1e-12)
	}
}

func TestSlottedRefusals(t *testing.T) {
	for command, want := range map[string]string{
		"--load 0.9":                                                   "the servers are missing",
		"-n 4":                                                         "the load is missing",
		"-n 4 --rates 1x2 --load 0.5":                                  "--rates and --servers were both given",
		"--rates 1x2,x --load 0.5":                                     `rates = "1x2,x" (must be RATExCOUNT`,
		"-n 4 --load 0.5 --policy jbt":                                 "d is missing",
		"-n 4 --load 0.5 --policy sq:d=5":                              "d = 5 (must be between 1 and the number of servers, 4)",
		"-n 4 --load 0.5 --policy jsk":                                 "did you mean jsq?",
		"-n 4 --load 0.5 --arrivals gaussian":                          `arrivals = "gaussian"`,
		"-n 4 --load 0.5 --service-law burst:k=x":                      `service-law = "burst:k=x" (must be burst:k=INTEGER)`,
		"--rates 20 --load 0.5 --service-law burst:k=10":               "between 0 and the size of a burst, 10",
		"--rates 1,2 --load 0.5 --service-law poisson,poisson,poisson": "one for each group of --rates, 2",
		"-n 4 --spare 5":                                               "spare = 5 (must be > 0 and < the sum of the rates, 4)",
		"-n 4 --load 0.5 --slots 10":                                   "slots = 10",
		"-n 4 --load 500":                                              "load = 500 (must be between 0 and 100)",
		"-n 4 --load 0.5 --dispatchers 0":                              "dispatchers = 0",
		"-n 4 --load 0.5 --policy lsq:refresh=2":                       "refresh = 2 (must be a probability",
		"-n 4 --load 0.5 --compare jsq":                                "compare = 1",
		"-n 4 --load 0.5 --compare jsq,jiq --policy jsq":               "--compare and --policy were both given",
		"-n 4 --load 0.5 --heavy-traffic 1,0.5,0.2":                    "--heavy-traffic and --load were both given",
		"-n 4 --heavy-traffic 1,0.5":                                   "slacks = 2 (must be at least 3 of them)",
		"-n 4 --heavy-traffic 1,0.5,7":                                 "slack = 7 (must be > 0 and < the sum of the rates, 4)",
		"-n 4 --heavy-traffic 1,0.5,0.1 --policy lsq:refresh=3*slack":  "refresh = 3",
	} {
		o := invoke(append([]string{"simulate", "slotted"}, strings.Fields(command)...)...)
		if o.code != exitRequest || !strings.Contains(o.stderr, want) || o.stdout != "" {
			t.Errorf("%s: exit code %d, %s, want ...%s...", command, o.code, o.stderr, want)
		}
	}
}
