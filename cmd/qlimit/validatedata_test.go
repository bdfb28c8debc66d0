package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func dataFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "data.csv")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestData: a file that agrees, one that does not, and the fields of a row.
func TestData(t *testing.T) {
	good := dataFile(t, "# mine\nservers,load,policy,quantity,value,half_width\n1,0.5,jsq,mean_jobs,1.001,0.01\n2,0.5,random,p_wait,0.5,0.01\n")
	r := invokeJSON(t, "validate --data "+good)
	rows := r["rows"].([]any)
	if len(rows) != 2 || r["status"] != "passed" || r["suggestion"] != "every row is explained by theory" {
		t.Errorf("report %v", r)
	}
	for _, row := range rows {
		for _, field := range strings.Fields("system quantity theory kind simulated half_width difference tolerance verdict explained_by line") {
			if _, ok := row.(map[string]any)[field]; !ok {
				t.Errorf("row without %s: %v", field, row)
			}
		}
	}
	near(t, "theory", number(t, rows[0].(map[string]any), "theory"), 1, 1e-9)
	near(t, "line", number(t, rows[1].(map[string]any), "line"), 4, 0)

	bad := dataFile(t, "load,mean_response,half_width\n0.5,1.000,0.002\n")
	o := invoke(strings.Fields("validate --format json --quiet --servers 1 --data " + bad)...)
	if o.code != exitValidation || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "the time spent waiting") {
		t.Errorf("exit code %d, stderr %q", o.code, o.stderr)
	}
	row := decode(t, o.stdout)["rows"].([]any)[0].(map[string]any)
	if row["verdict"] != "disagree" || !strings.Contains(row["explained_by"].(string), "waiting time") {
		t.Errorf("row %v", row)
	}
}

// TestDataRefusals: what is no request.
func TestDataRefusals(t *testing.T) {
	for _, c := range [][2]string{
		{"validate --data missing.csv", "cannot read --data missing.csv"},
		{"validate --data x.csv --stein y.csv", "--stein and --data do not go together"},
		{"validate mine.toml --data x.csv", "--data takes no experiment file"},
		{"validate --data x.csv --alpha 0.1", "--alpha needs --stein"},
		{"validate --events 1e6", "--events needs --data"},
		{"validate --data " + dataFile(t, "servers,load,value\n1,0.5,x\n"), "line 2: value = x"},
		{"validate --data " + dataFile(t, "value\n1\n"), "the column servers is missing (or give --servers)"},
	} {
		if o := invoke(strings.Fields(c[0])...); o.code != exitRequest || !strings.Contains(o.stderr, c[1]) {
			t.Errorf("%s: exit code %d, stderr %q", c[0], o.code, o.stderr)
		}
	}
}
