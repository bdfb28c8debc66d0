package main

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"
)

// outcome is what one call of the program left behind.
type outcome struct {
	code           int
	stdout, stderr string
}

func invoke(args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), args, &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// invokeJSON runs a command that must succeed with --format json.
func invokeJSON(t *testing.T, command string) map[string]any {
	t.Helper()
	o := invoke(append(strings.Fields(command), "--format", "json", "--quiet")...)
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("%s: exit code %d, stderr %q", command, o.code, o.stderr)
	}
	return decode(t, o.stdout)
}

func decode(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatalf("not one JSON object: %v\n%s", err, text)
	}
	return object
}

// number fetches a number by its path of names.
func number(t *testing.T, object map[string]any, path ...string) float64 {
	t.Helper()
	for _, name := range path[:len(path)-1] {
		inner, ok := object[name].(map[string]any)
		if !ok {
			t.Fatalf("%s is %T, want an object", name, object[name])
		}
		object = inner
	}
	x, ok := object[path[len(path)-1]].(float64)
	if !ok {
		t.Fatalf("%s is %v, want a number", strings.Join(path, "."), object[path[len(path)-1]])
	}
	return x
}

func numbers(t *testing.T, object map[string]any, name string) []float64 {
	t.Helper()
	list, ok := object[name].([]any)
	if !ok {
		t.Fatalf("%s is %T, want an array", name, object[name])
	}
	values := make([]float64, len(list))
	for i := range list {
		values[i] = list[i].(float64)
	}
	return values
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.16g, want %.16g to %g", what, got, want, tolerance)
	}
}
