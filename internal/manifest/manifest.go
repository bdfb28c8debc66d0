// Package manifest describes how a saved result came about, so that it can be
// made again: the command with its effective settings, the program and the
// modules it was built from, the files read and the files written, each with its
// SHA-256. On the same architecture the command of a manifest gives the same
// bytes, but for what Repeats says depends on the clock.
package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"qlimit/internal/wholefile"
)

// Schema is raised when a field changes its meaning.
const Schema = 1

// Suffix is appended to the name of a saved result to name its manifest.
const Suffix = ".manifest.json"

// MaxSize is the largest manifest that Read takes, in bytes.
const MaxSize = 1 << 20

// Manifest is the record of one run of the program.
type Manifest struct {
	Schema    int       `json:"schema"`         // of this layout
	Program   Program   `json:"program"`        // that ran
	Command   string    `json:"command"`        // the subcommand, such as "ctmc stationary"
	Arguments []string  `json:"arguments"`      // as given, the program's name left out
	Settings  []Setting `json:"settings"`       // every flag with its effective value
	Seed      uint64    `json:"seed"`           // of all random numbers
	Streams   string    `json:"random_streams"` // how random numbers derive from the seed
	Inputs    []File    `json:"inputs"`         // files read
	Outputs   []File    `json:"outputs"`        // files written
	Repeats   bool      `json:"repeats"`        // false where the result depends on the clock
	ExitCode  int       `json:"exit_code"`      // as the shell saw it
	Seconds   float64   `json:"wall_seconds"`   // wall clock
	Cites     []string  `json:"cites"`          // keys of the literature behind the methods
}

// Program identifies what computed the result.
type Program struct {
	Version      string   `json:"version"`      // as printed by qlimit version
	Revision     string   `json:"revision"`     // "" where the build does not say
	Executable   string   `json:"executable"`   // SHA-256 of the program file, "" if unreadable
	Go           string   `json:"go"`           // version of the compiler
	OS           string   `json:"os"`           // operating system
	Arch         string   `json:"arch"`         // architecture
	Dependencies []Module `json:"dependencies"` // modules built in
}

// Module is a module the program was built from.
type Module struct {
	Path    string `json:"path"`    // of the module
	Version string `json:"version"` // of the module
	Sum     string `json:"sum"`     // as in go.sum
}

// Setting is the effective value of one flag.
type Setting struct {
	Name  string `json:"name"`  // of the flag
	Value string `json:"value"` // as one writes it
	Given bool   `json:"given"` // on the command line; otherwise the default
}

// File identifies the contents of a file.
type File struct {
	Name   string `json:"name"`   // as given
	Bytes  int64  `json:"bytes"`  // its size
	SHA256 string `json:"sha256"` // in hexadecimal digits
	// Content is the SHA-256 of the result without what the clock measured
	// (seconds, events per second); two runs of the same computation share it.
	// It is empty for files read.
	Content string `json:"content_sha256,omitempty"`
}

// Write writes the manifest as indented JSON, all or nothing.
func (m *Manifest) Write(name string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return wholefile.Write(name, append(text, '\n'))
}

// Read reads a manifest. Unknown fields, other schemas, and files that are too
// large or lack a command are errors.
func Read(name string) (*Manifest, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return Parse(file)
}

// Parse is [Read] for what has been opened already.
func Parse(r io.Reader) (*Manifest, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MaxSize {
		return nil, fmt.Errorf("manifest: larger than %d bytes", MaxSize)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	m := &Manifest{}
	if err := decoder.Decode(m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("manifest: something follows the object")
	}
	if m.Schema != Schema {
		return nil, fmt.Errorf("manifest: schema = %d (must be %d)", m.Schema, Schema)
	}
	if len(m.Arguments) == 0 || m.Command == "" {
		return nil, errors.New("manifest: names no command")
	}
	return m, nil
}
