package sweep

import (
	"fmt"
	"strings"
)

// Job says how a cluster is to run a sweep.
type Job struct {
	Program   string // path of the program, or its name on the PATH
	Plan      string // file of the plan
	Cells     string // directory of the cells
	Output    string // file of the merged result
	Format    string // of the merged result
	Shards    int    // tasks of the array
	Threads   int    // cores of a task
	Memory    string // of a task, such as 2G; "" = the cluster's default
	Limit     string // of a task on the clock, such as 1:00:00; "" = the cluster's default
	Partition string // "" = the cluster's default
}

// SlurmScript is a shell script that submits a job array, one task for each
// shard, and a job that merges once all tasks have ended well. Run again after
// a failure it computes only what is missing.
func SlurmScript(j Job) string {
	options := fmt.Sprintf(" --cpus-per-task=%d", j.Threads)
	for _, o := range []struct{ flag, value string }{{"mem", j.Memory}, {"time", j.Limit}, {"partition", j.Partition}} {
		if o.value != "" {
			options += " --" + o.flag + "=" + Quote(o.value)
		}
	}
	return fmt.Sprintf(`#!/bin/sh
# Submits the cells of %[2]s as a job array and their merge after it.
# Submitted again after a failure it computes only the cells that are missing.
set -eu

array=$(sbatch --parsable --job-name=qlimit-sweep --array=1-%[5]d%[8]s <<'TASK'
#!/bin/sh
exec %[1]s sweep run %[2]s --cells %[3]s --shard "$SLURM_ARRAY_TASK_ID/%[5]d" --threads %[7]d
TASK
)
array=${array%%%%;*}

merge=$(sbatch --parsable --job-name=qlimit-merge --dependency=afterok:"$array" --kill-on-invalid-dep=yes <<'TASK'
#!/bin/sh
exec %[1]s sweep merge %[2]s --cells %[3]s --format %[6]s --output %[4]s
TASK
)
echo "cells: job $array, merge: job ${merge%%%%;*}"
`, Quote(j.Program), Quote(j.Plan), Quote(j.Cells), Quote(j.Output), j.Shards, j.Format, j.Threads, options)
}

// Quote makes one word of a text for a POSIX shell.
func Quote(text string) string {
	plain := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./:,+@%", c)
	}
	if text != "" && strings.IndexFunc(text, func(c rune) bool { return !plain(c) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
