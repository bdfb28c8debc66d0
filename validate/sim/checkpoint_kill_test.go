package sim

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"qlimit/ctmc"
)

// checkpointOfChild names, in the environment of a child process, the file it
// keeps its run in.
const checkpointOfChild = "QLIMIT_TEST_CHECKPOINT"

// TestKilledRunIsTheSame: a process that is killed (SIGKILL) at random moments,
// started again each time, ends with the bits of a run that never stopped. Every
// step writes a checkpoint, so that many kills hit one being written.
func TestKilledRunIsTheSame(t *testing.T) {
	s := ctmc.System{Servers: 50, Load: .98, Service: scv2, Policy: ctmc.JSQ()}
	settings := Settings{Seed: 8, Events: 3e6, Threads: 1, Controls: ControlsAll, Start: NearCritical(s).Start(), checkpointPause: time.Nanosecond}
	if name := os.Getenv(checkpointOfChild); name != "" {
		settings.Checkpoint = name
		if _, err := Run(context.Background(), s, settings); err != nil {
			t.Fatal(err)
		}
		return
	}
	if testing.Short() {
		t.Skip("starts processes")
	}
	whole, err := Run(context.Background(), s, settings)
	if err != nil {
		t.Fatal(err)
	}
	settings.Checkpoint = filepath.Join(t.TempDir(), "run")
	moment := rand.New(rand.NewPCG(1, 2))
	kills, resumed := 0, 0
	for limit := 100 * time.Millisecond; ; limit += limit / 8 {
		_, missing := os.Stat(settings.Checkpoint)
		child := exec.Command(os.Args[0], "-test.run=^TestKilledRunIsTheSame$")
		child.Env = append(os.Environ(), checkpointOfChild+"="+settings.Checkpoint)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(moment.Int64N(int64(limit))), func() { _ = child.Process.Kill() })
		err := child.Wait()
		if timer.Stop() && err != nil {
			t.Fatalf("the child failed by itself: %v", err)
		}
		if err == nil {
			break
		}
		kills++
		if missing == nil {
			resumed++
		}
	}
	again, err := Run(context.Background(), s, settings)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d kills, %d of them of a run that had been resumed", kills, resumed)
	again.Elapsed = whole.Elapsed
	if !reflect.DeepEqual(whole, again) {
		t.Errorf("after %d kills:\n%+v\nwithout:\n%+v", kills, again.MeanJobs, whole.MeanJobs)
	}
	if resumed == 0 {
		t.Error("no resumed run was killed")
	}
	if left, _ := filepath.Glob(settings.Checkpoint + "*"); len(left) > 1+kills {
		t.Errorf("files left: %v", left)
	}
}
