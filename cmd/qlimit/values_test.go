package main

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// M/M/1: mean jobs λ/(1-λ), P(wait) = λ, occupancy (1-λ)λ^i.
func TestChainOfOneServerIsMM1(t *testing.T) {
	const load = 0.75
	r := invokeJSON(t, "ctmc stationary --servers 1 --load 0.75")
	near(t, "mean_jobs", number(t, r, "mean_jobs"), load/(1-load), 1e-10)
	near(t, "mean_response", number(t, r, "mean_response"), 1/(1-load), 1e-10)
	near(t, "p_wait", number(t, r, "p_wait"), load, 1e-10)
	near(t, "p_block", number(t, r, "p_block"), 0, 0)
	for i, q := range numbers(t, r, "occupancy")[:20] {
		near(t, fmt.Sprintf("occupancy[%d]", i), q, (1-load)*math.Pow(load, float64(i)), 1e-12)
	}
	if r["truncated"] != true || number(t, r, "system", "buffer") != 0 {
		t.Errorf("truncated %v, buffer %v: want the cut to be stated and the buffer as asked", r["truncated"], r["system"])
	}
}

// M/M/1/b: occupancy ∝ λ^i, i = 0..b, loss the last of them.
func TestChainOfOneServerWithBufferIsMM1b(t *testing.T) {
	const load, buffer = 1.2, 5
	total, mean := 0.0, 0.0
	for i := 0; i <= buffer; i++ {
		total += math.Pow(load, float64(i))
		mean += float64(i) * math.Pow(load, float64(i))
	}
	block := math.Pow(load, buffer) / total
	r := invokeJSON(t, "ctmc stationary -n 1 --load 1.2 --buffer 5 --service exp:mean=2")
	near(t, "mean_jobs", number(t, r, "mean_jobs"), mean/total, 1e-13)
	near(t, "p_block", number(t, r, "p_block"), block, 1e-13)
	near(t, "p_wait", number(t, r, "p_wait"), 1-1/total, 1e-13)
	// Little: the accepted rate is load (1 - block) / mean service.
	near(t, "mean_response", number(t, r, "mean_response"), 2*mean/total/(load*(1-block)), 1e-13)
	if got := number(t, r, "states"); got != buffer+1 {
		t.Errorf("states = %v, want %d", got, buffer+1)
	}
	if got := number(t, r, "transitions"); got != 2*buffer {
		t.Errorf("transitions = %v, want %d", got, 2*buffer)
	}
}

// JSQ with two servers and exponential service at load 0.7: 2.95147618358 jobs
// in the system (compensation method; also by direct solution of the chain).
func TestChainOfTwoServersJSQ(t *testing.T) {
	r := invokeJSON(t, "ctmc stationary --servers 2 --load 0.7 --policy jsq")
	near(t, "mean_jobs", number(t, r, "mean_jobs"), 2.95147618358/2, 1e-10)
}

// The loads that --spare and --load-exponent stand for.
func TestLoadFlags(t *testing.T) {
	for _, c := range []struct {
		flags string
		load  float64
	}{
		{"--load 0.9", 0.9},
		{"--spare 2 --servers 100", 0.98},
		{"--spare -20 --servers 100 --buffer 3", 1.2},
		{"--load-exponent 0.5 --servers 1e4", 0.99},
		{"--load-exponent 0.25 -n 10000", 0.9},
	} {
		r := invokeJSON(t, "meanfield equilibrium --policy random "+c.flags)
		near(t, c.flags, number(t, r, "system", "load"), c.load, 1e-15)
	}
}

// Po-2 with exponential service: s_i = λ^(2^i - 1); at load 0.9 the sum is
// 2.3526516395914885.
func TestEquilibriumOfPowerOfTwo(t *testing.T) {
	r := invokeJSON(t, "meanfield equilibrium --policy pod:d=2 --load 0.9")
	near(t, "mean_jobs", number(t, r, "mean_jobs"), 2.3526516395914885, 1e-14)
	near(t, "mean_response", number(t, r, "mean_response"), 2.3526516395914885/0.9, 1e-14)
	near(t, "p_wait", number(t, r, "p_wait"), 0.81, 1e-14)
	for i, s := range numbers(t, r, "tail") {
		near(t, fmt.Sprintf("tail[%d]", i), s, math.Pow(0.9, math.Exp2(float64(i+1))-1), 1e-14)
	}
	if system := r["system"].(map[string]any); system["servers"] != nil {
		t.Errorf("servers = %v, want null in the limit", system["servers"])
	}
}

// Po-2, mu1 = 2, p = 0.05, mu2 = 0.1, load 0.95: 9.135512694784.
func TestEquilibriumWithHighVariance(t *testing.T) {
	r := invokeJSON(t, "meanfield equilibrium --policy pod:d=2 --load 0.95 --service coxian:mu1=2,p=0.05,mu2=0.1")
	near(t, "mean_jobs", number(t, r, "mean_jobs"), 9.135512694784, 1e-12)
}

// Random routing is M/G/1: λ + λ²(1 + scv)/(2(1-λ)) jobs, and times scale with
// the mean service time.
func TestEquilibriumOfRandomRoutingIsMG1(t *testing.T) {
	const load, scv = 0.9, 2.0
	want := load + load*load*(1+scv)/(2*(1-load))
	r := invokeJSON(t, "meanfield equilibrium --policy random --load 0.9 --service coxian:mean=3,scv=2")
	near(t, "mean_jobs", number(t, r, "mean_jobs"), want, 1e-11)
	near(t, "mean_response", number(t, r, "mean_response"), 3*want/load, 1e-11)
	near(t, "system.service.mean", number(t, r, "system", "service", "mean"), 3, 1e-15)
}

// (2, 1/4, 1/2): mean 1/2 + 1/2, variance 1/4 + (7/16)·4, third cumulant
// 2/8 + 2(1 - 27/64)·8 = 9.5, skewness 9.5/2^(3/2).
func TestServiceShow(t *testing.T) {
	r := invokeJSON(t, "service show --service coxian:mu1=2,p=0.25,mu2=0.5 --at 0,1,200")
	near(t, "mean", number(t, r, "mean"), 1, 1e-15)
	near(t, "variance", number(t, r, "variance"), 2, 1e-15)
	near(t, "scv", number(t, r, "scv"), 2, 1e-15)
	near(t, "skewness", number(t, r, "skewness"), 3.3587572106361003, 1e-15)
	near(t, "phases", number(t, r, "phases"), 2, 0)
	if r["hazard_monotone"] != "decreasing" {
		t.Errorf("hazard_monotone = %v, want decreasing", r["hazard_monotone"])
	}
	survival := func(x float64) float64 { return math.Exp(-2*x) + (math.Exp(-x/2)-math.Exp(-2*x))/3 }
	density := func(x float64) float64 { return 2*math.Exp(-2*x) + (math.Exp(-x/2)/2-2*math.Exp(-2*x))/3 }
	for i, x := range numbers(t, r, "x") {
		s, f := numbers(t, r, "survival")[i], numbers(t, r, "pdf")[i]
		near(t, fmt.Sprintf("survival(%g) relative", x), s/survival(x), 1, 1e-13)
		near(t, fmt.Sprintf("pdf(%g) relative", x), f/density(x), 1, 1e-13)
		near(t, fmt.Sprintf("hazard(%g)", x), numbers(t, r, "hazard")[i], f/s, 1e-13)
		near(t, fmt.Sprintf("cdf(%g)", x), numbers(t, r, "cdf")[i], 1-survival(x), 1e-13)
	}
}

// The canonical fit: mu1 = 2/m, p = 1/(2c), mu2 = 1/(m c).
func TestServiceFit(t *testing.T) {
	r := invokeJSON(t, "service fit --mean 2 --scv 4")
	near(t, "mu1", number(t, r, "mu1"), 1, 1e-15)
	near(t, "p", number(t, r, "p"), 0.125, 1e-15)
	near(t, "mu2", number(t, r, "mu2"), 0.125, 1e-15)
	near(t, "mean", number(t, r, "mean"), 2, 1e-15)
	near(t, "scv", number(t, r, "scv"), 4, 1e-15)
	if _, stated := r["not_attainable"]; !stated {
		t.Error("not_attainable is missing")
	}
	three := invokeJSON(t, "service fit --mean 1 --scv 4 --skew 4.5")
	near(t, "skewness", number(t, three, "skewness"), 4.5, 1e-12)
	near(t, "scv", number(t, three, "scv"), 4, 1e-12)
}

// Simulation against M/M/1 with a buffer, whose exact values the intervals at
// 99.9% must cover.
func TestSimulateCoversMM1b(t *testing.T) {
	exact := invokeJSON(t, "ctmc stationary -n 1 --load 0.8 --buffer 4")
	r := invokeJSON(t, "simulate -n 1 --load 0.8 --buffer 4 --events 4e5 --level 99.9%")
	for _, name := range []string{"mean_jobs", "mean_response", "p_wait", "p_block"} {
		value, half := number(t, r, name, "estimate"), number(t, r, name, "half_width")
		if want := number(t, exact, name); !(math.Abs(value-want) <= half) || half <= 0 || half > 0.1*want {
			t.Errorf("%s = %g ± %g, exact %g", name, value, half, want)
		}
		near(t, name+".level", number(t, r, name, "level"), 0.999, 1e-15)
		if number(t, r, name, "effective_sample") <= 0 {
			t.Errorf("%s has no effective sample", name)
		}
	}
	if rate := number(t, r, "events") / number(t, r, "seconds"); math.Abs(rate/number(t, r, "events_per_second")-1) > 1e-9 {
		t.Errorf("events_per_second = %v, events/seconds = %g", r["events_per_second"], rate)
	}
}

// A precision that is easily met ends the run before the budget is spent.
func TestSimulateStopsAtPrecision(t *testing.T) {
	r := invokeJSON(t, "simulate -n 10 --load 0.5 --policy jsq --events 4e6 --precision 5%")
	if r["ending"] != "precision reached" || number(t, r, "events") > 2e6 {
		t.Errorf("ending %v after %v events", r["ending"], r["events"])
	}
	if half, value := number(t, r, "mean_jobs", "half_width"), number(t, r, "mean_jobs", "estimate"); half > 0.05*value {
		t.Errorf("mean_jobs = %g ± %g", value, half)
	}
}

func TestThreadsAndSeed(t *testing.T) {
	command := strings.Fields("simulate -n 50 --load 0.9 --policy pod:d=2 --service erlang2 --events 1e5 --format json --quiet")
	strip := func(text string) string {
		var kept []string
		for _, line := range strings.Split(text, "\n") {
			if !strings.Contains(line, `"seconds"`) && !strings.Contains(line, `"events_per_second"`) {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "\n")
	}
	one := invoke(append(command, "--threads", "1")...)
	two := invoke(append(command, "--threads", "2")...)
	if strip(one.stdout) != strip(two.stdout) || one.code != exitDone {
		t.Errorf("--threads changes the result:\n%s\n%s", one.stdout, two.stdout)
	}
	other := invoke(append(command, "--seed", "2")...)
	a, b := decode(t, one.stdout), decode(t, other.stdout)
	if number(t, a, "mean_jobs", "estimate") == number(t, b, "mean_jobs", "estimate") {
		t.Error("--seed has no effect")
	}
	if number(t, b, "seed") != 2 {
		t.Errorf("seed = %v, want 2", b["seed"])
	}
}

// The warm-up flag: none, a time, or chosen from the data.
func TestWarmUp(t *testing.T) {
	const command = "simulate -n 10 --load 0.5 --events 1e5 --service exp:mean=2 --start empty --warmup "
	if r := invokeJSON(t, command+"none"); number(t, r, "warmup") != 0 || number(t, r, "warmup_fraction") != 0 {
		t.Errorf("--warmup none left out %v", r["warmup"])
	}
	// 1e5 events in 16 replications at 5 arrivals and 5 departures in a mean
	// service time are 625 of these, 1250 time units, cut into 16 cells.
	r := invokeJSON(t, command+"100")
	near(t, "duration", number(t, r, "duration"), 1250, 1e-12)
	if w := number(t, r, "warmup"); w < 100 || w >= 100+1250./16 {
		t.Errorf("--warmup 100 left out %g", w)
	}
	near(t, "warmup_fraction", number(t, r, "warmup_fraction"), number(t, r, "warmup")/1250, 1e-12)
	if r["start"] != "empty" {
		t.Errorf("start = %v", r["start"])
	}
}
