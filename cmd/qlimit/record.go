package main

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/internal/manifest"
)

// record collects what the manifest of a run says.
type record struct {
	arguments []string
	started   time.Time
	outputs   []manifest.File

	endedByClock bool // the result depends on how fast the machine is
}

func (r *record) begin(arguments []string) {
	r.arguments, r.started = slices.Clone(arguments), time.Now()
}

// saved takes note of a file that has been written; content is what of it
// repeats, nil for all. Devices and pipes keep nothing, so they are no files.
func (r *record) saved(name string, content []byte) error {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	file, err := manifest.HashFile(name)
	if err != nil {
		return environmentFailed("cannot read back %s: %w", name, reason(err))
	}
	file.Content = file.SHA256
	if content != nil {
		file.Content = manifest.HashText(content)
	}
	r.outputs = append(r.outputs, file)
	return nil
}

// clockFlags end a run by the clock, so that it does not repeat.
var clockFlags = []string{"budget"}

// streamScheme says how random numbers derive from the seed.
const streamScheme = "PCG seeded by SHA-256 of (seed, cell, replication, purpose)"

// writeManifest writes the manifest of a run beside the first file it saved;
// a run that saved nothing, or ended without a result, has none.
func (env *environment) writeManifest(executed *cobra.Command, outcome error) error {
	if len(env.record.outputs) == 0 {
		return nil
	}
	code := exitDone
	if outcome != nil {
		code = exitCode(outcome)
	}
	m := env.runManifest(executed, code)
	name := env.record.outputs[0].Name + manifest.Suffix
	if err := m.Write(name); err != nil {
		return environmentFailed("cannot write the manifest %s: %w", name, reason(err))
	}
	return nil
}

// runManifest describes the run so far.
func (env *environment) runManifest(executed *cobra.Command, code int) manifest.Manifest {
	return manifest.Manifest{
		Schema:    manifest.Schema,
		Program:   manifest.ThisProgram(programVersion()),
		Command:   commandName(executed),
		Arguments: env.record.arguments,
		Settings:  settingsOf(executed),
		Seed:      env.seed,
		Streams:   streamScheme,
		Inputs:    inputsOf(env.record.arguments, env.record.outputs),
		Outputs:   env.record.outputs,
		Repeats:   code != exitInterrupted && !env.record.endedByClock && !slices.ContainsFunc(clockFlags, func(name string) bool { return changed(executed, name) }),
		ExitCode:  code,
		Seconds:   time.Since(env.record.started).Seconds(),
		Cites:     citationsOf(executed),
	}
}

// commandName is the path of a command without the program's name.
func commandName(c *cobra.Command) string {
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ")
}

func changed(c *cobra.Command, flag string) bool {
	f := c.Flags().Lookup(flag)
	return f != nil && f.Changed
}

// settingsOf lists every flag with its effective value, in the order of names.
func settingsOf(c *cobra.Command) []manifest.Setting {
	settings := []manifest.Setting{}
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			settings = append(settings, manifest.Setting{Name: f.Name, Value: f.Value.String(), Given: f.Changed})
		}
	})
	slices.SortFunc(settings, func(a, b manifest.Setting) int { return strings.Compare(a.Name, b.Name) })
	return settings
}

// inputsOf identifies the files that the arguments name: whole arguments, and
// what follows a "=" or ":" within them.
func inputsOf(arguments []string, outputs []manifest.File) []manifest.File {
	inputs := []manifest.File{}
	for _, argument := range arguments {
		for _, name := range candidateNames(argument) {
			written := func(f manifest.File) bool { return f.Name == name }
			if slices.ContainsFunc(outputs, written) || slices.ContainsFunc(inputs, written) {
				continue
			}
			if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
				continue
			}
			if file, err := manifest.HashFile(name); err == nil {
				inputs = append(inputs, file)
			}
		}
	}
	return inputs
}

func candidateNames(argument string) []string {
	names := []string{argument}
	for i, c := range argument {
		if c == '=' || c == ':' {
			names = append(names, argument[i+1:])
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}
