package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/internal/manifest"
	"qlimit/internal/sweep"
)

func newSweepCommand(env *environment) *cobra.Command {
	c := group("sweep", "One command over many parameter values, on one machine or many", `A sweep runs one command for every combination of parameter values.

plan makes an immutable list of cells from a file; run computes a shard of them,
one file for each cell, and skips what is finished; merge checks that nothing is
missing and reduces the cells in the order of the plan: the same bytes however
the cells were shared out. slurm prints a job array that does it all.`,
		newSweepPlanCommand(env),
		newSweepRunCommand(env),
		newSweepMergeCommand(env),
		newSweepSlurmCommand(env),
	)
	c.Example = `  qlimit sweep plan three.toml --output three.json
  qlimit sweep run three.json
  qlimit sweep merge three.json --format csv --output three.csv`
	return c
}

func newSweepPlanCommand(env *environment) *cobra.Command {
	var name string
	c := leaf(&cobra.Command{
		Use:   "plan SWEEP.toml",
		Short: "Make the list of cells of a sweep",
		Long: `Make a plan from a sweep file:

  title = "Three policies"
  command = "simulate"            # any command that prints quantities or rows
  seed = 1                        # replicates have this seed and the next ones
  replicates = 2                  # runs of each combination, pooled by merge

  [fixed]                         # flags that stay the same
  events = 1e6

  [[grid]]                        # every combination of these is a cell
  policy = ["jsq", "jiq", "i1f"]
  servers = [10, 100]
  load = [0.8, 0.9]

Several [[grid]] tables add up. The id of a cell is its place in the plan and the
hash of its parameters and of the program's code; a plan is for one build of the
program and is never changed.`,
		Example: `  qlimit sweep plan three.toml --output three.json`,
	}, func(context.Context) error {
		plan, err := env.makePlan(name)
		if err != nil {
			return err
		}
		if env.output == "" {
			text, err := plan.Text()
			if err != nil {
				return err
			}
			return env.deliver(text, nil)
		}
		if err := plan.Write(env.output); err != nil {
			return environmentFailed("cannot write --output %s: %w", env.output, reason(err))
		}
		return nil
	})
	c.Args = oneFile(&name, "one sweep file (SWEEP.toml)")
	return c
}

// oneFile takes the name of one file as the only argument.
func oneFile(name *string, what string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != 1 || args[0] == "" {
			return badRequest("%s takes %s", c.CommandPath(), what)
		}
		*name = args[0]
		return nil
	}
}

func (env *environment) makePlan(name string) (*sweep.Plan, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, badRequest("cannot read %s: %w", name, reason(err))
	}
	defer file.Close()
	spec, err := sweep.ParseSpec(file)
	if err != nil {
		return nil, badRequest("%s: %w", name, err)
	}
	if err := checkSpec(spec); err != nil {
		return nil, badRequest("%s: %w", name, err)
	}
	return sweep.NewPlan(spec, manifest.ThisProgram(programVersion()))
}

// noCell are the commands that have no outcome to put into a table.
var noCell = []string{"sweep", "rerun", "cite", "version", "completion", "help", "figure"}

// checkSpec reads the flags of a sweep as the command will: each fixed value
// and each value of a grid once, the rest is found when a cell runs.
func checkSpec(s sweep.Spec) error {
	check := func(flags []sweep.Flag) error {
		root := newRoot(&environment{format: formatTable, seed: 1})
		command, rest, err := root.Find(s.Command)
		if err != nil || len(rest) > 0 || command.HasSubCommands() && command.Name() != "simulate" {
			return fmt.Errorf("command = %q (must be a command that computes something, such as simulate or ctmc stationary)", strings.Join(s.Command, " "))
		}
		for _, name := range noCell {
			if s.Command[0] == name {
				return fmt.Errorf("command = %q (must be a command that prints quantities or rows)", strings.Join(s.Command, " "))
			}
		}
		var arguments []string
		for _, f := range flags {
			arguments = append(arguments, "--"+f.Name+"="+f.Value)
		}
		if err := command.ParseFlags(arguments); err != nil {
			return explainFlagError(command, err)
		}
		return nil
	}
	if err := check(s.Fixed); err != nil {
		return err
	}
	for _, axes := range s.Grids {
		for _, axis := range axes {
			for _, value := range axis.Values {
				if err := check([]sweep.Flag{{Name: axis.Name, Value: value}}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// sweepFiles are where a sweep stands.
type sweepFiles struct {
	plan, cells string
}

func (f *sweepFiles) addTo(c *cobra.Command) {
	c.Args = oneFile(&f.plan, "one plan (PLAN.json)")
	c.Flags().Var(&fileName{&f.cells}, "cells", "`directory` of the cells' files; default: the plan's name with .cells for .json")
	_ = c.MarkFlagDirname("cells")
}

func (f *sweepFiles) directory() string {
	if f.cells != "" {
		return f.cells
	}
	return strings.TrimSuffix(f.plan, filepath.Ext(f.plan)) + ".cells"
}

func (f *sweepFiles) read() (*sweep.Plan, error) {
	plan, err := sweep.ReadPlan(f.plan)
	if err != nil {
		return nil, badRequest("cannot use %s: %w", f.plan, reason(err))
	}
	return plan, nil
}

func newSweepRunCommand(env *environment) *cobra.Command {
	files, shard := &sweepFiles{}, sweep.Shard{K: 1, N: 1}
	c := leaf(&cobra.Command{
		Use:   "run PLAN.json",
		Short: "Compute the cells of a shard that have no file yet",
		Long: `Compute the cells of a shard, one after the other, and write a file for each as
soon as it is finished, all or nothing: a run that was stopped, killed or failed
goes on where it was. Shards may run at the same time, on one machine or many,
with one directory.

A cell that cannot be computed is left out and named; the others go on. The exit
code is then that of the first such cell.`,
		Example: `  qlimit sweep run three.json
  qlimit sweep run three.json --shard 3/16 --threads 1`,
	}, func(ctx context.Context) error { return env.runShard(ctx, files, shard) })
	files.addTo(c)
	c.Flags().Var(&shardValue{&shard}, "shard", "`part` K/N of the cells, such as 3/16")
	return c
}

func (env *environment) runShard(ctx context.Context, files *sweepFiles, shard sweep.Shard) error {
	plan, err := files.read()
	if err != nil {
		return err
	}
	if !plan.Program.SameCode(manifest.ThisProgram(programVersion())) {
		return badRequest("%s was made by another build of the program (make a new plan with sweep plan: results of two builds are never mixed)", files.plan)
	}
	if err := env.checkOutput(); err != nil {
		return err
	}
	progress := env.newProgress("computing cells")
	did, err := plan.Run(ctx, files.directory(), shard, env.computeCell, func(done, total int) {
		progress.report(float64(done)/float64(max(total, 1)), fmt.Sprintf("%d of %d", done, total))
	})
	progress.close()
	switch {
	case wasInterrupted(err):
		return &failure{exitInterrupted, fmt.Errorf("interrupted: %d of %d cells of the shard are finished", did.Finished+did.Computed, did.Cells)}
	case err != nil:
		return environmentFailed("%w", reason(err))
	}
	r := &report{command: "sweep run"}
	r.work = []fact{
		{"plan", plan.ID}, {"cells", len(plan.Cells)}, {"shard", fmt.Sprintf("%d/%d", shard.K, shard.N)}, {"cells_of_shard", did.Cells},
		{"finished_before", did.Finished}, {"computed", did.Computed}, {"failed", len(did.Failed)},
	}
	for _, f := range did.Failed {
		r.addWarnings(fmt.Sprintf("cell %s failed: %v", f.Cell.ID, f.Err))
	}
	if err := env.show(r); err != nil {
		return err
	}
	if len(did.Failed) > 0 {
		first := did.Failed[0]
		return &failure{exitCode(first.Err), fmt.Errorf("%d of %d cells failed; the first, %s: %w", len(did.Failed), did.Cells, first.Cell.ID, first.Err)}
	}
	return nil
}

// computeCell runs a command within this process. A result counts even where
// theory disagreed or an iteration did not converge; it keeps the exit code.
func (env *environment) computeCell(ctx context.Context, arguments []string) (sweep.Outcome, error) {
	var text []byte
	var complaints strings.Builder
	inner := &environment{stdout: &watchedWriter{to: &strings.Builder{}}, stderr: &complaints, format: formatTable, seed: 1}
	inner.capture = func(content []byte) { text = content }
	arguments = append(arguments, "--format=csv", "--quiet", "--threads="+strconv.Itoa(env.threads))
	code := inner.run(ctx, arguments)
	if text == nil || code == exitRequest || code == exitEnvironment || code == exitInterrupted {
		said := strings.TrimPrefix(strings.TrimSpace(complaints.String()), "qlimit: ")
		if said == "" {
			said = "the command printed no result"
		}
		return sweep.Outcome{}, &failure{max(code, exitEnvironment), errors.New(said)}
	}
	return outcomeOf(code, text)
}

// shardValue is K/N.
type shardValue struct{ target *sweep.Shard }

func (v *shardValue) Set(text string) error {
	first, second, found := strings.Cut(text, "/")
	k, ok1 := parseCount(first)
	n, ok2 := parseCount(second)
	if !found || !ok1 || !ok2 || n < 1 || n > sweep.MaxCells || k < 1 || k > n {
		return refuse(text, fmt.Sprintf("K/N with integers 1 <= K <= N <= %d", sweep.MaxCells))
	}
	*v.target = sweep.Shard{K: int(k), N: int(n)}
	return nil
}

func (v *shardValue) Type() string { return "part" }
func (v *shardValue) explains()    {}
func (v *shardValue) String() string {
	if v.target == nil || v.target.N == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", v.target.K, v.target.N)
}

func newSweepMergeCommand(env *environment) *cobra.Command {
	files := &sweepFiles{}
	c := leaf(&cobra.Command{
		Use:   "merge PLAN.json",
		Short: "Reduce the cells of a finished sweep to one table",
		Long: `Check that every cell has its file, then print one table: the parameters that
vary, and beside them what the command printed for them in CSV, without what the
clock measured. Replicates are pooled: the mean of the estimates, with the half
width of that mean.

Cells that are missing or damaged are listed, with exit code 3 and without a
result.`,
		Example: `  qlimit sweep merge three.json --format csv --output three.csv`,
	}, func(context.Context) error { return env.mergeSweep(files) })
	files.addTo(c)
	return c
}

func (env *environment) mergeSweep(files *sweepFiles) error {
	plan, err := files.read()
	if err != nil {
		return err
	}
	merged, missing, err := plan.Merge(files.directory())
	switch {
	case err != nil:
		return badRequest("%w", err)
	case len(missing) > 0:
		return env.listMissing(plan, missing)
	}
	list := &records{name: "rows", group: -1}
	for _, name := range merged.Header {
		list.fields = append(list.fields, recordField{name: name, heading: name})
	}
	for _, row := range merged.Rows {
		values := make([]any, len(row))
		for k, text := range row {
			values[k] = numberOrText(text)
		}
		list.rows = append(list.rows, values)
	}
	r := &report{command: "sweep merge", records: list, status: "complete"}
	r.work = []fact{{"title", plan.Title}, {"of", strings.Join(plan.Command, " ")}, {"plan", plan.ID}, {"cells", len(plan.Cells)}, {"replicates", plan.Replicates}}
	for _, c := range merged.NotExit0 {
		r.addWarnings(fmt.Sprintf("cell %s did not end with exit code 0: run its command to see why", c.ID))
	}
	return env.show(r)
}

// numberOrText keeps the digits of a number as they are.
func numberOrText(text string) any {
	if text == "" {
		return nil
	}
	if json.Valid([]byte(text)) {
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			return json.Number(text)
		}
	}
	return text
}

// listMissing prints the cells without a file; --output gets nothing.
func (env *environment) listMissing(plan *sweep.Plan, missing []sweep.Missing) error {
	list := &records{name: "missing", group: -1, fields: []recordField{
		{name: "cell", heading: "cell"}, {name: "arguments", heading: "command"}, {name: "reason", heading: "reason"},
	}}
	for _, m := range missing {
		why := m.Reason.Error()
		if errors.Is(m.Reason, os.ErrNotExist) {
			why = "no file"
		}
		list.rows = append(list.rows, []any{m.Cell.ID, strings.Join(plan.Arguments(m.Cell), " "), why})
	}
	env.output = ""
	if err := env.show(&report{command: "sweep merge", records: list, status: "incomplete"}); err != nil {
		return err
	}
	return &failure{exitValidation, fmt.Errorf("%d of %d cells are missing or damaged (sweep run computes them)", len(missing), len(plan.Cells))}
}

func newSweepSlurmCommand(env *environment) *cobra.Command {
	files, job := &sweepFiles{}, sweep.Job{Program: "qlimit", Shards: 1, Threads: 1}
	c := leaf(&cobra.Command{
		Use:   "slurm PLAN.json",
		Short: "Print a script that submits a sweep to a Slurm cluster",
		Long: `Print a shell script that submits a job array, one task for each shard, and a job
that merges when all tasks have ended well. After a failed task the merge is
cancelled; the same script submitted again computes only what is missing.`,
		Example: `  qlimit sweep slurm three.json --shards 16 --time 0:30:00 --memory 2G --merged three.csv > submit.sh`,
	}, func(context.Context) error {
		plan, err := files.read()
		if err != nil {
			return err
		}
		if job.Shards > len(plan.Cells) {
			return badRequest("shards = %d (must be at most the number of cells, %d)", job.Shards, len(plan.Cells))
		}
		job.Plan, job.Cells = files.plan, files.directory()
		if job.Output == "" {
			job.Output = strings.TrimSuffix(files.plan, filepath.Ext(files.plan)) + ".csv"
		}
		job.Format = formatOfFile(job.Output)
		text := []byte(sweep.SlurmScript(job))
		return env.deliver(text, nil)
	})
	files.addTo(c)
	flags := c.Flags()
	flags.Var(&countInt{&job.Shards, 1, 1000, "an integer between 1 and 1000"}, "shards", "`number` of tasks of the array")
	flags.Var(&countInt{&job.Threads, 1, 1024, "an integer between 1 and 1024"}, "cores", "`cores` of a task")
	flags.StringVar(&job.Memory, "memory", "", "memory of a task, such as 2G")
	flags.StringVar(&job.Limit, "time", "", "limit of a task on the clock, such as 1:00:00")
	flags.StringVar(&job.Partition, "partition", "", "partition of the cluster")
	flags.StringVar(&job.Program, "program", job.Program, "path of the program on the cluster")
	flags.Var(&fileName{&job.Output}, "merged", "`file` of the merged result; .csv, .json, .md or .txt say its format")
	return c
}

func formatOfFile(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".json":
		return formatJSON
	case ".md":
		return formatMarkdown
	case ".txt":
		return formatTable
	}
	return formatCSV
}
