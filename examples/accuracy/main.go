// Command accuracy prints how far each approximation is from the truth, as
// Markdown tables, from the merged sweep of accuracy.toml. The truth is the exact
// chain where it was solved and a simulation elsewhere.
package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
		os.Exit(1)
	}
}

func run(args []string, w io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("one file expected, the merged sweep (accuracy.csv)")
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	systems, err := read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	for _, policy := range systems.values(func(s system) string { return s.policy }) {
		for _, method := range approximations {
			systems.write(w, policy, method)
		}
	}
	return nil
}

// approximations are what is measured, by their names in qlimit predict.
var approximations = []string{"mean-field", "refined-1", "refined-2", "averaged-birth-death", "nds"}

// system is one cell of the sweep with the mean jobs that each method gives.
type system struct {
	policy, service, servers, load string
	values                         map[string]answer
}

type answer struct{ value, expected float64 }

type table []system

// read collects the answers about the mean jobs.
func read(r io.Reader) (table, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("empty")
	}
	column := map[string]int{}
	for k, name := range rows[0] {
		column[name] = k
	}
	for _, name := range []string{"policy", "service", "servers", "load", "method", "quantity", "value", "expected_error", "applies"} {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("no column %s", name)
		}
	}
	var systems table
	for _, row := range rows[1:] {
		field := func(name string) string { return row[column[name]] }
		if field("quantity") != "mean_jobs" {
			continue
		}
		same := func(s system) bool {
			return s.policy == field("policy") && s.service == field("service") && s.servers == field("servers") && s.load == field("load")
		}
		i := slices.IndexFunc(systems, same)
		if i < 0 {
			i = len(systems)
			systems = append(systems, system{field("policy"), field("service"), field("servers"), field("load"), map[string]answer{}})
		}
		if field("applies") != "true" {
			continue
		}
		value, err := strconv.ParseFloat(field("value"), 64)
		if err != nil {
			return nil, err
		}
		expected, err := strconv.ParseFloat(field("expected_error"), 64)
		if err != nil {
			expected = math.NaN() // a bound has none
		}
		systems[i].values[field("method")] = answer{value, expected}
	}
	return systems, nil
}

// truth is the exact value, else the simulated one with its half width.
func (s system) truth() (answer, bool) {
	if exact, ok := s.values["exact"]; ok {
		return exact, true
	}
	simulated, ok := s.values["simulation"]
	return simulated, ok
}

// values lists what the systems have of a field, in the order of the sweep.
func (t table) values(field func(system) string) []string {
	var list []string
	for _, s := range t {
		if v := field(s); !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}

// write prints the errors of a method in percent: in brackets where they are
// within the interval of the simulation, a dash where the method does not apply.
func (t table) write(w io.Writer, policy, method string) {
	loads := t.values(func(s system) string { return s.load })
	var lines []string
	any := false
	for _, service := range t.values(func(s system) string { return s.service }) {
		for _, servers := range t.values(func(s system) string { return s.servers }) {
			line := fmt.Sprintf("| %s | %s |", service, servers)
			for _, load := range loads {
				text := t.cell(policy, service, servers, load, method)
				any = any || text != none
				line += " " + text + " |"
			}
			lines = append(lines, line)
		}
	}
	if !any {
		return
	}
	fmt.Fprintf(w, "### %s, %s\n\n| service | N | %s |\n|---|---|%s\n%s\n\n", policy, method,
		strings.Join(loads, " | "), strings.Repeat("---|", len(loads)), strings.Join(lines, "\n"))
}

const none = "–"

func (t table) cell(policy, service, servers, load, method string) string {
	for _, s := range t {
		if s.policy != policy || s.service != service || s.servers != servers || s.load != load {
			continue
		}
		truth, known := s.truth()
		approximation, applies := s.values[method]
		if !known || !applies {
			return none
		}
		percent := 100 * (approximation.value - truth.value) / truth.value
		digits := 1
		if math.Abs(percent) < 1 {
			digits = 2
		}
		text := strconv.FormatFloat(percent, 'f', digits, 64)
		if percent > 0 {
			text = "+" + text
		}
		if math.Abs(approximation.value-truth.value) <= truth.expected {
			text = "(" + text + ")"
		}
		return text
	}
	return none
}
