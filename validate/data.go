package validate

import (
	"context"
	"fmt"
	"math"
	"time"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// AgainstData marks rows in which theory is held against the user's results.
const AgainstData = "data"

// DataReport is the outcome of holding a DataSet against theory.
type DataReport struct {
	Report                // Rows are those of the data, in order
	Lines       []int     // of the file, for each row
	Explained   []string  // for each row: under which readings it agrees; "" = as the file says
	Notes       []string  // what was taken for granted
	Readings    []Reading // tried, where rows disagree
	Replacement string    // how sampling without a word about it is read; "" = the file says, or does not sample
	Suggestion  string    // one sentence
}

// DataSettings of CompareData; the zero value is the documented default.
type DataSettings struct {
	Simulation sim.Settings // Seed, Threads, Events: the most that one system may take; 0 = DefaultEvents
	Sigmas     float64      // standard errors of tolerance; 0 = DefaultSigmas
}

// CompareData holds every row against the best that is known of its system: the
// exact chain, the size expansion, or our own simulation. The tolerance is a
// number of standard errors, theirs and ours combined, plus what the theory owns
// up to and half a unit of the last digit printed. A number without a standard
// error gets one in proportion to that of another number on its line; without
// any it can agree, or differ by more than 2% and disagree, and is inconclusive
// in between.
//
// Where rows disagree, other readings of the file are tried (see Reading). A
// file that does not say whether servers are sampled with replacement is read in
// the way that fits better.
func CompareData(ctx context.Context, set *DataSet, settings DataSettings, progress ctmc.Progress) (*DataReport, error) {
	if settings.Sigmas == 0 {
		settings.Sigmas = DefaultSigmas
	}
	if !(settings.Sigmas > 0 && settings.Sigmas <= 30) {
		return nil, &ctmc.FieldError{Field: "sigmas", Value: settings.Sigmas, Allowed: "above 0 and at most 30"}
	}
	c := &dataComparison{set: set, theories: newTheories(settings.Simulation), sigmas: settings.Sigmas, progress: progress, wanted: map[string]float64{}}
	started := time.Now()
	r := &DataReport{Notes: set.Notes, Report: Report{Title: "data against theory", Seed: settings.Simulation.Seed, Sigmas: settings.Sigmas}}
	if err := c.prepare(ctx); err != nil {
		return nil, err
	}
	if err := c.chooseReplacement(ctx, r); err != nil {
		return nil, err
	}
	stated := asStated
	if err := c.compare(ctx, &stated); err != nil {
		return nil, err
	}
	for i := range set.Rows {
		r.Rows = append(r.Rows, stated.rows[i])
		r.Lines = append(r.Lines, set.Rows[i].Line)
	}
	r.Explained = make([]string, len(r.Rows))
	if r.Count(estimate.Disagree) > 0 {
		if err := c.explain(ctx, &stated, r); err != nil {
			return nil, err
		}
	}
	r.Suggestion = c.suggest(r)
	r.Cases, r.Done = len(c.wanted), len(c.wanted)
	r.Events, r.Elapsed = c.theories.Events, time.Since(started)
	return r, nil
}

// dataComparison is a DataSet being held against theory.
type dataComparison struct {
	set      *DataSet
	theories *theories
	sigmas   float64
	progress ctmc.Progress
	wanted   map[string]float64 // standard error relative to the value that would not matter, by system
	done     int
	planned  int
}

// tolerableShare is the standard error of our simulations in standard errors of
// the data.
const tolerableShare = 0.7

// errorless is the relative difference beyond which a number without an error
// disagrees.
const errorless = 0.02

// prepare finds the standard errors that are not given and how precise a theory
// of each system has to be.
func (c *dataComparison) prepare(ctx context.Context) error {
	rows := c.set.Rows
	inferred := false
	for i := range rows {
		row := &rows[i]
		if row.StandardError == 0 && row.errorOf >= 0 && row.Value > 0 {
			given := rows[row.errorOf]
			ratio, err := c.theories.errorRatio(ctx, row.System, row.Quantity, given.Quantity)
			if err != nil {
				return fmt.Errorf("line %d: %w", row.Line, err)
			}
			if row.StandardError = ratio * given.StandardError; ratio > 0 {
				inferred = true
			}
		}
	}
	for _, row := range rows {
		relative := 1e-3
		if row.StandardError > 0 && row.Value > 0 {
			relative = math.Max(row.StandardError, row.Rounding) / row.Value
		}
		key := row.System.String()
		if known, ok := c.wanted[key]; !ok || relative < known {
			c.wanted[key] = relative
		}
	}
	c.planned = len(rows)
	if inferred {
		c.set.Notes = append(c.set.Notes, "standard errors that are not given are taken in proportion to the one on the same line, by our own simulation")
	}
	return nil
}

// known is the best theory of a quantity of a system, precise enough for a row.
func (c *dataComparison) known(ctx context.Context, row *DataRow, s ctmc.System, q Quantity) (bestKnown, error) {
	relative := tolerableShare * c.wanted[row.System.String()]
	best, err := c.theories.of(ctx, s, q, relative*math.Max(row.Value, 1e-6))
	if err != nil {
		return best, fmt.Errorf("line %d: %w", row.Line, err)
	}
	return best, nil
}

// compare fills in the rows of a reading.
func (c *dataComparison) compare(ctx context.Context, reading *Reading) error {
	reading.rows = make([]Row, len(c.set.Rows))
	for i := range c.set.Rows {
		row := &c.set.Rows[i]
		if !reading.applies(row) {
			continue
		}
		best, err := reading.value(ctx, c, row)
		if err != nil {
			return err
		}
		reading.rows[i] = c.row(row, best)
		reading.count(row, &reading.rows[i])
		if c.done++; c.progress != nil {
			c.progress(math.Min(float64(c.done), float64(c.planned)), float64(c.planned), row.System.String())
		}
	}
	return nil
}

// row holds a value against theory.
func (c *dataComparison) row(row *DataRow, best bestKnown) Row {
	value := PublishedValue{row.Quantity, row.Value, math.Hypot(row.StandardError, best.standardError)}.estimate(row.Level)
	if best.standardError > row.StandardError/2 {
		value.DegreesOfFreedom = best.freedom
	}
	allowance := best.allowance + row.Rounding
	if value.StandardError == 0 {
		value.StandardError = math.SmallestNonzeroFloat64
	}
	e := Experiment{Sigmas: c.sigmas}
	out := e.row(&Case{System: row.System}, best.method, best.kind, row.Quantity, best.value, allowance, value)
	out.Against = AgainstData
	out.HalfWidth = PublishedValue{StandardError: row.StandardError}.estimate(row.Level).HalfWidth
	out.Why = fmt.Sprintf("%g se + rounding", c.sigmas)
	if best.why != "" && best.allowance > 0 {
		out.Why += " + " + best.why
	}
	if best.standardError > 0 {
		out.Why = fmt.Sprintf("%g se, theirs and ours, + rounding", c.sigmas)
	}
	scale := row.Quantity.scale(best.value, row.Value)
	if row.StandardError == 0 && out.Verdict == estimate.Disagree && math.Abs(out.Difference) <= errorless*scale {
		out.Verdict, out.Reason = estimate.Inconclusive, "no error is given, and the difference is below 2%"
	}
	return out
}
