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
	"ctmc stationary --max-states 3000", "ctmc transient --at 0.5,2 --max-states 1000", "ctmc response --at 1 --max-states 2000", "ctmc autocovariance --at 1 --max-states 1000",
	"bound stein", "bound collapse", "bound terms", "simulate --events 2e4", "simulate jobs --jobs 2e4", "predict --time-limit 20ms",
}

// randomOthers draws commands about something else than a system of servers.
func randomOthers(r *rand.Rand) []string {
	pick := func(choices ...string) string { return choices[r.IntN(len(choices))] }
	load := pick("0", "0.01", "0.5", "0.8", "0.95", "0.999", "1", "1.3")
	rates := pick("1x1", "1x5", "1x2,3x2", "0.5x4,2x1", "1x20,10x3", "1e-3x2")
	arrivals := pick("poisson", "bernoulli", "binomial", "geometric")
	slotted := pick("jsq", "jiq", "random", "weighted", "sed", "sq:d=2", "sq:d=2,m=1", "jbt:d=2,T=5", "jbtg:d=2,T=5", "jbt:average,T=5", "lsq:push=2", "lsq:smart", "lsq:pull=0.1", "local-sq:d=2,push=1", "local-jba:push=2")
	pull := fmt.Sprintf("pull:memory=%s,rate=%s", pick("0", "1", "2", "5", "inf"), pick("0", "0.01", "1", "20", "inf"))
	process := pick("cq", "jsq", "i1f", "iqf")
	service := pick("exp", "erlang2", "coxian:mean=1,scv=4", "coxian:mean=2,scv=0.7")
	return []string{
		fmt.Sprintf("bound stability --rates %s --policy %s --slots 1e5", rates, slotted),
		fmt.Sprintf("bound class-pi --rates %s --load %s --policy %s --levels 3", rates, load, slotted),
		fmt.Sprintf("bound pooled --rates %s --load %s --arrivals %s", rates, load, arrivals),
		fmt.Sprintf("simulate slotted --rates %s --load %s --arrivals %s --policy %s --slots 2e4", rates, load, arrivals, slotted),
		fmt.Sprintf("bound pooled --servers %s --load %s --service %s", pick("1", "3", "100", "1e6"), load, service),
		fmt.Sprintf("bound resources --load %s --memory %s --queries %s", load, pick("0", "0.5", "1", "3"), pick("0", "1", "2", "5")),
		fmt.Sprintf("meanfield equilibrium --load %s --policy %s", load, pull),
		fmt.Sprintf("ctmc stationary --servers %s --load %s --buffer %d --policy %s --max-states 3000", pick("1", "2", "3"), load, 1+r.IntN(4), pull),
		fmt.Sprintf("simulate --servers %s --load %s --policy %s --events 2e4", pick("1", "3", "50", "1e6"), load, pull),
		fmt.Sprintf("diffusion stationary --process %s --spare %.4g --service %s", process, math.Exp(r.Float64()*10-5), service),
		fmt.Sprintf("diffusion stationary --process averaged-%s --servers %s --load %s", pick("jsq", "i1f", "iqf"), pick("10", "1000", "1e5"), load),
		fmt.Sprintf("diffusion stationary --process halfin-whitt --beta %.4g", math.Exp(r.Float64()*6-4)),
		fmt.Sprintf("diffusion transient --process %s --spare %.4g --at 0.1,1", process, math.Exp(r.Float64()*4-2)),
	}
}

// TestRandomSystems puts random systems to every command: each answers or says
// why not, what it answers is possible, and the answers fit together.
func TestRandomSystems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	asked, answered := map[string]int{}, map[string]int{}
	ask := func(name, line string) map[string]any {
		o := invoke(append(strings.Fields(line), "--format", "json", "--quiet")...)
		asked[name]++
		switch o.code {
		case exitDone, exitNotConverged:
			answered[name]++
			object := decode(t, o.stdout)
			checkPossible(t, line, object)
			return object
		case exitRequest:
			if o.stdout != "" || !strings.HasPrefix(o.stderr, "qlimit: ") || strings.Count(o.stderr, "\n") != 1 {
				t.Errorf("%s: refused with stdout %.80q, stderr %q", line, o.stdout, o.stderr)
			}
		default:
			t.Errorf("%s: exit code %d: %s", line, o.code, o.stderr)
		}
		return nil
	}
	for range randomSystems {
		system := randomSystem(r)
		answers := map[string]map[string]any{}
		for _, command := range randomCommands {
			if object := ask(command, command+system); object != nil {
				name, _, _ := strings.Cut(command, " --")
				answers[name] = object
			}
		}
		checkTogether(t, system, answers)
		for _, line := range randomOthers(r) {
			name, _, _ := strings.Cut(line, " --")
			ask(name, line)
		}
	}
	for name, n := range asked {
		if answered[name] < max(1, n/20) {
			t.Errorf("%s answered %d of %d times", name, answered[name], n)
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
			x, width, ok := estimated(v)
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
		if !ok || object["command"] == "ctmc transient" { // a row for each time
			continue
		}
		sum, last, lastSlack, error := 0.0, math.Inf(1), 0.0, 1e-9
		for _, v := range list {
			x, slack, ok := value(v)
			if !ok {
				t.Errorf("%s: %s holds %v", line, name, v)
			}
			if x < -slack || name == "tail" && x > last+slack+lastSlack {
				t.Errorf("%s: %s = %v", line, name, list)
			}
			sum, last, lastSlack, error = sum+x, x, slack, error+slack
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
