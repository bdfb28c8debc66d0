package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

func compareData(t *testing.T, text string, defaults DataDefaults, events int64) *DataReport {
	t.Helper()
	set, err := ReadData(strings.NewReader(text), defaults)
	if err != nil {
		t.Fatal(err)
	}
	r, err := CompareData(context.Background(), set, DataSettings{Simulation: sim.Settings{Seed: 1, Events: events}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPublishedData: rows of the published file are explained, by sampling with
// replacement, which the file's columns do not say.
func TestPublishedData(t *testing.T) {
	lines := strings.SplitAfter(publishedPowerOfD, "\n")
	text := lines[0] + lines[1]
	for i := 3; i < len(lines); i += 9 {
		text += lines[i]
	}
	checkPublished(t, text, 300_000)
}

// checkPublished holds the published file, or some of its lines, against theory.
func checkPublished(t *testing.T, text string, events int64) {
	t.Helper()
	r := compareData(t, text, DataDefaults{}, events)
	if want := 4 * (strings.Count(text, "\n") - 2); len(r.Rows) != want || r.Count(estimate.Disagree) > 0 || r.Replacement != "with replacement" {
		t.Errorf("%d rows (want %d), %d disagree, read as %s: %s", len(r.Rows), want, r.Count(estimate.Disagree), r.Replacement, r.Suggestion)
	}
	without := r.Readings[0]
	if without.Name != "without replacement" || without.Agree > without.Rows/2 {
		t.Errorf("reading %s: %d of %d agree", without.Name, without.Agree, without.Rows)
	}
}

// mistake is a file with one of the usual mistakes and the reading that explains
// it.
type mistake struct {
	reading string
	rows    func(t *testing.T) string
}

// stationary solves the chain of a system given by policy, servers, load, buffer.
func stationary(t *testing.T, policy ctmc.Policy, servers int64, load float64, buffer int) *ctmc.Stationary {
	t.Helper()
	r, err := solveExact(context.Background(), ctmc.System{Servers: servers, Load: load, Buffer: buffer, Service: exponential, Policy: policy}, dataStates)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var mistakes = []mistake{
	{"waiting time", func(t *testing.T) string {
		return fmt.Sprintf("policy,servers,load,quantity,value,standard_error\njsq,4,0.8,mean_response,%.5f,0.0005\njiq,3,0.6,mean_response,%.5f,0.0005\n",
			stationary(t, ctmc.JSQ(), 4, 0.8, 0).MeanResponse-1, stationary(t, ctmc.JIQ(), 3, 0.6, 0).MeanResponse-1)
	}},
	{"waiting jobs", func(t *testing.T) string {
		return fmt.Sprintf("policy,servers,load,mean_jobs,standard_error\njsq,4,0.8,%.5f,0.0005\nrandom,3,0.5,%.5f,0.0005\n",
			stationary(t, ctmc.JSQ(), 4, 0.8, 0).MeanJobs-0.8, 1-0.5)
	}},
	{"all servers", func(t *testing.T) string {
		return fmt.Sprintf("policy,servers,load,mean_jobs,standard_error\njsq,4,0.8,%.5f,0.0005\nrandom,3,0.5,%.5f,0.0005\n",
			4*stationary(t, ctmc.JSQ(), 4, 0.8, 0).MeanJobs, 3*1.0)
	}},
	{"lost jobs", func(t *testing.T) string {
		a, b := stationary(t, ctmc.JSQ(), 4, 0.9, 2), stationary(t, ctmc.Random(), 2, 1.5, 3)
		return fmt.Sprintf("policy,servers,load,buffer,mean_response,standard_error\njsq,4,0.9,2,%.5f,0.0002\nrandom,2,1.5,3,%.5f,0.0002\n",
			a.MeanResponse*(1-a.BlockProb), b.MeanResponse*(1-b.BlockProb))
	}},
	{"accepted load", func(t *testing.T) string {
		a, b := stationary(t, ctmc.JSQ(), 4, 0.9, 2), stationary(t, ctmc.Random(), 2, 0.9, 3)
		return fmt.Sprintf("policy,servers,load,buffer,mean_jobs,standard_error,p_block\njsq,4,%.8f,2,%.5f,0.0002,\nrandom,2,%.8f,3,%.5f,0.0002,%.5f\n",
			0.9*(1-a.BlockProb), a.MeanJobs, 0.9*(1-b.BlockProb), b.MeanJobs, b.BlockProb)
	}},
	// Two values of other tools: JSQ at N = 10, load .9, counting waiting jobs only
	// when it compares; power-of-two with replacement.
	{"tie with idle", func(*testing.T) string {
		return "policy,servers,load,mean_jobs,half_width\njsq,10,0.9,2.09,0.01\n"
	}},
	{"replacement", func(*testing.T) string {
		return "policy,servers,load,mean_jobs,standard_error\npod:d=2,10,0.9,2.8023,0.001\n\"pod:d=2,replacement=true\",10,0.9,2.6836,0.001\n"
	}},
}

// TestMistakes: each of the usual mistakes is found out.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		t.Run(m.reading, func(t *testing.T) {
			t.Parallel()
			text := m.rows(t)
			r := compareData(t, text, DataDefaults{}, 2_000_000)
			k := slices.IndexFunc(r.Readings, func(x Reading) bool { return x.Name == m.reading })
			if k < 0 || !r.Readings[k].Fits {
				t.Fatalf("%s: not found: %s", text, r.Suggestion)
			}
			if !strings.Contains(r.Suggestion, r.Readings[k].What) {
				t.Errorf("suggestion %q does not name it", r.Suggestion)
			}
			for i, row := range r.Rows {
				if row.Verdict == estimate.Disagree && !strings.Contains(r.Explained[i], m.reading) {
					t.Errorf("row %d is not explained", i)
				}
			}
			for _, other := range r.Readings {
				if other.Fits && other.Name != m.reading {
					t.Errorf("%s fits as well", other.Name)
				}
			}
		})
	}
}

// TestRightData: what agrees, and what is taken for granted.
func TestRightData(t *testing.T) {
	// M/M/1 at .5: 1 job; M/M/4 bounds; a number without error, and one with.
	r := compareData(t, "load,value\n0.5,1.000\n0.5,1.01\n", DataDefaults{Policy: "random", Servers: 3}, 0)
	if len(r.Rows) != 2 || r.Rows[0].Verdict != estimate.Agree || r.Rows[1].Verdict != estimate.Inconclusive {
		t.Errorf("rows %+v", r.Rows)
	}
	for _, want := range []string{"no column quantity: taken as mean_jobs", "no column policy: taken as random", "no column service: taken as exp", "no column buffer: taken as unlimited", "no column servers: taken as 3"} {
		if !slices.Contains(r.Notes, want) {
			t.Errorf("notes %q lack %q", r.Notes, want)
		}
	}
	r = compareData(t, "value,half_width,quantity,servers,load,level,policy,service\n1.6245,0.002,mean_response,1,0.5,0.99,jsq,erlang2\n", DataDefaults{}, 0)
	// M/G/1 with scv 1/2: 1 + .5 × .75/.5 = 1.75, so 1.6245 is wrong.
	if near := math.Abs(r.Rows[0].Theory - 1.75); near > 1e-9 || r.Rows[0].Verdict != estimate.Disagree || r.Rows[0].HalfWidth != 0.002 {
		t.Errorf("row %+v", r.Rows[0])
	}
}

// TestDataRefusals: errors name line and column.
func TestDataRefusals(t *testing.T) {
	for _, c := range [][2]string{
		{"", "the file is empty"},
		{"policy,servers\n", "line 1: no column of results"},
		{"policy,servers,load,mean_job\njsq,1,0.5,1\n", "did you mean mean_jobs by mean_job?"},
		{"N,rho,response\n10,0.9,3\n", "did you mean mean_response by response?"},
		{"servers;load;mean_jobs\n10;0.9;3\n", "must be columns separated by commas"},
		{"servers,rho,mean_jobs\n10,0.9,3\n", "the column load is missing (or give --load); not used: rho"},
		{"servers,load,quantity\n1,0.5,mean_jobs\n", "the column value is missing"},
		{"load,value\n0.5,1\n", "the column servers is missing (or give --servers)"},
		{"servers,value\n5,1\n", "the column load is missing (or give --load)"},
		{"servers,load,value,mean_jobs\n1,0.5,1,1\n", "either quantity and value or a column for each quantity"},
		{"servers,load,value\n", "there is no result"},
		{"servers,load,value\n1,0.5,x\n", "line 2: value = x"},
		{"servers,load,value\n1,0.5,\n", "line 2: value = missing"},
		{"# c\nservers,load,value\n1,0.5\n", "record on line 3: wrong number of fields"},
		{"servers,load,value\n1,1.5,1\n", "line 2: load = 1.5 (must be < 1"},
		{"servers,load,value\n0,0.5,1\n", "line 2: servers = 0"},
		{"servers,load,p_wait\n2,0.5,1.2\n", "line 2: p_wait = 1.2 (must be a number between 0 and 1)"},
		{"servers,load,policy,value\n2,0.5,jqs,1\n", "did you mean jsq?"},
		{"servers,load,policy,d,value\n2,0.5,jsq,2,1\n", "a row with d is power-of-d"},
		{"servers,load,d,value\n2,0.5,3,1\n", "line 2: d = 3 (must be between 1 and the number of servers, 2)"},
		{"servers,load,quantity,value\n2,0.5,mean_jobz,1\n", "did you mean mean_jobs?"},
		{"servers,load,value,half_width\n2,0.5,1,-1\n", "line 2: half_width = -1"},
		{"servers,load,p_wait_half_width,p_wait\n2,0.5,1,1\n", "there is no column p_wait before it"},
		{"servers,servers,load,value\n2,2,0.5,1\n", "the column servers is there twice"},
		{"servers,load,value,level\n2,0.5,1,1\n", "level = 1 (must be between 0 and 1)"},
		{"servers,load,service,value\n2,0.5,expo,1\n", "line 2:"},
	} {
		_, err := ReadData(strings.NewReader(c[0]), DataDefaults{})
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%q: error %v, want %q", c[0], err, c[1])
		}
	}
}
