package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/internal/wholefile"
	"qlimit/validate"
	"qlimit/validate/figure"
)

// figureOptions are the flags that all figures share.
type figureOptions struct {
	*environment
	data string // file for the plotted series as CSV, "" for none

	directory string // for the figure in every format, "" for none
	name      string // of the command

	size string // "" = that of the figure

	drawing *progress // while the figure is computed
}

func newFigureCommand(env *environment) *cobra.Command {
	figures := []*cobra.Command{
		newPlotFigureCommand(env),
		liuGongYing.of("fluid", newTrajectoryFigureCommand(env)),
		mitzenmacher.of("tails", newTailFigureCommand(env)),
		gast2017.of("error", newExpansionErrorFigureCommand(env)),
		gast2017.of("means", newExpansionMeansFigureCommand(env)),
		gast2019.of("transient", newExpansionPathFigureCommand(env)),
		hellemans.of("response", newLeastLoadedFigureCommand(env)),
		guptaWalton.of("densities", newDensitiesFigureCommand(env)),
		guptaWalton.of("price", newPriceFigureCommand(env)),
		guptaWalton.of("response", newDelayLawFigureCommand(env)),
		guptaWalton.of("growth", newGrowthFigureCommand(env)),
		guptaWalton.of("variability", newVariabilityFigureCommand(env)),
		guptaWalton.of("transient", newFanFigureCommand(env)),
		newChainTotalFigureCommand(env),
		newResponseTailFigureCommand(env),
		liuGongYing.of("bounds", newSteinFigureCommand(env)),
		liuGongYing.of("collapse", newCollapseFigureCommand(env)),
		zhou2017.of("class-pi", newClassPiFigureCommand(env)),
		gamarnik2020.of("delay", newDelayFigureCommand(env)),
		gamarnik2020.of("map", newMapFigureCommand(env)),
		gamarnik2018.of("pull", newPullSurfaceCommand(env)),
		zhou2021.of("heavy-traffic", newHeavyTrafficFigureCommand(env)),
	}
	figures = append(figures, newSlottedFigureCommands(env)...)
	c := group("figure", "Draw a figure, or list the plotted series", `Draw a figure as PDF, SVG, PNG (300 dpi) or TeX by the extension of --output.
Without --output the plotted series are printed in the chosen --format; --data
also writes them as a CSV file. --output-dir writes all formats, the series and a
manifest. Each figure is known by its paper too, as in figure gupta-walton-2019-price.`,
		newAllFiguresCommand(env),
		leaf(&cobra.Command{Use: "list", Short: "List the figures"}, func(context.Context) error { return listFigures(env, figures) }))
	c.AddCommand(figures...)
	c.ValidArgsFunction = completeFigures
	return c
}

func listFigures(env *environment, figures []*cobra.Command) error {
	list := &records{name: "figures", group: -1, fields: []recordField{{name: "name", heading: "name"}, {name: "paper", heading: "paper"}, {name: "by_paper"}, {name: "about", heading: "about"}}}
	for _, f := range figures {
		row := []any{f.Name(), nil, nil, f.Short}
		if len(f.Aliases) > 0 {
			row[1], row[2] = f.Annotations[paperName], f.Aliases[0]
		}
		list.rows = append(list.rows, row)
	}
	list.notes = []fact{{"by paper", "every figure has a second name made of authors, year and subject, such as gupta-walton-2019-price: by_paper in --format csv or json"}}
	return env.show(&report{command: "figure list", records: list})
}

func newTrajectoryFigureCommand(env *environment) *cobra.Command {
	o := &figureOptions{environment: env}
	path := &pathFlags{}
	until := 0.0
	c := leaf(&cobra.Command{
		Use:   "trajectory",
		Short: "Levels of the mean-field limit against time, regime changes marked",
		Example: `  qlimit figure trajectory --policy jsq --load 0.9 --service erlang2 --buffer 6 --start jobs=2 --until 20 --output path.pdf
  qlimit figure trajectory --policy pod:d=2 --load 0.9 --until 30 --format csv`,
	}, func(ctx context.Context) error {
		f, err := trajectoryFigure(ctx, env, path, until)
		if err != nil {
			return err
		}
		return o.deliverFigure(f)
	})
	path.addTo(c)
	c.Flags().Var(&decimal{target: &until, accept: positive, allowed: "a number > 0"}, "until", "last `time`; default 20 mean service times")
	o.addTo(c)
	return c
}

// figureSizes are the sizes by name.
var figureSizes = map[string]figure.Size{"single": figure.SingleColumn, "double": figure.DoubleColumn, "screen": figure.Screen}

func (o *figureOptions) addTo(c *cobra.Command) {
	c.Flags().Var(&fileName{&o.data}, "data", "also write the plotted series as CSV into `file`")
	c.Flags().Var(&fileName{&o.directory}, "output-dir", "write PDF, SVG, PNG, TeX and the series as CSV, named after the figure, into `directory`")
	_ = c.MarkFlagDirname("output-dir")
	o.name = c.Name()
	addFigureSize(c, &o.size)
}

func addFigureSize(c *cobra.Command, size *string) {
	sizes := slices.Sorted(maps.Keys(figureSizes))
	c.Flags().Var(&choice{size, sizes}, "size", "`size`: single (85 mm wide, one column), double (178 mm) or screen (8 inches)")
}

// trajectoryFigure follows the path at the times --at or on a grid.
func trajectoryFigure(ctx context.Context, env *environment, flags *pathFlags, until float64) (*figure.Figure, error) {
	times := slices.Clone(flags.at)
	switch {
	case len(times) > 0 && until > 0:
		return nil, badRequest("--at and --until were both given (give one of them)")
	case len(times) == 1:
		return nil, badRequest("at = %g (must be at least two times for a figure, or give --until)", times[0])
	case len(times) == 0:
		system, err := flags.system.system(limitPath)
		if err != nil {
			return nil, err
		}
		times = validate.TrajectoryTimes(system, until)
	}
	system, path, err := flags.follow(ctx, env, times)
	if err != nil {
		return nil, err
	}
	if !path.Status.OK() {
		return nil, notConverged("the integration ended early (%s) at time %g: %s", path.Status, path.Reached, strings.Join(path.Warnings, "; "))
	}
	return validate.TrajectoryFigure(system, path)
}

// deliverFigure writes the figure into --output, or prints its series.
func (o *figureOptions) deliverFigure(f *figure.Figure) error {
	if size, given := figureSizes[o.size]; given {
		f.Size = size
	}
	if err := f.Validate(); err != nil {
		return badRequest("%w", err)
	}
	if o.directory != "" {
		return o.writeAlbum(f, o.name)
	}
	if o.data != "" {
		if o.data == o.output {
			return badRequest("--data and --output name the same file, %s", o.data)
		}
		if err := dataProblem(o.data, wholefile.Check(o.data)); err != nil {
			return err
		}
	}
	if err := o.drawOrPrint(f); err != nil {
		return err
	}
	if o.data == "" {
		return nil
	}
	if err := dataProblem(o.data, f.WriteDataFile(o.data)); err != nil {
		return err
	}
	return o.record.saved(o.data, nil)
}

func dataProblem(name string, err error) error {
	if err == nil {
		return nil
	}
	return environmentFailed("cannot write --data %s: %w", name, reason(err))
}

func (o *figureOptions) drawOrPrint(f *figure.Figure) error {
	if o.output == "" {
		return o.show(o.figureReport(f))
	}
	extension := filepath.Ext(o.output)
	if _, err := figure.ParseFormat(extension); err != nil {
		if slices.Contains([]string{".json", ".csv", ".md", ".txt"}, strings.ToLower(extension)) {
			return o.show(o.figureReport(f)) // the series, in the format of --format
		}
		return badRequest("output = %q (must end in .pdf, .svg, .png or .tex for a figure, .csv or .json for its series)", o.output)
	}
	if err := f.WriteFile(o.output); err != nil {
		return outputProblem(o.output, err)
	}
	for _, warning := range f.Warnings {
		complain(o.stderr, warning)
	}
	return o.record.saved(o.output, nil)
}

// figureReport lists the plotted series point by point.
func (o *figureOptions) figureReport(f *figure.Figure) *report {
	list := &records{name: "points", group: 0, fields: []recordField{
		{name: "series"}, {name: "x", heading: f.X.Label}, {name: "y", heading: f.Y.Label},
		{name: "low"}, {name: "high"}, {name: "kind", heading: "kind"},
	}}
	for _, s := range f.Series {
		for i := range s.X {
			row := []any{s.Name, s.X[i], nil, nil, nil, nil}
			if i < len(s.Y) {
				row[2] = s.Y[i]
			}
			if i < len(s.Low) {
				row[3], row[4] = s.Low[i], s.High[i]
			}
			if kind := s.KindAt(i); kind != 0 {
				row[5] = kind.String()
			}
			list.rows = append(list.rows, row)
		}
	}
	r := &report{command: "figure " + o.name, kind: f.Kind(), records: list}
	r.work = []fact{{"title", f.Title}, {"caption", f.Caption}}
	marks := []string{}
	for _, m := range f.Marks {
		marks = append(marks, fmt.Sprintf("%s at %s", m.Label, significant(m.At)))
	}
	r.work = append(r.work, fact{"marks", marks})
	r.addWarnings(f.Warnings...)
	return r
}
