package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/internal/sweep"
	"qlimit/internal/tomlerror"
	"qlimit/validate/figure"
)

// Limits of a plot's file.
const (
	maxPlotSize   = 1 << 20
	maxPlotPoints = 100_000
	maxPlotLines  = 24
)

// plotFile is a figure of the user's own: lines, each of which runs a command
// at every value of x.
type plotFile struct {
	Name    string           `toml:"name"`
	Title   string           `toml:"title"`
	Caption string           `toml:"caption"`
	X       plotAxis         `toml:"x"`
	Y       plotAxis         `toml:"y"`
	Fixed   map[string]any   `toml:"fixed"`
	Lines   []map[string]any `toml:"line"`
}

// plotAxis is an axis. X has values, or a range with a number of points; Y has
// the name of a quantity.
type plotAxis struct {
	Flag     string    `toml:"flag"`
	Quantity string    `toml:"quantity"`
	Label    string    `toml:"label"`
	Scale    string    `toml:"scale"`
	Values   []float64 `toml:"values"`
	From     *float64  `toml:"from"`
	To       *float64  `toml:"to"`
	Points   int       `toml:"points"`
	Min      *float64  `toml:"min"`
	Max      *float64  `toml:"max"`
}

// plotLine is one line: a command with its flags, and how to draw it.
type plotLine struct {
	command          []string
	label, style     string
	quantity, method string // "" = that of y, any
	group            int
	flags            []sweep.Flag
}

func newPlotFigureCommand(env *environment) *cobra.Command {
	o := &figureOptions{environment: env}
	name := ""
	c := leaf(&cobra.Command{
		Use:   "plot PLOT.toml",
		Short: "A figure of your own: any quantity of any command against any of its flags",
		Long: `Draw a figure from a file:

  title = "Mean response of three policies"
  [x]
  flag = "load"                   # load, servers, spare, ...; none with {x} below
  values = [0.5, 0.7, 0.8, 0.9]   # or from, to and points
  label = "load"
  [y]
  quantity = "mean_response"      # or tail.2: entry 2 of a vector
  scale = "log"
  [fixed]                         # flags of all lines
  servers = 100
  [[line]]                        # a list draws one line for each value
  command = "meanfield equilibrium"
  policy = ["jsq", "pod:d=2"]
  [[line]]
  command = "simulate"
  policy = ["jsq", "pod:d=2"]
  events = 1e6

{x} in a text stands for the value: policy = "pod:d={x}", at = "{x}",
service = "coxian:mean=1,scv={x}", policy = "jbt:d=2,T={x}". Simulated values are
points with their intervals, others lines; style = "line", "points" or
"line-points", label = "...", a quantity of its own, and of predict a method, may
be set. Lines of the same group = 1, 2, ...
share a colour; lists in different [[line]] tables are matched in their order.
A line without {x} is the same everywhere. A point whose command fails is left
out with a warning.`,
		Example: `  qlimit figure plot load.toml --output load.pdf --data load.csv`,
	}, func(ctx context.Context) error {
		f, warnings, err := o.plot(ctx, name)
		if err != nil {
			return err
		}
		for _, text := range warnings {
			complain(o.stderr, text)
		}
		return o.deliverFigure(f)
	})
	c.Args = oneFile(&name, "one plot file (PLOT.toml)")
	o.addTo(c)
	return c
}

func (o *figureOptions) plot(ctx context.Context, name string) (*figure.Figure, []string, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, nil, badRequest("cannot read %s: %w", name, reason(err))
	}
	defer file.Close()
	spec, err := parsePlot(file)
	if err != nil {
		return nil, nil, badRequest("%s: %w", name, err)
	}
	lines, err := spec.lines()
	if err != nil {
		return nil, nil, badRequest("%s: %w", name, err)
	}
	if err := o.checkOutput(); err != nil {
		return nil, nil, err
	}
	f, warnings, err := o.drawPlot(ctx, spec, lines)
	if err != nil && !wasInterrupted(err) {
		return nil, nil, badRequest("%s: %w", name, err)
	}
	return f, warnings, err
}

func parsePlot(r io.Reader) (*plotFile, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxPlotSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxPlotSize {
		return nil, fmt.Errorf("larger than %d bytes", maxPlotSize)
	}
	p := &plotFile{}
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(p); err != nil {
		return nil, tomlerror.Readable(err)
	}
	return p, p.check()
}

func (p *plotFile) check() error {
	for _, a := range []*plotAxis{&p.X, &p.Y} {
		if a.Scale != "" && a.Scale != "linear" && a.Scale != "log" {
			return fmt.Errorf("scale = %q (must be linear or log)", a.Scale)
		}
	}
	switch {
	case p.Y.Quantity == "":
		return errors.New("y.quantity is missing (the name of a quantity, such as mean_jobs)")
	case p.Y.Flag != "" || p.X.Quantity != "" || len(p.Y.Values) > 0:
		return errors.New("x has a flag and values, y has a quantity")
	case len(p.Lines) == 0:
		return errors.New("no [[line]] table (must be at least one)")
	}
	if len(p.X.Values) == 0 {
		return p.X.spread()
	}
	if p.X.From != nil || p.X.To != nil || p.X.Points != 0 {
		return errors.New("x has values and a range (give one of them)")
	}
	for _, x := range p.X.Values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("x.values holds %g (must be finite)", x)
		}
	}
	return nil
}

// spread fills in the values of a range, evenly on the axis.
func (a *plotAxis) spread() error {
	if a.From == nil || a.To == nil || a.Points < 2 || a.Points > maxPlotPoints || !(*a.From < *a.To) {
		return fmt.Errorf("x has no values (must have values, or from < to and 2 to %d points)", maxPlotPoints)
	}
	if math.IsInf(*a.To-*a.From, 0) {
		return fmt.Errorf("x from %g to %g (must be finite, with a finite distance)", *a.From, *a.To)
	}
	if a.Scale == "log" && *a.From <= 0 {
		return fmt.Errorf("x.from = %g (must be > 0 on a log scale)", *a.From)
	}
	for i := range a.Points {
		share := float64(i) / float64(a.Points-1)
		x := *a.From + share*(*a.To-*a.From)
		if a.Scale == "log" {
			x = *a.From * math.Pow(*a.To / *a.From, share)
		}
		a.Values = append(a.Values, x)
	}
	a.Values[0], a.Values[a.Points-1] = *a.From, *a.To
	return nil
}

// lines spells out the lists of the line tables.
func (p *plotFile) lines() ([]plotLine, error) {
	fixed, err := plotFlags(p.Fixed, nil)
	if err != nil {
		return nil, fmt.Errorf("[fixed]: %w", err)
	}
	var lines []plotLine
	for i, table := range p.Lines {
		more, err := expandLine(table, fixed)
		if err != nil {
			return nil, fmt.Errorf("[[line]] %d: %w", i+1, err)
		}
		lines = append(lines, more...)
	}
	if len(lines) > maxPlotLines || len(lines)*len(p.X.Values) > maxPlotPoints {
		return nil, fmt.Errorf("%d lines of %d points (must be at most %d lines and %d points)", len(lines), len(p.X.Values), maxPlotLines, maxPlotPoints)
	}
	usesX := func(line plotLine) bool {
		return slices.ContainsFunc(line.flags, func(f sweep.Flag) bool { return strings.Contains(f.Value, "{x}") })
	}
	if slices.ContainsFunc(lines, usesX) == (p.X.Flag != "") {
		return nil, errors.New("x must be the value of x.flag or stand as {x} in a flag, one of them")
	}
	return lines, nil
}

// plotWords are the keys of a line that are no flags.
var plotWords = []string{"command", "label", "style", "quantity", "method", "group"}

func expandLine(table map[string]any, fixed []sweep.Flag) ([]plotLine, error) {
	text := func(key string) (string, error) {
		v, ok := table[key]
		if !ok {
			return "", nil
		}
		s, ok := v.(string)
		if !ok {
			return "", fmt.Errorf("%s = %v (must be a text)", key, v)
		}
		return s, nil
	}
	command, err1 := text("command")
	label, err2 := text("label")
	style, err3 := text("style")
	quantity, err4 := text("quantity")
	method, err5 := text("method")
	if err := cmp.Or(err1, err2, err3, err4, err5); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"", "line", "points", "line-points"}, style) {
		return nil, fmt.Errorf("style = %q (must be line, points or line-points)", style)
	}
	group, ok := table["group"].(int64)
	if _, given := table["group"]; given && (!ok || group < 1 || group > 1000) {
		return nil, fmt.Errorf("group = %v (must be an integer between 1 and 1000)", table["group"])
	}
	base := plotLine{command: strings.Fields(command), label: label, style: style, quantity: quantity, method: method, group: int(group)}
	if len(base.command) == 0 {
		return nil, errors.New("command is missing (such as simulate or meanfield equilibrium)")
	}
	key, values := "", []any{nil}
	for name, v := range table {
		if list, isList := v.([]any); isList && !slices.Contains(plotWords, name) {
			if key != "" {
				return nil, fmt.Errorf("%s and %s are lists (must be at most one)", min(key, name), max(key, name))
			}
			key, values = name, list
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("%s = [] (must hold at least one value)", key)
	}
	var lines []plotLine
	for i, v := range values {
		own := map[string]any{}
		for name, single := range table {
			if !slices.Contains(plotWords, name) {
				own[name] = single
			}
		}
		line := base
		if key != "" {
			own[key] = v
			if line.group == 0 {
				line.group = i + 1
			}
			line.label = strings.TrimSpace(fmt.Sprintf("%s %v", label, v))
			if label == "" {
				line.label = fmt.Sprintf("%v, %s", v, command)
			}
		} else if label == "" {
			line.label = command
		}
		flags, err := plotFlags(own, fixed)
		if err != nil {
			return nil, err
		}
		line.flags = flags
		lines = append(lines, line)
	}
	return lines, nil
}

// plotFlags are the flags of a table, in the order of their names, and before
// them those of base that the table does not set.
func plotFlags(table map[string]any, base []sweep.Flag) ([]sweep.Flag, error) {
	var flags []sweep.Flag
	for _, f := range base {
		if _, set := table[f.Name]; !set {
			flags = append(flags, f)
		}
	}
	own, err := sweep.Flags(table)
	return append(flags, own...), err
}

// drawPlot runs the commands and collects the series.
func (o *figureOptions) drawPlot(ctx context.Context, p *plotFile, lines []plotLine) (*figure.Figure, []string, error) {
	f := &figure.Figure{Name: cmp.Or(p.Name, "plot"), Title: p.Title, Caption: p.Caption, X: p.X.axis(cmp.Or(p.X.Label, p.X.Flag)), Y: p.Y.axis(cmp.Or(p.Y.Label, p.Y.Quantity)), Size: figure.DoubleColumn}
	progress := o.newProgress("computing points")
	defer progress.close()
	var warnings []string
	known := map[string]sweep.Outcome{} // a line without {x} is the same everywhere
	for k, line := range lines {
		s := figure.Series{Name: line.label, Group: line.group}
		estimates, first := false, error(nil)
		for i, x := range p.X.Values {
			done := k*len(p.X.Values) + i
			progress.report(float64(done)/float64(len(lines)*len(p.X.Values)), line.label)
			outcome, err := o.computeOnce(ctx, line.arguments(p.X.Flag, x, o.seed), known)
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			var found plotValue
			if err == nil {
				found, err = valueOf(outcome, line.method, cmp.Or(line.quantity, p.Y.Quantity))
			}
			if err != nil {
				first = cmp.Or(first, err)
				warnings = append(warnings, fmt.Sprintf("%s at %g is left out: %v", line.label, x, err))
				continue
			}
			s.X, s.Y, s.Kinds = append(s.X, x), append(s.Y, found.value), append(s.Kinds, found.kind)
			s.Low, s.High = append(s.Low, found.value-found.width), append(s.High, found.value+found.width)
			estimates = estimates || found.width > 0
		}
		if len(s.X) == 0 {
			return nil, nil, fmt.Errorf("line %q has no points: %w", line.label, first)
		}
		s.Style = plotStyle(line.style, estimates)
		if !estimates {
			s.Low, s.High = nil, nil
		}
		f.Series = append(f.Series, s)
	}
	return f, warnings, nil
}

func (env *environment) computeOnce(ctx context.Context, arguments []string, known map[string]sweep.Outcome) (sweep.Outcome, error) {
	key := strings.Join(arguments, "\n")
	if outcome, ok := known[key]; ok {
		return outcome, nil
	}
	outcome, err := env.computeCell(ctx, arguments)
	if err == nil {
		known[key] = outcome
	}
	return outcome, err
}

func plotStyle(wanted string, estimates bool) figure.Style {
	switch {
	case wanted == "points", wanted == "" && estimates:
		return figure.Points
	case wanted == "line-points":
		return figure.LinePoints
	}
	return figure.Line
}

func (a *plotAxis) axis(label string) figure.Axis {
	axis := figure.Axis{Label: label, Min: a.Min, Max: a.Max}
	if a.Scale == "log" {
		axis.Scale = figure.Log
	}
	return axis
}

// arguments is the command line of a point.
func (l *plotLine) arguments(flag string, x float64, seed uint64) []string {
	value := strconv.FormatFloat(x, 'g', -1, 64)
	arguments := slices.Clone(l.command)
	for _, f := range l.flags {
		arguments = append(arguments, "--"+f.Name+"="+strings.ReplaceAll(f.Value, "{x}", value))
	}
	if flag != "" {
		arguments = append(arguments, "--"+flag+"="+value)
	}
	return append(arguments, "--seed="+strconv.FormatUint(seed, 10))
}

// plotValue is a number that a command found.
type plotValue struct {
	value, width float64   // width is the half width of an interval, 0 where there is none
	kind         ctmc.Kind // 0 where the rows of the command do not say
}

func newPlotValue(text, half, kind string) (v plotValue, err error) {
	if v.value, err = strconv.ParseFloat(text, 64); err != nil {
		return v, err
	}
	if half != "" {
		v.width, err = strconv.ParseFloat(half, 64)
	}
	_ = v.kind.UnmarshalText([]byte(kind)) // "" is none
	return v, err
}

// valueOf finds a quantity in the table of a command: a single number, the
// first entry of a vector, or with name.i the entry with index i; of the rows of
// predict those of a method.
func valueOf(o sweep.Outcome, method, quantity string) (plotValue, error) {
	field := func(row []string, name string) string {
		if k := slices.Index(o.Header, name); k >= 0 {
			return row[k]
		}
		return ""
	}
	name, index, entry := strings.Cut(quantity, ".")
	var known []string
	for _, row := range o.Rows {
		found := field(row, "quantity")
		if !slices.Contains(known, found) {
			known = append(known, found)
		}
		if method != "" && field(row, "method") != method {
			continue
		}
		if found != quantity && (found != name || !entry || field(row, "index") != index) {
			continue
		}
		if field(row, "value") == "" {
			return plotValue{}, fmt.Errorf("%s does not exist here%s", quantity, precededBy(": ", field(row, "note")))
		}
		return newPlotValue(field(row, "value"), field(row, "half_width"), field(row, "kind"))
	}
	if !slices.Contains(o.Header, "quantity") {
		if slices.Contains(o.Header, quantity) && len(o.Rows) > 0 {
			return newPlotValue(field(o.Rows[0], quantity), "", field(o.Rows[0], "kind"))
		}
		known = o.Header
	}
	return plotValue{}, fmt.Errorf("the command has no quantity %q (it has %s)", quantity, strings.Join(known, ", "))
}

func precededBy(mark, text string) string {
	if text == "" {
		return ""
	}
	return mark + text
}
