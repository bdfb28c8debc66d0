package sim

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"qlimit/ctmc"
)

// TestResumedRunIsTheSame: a run that is stopped again and again, each time
// going on from its checkpoint, ends with the bits of one that never stopped.
func TestResumedRunIsTheSame(t *testing.T) {
	for _, c := range []struct {
		system   ctmc.System
		settings Settings
		stop     int // cells between two stops
	}{
		{ctmc.System{Servers: 20, Load: .9, Service: scv2, Policy: ctmc.PowerOfD(2, false)}, Settings{Seed: 3, Replications: 4, Events: 5e5}, 150},
		{ctmc.System{Servers: 20, Load: .95, Service: exponential, Policy: ctmc.JIQ()}, Settings{Seed: 3, Replications: 4, Events: 2e6, Precision: .002}, 3000},
		{ctmc.System{Servers: 10, Load: .95, Buffer: 3, Service: exponential, Policy: ctmc.I1F()}, Settings{Seed: 3, Replications: 4, Events: 5e5, Controls: ControlsOff}, 150},
	} {
		whole, err := Run(context.Background(), c.system, c.settings)
		if err != nil {
			t.Fatal(err)
		}
		c.settings.Checkpoint = filepath.Join(t.TempDir(), "run")
		var resumed *Result
		stops := 0
		for resumed == nil || resumed.Ending == Interrupted {
			ctx, cancel := context.WithCancel(context.Background())
			left := c.stop
			c.settings.Threads = 1
			c.settings.Progress = func(float64, float64, string) {
				if left--; left == 0 {
					cancel()
					stops++
				}
			}
			resumed, err = Run(ctx, c.system, c.settings)
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		if stops < 1 {
			t.Errorf("%v: stopped %d times only", c.system, stops)
		}
		resumed.Elapsed = whole.Elapsed
		if !reflect.DeepEqual(whole, resumed) {
			t.Errorf("%v: resumed run differs:\n%+v\n%+v", c.system, whole, resumed)
		}
	}
}

// TestCheckpointOfAnotherRun is refused and left alone.
func TestCheckpointOfAnotherRun(t *testing.T) {
	s := ctmc.System{Servers: 5, Load: .9, Service: exponential, Policy: ctmc.JSQ()}
	name := filepath.Join(t.TempDir(), "run")
	settings := Settings{Seed: 1, Events: 1e5, Checkpoint: name}
	if _, err := Run(context.Background(), s, settings); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	settings.Seed = 2
	var field *ctmc.FieldError
	if _, err := Run(context.Background(), s, settings); !errors.As(err, &field) || field.Field != "checkpoint" {
		t.Errorf("checkpoint of another seed: error %v", err)
	}
	if after, _ := os.ReadFile(name); string(after) != string(before) {
		t.Error("the refused file was changed")
	}
	for _, damaged := range [][]byte{before[:len(before)/2], nil, []byte("not a checkpoint")} {
		if err := os.WriteFile(name, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		settings.Seed = 1
		if _, err := Run(context.Background(), s, settings); err == nil {
			t.Errorf("a damaged file of %d bytes was accepted", len(damaged))
		}
	}
}

// TestTimeBudget: the run ends by the clock with an estimate.
func TestTimeBudget(t *testing.T) {
	s := ctmc.System{Servers: 20, Load: .9, Service: exponential, Policy: ctmc.JSQ()}
	r, err := Run(context.Background(), s, Settings{Seed: 1, Budget: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if r.Ending != TimeSpent || r.Events < 1000 || r.MeanJobs.HalfWidth <= 0 {
		t.Errorf("ending %q after %d events, mean jobs %+v", r.Ending, r.Events, r.MeanJobs)
	}
}
