package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// writeSamplesFile makes a file of samples with the program.
func writeSamplesFile(t *testing.T, command string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "samples.csv")
	o := invoke(append(strings.Fields("simulate "+command), "--samples", name, "--quiet")...)
	if o.code != exitDone {
		t.Fatalf("%s: %s", command, o.stderr)
	}
	return name
}

func steinTest(t *testing.T, file, system string) (outcome, map[string]any) {
	t.Helper()
	o := invoke(append(strings.Fields("validate --format json --quiet "+system), "--stein", file)...)
	if o.code != exitDone && o.code != exitValidation {
		t.Fatalf("%s: exit code %d: %s", system, o.code, o.stderr)
	}
	return o, decode(t, o.stdout)
}

// TestStein: samples pass for the system they come from and are rejected for
// others, in one phase and two, with a buffer and without.
func TestStein(t *testing.T) {
	files := map[string]string{}
	for _, c := range []struct{ made, claimed, suggestion string }{
		{"-n 10 --load 0.8 --policy pod:d=2 --sample-count 1e5", "", "nothing speaks against"},
		{"-n 10 --load 0.8 --policy pod:d=2 --sample-count 1e5", "-n 10 --load 0.8 --policy pod:d=2,replacement=true", "policy pod:d=2 "},
		{"-n 10 --load 0.8 --policy pod:d=2 --sample-count 1e5", "-n 10 --load 0.82 --policy pod:d=2", "load off: the identities hold for load 0."},
		{"-n 6 --load 1.1 --buffer 3 --policy jiq --service coxian:mu1=4,p=0.5,mu2=1 --sample-count 5e4", "", "nothing speaks against"},
		{"-n 6 --load 0.7 --policy jiq --service coxian:mu1=4,p=0.5,mu2=1 --sample-count 5e4", "-n 6 --load 0.7 --policy jiq --service coxian:mu1=4,p=0.25,mu2=0.5", "service"},
	} {
		if files[c.made] == "" {
			files[c.made] = writeSamplesFile(t, c.made)
		}
		file := files[c.made]
		claimed := c.claimed
		if claimed == "" {
			claimed, _, _ = strings.Cut(c.made, "--sample-count")
		}
		o, r := steinTest(t, file, claimed)
		rejected := c.claimed != ""
		if got := o.code == exitValidation; got != rejected || (r["verdict"] == "reject") != rejected {
			t.Errorf("%s as %s: exit code %d, verdict %v, p = %v", c.made, claimed, o.code, r["verdict"], r["p_value"])
		}
		if p := number(t, r, "p_value"); (p < 0.05) != rejected {
			t.Errorf("%s as %s: p = %g", c.made, claimed, p)
		}
		if text := fmt.Sprint(r["suggestion"]); !strings.Contains(text, c.suggestion) {
			t.Errorf("%s as %s: %q does not say %q", c.made, claimed, text, c.suggestion)
		}
		for _, one := range r["identities"].([]any) {
			for _, field := range []string{"name", "mean", "standard_error", "p_value", "p_adjusted"} {
				if _, ok := one.(map[string]any)[field]; !ok {
					t.Errorf("identity without %s: %v", field, one)
				}
			}
		}
	}
}

// TestSteinFiles: what a file may look like, and what is wrong with it.
func TestSteinFiles(t *testing.T) {
	rows := func(header, row string, n int) string { return header + "\n" + strings.Repeat(row+"\n", n) }
	many := func(header, a, b string) string { return header + "\n" + strings.Repeat(a+"\n"+b+"\n", 200) }
	for _, c := range []struct{ text, flags, complaint string }{
		{"", "", "the file is empty"},
		{"a,b\n", "", `line 1: column 1 of the header: "a" (must be time, weight, idle or a number of jobs`},
		{rows("idle,1,2", "1,1,0", 10), "", "10 rows (must be at least 256)"},
		{rows("idle,1,2", "1,2,0", 300), "", "line 2: the counts add to more than the 2 servers"},
		{rows("idle,1,2", "1,0,0", 300), "", "line 2: the counts add to 1 (must be 2, the servers of the system)"},
		{rows("idle,1,2", "1,1", 300), "", "line 2: 2 fields (must be 3 as in the header)"},
		{rows("idle,1,2", "1,1,0,0", 300), "", "line 2: 4 fields (must be 3 as in the header)"},
		{rows("# mine\nidle,1,2", "1,x,0", 300), "", `line 3: column 1 = "x" (must be a number of servers`},
		{rows("idle,1,2", "1,0.5,0", 300), "", `line 2: column 1 = "0.5"`},
		{rows("idle,1,2", "3,-1,0", 300), "", `line 2: the counts add to more`},
		{"time,idle,1\n5,1,1\n4,1,1\n", "", "line 3: time 4 is before 5 of the row above"},
		{rows("weight,idle,1", "-1,1,1", 300), "", "line 2: weight = -1 (must be >= 0"},
		{rows("weight,idle,1", "0,1,1", 300), "", "the weights of all rows are 0"},
		{rows("idle,1.1,1.2", "1,1,0", 300), "", `column 3 of the header: "1.2" (the service law of the system has one phase)`},
		{rows("idle,1,2", "1,1,0", 300), "--service erlang2", "says nothing of the phase"},
		{rows("idle,1,time", "1,1,0", 300), "", "the column time must be the first"},
		{rows("idle,0,1", "1,1,0", 300), "", "the columns idle and 0 say the same"},
		{rows("idle,1,2", "1,0,1", 300), "--buffer 1", "line 2: a server with more than 1 jobs, the buffer of the system"},
		{rows("idle,1,20000", "1,1,0", 300), "", "must be at most 10000 jobs"},
	} {
		name := filepath.Join(t.TempDir(), "s.csv")
		if err := os.WriteFile(name, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		o := invoke(append(strings.Fields("validate -n 2 --load 0.5 --quiet "+c.flags), "--stein", name)...)
		if o.code != exitRequest || !strings.Contains(o.stderr, c.complaint) || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%.40q: exit code %d, stderr %q, want %q", c.text, o.code, o.stderr, c.complaint)
		}
	}
	for _, text := range []string{
		many("idle,1,2", "1,1,0", "0,1,1"),
		many("\ufeff\"0\",\"1\",\"2\"", "1,1,0\r", "0,1,1\r"),
		many("# made by hand\nn0,n1,n2", "1.0, 1, 0", "\n0,2,0"),
		many("1,2", "1,0", "1,1"),
		many("weight,idle,1", "0.5,1,1", "1.5,2,0"),
	} {
		name := filepath.Join(t.TempDir(), "s.csv")
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if o := invoke(strings.Fields("validate -n 2 --load 0.5 --quiet --stein " + name)...); o.code != exitDone && o.code != exitValidation {
			t.Errorf("%.40q: exit code %d: %s", text, o.code, o.stderr)
		}
	}
}

// TestSteinWeights: a path written down at every event passes when each state
// has the time until the next as its weight, and does not without.
func TestSteinWeights(t *testing.T) {
	// M/M/1 of load 1/2 and buffer 1, alternating: idle for 2 on average, busy
	// for 1. The mean of G m_1 = λ idle - busy over states is 0 with these
	// weights alone.
	var timed, plain strings.Builder
	timed.WriteString("time,idle,1\n")
	plain.WriteString("idle,1\n")
	clock := 0.0
	for k := range 4000 {
		stay, row := 2.0, "1,0"
		if k%2 == 1 {
			stay, row = 1, "0,1"
		}
		stay *= 0.5 + float64(k*7919%1000)/1000 // mean 1 over the rows, nearly
		fmt.Fprintf(&timed, "%g,%s\n", clock, row)
		fmt.Fprintf(&plain, "%s\n", row)
		clock += stay
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		code int
	}{"timed.csv": {timed.String(), exitDone}, "plain.csv": {plain.String(), exitValidation}} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if o := invoke(strings.Fields("validate -n 1 --load 0.5 --buffer 1 --format json --quiet --stein " + file)...); o.code != c.code {
			t.Errorf("%s: exit code %d, want %d: %s", name, o.code, c.code, o.stderr)
		}
	}
}

// TestSteinRefusals: flags that do not go together.
func TestSteinRefusals(t *testing.T) {
	for _, c := range [][2]string{
		{"validate --load 0.8", "--load needs --stein"},
		{"validate mine.toml --stein x.csv", "--stein takes no experiment file"},
		{"validate --stein x.csv --print", "does not go with --print"},
		{"validate --stein x.csv -n 2", "load is missing"},
		{"validate --stein missing.csv -n 2 --load 0.5", "cannot read --stein missing.csv"},
		{"validate --stein x.csv -n 2 --load 0.5 --alpha 0", "alpha = 0 (must be"},
		{"simulate -n 2 --load 0.5 --samples x.csv --sample-every 0", "sample-every = 0 (must be"},
	} {
		if o := invoke(strings.Fields(c[0])...); o.code != exitRequest || !strings.Contains(o.stderr, c[1]) {
			t.Errorf("%s: exit code %d, stderr %q", c[0], o.code, o.stderr)
		}
	}
}

// TestSamplesDoNotDependOnThreads or on anything but the seed.
func TestSamplesDoNotDependOnThreads(t *testing.T) {
	read := func(flags string) string {
		text, err := os.ReadFile(writeSamplesFile(t, "-n 5 --load 0.7 --sample-count 2000 "+flags))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	one := read("--threads 1")
	if one != read("--threads 3") || one == read("--seed 2") {
		t.Error("samples depend on the threads, or not on the seed")
	}
	var r map[string]any
	o := invoke(strings.Fields("simulate -n 5 --load 0.7 --sample-count 2000 --format json --samples " + filepath.Join(t.TempDir(), "s.csv"))...)
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil || r["rows"] != 2000.0 {
		t.Errorf("report %v, %v", r, err)
	}
}

// TestSteinFrozen: a file whose rows do not vary is no run of any system.
func TestSteinFrozen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "s.csv")
	if err := os.WriteFile(name, []byte("idle,1,2\n"+strings.Repeat("1,1,0\n", 300)), 0o666); err != nil {
		t.Fatal(err)
	}
	if o, r := steinTest(t, name, "-n 2 --load 0.5"); o.code != exitValidation || r["p_value"] != 0.0 || !strings.Contains(fmt.Sprint(r["suggestion"]), "do not vary") {
		t.Errorf("exit code %d, p = %v: %v", o.code, r["p_value"], r["suggestion"])
	}
}
