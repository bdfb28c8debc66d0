package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"qlimit/ctmc"
)

// randomSystem draws the flags of a system, extremes included.
func randomSystem(r *rand.Rand) string {
	pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	var b strings.Builder
	servers := []int64{1, 2, 3, 5, 10, 100, 1000, 1e6, 1e9}[r.IntN(9)]
	fmt.Fprintf(&b, " --servers %d", servers)
	switch r.IntN(5) {
	case 0:
		fmt.Fprintf(&b, " --spare %.6g", math.Exp(r.Float64()*8-4))
	case 1:
		fmt.Fprintf(&b, " --load-exponent %.3g", 0.05+r.Float64())
	default:
		fmt.Fprintf(&b, " --load %.4g", []float64{1e-6, 0.1, 0.5, 0.7, 0.9, 0.99, 0.9999, 1, 1.2, 5}[r.IntN(10)])
	}
	if r.IntN(2) == 0 {
		fmt.Fprintf(&b, " --buffer %d", 1+r.IntN(8))
	}
	scv := []float64{0.5, 0.6, 1, 1.0000001, 2, 10, 100}[r.IntN(7)]
	fmt.Fprintf(&b, " --service %s", pick("exp", "erlang2", "exp:mean=3", fmt.Sprintf("coxian:mean=%.3g,scv=%.8g", math.Exp(r.NormFloat64()), scv),
		"coxian:mu1=1,p=0,mu2=7", "coxian:mu1=2,p=0.5,mu2=1", "coxian:mu1=3,p=1,mu2=3", "hyperexp:p=0.1,mu1=0.2,mu2=1.8"))
	d := 1 + r.IntN(4)
	fmt.Fprintf(&b, " --policy %s", pick("jsq", "jiq", "i1f", "random", fmt.Sprintf("pod:d=%d", d), fmt.Sprintf("pod:d=%d,replacement=true", d), "jiq:fallback=pod:d=2"))
	return b.String()
}

// randomCommands take any system; each may refuse it.
var randomCommands = []string{
	"meanfield equilibrium", "meanfield spectrum", "meanfield refine --order 1", "meanfield trajectory --at 0.1,1,3",
	"ctmc stationary --max-states 3000", "bound stein", "simulate --events 2e4", "simulate jobs --jobs 2e4", "predict --time-limit 20ms",
}

// TestRandomSystems puts random systems to every command: each answers or says
// why not, and what it answers is possible.
func TestRandomSystems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	answered := map[string]int{}
	for range randomSystems {
		system := randomSystem(r)
		for _, command := range randomCommands {
			line := command + system
			o := invoke(append(strings.Fields(line), "--format", "json", "--quiet")...)
			switch o.code {
			case exitDone, exitNotConverged:
				answered[command]++
				checkPossible(t, line, decode(t, o.stdout))
			case exitRequest:
				if o.stdout != "" || !strings.HasPrefix(o.stderr, "qlimit: ") || strings.Count(o.stderr, "\n") != 1 {
					t.Errorf("%s: refused with stdout %.80q, stderr %q", line, o.stdout, o.stderr)
				}
			default:
				t.Errorf("%s: exit code %d: %s", line, o.code, o.stderr)
			}
		}
	}
	for _, command := range randomCommands {
		if answered[command] < randomSystems/20 {
			t.Errorf("%s answered %d of %d times", command, answered[command], randomSystems)
		}
	}
}

// checkPossible looks for numbers that no stationary measure can be.
func checkPossible(t *testing.T, line string, object map[string]any) {
	t.Helper()
	value := func(v any) (x, slack float64, ok bool) {
		switch v := v.(type) {
		case float64:
			return v, 1e-9, true
		case map[string]any: // an estimate may exceed a bound by its error
			x, ok = v["estimate"].(float64)
			width, _ := v["half_width"].(float64)
			return x, 5*width + 1e-9, ok
		}
		return 0, 0, false
	}
	if object["trusted"] == false {
		return // an expansion that says itself that it means nothing here
	}
	for name, v := range object {
		x, slack, ok := value(v)
		switch {
		case !ok:
		case strings.HasPrefix(name, "p_") && !(x >= -slack && x <= 1+slack),
			strings.HasPrefix(name, "mean_") && !(x >= -slack):
			t.Errorf("%s: %s = %g", line, name, x)
		}
	}
	if kind, ok := object["kind"].(string); ok && !knownKind(kind) {
		t.Errorf("%s: kind = %q", line, kind)
	}
	for _, name := range []string{"tail", "occupancy"} {
		list, ok := object[name].([]any)
		if !ok {
			continue
		}
		sum, last, error := 0.0, math.Inf(1), 1e-9
		for _, v := range list {
			x, slack, ok := value(v)
			if !ok {
				t.Errorf("%s: %s holds %v", line, name, v)
			}
			if x < -slack || name == "tail" && x > last+slack {
				t.Errorf("%s: %s = %v", line, name, list)
			}
			sum, last, error = sum+x, x, error+slack
		}
		if object["kind"] == ctmc.Estimate.String() {
			error += 1e-5 // rare levels that the run did not see have no half width
		}
		if name == "occupancy" && math.Abs(sum-1) > error {
			t.Errorf("%s: occupancy adds up to %.12g", line, sum)
		}
	}
	rows, _ := object["rows"].([]any)
	for _, row := range rows {
		answer, ok := row.(map[string]any)
		if !ok {
			continue
		}
		x, ok := answer["value"].(float64)
		applies, _ := answer["applies"].(bool)
		if applies != ok || !knownKind(answer["kind"].(string)) || ok && x < -1e-9 {
			t.Errorf("%s: row %v", line, answer)
		}
	}
}

func knownKind(name string) bool {
	for _, kind := range []ctmc.Kind{ctmc.Exact, ctmc.Limit, ctmc.UpperBound, ctmc.LowerBound, ctmc.Conjecture, ctmc.Estimate} {
		if kind.String() == name {
			return true
		}
	}
	return false
}
