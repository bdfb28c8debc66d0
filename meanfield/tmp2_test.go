package meanfield

import (
	"context"
	"math"
	"testing"
)

func TestTmpTrust(t *testing.T) {
	for _, c := range []struct {
		n, d int64
		load, sim float64
	}{{10, 2, .7,1.2193}, {10, 2, .9,2.8003}, {10,2,.92,3.22617},{10,2,.94,3.8472},{10, 2, .95,4.2993}, {20, 2, .95,3.7123},{10, 3, .9,2.3143}, {100, 3, .9,1.8672}, {50, 4, .95,2.2787}, {10, 4, .95,0}, {10, 5, .9,0}} {
		r, err := Refine(context.Background(), exponentialPod(c.n, c.d, c.load, true), 2)
				if err != nil {
					t.Fatal(err)
				}
				n:=c.n
				first, second := 0.0, 0.0
				for i := range r.TailCorrection1 {
					first += math.Abs(r.TailCorrection1[i]) / float64(n)
					second += math.Abs(r.TailCorrection2[i]) / float64(n*n)
				}
				ind := second * math.Max(second/first, first/r.MeanJobsLimit)
		t.Logf("%v e2 %.5f ind %.5f (rel %.4f) r1 %.3f r2 %.3f", c, r.MeanJobsOrder2-c.sim, ind, ind/r.MeanJobsLimit, first/r.MeanJobsLimit, second/first)
	}
}
