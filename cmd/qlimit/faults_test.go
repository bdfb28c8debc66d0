package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// badFiles are contents that no reader must choke on; "-" names make something
// else than a file.
var badFiles = map[string]func(name string) error{
	"missing":      func(string) error { return nil },
	"directory":    func(name string) error { return os.Mkdir(name, 0o777) },
	"loop":         func(name string) error { return os.Symlink(name, name) },
	"empty":        writes(""),
	"blank":        writes("\n \n\t\n"),
	"binary":       writes("\x00\x01\xff\xfe\x80PNG\r\n\x1a"),
	"brackets":     writes(strings.Repeat("[", 100_000)),
	"quotes":       writes(strings.Repeat(`"`, 100_001)),
	"long line":    writes(strings.Repeat("x", 4<<20)),
	"commas":       writes(strings.Repeat(",", 1<<20)),
	"not a number": writes("time,0,1\nNaN,Inf,1e999\n"),
	"json":         writes(`{"schema": 1e400, "cells": null}`),
	"zeros": func(name string) error { // 64 MB that take no space
		file, err := os.Create(name)
		if err != nil {
			return err
		}
		defer file.Close()
		return file.Truncate(64 << 20)
	},
}

func writes(text string) func(string) error {
	return func(name string) error { return os.WriteFile(name, []byte(text), 0o666) }
}

// readers are the commands that read a file.
var readers = []string{
	"validate FILE",
	"validate --stein FILE --servers 2 --load 0.5 --policy jsq",
	"service fit --data FILE",
	"meanfield trajectory --load 0.5 --at 1 --start FILE.csv",
	"simulate jobs --servers 2 --load 0.5 --jobs 1e4 --arrivals csv:FILE",
	"simulate jobs --servers 2 --load 0.5 --jobs 1e4 --service csv:FILE",
	"rerun FILE",
	"cite FILE.json",
	"sweep plan FILE",
	"sweep run FILE",
	"sweep merge FILE",
	"sweep slurm FILE",
	"figure plot FILE",
}

// TestBadInputFiles: whatever stands in a file, a command that reads it ends
// with one line that says what is wrong, exit code 2, no result, and soon.
func TestBadInputFiles(t *testing.T) {
	for what, make := range badFiles {
		t.Run(what, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for _, name := range []string{"bad", "bad.csv", "bad.json"} {
				if err := make(name); err != nil {
					t.Skip(err)
				}
			}
			for _, command := range readers {
				started := time.Now()
				o := invoke(append(strings.Fields(strings.ReplaceAll(command, "FILE", "bad")), "--output", "result")...)
				if o.code != exitRequest || o.stdout != "" {
					t.Errorf("%s: exit code %d, stdout %.60q, stderr %.200q", command, o.code, o.stdout, o.stderr)
				}
				if !strings.HasPrefix(o.stderr, "qlimit: ") || strings.Count(o.stderr, "\n") != 1 || len(o.stderr) > 1000 {
					t.Errorf("%s: stderr %.300q", command, o.stderr)
				}
				if _, err := os.Lstat("result"); err == nil {
					t.Errorf("%s: left a result", command)
				}
				if spent := time.Since(started); spent > 20*time.Second {
					t.Errorf("%s: took %v", command, spent)
				}
			}
		})
	}
}

// writers are commands that save something.
var writers = []string{
	"service show --output FILE",
	"figure nds-densities --output FILE.svg",
	"figure nds-densities --output good.svg --data FILE",
	"simulate -n 2 --load 0.5 --samples FILE --sample-count 20000",
	"simulate -n 2 --load 0.5 --events 1e5 --checkpoint FILE",
	"sweep plan three.toml --output FILE",
	"version --format json --output FILE",
}

// programLink is this test binary under the name at which it is the program
// (see TestMain).
func programLink(t *testing.T) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "qlimit")
	if err := os.Symlink(binary, link); err != nil {
		t.Skip("no symbolic links here")
	}
	return link
}

// TestFullDisk: a device that takes nothing, and a limit on the size of files
// that stands for a full disk: exit code 1, the old file is kept, and nothing
// else is left.
func TestFullDisk(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("needs a shell on Linux")
	}
	program := programLink(t)
	if o := invoke("version", "--output", "/dev/full"); o.code != exitEnvironment {
		t.Errorf("/dev/full: %+v", o)
	}
	if text, err := exec.Command(shell, "-c", program+" version > /dev/full").CombinedOutput(); !endedWith(err, exitEnvironment) {
		t.Errorf("standard output full: %v, %s", err, text)
	}
	for _, command := range writers {
		t.Chdir(documentedFiles(t))
		if err := os.WriteFile("kept", []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("ulimit -f 0 && exec %s %s --quiet", program, strings.ReplaceAll(command, "FILE", "kept"))
		text, err := exec.Command(shell, "-c", line).CombinedOutput()
		if !endedWith(err, exitEnvironment) {
			t.Errorf("%s: %v, %.200q", command, err, text)
		}
		if old, err := os.ReadFile("kept"); err != nil || string(old) != "old" {
			t.Errorf("%s: the old file holds %.60q, %v", command, old, err)
		}
		files, err := os.ReadDir(".")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.Contains(file.Name(), "qlimit") || strings.Contains(file.Name(), "good") {
				t.Errorf("%s: left %s", command, file.Name())
			}
		}
	}
}

func endedWith(err error, code int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == code
}

// TestKilled: whenever the program is killed, a saved file is there as a whole
// or not at all.
func TestKilled(t *testing.T) {
	program := programLink(t)
	t.Chdir(t.TempDir())
	arguments := []string{"figure", "nds-densities", "--output", "whole.png", "--quiet"}
	started := time.Now()
	if text, err := exec.Command(program, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	needed := time.Since(started)
	whole, err := os.ReadFile("whole.png")
	if err != nil {
		t.Fatal(err)
	}
	const runs = 12
	for k := range runs {
		if err := os.Remove("whole.png"); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		c := exec.Command(program, arguments...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(needed * time.Duration(k+1) / runs)
		_ = c.Process.Kill()
		_ = c.Wait()
		if text, err := os.ReadFile("whole.png"); err == nil && !bytes.Equal(text, whole) {
			t.Errorf("killed after %d/%d: %d of %d bytes", k+1, runs, len(text), len(whole))
		}
	}
}
