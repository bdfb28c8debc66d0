package validate

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/internal/tomlerror"
	"qlimit/validate/sim"
)

//go:embed builtin.toml
var builtInText []byte

// BuiltInText is the built-in experiment as an experiment file.
func BuiltInText() []byte { return bytes.Clone(builtInText) }

// BuiltIn returns the built-in experiment: exact chains against simulation, the
// mean-field limit against simulation, and published simulations against ours
// and against theory. An error means that the program was built with a damaged
// file.
func BuiltIn() (Experiment, error) { return Parse(bytes.NewReader(builtInText)) }

// MaxFileSize is the largest experiment file that Parse reads, in bytes.
const MaxFileSize = 1 << 20

// MaxCases bounds the number of systems of one experiment.
const MaxCases = 10_000

// file is the layout of an experiment file. Where a system says oneOrMore,
// either a single value or a list may stand; lists are combined.
type file struct {
	Title      string           `toml:"title"`
	Simulation simulationTable  `toml:"simulation"`
	Systems    []systemTable    `toml:"system"`
	Published  []publishedTable `toml:"published"`
}

type simulationTable struct {
	Seed         *int64  `toml:"seed"`
	Replications int     `toml:"replications"`
	Events       float64 `toml:"events"`
	Precision    any     `toml:"precision"`
	Level        float64 `toml:"level"`
	Sigmas       float64 `toml:"sigmas"`
}

type systemTable struct {
	Group        string  `toml:"group"`
	Servers      any     `toml:"servers"`
	Load         any     `toml:"load"`
	Spare        any     `toml:"spare"`
	LoadExponent any     `toml:"load-exponent"`
	Buffer       any     `toml:"buffer"`
	Service      any     `toml:"service"`
	Policy       any     `toml:"policy"`
	Methods      any     `toml:"methods"`
	Quantities   any     `toml:"quantities"`
	Events       float64 `toml:"events"`
}

type publishedTable struct {
	Group   string  `toml:"group"`
	Data    string  `toml:"data"`
	Servers any     `toml:"servers"`
	Load    any     `toml:"load"`
	Methods any     `toml:"methods"`
	Events  float64 `toml:"events"`
}

// Parse reads an experiment file. Unknown keys are errors, and every error
// names the key or the line.
func Parse(r io.Reader) (Experiment, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return Experiment{}, err
	}
	if len(data) > MaxFileSize {
		return Experiment{}, fmt.Errorf("experiment file: larger than %d bytes", MaxFileSize)
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return Experiment{}, errors.New("experiment file: empty")
	}
	var f file
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&f); err != nil {
		return Experiment{}, fmt.Errorf("experiment file: %w", tomlerror.Readable(err))
	}
	return f.experiment()
}

func (f *file) experiment() (Experiment, error) {
	e := Experiment{Title: f.Title, Sigmas: f.Simulation.Sigmas}
	settings, err := f.Simulation.settings()
	if err != nil {
		return e, fmt.Errorf("experiment file: [simulation]: %w", err)
	}
	e.Simulation, e.SeedGiven = settings, f.Simulation.Seed != nil
	for i, t := range f.Systems {
		cases, err := t.cases(MaxCases - len(e.Cases))
		if err != nil {
			return e, fmt.Errorf("experiment file: [[system]] %d: %w", i+1, err)
		}
		e.Cases = append(e.Cases, cases...)
	}
	for i, t := range f.Published {
		cases, err := t.cases()
		if err != nil {
			return e, fmt.Errorf("experiment file: [[published]] %d: %w", i+1, err)
		}
		e.Cases = append(e.Cases, cases...)
	}
	if len(e.Cases) == 0 {
		return e, errors.New("experiment file: no [[system]] and no [[published]] table")
	}
	return e, nil
}

func (t simulationTable) settings() (sim.Settings, error) {
	s := sim.Settings{Replications: t.Replications, Level: t.Level}
	switch {
	case t.Seed != nil && *t.Seed < 0:
		return s, &ctmc.FieldError{Field: "seed", Value: *t.Seed, Allowed: ">= 0"}
	case t.Seed != nil:
		s.Seed = uint64(*t.Seed)
	}
	if t.Level != 0 && !(t.Level > 0 && t.Level < 1) {
		return s, &ctmc.FieldError{Field: "level", Value: t.Level, Allowed: "between 0 and 1"}
	}
	events, err := eventCount(t.Events)
	if err != nil {
		return s, err
	}
	s.Events = events
	if t.Precision != nil {
		if s.Precision, err = proportion(t.Precision); err != nil {
			return s, err
		}
	}
	if t.Sigmas < 0 || t.Sigmas > 30 {
		return s, &ctmc.FieldError{Field: "sigmas", Value: t.Sigmas, Allowed: "above 0 and at most 30"}
	}
	return s, nil
}

func eventCount(events float64) (int64, error) {
	if !(events >= 0 && events <= 1e15) {
		return 0, &ctmc.FieldError{Field: "events", Value: events, Allowed: "between 1 and 1e15"}
	}
	return int64(events), nil
}

// proportion reads 0.01 or "1%".
func proportion(v any) (float64, error) {
	bad := &ctmc.FieldError{Field: "precision", Value: v, Allowed: `a number between 0 and 1, or a percentage such as "1%"`}
	x, scale := math.NaN(), 1.0
	switch v := v.(type) {
	case float64:
		x = v
	case string:
		text, percent := strings.CutSuffix(v, "%")
		if percent {
			scale = 100
		}
		parsed, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, bad
		}
		x = parsed / scale
	}
	if !(x > 0 && x < 1) {
		return 0, bad
	}
	return x, nil
}

// cases combines the lists of a system table.
func (t systemTable) cases(room int) ([]Case, error) {
	servers, err := numbers("servers", t.Servers)
	if err != nil {
		return nil, err
	}
	loads, err := t.loads()
	if err != nil {
		return nil, err
	}
	buffers := []float64{ctmc.Unlimited}
	if t.Buffer != nil {
		if buffers, err = numbers("buffer", t.Buffer); err != nil {
			return nil, err
		}
	}
	services, err := parsedList("service", t.Service, "exp", coxian.Parse)
	if err != nil {
		return nil, err
	}
	policies, err := parsedList("policy", t.Policy, "", ctmc.ParsePolicy)
	if err != nil {
		return nil, err
	}
	methods, err := parsedList("methods", t.Methods, "", ParseMethod)
	if err != nil {
		return nil, err
	}
	quantities, err := parsedList("quantities", t.Quantities, string(MeanJobs), ParseQuantity)
	if err != nil {
		return nil, err
	}
	events, err := eventCount(t.Events)
	if err != nil {
		return nil, err
	}
	if count := len(policies) * len(services) * len(servers) * len(loads.values) * len(buffers); count > room {
		return nil, fmt.Errorf("its lists combine to %d systems (must be at most %d in one experiment)", count, MaxCases)
	}
	var cases []Case
	for _, policy := range policies {
		for _, service := range services {
			for _, n := range servers {
				for _, value := range loads.values {
					for _, buffer := range buffers {
						s := ctmc.System{Servers: int64(n), Load: loads.load(value, n), Buffer: int(buffer), Service: service, Policy: policy}
						if err := wholeNumbers(n, buffer); err != nil {
							return nil, err
						}
						if err := s.Validate(); err != nil {
							return nil, err
						}
						cases = append(cases, Case{Group: t.Group, System: s, Methods: methods, Quantities: quantities, Events: events})
					}
				}
			}
		}
	}
	return cases, nil
}

func wholeNumbers(servers, buffer float64) error {
	if servers != math.Trunc(servers) || !(servers >= 1 && servers <= float64(sim.MaxServers)) {
		return &ctmc.FieldError{Field: "servers", Value: servers, Allowed: "a whole number between 1 and 1e9"}
	}
	if buffer != math.Trunc(buffer) || !(buffer >= 0 && buffer <= 1e9) {
		return &ctmc.FieldError{Field: "buffer", Value: buffer, Allowed: "a whole number >= 1, or 0 for unlimited"}
	}
	return nil
}

// loadForm is one of the three ways to give a load.
type loadForm struct {
	values []float64
	load   func(value, servers float64) float64
}

func (t systemTable) loads() (loadForm, error) {
	var found []loadForm
	for _, form := range []struct {
		key   string
		value any
		load  func(value, servers float64) float64
	}{
		{"load", t.Load, func(v, _ float64) float64 { return v }},
		{"spare", t.Spare, func(v, n float64) float64 { return 1 - v/n }},
		{"load-exponent", t.LoadExponent, func(v, n float64) float64 { return 1 - math.Pow(n, -v) }},
	} {
		if form.value == nil {
			continue
		}
		values, err := numbers(form.key, form.value)
		if err != nil {
			return loadForm{}, err
		}
		found = append(found, loadForm{values, form.load})
	}
	if len(found) != 1 {
		return loadForm{}, errors.New("exactly one of load, spare and load-exponent must be given")
	}
	return found[0], nil
}

// numbers reads a number or a list of numbers.
func numbers(key string, v any) ([]float64, error) {
	bad := &ctmc.FieldError{Field: key, Value: shown(v), Allowed: "a number or a list of numbers"}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var values []float64
	for _, item := range list {
		switch x := item.(type) {
		case int64:
			values = append(values, float64(x))
		case float64:
			values = append(values, x)
		default:
			return nil, bad
		}
	}
	if len(values) == 0 {
		return nil, bad
	}
	return values, nil
}

// shown is a value of a file as an error shows it.
func shown(v any) string {
	switch x := v.(type) {
	case nil:
		return "missing"
	case string:
		return strconv.Quote(x)
	}
	return fmt.Sprint(v)
}

// parsedList reads a text or a list of texts and parses each.
func parsedList[T any](key string, v any, otherwise string, parse func(string) (T, error)) ([]T, error) {
	if v == nil && otherwise != "" {
		v = otherwise
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var values []T
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return nil, &ctmc.FieldError{Field: key, Value: shown(v), Allowed: "a text or a list of texts"}
		}
		value, err := parse(text)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		return nil, &ctmc.FieldError{Field: key, Value: "[]", Allowed: "not empty"}
	}
	return values, nil
}

// publishedData is the name of the data set shipped with the program.
const publishedData = "power-of-d"

// cases lists the published systems that match the table's servers and loads.
func (t publishedTable) cases() ([]Case, error) {
	if t.Data != publishedData {
		return nil, &ctmc.FieldError{Field: "data", Value: strconv.Quote(t.Data), Allowed: strconv.Quote(publishedData)}
	}
	keepServers, err := selection("servers", t.Servers)
	if err != nil {
		return nil, err
	}
	keepLoad, err := selection("load", t.Load)
	if err != nil {
		return nil, err
	}
	var methods []Method
	if t.Methods != nil {
		if methods, err = parsedList("methods", t.Methods, "", ParseMethod); err != nil {
			return nil, err
		}
	}
	events, err := eventCount(t.Events)
	if err != nil {
		return nil, err
	}
	rows, err := PublishedPowerOfD()
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, row := range rows {
		if keepServers(float64(row.Servers)) && keepLoad(row.Load) {
			cases = append(cases, Case{
				Group: t.Group, System: row.System(), Methods: methods, Quantities: []Quantity{MeanJobs}, Events: events,
				Published: []PublishedValue{{MeanJobs, row.MeanJobs, row.StandardError}},
			})
		}
	}
	if len(cases) == 0 {
		return nil, errors.New("no published row matches its servers and load")
	}
	return cases, nil
}

// selection accepts the listed numbers, or all when none is given.
func selection(key string, v any) (func(float64) bool, error) {
	if v == nil {
		return func(float64) bool { return true }, nil
	}
	values, err := numbers(key, v)
	if err != nil {
		return nil, err
	}
	return func(x float64) bool {
		for _, value := range values {
			if x == value {
				return true
			}
		}
		return false
	}, nil
}
