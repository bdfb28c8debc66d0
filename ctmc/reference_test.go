package ctmc

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"qlimit/coxian"
)

// referenceCase is one entry of testdata/ctmc_stationary.json, made with
// sparse and dense solves in other software (see testdata/README.md).
type referenceCase struct {
	States      int       `json:"states"`
	MeanJobs    float64   `json:"mean_jobs_per_server"`
	BlockProb   float64   `json:"p_block"`
	WaitProb    float64   `json:"p_wait"`
	Response    float64   `json:"mean_response"`
	Occupancy   []float64 `json:"occupancy"`
	Policy      string    `json:"policy"`
	D           int64     `json:"d"`
	Replacement bool      `json:"with_replacement"`
	Servers     int64     `json:"servers"`
	Load        float64   `json:"lambda_"`
	Service     struct{ Mu1, P, Mu2 float64 }
	Buffer      int
}

func (r referenceCase) system(t *testing.T) System {
	t.Helper()
	policy := PowerOfD(r.D, r.Replacement)
	if r.Policy != "pod" {
		var err error
		if policy, err = ParsePolicy(r.Policy); err != nil {
			t.Fatal(err)
		}
	}
	return System{Servers: r.Servers, Load: r.Load, Buffer: r.Buffer, Policy: policy,
		Service: coxian.Dist{Mu1: r.Service.Mu1, P: r.Service.P, Mu2: r.Service.Mu2}}
}

func loadReference(t *testing.T) []referenceCase {
	t.Helper()
	data, err := os.ReadFile("testdata/ctmc_stationary.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []referenceCase }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) == 0 {
		t.Fatal("no reference cases")
	}
	return file.Cases
}

// TestErlangReference: M/M/n from testdata/erlang_c.json, to 1e-10.
func TestErlangReference(t *testing.T) {
	data, err := os.ReadFile("testdata/erlang_c.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			Servers  int64
			Offered  float64
			WaitProb float64 `json:"p_wait"`
			MeanJobs float64 `json:"mean_jobs"`
		}
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file.Cases) == 0 {
		t.Fatal(len(file.Cases), err)
	}
	for _, c := range file.Cases {
		q := Pooled{Servers: c.Servers, Offered: c.Offered}
		if got := q.WaitProbability(); math.Abs(got-c.WaitProb) > 1e-10*c.WaitProb {
			t.Errorf("%+v: P(wait) = %.14g", c, got)
		}
		if got := q.MeanJobs(); math.Abs(got-c.MeanJobs) > 1e-10*c.MeanJobs {
			t.Errorf("%+v: mean jobs %.14g", c, got)
		}
	}
}

// TestStationaryReference holds every method against values computed by
// other software, accurate to 1e-10.
func TestStationaryReference(t *testing.T) {
	for _, c := range loadReference(t) {
		s := c.system(t)
		for _, method := range []Method{Automatic, Aggregation, Elimination} {
			if method == Elimination && c.States > 1500 {
				continue
			}
			got, err := SolveStationary(context.Background(), s, SolverSettings{Method: method}, 0)
			if err != nil {
				t.Fatalf("%v: %v", s, err)
			}
			if got.Law.Status != Converged || got.Law.Residual > 1e-12 {
				t.Errorf("%v %s: status %v residual %g", s, method, got.Law.Status, got.Law.Residual)
			}
			if got.States != c.States {
				t.Errorf("%v: %d states, want %d", s, got.States, c.States)
			}
			check := func(name string, got, want float64) {
				t.Helper()
				if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
					t.Errorf("%v %s: %s = %.12g, want %.12g", s, method, name, got, want)
				}
			}
			check("mean jobs", got.MeanJobs, c.MeanJobs)
			check("response", got.MeanResponse, c.Response)
			check("P(wait)", got.WaitProb, c.WaitProb)
			check("P(block)", got.BlockProb, c.BlockProb)
			for i, q := range c.Occupancy {
				check("occupancy", got.Occupancy[i], q)
			}
		}
	}
}
