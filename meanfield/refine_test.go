package meanfield

import (
	"context"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

func exponentialPod(n, d int64, load float64, replacement bool) ctmc.System {
	return ctmc.System{Servers: n, Load: load, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.PowerOfD(d, replacement)}
}

func TestTmp(t *testing.T) {
	for _, c := range []struct {
		n, d int64
		load float64
	}{{10, 2, .7}, {10, 2, .9}, {10, 2, .95}, {10, 3, .9}, {100, 3, .9}, {50, 4, .95}, {10, 4, .95}, {10, 5, .9}} {
		r, err := Refine(context.Background(), exponentialPod(c.n, c.d, c.load, true), 2)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v %.10f %.10f %.6f  %.5f %.5f %.5f L=%d neg=%.2g V1=%.3g err~%.2g %v", c, r.MeanJobsLimit, r.Correction1, r.Correction2, r.MeanJobsLimit, r.MeanJobsOrder1, r.MeanJobsOrder2, r.Levels, r.Neglected, r.TailCorrection1[0], r.ErrorIndication, r.Warnings)
	}
}
