//go:build unix

package sim

import (
	"context"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"qlimit/ctmc"
)

// TestCheckpointInAPipe is refused at once: opening it would wait for a writer, deaf
// to the context.
func TestCheckpointInAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	s := ctmc.System{Servers: 5, Load: .9, Service: exponential, Policy: ctmc.JSQ()}
	for _, name := range []string{pipe, "/dev/zero"} {
		if _, err := Run(context.Background(), s, Settings{Events: 1e5, Checkpoint: name}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
