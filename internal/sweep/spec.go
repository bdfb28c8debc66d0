package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"qlimit/internal/tomlerror"
)

// MaxSpecSize is the largest sweep file that ParseSpec reads, in bytes, and
// MaxCells the largest number of cells of a plan.
const (
	MaxSpecSize = 1 << 20
	MaxCells    = 1_000_000
)

// Spec says what to compute: a command, the flags that stay the same, and
// grids of flags with lists of values, every combination of which is a cell.
type Spec struct {
	Title      string   // heading
	Command    []string // words, such as ctmc stationary
	Seed       uint64   // of the first replicate; the next have the next seeds
	Replicates int      // runs of each combination
	Fixed      []Flag   // flags that stay the same
	Grids      [][]Axis // each a set of axes to combine
}

// Flag is a flag with its value as one writes it.
type Flag struct {
	Name  string `json:"name"`  // without dashes
	Value string `json:"value"` // as text
}

// Axis is a flag with the values it takes.
type Axis struct {
	Name   string   // of the flag
	Values []string // as text
}

type specFile struct {
	Title      string           `toml:"title"`
	Command    string           `toml:"command"`
	Seed       *int64           `toml:"seed"`
	Replicates *int64           `toml:"replicates"`
	Fixed      map[string]any   `toml:"fixed"`
	Grids      []map[string]any `toml:"grid"`
}

// ParseSpec reads a sweep file. Every error names the key or the line.
func ParseSpec(r io.Reader) (Spec, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSpecSize+1))
	if err != nil {
		return Spec{}, err
	}
	if len(text) > MaxSpecSize {
		return Spec{}, fmt.Errorf("larger than %d bytes", MaxSpecSize)
	}
	var f specFile
	if err := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields().Decode(&f); err != nil {
		return Spec{}, tomlerror.Readable(err)
	}
	return f.spec()
}

// Flags that belong to the sweep, not to a cell.
var reserved = []string{"seed", "threads", "format", "output", "quiet", "output-dir", "data", "checkpoint", "help"}

func (f *specFile) spec() (Spec, error) {
	s := Spec{Title: f.Title, Command: strings.Fields(f.Command), Seed: 1, Replicates: 1}
	if len(s.Command) == 0 {
		return s, errors.New(`command = "" (must name a command, such as "simulate")`)
	}
	if f.Seed != nil {
		if *f.Seed < 0 {
			return s, fmt.Errorf("seed = %d (must be an integer >= 0)", *f.Seed)
		}
		s.Seed = uint64(*f.Seed)
	}
	if f.Replicates != nil {
		if *f.Replicates < 1 || *f.Replicates > MaxCells {
			return s, fmt.Errorf("replicates = %d (must be between 1 and %d)", *f.Replicates, MaxCells)
		}
		s.Replicates = int(*f.Replicates)
	}
	if len(f.Grids) == 0 {
		return s, errors.New("no [[grid]] table (must be at least one)")
	}
	flags, err := Flags(f.Fixed)
	if err != nil {
		return s, fmt.Errorf("[fixed]: %w", err)
	}
	s.Fixed = flags
	fixed := map[string]bool{}
	for _, flag := range flags {
		fixed[flag.Name] = true
	}
	for i, table := range f.Grids {
		axes, err := gridAxes(table, fixed)
		if err != nil {
			return s, fmt.Errorf("[[grid]] %d: %w", i+1, err)
		}
		s.Grids = append(s.Grids, axes)
	}
	if n := s.cellCount(); n > MaxCells {
		return s, fmt.Errorf("%.0f cells (must be at most %d)", n, MaxCells)
	}
	return s, nil
}

// Flags are the flags of a table, in the order of their names.
func Flags(table map[string]any) ([]Flag, error) {
	var flags []Flag
	for _, name := range sortedKeys(table) {
		value, err := flagText(table[name])
		if err != nil || slices.Contains(reserved, name) {
			return nil, refuseFlag(name, err)
		}
		flags = append(flags, Flag{name, value})
	}
	return flags, nil
}

func gridAxes(table map[string]any, fixed map[string]bool) ([]Axis, error) {
	var axes []Axis
	for _, name := range sortedKeys(table) {
		if fixed[name] {
			return nil, fmt.Errorf("%s stands in [fixed] too", name)
		}
		list, ok := table[name].([]any)
		if !ok {
			list = []any{table[name]}
		}
		axis := Axis{Name: name}
		for _, v := range list {
			value, err := flagText(v)
			if err != nil || slices.Contains(reserved, name) {
				return nil, refuseFlag(name, err)
			}
			if slices.Contains(axis.Values, value) {
				return nil, fmt.Errorf("%s has %s twice", name, value)
			}
			axis.Values = append(axis.Values, value)
		}
		if len(axis.Values) == 0 {
			return nil, fmt.Errorf("%s = [] (must hold at least one value)", name)
		}
		axes = append(axes, axis)
	}
	return axes, nil
}

func refuseFlag(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s %w", name, err)
	}
	return fmt.Errorf("%s (must not be one of %s, which are not for single cells)", name, strings.Join(reserved, ", "))
}

func sortedKeys(table map[string]any) []string {
	names := make([]string, 0, len(table))
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// flagText writes a value of a sweep file as one writes it after a flag.
func flagText(v any) (string, error) {
	switch x := v.(type) {
	case string:
		return x, nil
	case int64:
		return strconv.FormatInt(x, 10), nil
	case bool:
		return strconv.FormatBool(x), nil
	case float64:
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return strconv.FormatFloat(x, 'g', -1, 64), nil
		}
	}
	return "", fmt.Errorf("= %v (must be a text, a number, true or false)", v)
}

// cellCount may exceed what an integer holds.
func (s Spec) cellCount() float64 {
	total := 0.0
	for _, axes := range s.Grids {
		n := float64(s.Replicates)
		for _, axis := range axes {
			n *= float64(len(axis.Values))
		}
		total += n
	}
	return total
}
