package main

import (
	"math"
	"strings"
	"testing"
)

// TestPullCommands: the commands that take the rule with a memory, in all
// regimes, promise these fields.
func TestPullCommands(t *testing.T) {
	for command, fields := range map[string]string{
		"meanfield equilibrium --load 0.9 --policy pull:memory=2,rate=10":                                        "mean_jobs mean_response p_wait p_block tail residual mean_wait p_empty message_rate",
		"meanfield equilibrium --load 1.2 --buffer 4 --policy pull:memory=inf,rate=10":                           "mean_jobs p_block mean_wait",
		"meanfield equilibrium --load 0.9 --policy pull:memory=inf,rate=inf --service erlang2":                   "mean_wait p_empty",
		"meanfield trajectory --load 1.2 --policy pull:memory=2,rate=5 --at 1,5 --start jobs=2":                  "t jobs idle levels regime_changes",
		"meanfield trajectory --load 0.9 --policy pull:memory=1,rate=inf --at 1,50 --start jobs=2":               "t jobs idle levels regime_changes",
		"ctmc stationary -n 3 --load 0.9 --policy pull:memory=2,rate=5 --buffer 4":                               "states transitions mean_jobs mean_response p_wait p_block occupancy stored p_empty message_rate residual iterations method",
		"ctmc stationary -n 3 --load 1.2 --policy pull:memory=inf,rate=inf --buffer 4 --service erlang2":         "mean_jobs occupancy",
		"ctmc stationary -n 2 --load 0.5 --policy pull:memory=1,rate=5":                                          "buffer_used truncation_error",
		"simulate -n 20 --load 0.9 --policy pull:memory=2,rate=5 --events 2e5":                                   "mean_jobs mean_response p_wait p_block p_empty message_rate stored_ids events events_per_second warmup",
		"simulate -n 1 --load 0.9 --policy pull:memory=2,rate=5 --events 2e5 --start empty":                      "mean_jobs",
		"simulate -n 20 --load 0.9 --policy pull:memory=0,rate=5 --events 2e5 --service erlang2":                 "mean_jobs",
		"simulate jobs -n 20 --load 0.9 --policy pull:memory=2,rate=5 --jobs 5e4 --size lognormal:scv=2":         "mean_wait messages_per_job pull_messages_per_job",
		"simulate -n 20 --load 1.2 --buffer 3 --policy pull:memory=2,rate=5 --events 2e5 --service exp:mean=0.1": "mean_jobs p_block",
	} {
		r := invokeJSON(t, command)
		for _, field := range strings.Fields(fields) {
			if _, ok := r[field]; !ok {
				t.Errorf("%s: no field %q", command, field)
			}
		}
	}
}

// TestPullValues: waiting times worked out by hand, the rate in the unit of the
// service law, and the case of one server, M/M/1.
func TestPullValues(t *testing.T) {
	for command, want := range map[string]float64{
		"--load 0.9 --policy pull:memory=1,rate=5":                         1.372881,
		"--load 0.9 --policy pull:memory=2,rate=10":                        .367996,
		"--load 0.99 --policy pull:memory=1,rate=100":                      .970492,
		"--load 0.9 --policy pull:memory=1,rate=0.5 --service exp:mean=10": 13.72881,
	} {
		r := invokeJSON(t, "meanfield equilibrium "+command)
		near(t, command, number(t, r, "mean_wait"), want, 1.5e-6)
	}
	one := invokeJSON(t, "ctmc stationary -n 1 --load 0.5 --policy pull:memory=3,rate=2")
	near(t, "M/M/1", number(t, one, "mean_jobs"), 1, 1e-10)
	random := invokeJSON(t, "ctmc stationary -n 2 --load 0.5 --buffer 4 --policy random")
	same := invokeJSON(t, "ctmc stationary -n 2 --load 0.5 --buffer 4 --policy pull:memory=inf,rate=0")
	if a, b := number(t, random, "mean_jobs"), number(t, same, "mean_jobs"); a != b || math.IsNaN(a) {
		t.Errorf("random %g, pull without messages %g", a, b)
	}
}

// TestPullRefusals: what the rule cannot do is refused with the reason.
func TestPullRefusals(t *testing.T) {
	for command, reason := range map[string]string{
		"meanfield equilibrium --load 0.9 --policy pull:memory=1,rate=5 --service erlang2": "exponential",
		"ctmc stationary -n 3 --load 0.9 --policy pull:memory=1,rate=5 --service erlang2":  "exponential",
		"simulate -n 3 --load 0.9 --policy pull:memory=1,rate=5 --service erlang2":         "exponential",
		"meanfield equilibrium --load 1.2 --policy pull:memory=1,rate=5":                   "load = 1.2",
		"meanfield equilibrium --load 0.9 --policy pull:memory=1":                          "rate = missing",
		"meanfield equilibrium --load 0.9 --policy pull":                                   "memory = missing",
		"meanfield equilibrium --load 0.9 --policy pull:memory=-1,rate=1":                  "memory = -1",
		"meanfield equilibrium --load 0.9 --policy pull:memory=1,rate=nan":                 "rate = ",
		"meanfield refine -n 10 --load 0.9 --policy pull:memory=1,rate=5":                  "memory is no part",
		"ctmc stationary --load 0.9 --policy pull:memory=1,rate=5":                         "--servers is missing",
		"ctmc stationary -n 40 --load 0.9 --policy pull:memory=1,rate=5 --buffer 30":       "states = ",
		"simulate -n 1e10 --load 0.9 --policy pull:memory=1,rate=5":                        "servers = ",
		"simulate -n 10 --load 0.9 --compare jsq,pull:memory=1 --events 1e5":               "rate = missing",
		"simulate jobs -n 10 --load 0.9 --policy pull:memory=1,rate=1e30 --jobs 5e4":       "rate = ",
	} {
		o := invoke(strings.Fields(command)...)
		if o.code != exitRequest || o.stdout != "" || !strings.Contains(o.stderr, reason) {
			t.Errorf("%s: exit code %d, %q, want %q", command, o.code, o.stderr, reason)
		}
	}
}
