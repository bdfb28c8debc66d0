package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"qlimit/internal/wholefile"
	"qlimit/validate/figure"
)

// figureFormats are those that --output-dir writes.
var figureFormats = []figure.Format{figure.PDF, figure.SVG, figure.PNG, figure.TeX}

// writeAlbum writes a figure in every format, and its series, into a directory.
func (o *figureOptions) writeAlbum(f *figure.Figure, name string) error {
	if o.output != "" || o.data != "" {
		return badRequest("--output-dir and --output or --data were given (give one of them)")
	}
	if err := os.MkdirAll(o.directory, 0o777); err != nil {
		return environmentFailed("cannot create --output-dir %s: %w", o.directory, reason(err))
	}
	save := func(extension string, write func(file string) error) error {
		file := filepath.Join(o.directory, name+"."+extension)
		if err := write(file); err != nil {
			return environmentFailed("cannot write %s: %w", file, reason(err))
		}
		return o.record.saved(file, nil)
	}
	for _, format := range figureFormats {
		if err := save(format.String(), f.WriteFile); err != nil {
			return err
		}
	}
	for _, warning := range f.Warnings {
		complain(o.stderr, warning)
	}
	return save("csv", f.WriteDataFile)
}

type allFiguresOptions struct {
	*environment
	directory, size string
	quick           bool
}

// asked are the flags without which a figure has nothing to show, or takes long.
var asked = map[string]string{
	"trajectory":      "--policy jsq --load 0.9 --service erlang2 --buffer 6 --start jobs=2",
	"chain-total":     "--servers 5 --load 0.9 --buffer 5 --policies jsq;jiq;pod:d=2;random",
	"response-tail":   "--servers 5 --load 0.9 --buffer 5 --policies jsq;jiq;pod:d=2;random",
	"delay-resources": "--servers 10,100,1000,10000 --jobs 1e5",
	"collapse":        "--servers 20 --load 0.6 --buffer 2 --service coxian:mu1=2,p=0.4,mu2=0.8",
}

// quickly are the flags that make a simulated figure a sketch.
var quickly = []struct{ flag, value string }{
	{"events", "2e5"}, {"slots", "2e4"}, {"jobs", "1e4"},
}

func newAllFiguresCommand(env *environment) *cobra.Command {
	o := &allFiguresOptions{environment: env}
	c := leaf(&cobra.Command{
		Use:   "all",
		Short: "Draw every figure in every format, with its data and manifest, into a directory",
		Long: `Write every figure of the list into --output-dir: NAME.pdf, .svg, .png (300 dpi)
and .tex, the plotted series as NAME.csv and the manifest NAME.pdf.manifest.json,
which "rerun" takes. The same --seed gives the same bytes. --quick makes the
simulations short: sketches, not results.`,
	}, o.run)
	c.Flags().Var(&fileName{&o.directory}, "output-dir", "`directory` for the files, made if it is not there")
	_ = c.MarkFlagDirname("output-dir")
	c.Flags().BoolVar(&o.quick, "quick", false, "short simulations")
	addFigureSize(c, &o.size)
	return c
}

func (o *allFiguresOptions) run(ctx context.Context) error {
	if o.directory == "" {
		return badRequest("--output-dir is missing (must be a directory for the figures)")
	}
	list := &records{name: "figures", group: -1, fields: []recordField{
		{name: "name", heading: "name"}, {name: "file", heading: "file"}, {name: "seconds", heading: "seconds", text: func(row []any) string { return fmt.Sprintf("%.1f", row[2]) }},
	}}
	figures := drawnFigures(newFigureCommand(o.environment))
	progress := o.newProgress("drawing")
	defer progress.close()
	for i, c := range figures {
		progress.report(float64(i)/float64(len(figures)), c.Name())
		started := time.Now()
		if err := o.draw(ctx, c); err != nil {
			return err
		}
		list.rows = append(list.rows, []any{c.Name(), filepath.Join(o.directory, c.Name()+".pdf"), time.Since(started).Seconds()})
	}
	return o.show(&report{command: "figure all", records: list})
}

// drawnFigures are the members of a group that draw a figure by themselves.
func drawnFigures(group *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(group.Commands()), func(c *cobra.Command) bool {
		return c.Flags().Lookup("size") == nil || slices.Contains([]string{"plot", "all"}, c.Name())
	})
}

// draw runs one figure's command, so that its manifest is that of the command.
func (o *allFiguresOptions) draw(ctx context.Context, c *cobra.Command) error {
	arguments := append([]string{"figure", c.Name()}, strings.Fields(asked[c.Name()])...)
	for _, q := range quickly {
		if o.quick && c.Flags().Lookup(q.flag) != nil {
			arguments = append(arguments, "--"+q.flag+"="+q.value)
		}
	}
	if o.size != "" {
		arguments = append(arguments, "--size="+o.size)
	}
	arguments = append(arguments, "--output-dir="+o.directory, "--seed="+strconv.FormatUint(o.seed, 10), "--threads="+strconv.Itoa(o.threads), "--quiet")
	var complaints strings.Builder
	inner := &environment{stdout: &watchedWriter{to: &strings.Builder{}}, stderr: &complaints, format: formatTable, seed: 1}
	code := inner.run(ctx, arguments)
	said := strings.TrimSpace(complaints.String())
	if code != exitDone {
		return &failure{code, errors.New(c.Name() + ": " + strings.TrimPrefix(said, "qlimit: "))}
	}
	if said != "" {
		complain(o.stderr, c.Name()+": "+strings.TrimPrefix(said, "qlimit: "))
	}
	return nil
}

// checkAlbum finds out before long work whether the directory can be written.
func (o *figureOptions) checkAlbum(name string) error {
	if o.directory == "" {
		return nil
	}
	if err := os.MkdirAll(o.directory, 0o777); err != nil {
		return environmentFailed("cannot create --output-dir %s: %w", o.directory, reason(err))
	}
	if err := wholefile.Check(filepath.Join(o.directory, name+".pdf")); err != nil {
		return environmentFailed("cannot write into --output-dir %s: %w", o.directory, reason(err))
	}
	return nil
}
