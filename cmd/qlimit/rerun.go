package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/internal/manifest"
)

type rerunOptions struct {
	*environment
	manifest string
	keep     string // directory for the files of the second run, "" = a temporary one
}

func newRerunCommand(env *environment) *cobra.Command {
	o := &rerunOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "rerun MANIFEST",
		Short: "Run the command of a manifest again and compare the files bit for bit",
		Long: `Every saved result has a manifest beside it, FILE.manifest.json: the command with
its effective settings, the seed, the program with the modules it was built from,
the files read and written with their SHA-256. rerun runs that command again, in
the current directory but with its files written elsewhere, and compares. What
the clock measured (seconds, events per second) is left out of the comparison.

Exit code 3 if a file differs. Files that were read must be unchanged. On the
same architecture a run repeats bit for bit; elsewhere the last digits may differ.`,
		Example: `  qlimit simulate -n 10 --load 0.9 --events 1e5 --output run.json --format json
  qlimit rerun run.json.manifest.json`,
	}, o.run)
	c.Args = func(_ *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] == "" {
			return badRequest("rerun takes the name of one manifest (FILE%s)", manifest.Suffix)
		}
		o.manifest = args[0]
		return nil
	}
	c.Flags().Var(&fileName{&o.keep}, "output-dir", "keep the files of the second run in this new `directory`")
	_ = c.MarkFlagDirname("output-dir")
	return c
}

func (o *rerunOptions) run(ctx context.Context) error {
	m, err := manifest.Read(o.manifest)
	if err != nil {
		return badRequest("cannot use %s: %w%s", o.manifest, reason(err), manifestBeside(o.manifest))
	}
	if err := checkRepeatable(m); err != nil {
		return badRequest("%s: %w", o.manifest, err)
	}
	directory, remove, err := o.directory()
	if err != nil {
		return err
	}
	defer remove()
	arguments, copies := redirected(m, directory)
	if k := slices.Index(copies, ""); k >= 0 {
		return badRequest("%s: output %s is named by no flag in the arguments", o.manifest, m.Outputs[k].Name)
	}
	code := run(ctx, arguments, io.Discard, quietable{o.environment})
	if code == exitInterrupted {
		return &failure{exitInterrupted, errors.New("interrupted before the second run had ended")}
	}
	if code != m.ExitCode {
		return &failure{exitValidation, fmt.Errorf("the second run ended with exit code %d, the first with %d", code, m.ExitCode)}
	}
	return o.compare(m, copies)
}

// manifestBeside names the manifest of a result that was given in its place.
func manifestBeside(name string) string {
	if _, err := os.Stat(name + manifest.Suffix); err != nil {
		return ""
	}
	return "; did you mean " + name + manifest.Suffix + "?"
}

// quietable is standard error, or nothing with --quiet.
type quietable struct{ env *environment }

func (q quietable) Write(text []byte) (int, error) {
	if q.env.quiet {
		return len(text), nil
	}
	return q.env.stderr.Write(text)
}

// checkRepeatable refuses what cannot or must not run again.
func checkRepeatable(m *manifest.Manifest) error {
	switch {
	case strings.HasPrefix(m.Command, "rerun"):
		return errors.New("command rerun (must be a command that computes something)")
	case !m.Repeats:
		return errors.New("repeats = false: the run was ended by the clock or interrupted, it cannot repeat")
	case len(m.Outputs) == 0:
		return errors.New("outputs: none to compare")
	}
	for _, input := range m.Inputs {
		now, err := manifest.HashFile(input.Name)
		if err != nil {
			return fmt.Errorf("input %s: %w", input.Name, reason(err))
		}
		if now.SHA256 != input.SHA256 {
			return fmt.Errorf("input %s has changed since (SHA-256 %s, it was %s)", input.Name, now.SHA256[:12], shortened(input.SHA256))
		}
	}
	return nil
}

func (o *rerunOptions) directory() (name string, remove func(), err error) {
	if o.keep == "" {
		name, err = os.MkdirTemp("", "qlimit-rerun-")
		if err != nil {
			return "", nil, environmentFailed("cannot create a temporary directory: %w", reason(err))
		}
		return name, func() { _ = os.RemoveAll(name) }, nil
	}
	if err := os.Mkdir(o.keep, 0o777); err != nil {
		return "", nil, environmentFailed("cannot create --output-dir %s: %w", o.keep, reason(err))
	}
	return o.keep, func() {}, nil
}

// redirected are the arguments with each file that was written, or the
// directory it was written into, moved to another directory; copies says where
// each file will be, "" for one that no flag names. Each goes into a directory
// of its own so that equal names do not meet.
func redirected(m *manifest.Manifest, directory string) (arguments, copies []string) {
	arguments = slices.Clone(m.Arguments)
	copies = make([]string, len(m.Outputs))
	moved := map[string]string{} // by name in the arguments
	for k, file := range m.Outputs {
		for name := file.Name; ; name = filepath.Dir(name) {
			fresh, known := moved[name]
			if !known {
				fresh = filepath.Join(directory, fmt.Sprint(len(moved)+1), filepath.Base(name))
			}
			if known || replace(arguments, name, fresh) {
				moved[name] = fresh
				rest, _ := filepath.Rel(name, file.Name)
				copies[k] = filepath.Join(fresh, rest)
				break
			}
			if name == filepath.Dir(name) {
				break
			}
		}
	}
	for _, fresh := range moved {
		_ = os.MkdirAll(filepath.Dir(fresh), 0o777) // a failure shows when the file is written
	}
	return arguments, copies
}

// replace changes the value of the flags that name a file: --flag value or
// --flag=value.
func replace(arguments []string, name, fresh string) bool {
	found := false
	for i, argument := range arguments {
		flag, value, joined := strings.Cut(argument, "=")
		switch {
		case joined && strings.HasPrefix(flag, "--") && filepath.Clean(value) == filepath.Clean(name):
			arguments[i], found = flag+"="+fresh, true
		case i > 0 && strings.HasPrefix(arguments[i-1], "--") && filepath.Clean(argument) == filepath.Clean(name):
			arguments[i], found = fresh, true
		}
	}
	return found
}

// compare holds the files of the second run against the recorded hashes.
func (o *rerunOptions) compare(m *manifest.Manifest, copies []string) error {
	again := map[string]manifest.File{}
	second, err := manifest.Read(copies[0] + manifest.Suffix)
	if err != nil {
		return environmentFailed("the second run left no manifest: %w", reason(err))
	}
	for _, file := range second.Outputs {
		again[filepath.Clean(file.Name)] = file
	}
	list := &records{name: "files", group: -1, fields: []recordField{
		{name: "file", heading: "file"}, {name: "recorded"}, {name: "repeated"}, {name: "verdict", heading: "verdict"},
	}}
	different := 0
	for k, file := range m.Outputs {
		repeated, verdict := again[filepath.Clean(copies[k])], "identical"
		switch {
		case repeated.Content != file.Content:
			verdict = "different"
			different++
		case repeated.SHA256 != file.SHA256:
			verdict = "identical but for the clock"
		}
		list.rows = append(list.rows, []any{file.Name, file.Content, repeated.Content, verdict})
	}
	r := &report{command: "rerun", records: list, status: "repeated"}
	if different > 0 {
		r.status = "different"
	}
	r.work = []fact{{"of", m.Command}, {"compared", len(m.Outputs)}, {"different", different}}
	r.addWarnings(programDifferences(m.Program, manifest.ThisProgram(programVersion()))...)
	if err := o.show(r); err != nil {
		return err
	}
	if different > 0 {
		return &failure{exitValidation, fmt.Errorf("%d of %d files differ", different, len(m.Outputs))}
	}
	return nil
}

// programDifferences says in what the program differs from that of the
// manifest.
func programDifferences(then, now manifest.Program) []string {
	var texts []string
	say := func(what, a, b string) {
		if a != b {
			texts = append(texts, fmt.Sprintf("%s was %s, now it is %s", what, a, b))
		}
	}
	say("the architecture", then.OS+"/"+then.Arch, now.OS+"/"+now.Arch)
	say("the Go version", then.Go, now.Go)
	say("the program's version", then.Version, now.Version)
	if len(texts) == 0 && !then.SameCode(now) {
		texts = append(texts, "the program was built from other source, or in another way")
	}
	return texts
}
