package validate

import (
	"io"
	"math"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// FuzzReadData: rows that are read are results of valid systems.
func FuzzReadData(f *testing.F) {
	for _, text := range []string{
		"policy,servers,load,quantity,value,half_width\njsq,2,0.8,mean_jobs,2.365,0.004\nrandom,4,0.5,mean_response,2.003,0.01\n",
		"d,replacement,servers,load,mean_jobs,mean_jobs_standard_error,p_wait,tail_2\n2,true,10,0.9,2.75,0.01,0.8,\n",
		"# by hand\nservers,load,value,level\n3,0.5,1.1e0,0.9\n",
		"\ufeffservers,load,buffer,service,p_block\n3,1.2,2,erlang2,0.1\n",
		"servers,load,value,standard_error\n3,0.5,1e-999,1e999\n", "servers,load,value\n3,0.5,1e-400\n", "value\n1\n", "\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := ReadData(strings.NewReader(text), DataDefaults{Servers: 3, Load: 0.5})
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if len(set.Rows) == 0 || len(set.Rows) > mostDataRows+len(text) {
			t.Errorf("%q: %d rows", text, len(set.Rows))
		}
		for i, row := range set.Rows {
			if err := row.System.Validate(); err != nil {
				t.Errorf("%q, line %d: %v", text, row.Line, err)
			}
			if _, err := ParseQuantity(string(row.Quantity)); err != nil {
				t.Errorf("%q, line %d: %v", text, row.Line, err)
			}
			for name, x := range map[string]float64{"value": row.Value, "standard error": row.StandardError, "rounding": row.Rounding} {
				if !(x >= 0) || math.IsInf(x, 1) {
					t.Errorf("%q, line %d: %s = %g", text, row.Line, name, x)
				}
			}
			if !(row.Level > 0 && row.Level < 1) || row.errorOf >= len(set.Rows) || row.errorOf == i {
				t.Errorf("%q, line %d: level %g, error of row %d", text, row.Line, row.Level, row.errorOf)
			}
		}
	})
}

// FuzzSamples: every row that is read holds the servers of the system, with a
// weight that is finite.
func FuzzSamples(f *testing.F) {
	for _, text := range []string{
		"time,idle,1,2,3\n0,1,2,0,0\n1.5,0,3,0,0\n2,3,0,0,0\n", "weight,1,2\n0.5,1,1\n0,3,0\n", "1,2\n1,1\n\n# x\n3,0\n", "idle,1.1,1.2,2.1\n1,1,1,0\n",
		"\"0\",\"1\"\n1,2.0\n", "t,n1\n1,1\n1,1\n", "t,1\n2,1\n1,1\n", "t,1\n-1e308,1\n1e308,1\n0,0\n", "10000\n1\n", "1\n9223372036854775807\n",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, twoPhases bool) {
		law := "exp"
		if twoPhases {
			law = "coxian:mean=1,scv=4"
		}
		service, err := coxian.Parse(law)
		if err != nil {
			t.Fatal(err)
		}
		s := ctmc.System{Servers: 3, Load: 0.5, Buffer: 4, Service: service, Policy: ctmc.JSQ()}
		samples, err := NewSamples(strings.NewReader(text), s)
		for err == nil {
			var counts []int64
			var weight float64
			if counts, weight, err = samples.Next(); err != nil {
				break
			}
			total := int64(0)
			for _, n := range counts {
				total += n
				if n < 0 {
					t.Fatalf("%q: counts %v", text, counts)
				}
			}
			if total != s.Servers || !(weight >= 0) || math.IsInf(weight, 1) {
				t.Fatalf("%q: counts %v, weight %g", text, counts, weight)
			}
		}
		if err != io.EOF && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", text, err)
		}
	})
}
