package figure

import (
	"errors"
	"fmt"
	"math"

	"qlimit/ctmc"
)

// largestValue bounds what can be plotted, so that the length of an axis and
// its padding stay finite.
const largestValue = 1e300

// Validate reports the first reason why the figure cannot be drawn, naming
// the series, axis or mark and the allowed range. Values that a log axis
// cannot show are not errors unless no point of any series is left; see
// [Figure.Warnings].
func (f *Figure) Validate() error {
	if f.Size < SingleColumn || f.Size > Screen {
		return fmt.Errorf("figure %q: unknown size %d", f.Name, f.Size)
	}
	if len(f.Series) == 0 {
		return fmt.Errorf("figure %q: no series", f.Name)
	}
	if err := errors.Join(f.X.validate("x"), f.Y.validate("y")); err != nil {
		return fmt.Errorf("figure %q: %w", f.Name, err)
	}
	for i := range f.Series {
		if err := f.Series[i].validate(); err != nil {
			return fmt.Errorf("figure %q: series %s: %w", f.Name, f.seriesName(i), err)
		}
	}
	for i, m := range f.Marks {
		if err := f.validateMark(m); err != nil {
			return fmt.Errorf("figure %q: mark %d (%q): %w", f.Name, i+1, m.Label, err)
		}
	}
	return nil
}

// seriesName identifies a series in messages, by name or else by position.
func (f *Figure) seriesName(i int) string {
	if name := f.Series[i].Name; name != "" {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("number %d", i+1)
}

func (a *Axis) validate(which string) error {
	if a.Scale != Linear && a.Scale != Log {
		return fmt.Errorf("%s axis: unknown scale %d", which, a.Scale)
	}
	for _, end := range []struct {
		name  string
		value *float64
	}{{"Min", a.Min}, {"Max", a.Max}} {
		if end.value == nil {
			continue
		}
		if err := a.validateValue(*end.value); err != nil {
			return fmt.Errorf("%s axis: %s %w", which, end.name, err)
		}
	}
	if a.Min != nil && a.Max != nil && *a.Min >= *a.Max {
		return fmt.Errorf("%s axis: Min %g must be below Max %g", which, *a.Min, *a.Max)
	}
	for i, t := range a.Ticks {
		if err := a.validateValue(t.At); err != nil {
			return fmt.Errorf("%s axis: tick %d (%q) %w", which, i+1, t.Label, err)
		}
	}
	return nil
}

// validateValue checks a number set by the caller, which, unlike data, has to
// have a place on the axis.
func (a *Axis) validateValue(v float64) error {
	if err := plottable(v); err != nil {
		return err
	}
	if a.Scale == Log && v <= 0 {
		return fmt.Errorf("%g must be positive on a log axis", v)
	}
	return nil
}

func plottable(v float64) error {
	if math.IsNaN(v) || math.Abs(v) > largestValue {
		return fmt.Errorf("%g is not a number between -1e300 and 1e300", v)
	}
	return nil
}

func (s *Series) validate() error {
	if s.Style < Line || s.Style > Band {
		return fmt.Errorf("unknown style %d", s.Style)
	}
	if s.Dash < AutoDash || s.Dash > DashDotDot {
		return fmt.Errorf("unknown dash %d", s.Dash)
	}
	if s.Group < 0 {
		return fmt.Errorf("group %d must not be negative", s.Group)
	}
	if err := s.validateLengths(); err != nil {
		return err
	}
	if err := s.validateKinds(); err != nil {
		return err
	}
	for _, column := range []struct {
		name   string
		values []float64
	}{{"X", s.X}, {"Y", s.Y}, {"Low", s.Low}, {"High", s.High}} {
		for i, v := range column.values {
			if err := plottable(v); err != nil {
				return fmt.Errorf("%s[%d] = %w", column.name, i, err)
			}
		}
	}
	return s.validateOrder()
}

func (s *Series) validateLengths() error {
	n := len(s.X)
	if n == 0 {
		return errors.New("no points")
	}
	if len(s.Y) != n && !(s.Style == Band && s.Y == nil) {
		return fmt.Errorf("length of Y is %d, of X %d", len(s.Y), n)
	}
	if s.Low == nil && s.High == nil && s.Style != Band {
		return nil
	}
	if len(s.Low) != n || len(s.High) != n {
		return fmt.Errorf("lengths of Low and High are %d and %d, of X %d", len(s.Low), len(s.High), n)
	}
	return nil
}

func (s *Series) validateKinds() error {
	if s.Kinds != nil && len(s.Kinds) != len(s.X) {
		return fmt.Errorf("length of Kinds is %d, of X %d", len(s.Kinds), len(s.X))
	}
	for i := range s.X {
		if k := s.KindAt(i); k < 0 || k > ctmc.Estimate {
			return fmt.Errorf("unknown kind %d", k)
		}
	}
	return nil
}

// validateOrder checks the orders drawing relies on: time runs forward in
// steps and bands, and an interval is not turned around.
func (s *Series) validateOrder() error {
	if s.Style == Step || s.Style == Band {
		for i := 1; i < len(s.X); i++ {
			if s.X[i] < s.X[i-1] {
				return fmt.Errorf("value X[%d] = %g is below X[%d] = %g", i, s.X[i], i-1, s.X[i-1])
			}
		}
	}
	for i := range s.Low {
		if s.Low[i] > s.High[i] {
			return fmt.Errorf("value Low[%d] = %g is above High[%d] = %g", i, s.Low[i], i, s.High[i])
		}
	}
	return nil
}

func (f *Figure) validateMark(m Mark) error {
	switch m.Direction {
	case Vertical:
		return f.X.validateValue(m.At)
	case Horizontal:
		return f.Y.validateValue(m.At)
	}
	return fmt.Errorf("unknown direction %d", m.Direction)
}
