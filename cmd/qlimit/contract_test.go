package main

import (
	"encoding/csv"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// everyCommand has one call of each command that answers with numbers, and the
// JSON fields it promises.
var everyCommand = []struct {
	command string
	fields  string
}{
	{"service show --at 0,1.5", "service kind mean variance scv skewness phases hazard_monotone x pdf survival hazard"},
	{"service fit --scv 4", "service kind mu1 p mu2 mean scv skewness not_attainable"},
	{"meanfield equilibrium --load 0.9 --policy pod:d=2 --service coxian:mean=1,scv=4", "system kind status mean_jobs mean_response p_wait p_block tail tail_phase2 residual"},
	{"ctmc stationary --servers 2 --load 0.9 --buffer 3", "system kind status states transitions mean_jobs mean_response p_wait p_block occupancy residual iterations method"},
	{"simulate --servers 5 --load 0.9 --buffer 3 --events 2e4", "system kind status mean_jobs mean_response p_wait p_block occupancy tail events seconds events_per_second warmup warmup_fraction warmup_rule replications seed ending"},
	{"simulate slotted --rates 1x2,3x2 --dispatchers 2 --policy lsq:push=1 --load 0.7 --slots 2e4", "system kind status mean_queue mean_queue_per_server mean_response throughput stable messages_per_job messages_per_arrival_slot query_messages_per_arrival_slot reply_messages_per_arrival_slot pull_messages_per_arrival_slot update_messages_per_arrival_slot cross_term unused_service perpendicular_mean perpendicular_moment2 perpendicular_moment4 estimate_error server_load server_queue server_estimate_error memory_bits pooled_mean_queue queue_method slots seconds slots_per_second warmup seed ending"},
	{"version", "version go os arch dependencies"},
}

func TestJSONFields(t *testing.T) {
	for _, c := range everyCommand {
		r := invokeJSON(t, c.command)
		if number(t, r, "schema") != schemaVersion {
			t.Errorf("%s: schema = %v", c.command, r["schema"])
		}
		if name := r["command"].(string); !strings.HasPrefix(c.command, name) {
			t.Errorf("%s: command = %q", c.command, name)
		}
		if _, ok := r["warnings"].([]any); !ok {
			t.Errorf("%s: warnings = %v, want an array", c.command, r["warnings"])
		}
		for _, field := range strings.Fields(c.fields) {
			if _, ok := r[field]; !ok {
				t.Errorf("%s: no field %q", c.command, field)
			}
		}
	}
}

func TestJSONSystem(t *testing.T) {
	r := invokeJSON(t, "ctmc stationary --servers 3 --load 0.5 --buffer 2 --policy sq:d=2 --service erlang2")
	want := map[string]any{
		"servers": 3.0, "load": 0.5, "buffer": 2.0, "policy": "pod:d=2",
		"service": map[string]any{"mu1": 2.0, "p": 1.0, "mu2": 2.0, "mean": 1.0, "scv": 0.5, "text": "erlang2"},
	}
	got := r["system"].(map[string]any)
	law := got["service"].(map[string]any)
	near(t, "skewness", law["skewness"].(float64), 1.4142135623730951, 1e-15) // 2/√k for Erlang-k
	delete(law, "skewness")
	if !reflect.DeepEqual(got, want) {
		t.Errorf("system = %v, want %v", got, want)
	}
}

func TestEstimateFields(t *testing.T) {
	r := invokeJSON(t, "simulate --servers 5 --load 0.9 --buffer 3 --events 2e4")
	records := []any{r["mean_jobs"], r["mean_response"], r["p_wait"], r["p_block"]}
	records = append(records, r["occupancy"].([]any)...)
	records = append(records, r["tail"].([]any)...)
	for i, record := range records {
		for _, field := range []string{"estimate", "half_width", "level", "effective_sample", "standard_error", "kind", "warnings"} {
			if _, ok := record.(map[string]any)[field]; !ok {
				t.Errorf("record %d: no field %q", i, field)
			}
		}
	}
}

// CSV carries the same numbers as JSON, with all digits.
func TestCSVAgreesWithJSON(t *testing.T) {
	for _, c := range everyCommand[:4] {
		r := invokeJSON(t, c.command)
		rows := csvOf(t, c.command)
		for name, value := range r {
			for index, want := range jsonNumbers(value) {
				got := rows[name+"/"+index]
				if x, err := strconv.ParseFloat(got, 64); name != "schema" && (err != nil || x != want) {
					t.Errorf("%s: CSV %s[%s] = %q, JSON %v", c.command, name, index, got, want)
				}
			}
		}
	}
}

// jsonNumbers lists the numbers of a field by the index CSV gives them; tails
// begin at 1.
func jsonNumbers(value any) map[string]float64 {
	found := map[string]float64{}
	switch v := value.(type) {
	case float64:
		found[""] = v
	case []any:
		for i, entry := range v {
			if x, ok := entry.(float64); ok {
				found[strconv.Itoa(i)] = x
			}
		}
	}
	return found
}

func csvOf(t *testing.T, command string) map[string]string {
	t.Helper()
	o := invoke(append(strings.Fields(command), "--format", "csv", "--quiet")...)
	rows, err := csv.NewReader(strings.NewReader(o.stdout)).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	if want := []string{"quantity", "index", "value", "kind"}; !slices.Equal(rows[0][:4], want) {
		t.Errorf("%s: header %v", command, rows[0])
	}
	values := map[string]string{}
	for _, row := range rows[1:] {
		index := row[1]
		if strings.HasPrefix(row[0], "tail") {
			i, _ := strconv.Atoi(index)
			index = fmt.Sprint(i - 1)
		}
		if row[3] == "" {
			t.Errorf("%s: row %v has no kind", command, row)
		}
		values[row[0]+"/"+index] = row[2]
	}
	return values
}

// No format prints anything but its result to standard output, and no result
// holds NaN or Inf, also where a number does not exist.
func TestNoNaN(t *testing.T) {
	commands := []string{
		"ctmc stationary -n 2 --load 1e9 --buffer 1", // nearly all jobs are lost
		"meanfield equilibrium --load 1e9 --buffer 1",
		"meanfield equilibrium --load 1e-100 --policy pod:d=2",
		"simulate -n 3 --load 1e-9 --events 2e4",
		"simulate -n 3 --load 1e9 --buffer 1 --events 2e4",
		"service show --service coxian:mu1=1e-6,p=1,mu2=1e6 --at -1,0,1e9,1e300",
		"service show --service exp:mean=1e70 --at 1e70",
	}
	for _, command := range commands {
		for _, format := range formats {
			o := invoke(append(strings.Fields(command), "--format", format, "--quiet")...)
			if o.code != exitDone {
				t.Errorf("%s: exit code %d, %s", command, o.code, o.stderr)
			}
			if strings.Contains(o.stdout, "NaN") || strings.Contains(o.stdout, "Inf") {
				t.Errorf("%s --format %s prints NaN or Inf:\n%s", command, format, o.stdout)
			}
		}
	}
}
