package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"qlimit/ctmc"
	"qlimit/internal/wholefile"
	"qlimit/validate/sim"
)

// samplesOptions are those of a file of occupancy samples.
type samplesOptions struct {
	file  string
	count int64
	every float64
}

func (o *samplesOptions) addTo(flags *pflag.FlagSet) {
	o.count = 100_000
	flags.Var(&fileName{&o.file}, "samples", "write samples of the occupancy on one path to this `FILE.csv`, instead of estimates (docs/outputtest.md)")
	flags.Var(&count{&o.count, 1, 10_000_000, "an integer between 1 and 1e7"}, "sample-count", "`number` of samples")
	flags.Var(&decimal{target: &o.every, accept: positive, allowed: "a number > 0"}, "sample-every", "`time` between samples; default: one mean service time")
}

// runSamples writes the file and reports how it came about.
func (o *simulateOptions) runSamples(ctx context.Context) error {
	system, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	start, startName, err := chooseStart(system, o.start)
	if err != nil {
		return err
	}
	if err := wholefile.Check(o.samples.file); err != nil {
		return environmentFailed("cannot write --samples %s: %w", o.samples.file, reason(err))
	}
	settings := sim.SnapshotSettings{Seed: o.seed, Start: start, Every: o.samples.every, Count: o.samples.count}
	if settings.Every == 0 {
		settings.Every = system.Service.Mean()
	}
	if settings.WarmUp = max(0, o.warmUp.setting()); o.warmUp == (warmUpTime{}) {
		settings.WarmUp = settings.Every * (float64(settings.Count) / 10)
	}
	started := time.Now()
	table := newOccupancyTable(system)
	progress := o.newProgress("simulating")
	settings.Progress = func(done, total float64, _ string) { progress.report(done/total, "") }
	err = sim.Snapshots(ctx, system, settings, func(time float64, counts []int64) error {
		return table.add(time, counts)
	})
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	if err := wholefile.Stream(o.samples.file, table.write); err != nil {
		return environmentFailed("cannot write --samples %s: %w", o.samples.file, reason(err))
	}
	if err := o.record.saved(o.samples.file, nil); err != nil {
		return err
	}
	return o.show(&report{command: "simulate", system: &system, status: "completed", work: []fact{
		{"samples", o.samples.file}, {"rows", table.rows}, {"columns", table.classes + 1},
		{"every", settings.Every}, {"warmup", settings.WarmUp}, {"start", startName},
		{"seed", o.seed}, {"seconds", time.Since(started).Seconds()},
	}})
}

// occupancyTable holds rows of counts without the empty classes at their ends,
// until it is known how many classes there are.
type occupancyTable struct {
	phases  int
	classes int
	rows    int64
	text    bytes.Buffer
	field   []byte
}

func newOccupancyTable(s ctmc.System) *occupancyTable {
	return &occupancyTable{phases: s.Phases(), classes: 1 + s.Phases()}
}

// add keeps the text of a row until the number of columns is known; no more than
// validate --stein reads.
func (t *occupancyTable) add(time float64, counts []int64) error {
	t.rows++
	t.classes = max(t.classes, len(counts))
	t.field = strconv.AppendFloat(t.field[:0], time, 'g', 12, 64)
	for _, n := range counts {
		t.field = strconv.AppendInt(append(t.field, ','), n, 10)
	}
	t.text.Write(append(t.field, '\n'))
	if int64(t.text.Len()) > mostSampleBytes {
		return badRequest("the samples take more than %d GiB after %d rows: give a smaller --sample-count", int64(mostSampleBytes)>>30, t.rows)
	}
	return nil
}

func (t *occupancyTable) write(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, "time,idle")
	for class := 1; class < t.classes; class++ {
		if t.phases == 1 {
			fmt.Fprintf(out, ",%d", class)
		} else {
			fmt.Fprintf(out, ",%d.%d", (class+1)/2, 2-class%2)
		}
	}
	fmt.Fprintln(out)
	empty := bytes.Repeat([]byte(",0"), t.classes)
	for line := range bytes.Lines(t.text.Bytes()) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		missing := t.classes - bytes.Count(line, []byte(","))
		_, _ = out.Write(line)
		_, _ = out.Write(empty[:2*missing])
		_ = out.WriteByte('\n')
	}
	return out.Flush() // keeps the first error
}
