//go:build unix

package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestReadOnly: where nothing may be written, or the file may not be written to
// or read, the exit code is 1 (2 for a file to read), the message names the
// file, and nothing is changed. The superuser may do everything: the program
// then runs as nobody.
func TestReadOnly(t *testing.T) {
	dir := openDirectory(t)
	program := filepath.Join(dir, "qlimit")
	copyProgram(t, program)
	for name, mode := range map[string]os.FileMode{"closed": 0o555, "open": 0o777} {
		if err := os.Mkdir(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, mode := range map[string]os.FileMode{"kept.svg": 0o444, "secret": 0} {
		if err := os.WriteFile(filepath.Join(dir, "open", name), []byte("old"), mode); err != nil {
			t.Fatal(err)
		}
	}
	call := func(line string) (exit int, message string) {
		c := exec.Command(program, strings.Fields(line)...)
		c.Dir = filepath.Join(dir, "open")
		if os.Geteuid() == 0 {
			const nobody = 65534
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		text, err := c.CombinedOutput()
		if c.ProcessState == nil {
			t.Skipf("cannot run as another user: %v", err)
		}
		return c.ProcessState.ExitCode(), string(text)
	}
	if exit, text := call("version --output new --quiet"); exit != exitDone {
		t.Fatalf("an open directory: exit code %d, %s", exit, text)
	}
	for line, want := range map[string]int{
		"version --output ../closed/new":              exitEnvironment,
		"version --output kept.svg":                   exitEnvironment,
		"figure nds-densities --output kept.svg":      exitEnvironment,
		"figure nds-densities --data ../closed/d.csv": exitEnvironment,
		"validate secret":                             exitRequest,
		"rerun secret":                                exitRequest,
		"sweep plan secret":                           exitRequest,
	} {
		file := line[strings.LastIndex(line, " ")+1:]
		if exit, text := call(line + " --quiet"); exit != want || !strings.Contains(text, file+": permission denied") {
			t.Errorf("%s: exit code %d, %q", line, exit, text)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "open", "kept.svg")); err != nil || string(text) != "old" {
		t.Errorf("kept.svg holds %.40q, %v", text, err)
	}
	if files, err := os.ReadDir(filepath.Join(dir, "closed")); err != nil || len(files) > 0 {
		t.Errorf("a closed directory holds %v, %v", files, err)
	}
}

// openDirectory is a temporary directory that every user may look into.
func openDirectory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "qlimit")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// copyProgram copies this test, which is the program under its name.
func copyProgram(t *testing.T, to string) {
	t.Helper()
	from, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
