package main

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"qlimit/ctmc"
	"qlimit/validate/sim"
)

// invokeSimulate runs the simulate command with a stand-in for the simulator.
func invokeSimulate(t *testing.T, simulate simulator, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env := &environment{stdout: &watchedWriter{to: &stdout}, stderr: &stderr, format: formatJSON, seed: 1}
	c := newSimulateCommand(env, func(ctx context.Context, o *simulateOptions) error { return o.runWith(ctx, simulate) })
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(args)
	err := c.ExecuteContext(context.Background())
	if err == nil {
		return outcome{exitDone, stdout.String(), stderr.String()}
	}
	complain(&stderr, err.Error())
	return outcome{exitCode(err), stdout.String(), stderr.String()}
}

// A run that is interrupted with enough in hand prints it and says so.
func TestInterruptedSimulationShowsItsEstimates(t *testing.T) {
	interrupted := func(ctx context.Context, s ctmc.System, settings sim.Settings) (*sim.Result, error) {
		settings.Events = 20_000
		r, err := sim.Run(ctx, s, settings)
		if err == nil {
			r.Ending = sim.Interrupted
		}
		return r, err
	}
	o := invokeSimulate(t, interrupted, "-n", "10", "--load", "0.9", "--events", "1e9")
	if o.code != exitInterrupted {
		t.Errorf("exit code %d, want %d", o.code, exitInterrupted)
	}
	r := decode(t, o.stdout)
	if r["status"] != "interrupted" || r["ending"] != "interrupted" || number(t, r, "mean_jobs", "estimate") <= 0 {
		t.Errorf("status %v, ending %v, mean_jobs %v", r["status"], r["ending"], r["mean_jobs"])
	}
	if !strings.Contains(o.stderr, "of 1e+09 events: the estimates use what had been simulated") {
		t.Errorf("stderr %q does not say what was finished", o.stderr)
	}
}

func TestInterruptedWithoutResult(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, command := range []string{
		"simulate -n 10 --load 0.9",
		"ctmc stationary -n 3 --load 0.9",
	} {
		var stdout, stderr bytes.Buffer
		code := run(ctx, strings.Fields(command), &stdout, &stderr)
		if code != exitInterrupted || stdout.Len() > 0 || !strings.Contains(stderr.String(), "interrupted at 0%, before there was a result") {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q", command, code, stdout.String(), stderr.String())
		}
	}
}

// An iteration that does not converge is printed with its status and ends with
// exit code 4.
func TestNotConverged(t *testing.T) {
	args := strings.Fields("ctmc stationary -n 4 --load 0.9 --buffer 8 --method gauss-seidel-aggregation --max-iterations 1 --quiet")
	o := invoke(append(args, "--format", "json")...)
	if o.code != exitNotConverged || !strings.Contains(o.stderr, "did not converge") {
		t.Errorf("exit code %d, stderr %q", o.code, o.stderr)
	}
	r := decode(t, o.stdout)
	if r["status"] != "not-converged" || number(t, r, "residual") < 1e-12 || len(r["warnings"].([]any)) == 0 {
		t.Errorf("status %v, residual %v, warnings %v", r["status"], r["residual"], r["warnings"])
	}
	if table := invoke(args...).stdout; !strings.Contains(table, "exact (not-converged)") || !strings.Contains(table, "note: the iteration did not converge") {
		t.Errorf("the table does not warn:\n%s", table)
	}
}

// failingWriter is a full disk.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// Whatever is written to standard output, a failure to do so is exit code 1.
func TestUnwritableStandardOutput(t *testing.T) {
	for _, command := range []string{"--help", "completion bash", "version", "service show", "validate --print"} {
		var stderr bytes.Buffer
		if code := run(context.Background(), strings.Fields(command), failingWriter{}, &stderr); code != exitEnvironment {
			t.Errorf("%s: exit code %d, %s", command, code, &stderr)
		}
		if !strings.HasPrefix(stderr.String(), "qlimit: cannot write to standard output") || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%s: %q", command, &stderr)
		}
	}
}
