package main

import (
	"math"
	"testing"

	"qlimit/ctmc"
)

// estimated reads the estimate in a field.
func estimated(field any) (value, halfWidth float64, ok bool) {
	object, _ := field.(map[string]any)
	value, ok = object["estimate"].(float64)
	halfWidth, _ = object["half_width"].(float64)
	return value, halfWidth, ok
}

// fieldNumber reads a field, NaN where it holds none.
func fieldNumber(object map[string]any, name string) float64 {
	if x, ok := object[name].(float64); ok {
		return x
	}
	return math.NaN()
}

// checkTogether holds the answers about one system against each other, by
// command.
func checkTogether(t *testing.T, system string, answers map[string]map[string]any) {
	t.Helper()
	same := func(what string, x, y, tolerance float64) {
		t.Helper()
		if !(math.Abs(x-y) <= tolerance*math.Max(1, math.Abs(y))) {
			t.Errorf("%s: %s: %.12g and %.12g", system, what, x, y)
		}
	}
	for _, name := range []string{"meanfield equilibrium", "ctmc stationary"} {
		if a := answers[name]; a != nil && a["status"] == "converged" {
			tolerance := 1e-8
			if a["truncated"] == true {
				tolerance = math.Max(tolerance, math.Pow(10, -fieldNumber(a, "trusted_digits")))
			}
			same(name+": Little's law", fieldNumber(a, "mean_jobs"), littleJobs(a), tolerance)
		}
	}
	if a := answers["meanfield equilibrium"]; a != nil && a["status"] == "converged" {
		sum, last := 0.0, 0.0
		for _, s := range a["tail"].([]any) {
			last = s.(float64)
			sum += last
		}
		if mean := fieldNumber(a, "mean_jobs"); last < 1e-12 || sum > mean { // near load 1 not all levels are listed
			same("meanfield equilibrium: sum of the tail", sum, mean, 1e-9)
		}
	}
	checkExact(t, system, answers)
}

// checkExact holds the other methods against the exact chain.
func checkExact(t *testing.T, system string, answers map[string]map[string]any) {
	t.Helper()
	same := func(what string, x, y float64) {
		t.Helper()
		if !(math.Abs(x-y) <= 1e-7*math.Max(1, math.Abs(y))) {
			t.Errorf("%s: %s: %.12g, by ctmc stationary %.12g", system, what, x, y)
		}
	}
	exact := answers["ctmc stationary"]
	if exact == nil || exact["status"] != "converged" || exact["truncated"] == true && !(fieldNumber(exact, "trusted_digits") >= 8) {
		return
	}
	if a := answers["ctmc response"]; a != nil && a["truncated"] != true {
		for _, name := range []string{"mean_response", "p_wait"} {
			same("ctmc response: "+name, fieldNumber(a, name), fieldNumber(exact, name))
		}
	}
	if a := answers["ctmc transient"]; a != nil && a["stationary_mean_jobs"] != nil {
		same("ctmc transient: stationary_mean_jobs", fieldNumber(a, "stationary_mean_jobs"), fieldNumber(exact, "mean_jobs"))
	}
	checkSimulated(t, system, exact, answers)
	if a := answers["predict"]; a != nil {
		checkBounds(t, system, exact, a)
	}
}

// littleJobs is the mean number of jobs by Little's law, in mean service times.
func littleJobs(a map[string]any) float64 {
	of := a["system"].(map[string]any)
	return fieldNumber(of, "load") * (1 - fieldNumber(a, "p_block")) * fieldNumber(a, "mean_response") / fieldNumber(of["service"].(map[string]any), "mean")
}

// checkSimulated: estimates without warnings are within three half widths, six
// standard errors, of the exact value.
func checkSimulated(t *testing.T, system string, exact map[string]any, answers map[string]map[string]any) {
	t.Helper()
	for _, command := range []string{"simulate", "simulate jobs"} {
		a := answers[command]
		if a == nil {
			continue
		}
		for _, name := range []string{"mean_jobs", "mean_response", "p_wait", "p_block"} {
			field, _ := a[name].(map[string]any)
			x, width, ok := estimated(field)
			if warnings, _ := field["warnings"].([]any); !ok || len(warnings) > 0 || width == 0 {
				continue
			}
			if want := fieldNumber(exact, name); math.Abs(x-want) > 3*width+1e-9*math.Abs(want) {
				t.Errorf("%s%s: %s = %.10g ± %.2g, exact %.10g", command, system, name, x, width, want)
			}
		}
	}
}

// checkBounds: what predict calls a bound is on its side of the exact value.
func checkBounds(t *testing.T, system string, exact, prediction map[string]any) {
	t.Helper()
	for _, row := range prediction["rows"].([]any) {
		answer := row.(map[string]any)
		x, ok := answer["value"].(float64)
		name := answer["quantity"].(string)
		want := fieldNumber(exact, name)
		if !ok || answer["applies"] != true || math.IsNaN(want) {
			continue
		}
		slack := 1e-8 * math.Max(1, math.Abs(want))
		switch {
		case answer["kind"] == ctmc.LowerBound.String() && x > want+slack,
			answer["kind"] == ctmc.UpperBound.String() && x < want-slack,
			answer["method"] == "exact" && math.Abs(x-want) > slack:
			t.Errorf("predict%s: %v, exact %.10g", system, answer, want)
		}
	}
}
