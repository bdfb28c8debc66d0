//go:build long

package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSlurm runs a sweep on a real Slurm of this machine; it is skipped where
// Slurm is not installed.
func TestSlurm(t *testing.T) {
	text, err := exec.Command("bash", filepath.Join(projectRoot, ".ci", "slurm")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if strings.Contains(string(text), "skipped") {
		t.Skip(string(text))
	}
}
