package main

import (
	"strings"
	"testing"
)

const merged = `load,policy,servers,service,method,quantity,value,expected_error,kind,applies,note
0.9,jsq,10,exp,exact,mean_jobs,2,1e-9,exact,true,
0.9,jsq,10,exp,mean-field,mean_jobs,0.9,1,limit,true,
0.9,jsq,10,exp,mean-field,p_wait,0,1,limit,true,
0.9,jsq,10,exp,nds,mean_jobs,2.001,0.1,limit,true,
0.9,jsq,10,exp,refined-1,mean_jobs,,,limit,false,kink
0.9,jsq,10,exp,simulation,mean_jobs,3,0.1,estimate,true,
0.99,jsq,10,exp,simulation,mean_jobs,4,0.1,estimate,true,
0.99,jsq,10,exp,nds,mean_jobs,4.06,0.1,limit,true,
0.99,jsq,10,exp,mean-field,mean_jobs,,,limit,false,
`

// TestTables: percentages of the truth, exact before simulated, brackets within
// the interval.
func TestTables(t *testing.T) {
	systems, err := read(strings.NewReader(merged))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, method := range approximations {
		systems.write(&out, "jsq", method)
	}
	const want = `### jsq, mean-field

| service | N | 0.9 | 0.99 |
|---|---|---|---|
| exp | 10 | -55.0 | – |

### jsq, nds

| service | N | 0.9 | 0.99 |
|---|---|---|---|
| exp | 10 | +0.05 | (+1.5) |

`
	if out.String() != want {
		t.Errorf("printed\n%s\nwant\n%s", out.String(), want)
	}
}

func TestRefusals(t *testing.T) {
	for text, wanted := range map[string]string{"": "empty", "a,b\n": "no column", "load,policy\n1\n": "wrong number of fields"} {
		if _, err := read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%q: %v, want %q", text, err, wanted)
		}
	}
	if err := run(nil, nil); err == nil {
		t.Error("no file, no error")
	}
}
