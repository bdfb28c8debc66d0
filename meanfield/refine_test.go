package meanfield

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

var exponentialLaw = coxian.Dist{Mu1: 1, P: 0, Mu2: 1}

func exponentialPod(n, d int64, load float64, replacement bool) ctmc.System {
	return ctmc.System{Servers: n, Load: load, Service: exponentialLaw, Policy: ctmc.PowerOfD(d, replacement)}
}

func mustRefine(t *testing.T, sys ctmc.System, order int) *Refinement {
	t.Helper()
	r, err := Refine(context.Background(), sys, order)
	if err != nil {
		t.Fatalf("%v: %v", sys, err)
	}
	return r
}

// TestRefineKnownCoefficients: ΣV and ΣA_2, exponential service, sampling with
// replacement, computed elsewhere (in double precision the first, from
// finite-difference derivatives in part the second, hence the fewer digits).
func TestRefineKnownCoefficients(t *testing.T) {
	for _, c := range []struct {
		d                int64
		load             float64
		first, tolerance float64
		second, half     float64 // half a unit of the last digit known; 0 = not known
	}{
		{2, .7, 0.84906554, 1e-8, 0.408487, 5e-7},
		{2, .9, 3.98642699, 1e-8, 5.322664, 5e-7},
		{2, .95, 8.87835563, 1e-8, 22.4792, 1e-4},
		{3, .9, 4.1135422112, 1e-9, 0, 0},
		{4, .95, 9.0632118269, 1e-9, 0, 0},
		{5, .9, 4.6029775312, 1e-9, 0, 0},
	} {
		r := mustRefine(t, exponentialPod(10, c.d, c.load, true), 2)
		if math.Abs(r.Correction1-c.first) > c.tolerance {
			t.Errorf("d=%d load=%g: ΣV = %.12g, want %.10g", c.d, c.load, r.Correction1, c.first)
		}
		if c.half > 0 && math.Abs(r.Correction2-c.second) > c.half {
			t.Errorf("d=%d load=%g: ΣA_2 = %.9g, want %g", c.d, c.load, r.Correction2, c.second)
		}
	}
}

// TestRefinePublishedTable: mean field, 1/N and 1/N² columns printed by Gast,
// Bortolussi and Tribastone (2019), to their four decimals.
func TestRefinePublishedTable(t *testing.T) {
	for _, c := range []struct {
		n, d                 int64
		load                 float64
		limit, first, second float64
	}{
		{10, 2, .7, 1.1301, 1.2150, 1.2191},
		{10, 2, .9, 2.3527, 2.7513, 2.8045},
		{10, 2, .95, 3.2139, 4.1017, 4.3265},
		{10, 3, .9, 1.8251, 2.2364, 2.3322},
		{100, 3, .9, 1.8251, 1.8662, 1.8672},
		{50, 4, .95, 2.0771, 2.2584, 2.2939},
	} {
		r := mustRefine(t, exponentialPod(c.n, c.d, c.load, true), 2)
		for _, pair := range [][2]float64{{r.MeanJobsLimit, c.limit}, {r.MeanJobsOrder1, c.first}, {r.MeanJobsOrder2, c.second}} {
			if math.Abs(pair[0]-pair[1]) > 5.1e-5 {
				t.Errorf("N=%d d=%d load=%g: %.6f, published %.4f", c.n, c.d, c.load, pair[0], pair[1])
			}
		}
		if !r.Trusted {
			t.Errorf("N=%d d=%d load=%g is not trusted: %v", c.n, c.d, c.load, r.Warnings)
		}
	}
}

// observedOrder is the exponent of N in the decay of an error from n to 2n.
func observedOrder(before, after float64) float64 { return math.Log2(math.Abs(before / after)) }

// TestRefineOrderAgainstExactChain: the errors of the two orders fall as N^-2
// and N^-3 (the observed order still approaches its limit at these sizes).
func TestRefineOrderAgainstExactChain(t *testing.T) {
	slow := coxian.Dist{Mu1: 2, P: .25, Mu2: .5}
	for _, c := range []struct {
		sys    ctmc.System
		sizes  [2]int64
		within float64
	}{
		{ctmc.System{Load: .8, Buffer: 2, Service: exponentialLaw, Policy: ctmc.PowerOfD(2, true)}, [2]int64{60, 120}, 0.15},
		{ctmc.System{Load: .8, Buffer: 2, Service: exponentialLaw, Policy: ctmc.PowerOfD(2, false)}, [2]int64{60, 120}, 0.15},
		{ctmc.System{Load: 1.1, Buffer: 2, Service: exponentialLaw, Policy: ctmc.PowerOfD(4, false)}, [2]int64{60, 120}, 0.15},
		{ctmc.System{Load: .8, Buffer: 3, Service: exponentialLaw, Policy: ctmc.PowerOfD(2, false)}, [2]int64{16, 32}, 0.25},
		{ctmc.System{Load: .9, Buffer: 1, Service: slow, Policy: ctmc.PowerOfD(3, false)}, [2]int64{60, 120}, 0.15},
		{ctmc.System{Load: .9, Buffer: 2, Service: coxian.Dist{Mu1: 2, P: 1, Mu2: 2}, Policy: ctmc.PowerOfD(3, true)}, [2]int64{12, 24}, 0.3},
	} {
		var errors1, errors2 [2]float64
		for k, n := range c.sizes {
			c.sys.Servers = n
			exact, err := ctmc.SolveStationary(context.Background(), c.sys, ctmc.SolverSettings{}, 0)
			if err != nil {
				t.Fatal(err)
			}
			r := mustRefine(t, c.sys, 2)
			errors1[k], errors2[k] = r.MeanJobsOrder1-exact.MeanJobs, r.MeanJobsOrder2-exact.MeanJobs
			for i, q := range r.TailOrder2 {
				tail := 0.0
				for level := i + 1; level <= c.sys.Buffer; level++ {
					tail += exact.Occupancy[level]
				}
				if limit := 100 / math.Pow(float64(n), 3); math.Abs(q-tail) > limit {
					t.Errorf("%v: tail %d is %v, exact %v", c.sys, i+1, q, tail)
				}
			}
			if math.Abs(r.MeanResponseOrder2-exact.MeanResponse) > 200/math.Pow(float64(n), 3) {
				t.Errorf("%v: response %v, exact %v", c.sys, r.MeanResponseOrder2, exact.MeanResponse)
			}
		}
		first, second := observedOrder(errors1[0], errors1[1]), observedOrder(errors2[0], errors2[1])
		t.Logf("%v: observed orders %.3f and %.3f, errors %.3g and %.3g", c.sys, first, second, errors1[1], errors2[1])
		if math.Abs(first-2) > c.within || math.Abs(second-3) > c.within {
			t.Errorf("%v: observed orders %.3f and %.3f, want 2 and 3", c.sys, first, second)
		}
	}
}

// TestRefineExponentialAsCoxian: (2, 1/2, 1) is the exponential law of mean 1,
// so all coefficients must agree though the equations are others; and so for
// p next to 0.
func TestRefineExponentialAsCoxian(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.PowerOfD(2, false), ctmc.PowerOfD(3, true)} {
		sys := ctmc.System{Servers: 50, Load: .9, Service: exponentialLaw, Policy: policy}
		want := mustRefine(t, sys, 2)
		for _, law := range []coxian.Dist{{Mu1: 2, P: .5, Mu2: 1}, {Mu1: 1, P: 1e-12, Mu2: .7}} {
			sys.Service = law
			got := mustRefine(t, sys, 2)
			if !closeTo(got.Correction1, want.Correction1, 1e-10) || !closeTo(got.Correction2, want.Correction2, 1e-9) {
				t.Errorf("%v: %.14g %.14g, exponential %.14g %.14g", sys, got.Correction1, got.Correction2, want.Correction1, want.Correction2)
			}
			for i := range min(len(want.TailOrder2), len(got.TailOrder2)) {
				if math.Abs(got.TailOrder2[i]-want.TailOrder2[i]) > 1e-11 {
					t.Errorf("%v: tail %d: %v, exponential %v", sys, i+1, got.TailOrder2[i], want.TailOrder2[i])
				}
			}
		}
	}
}

// TestRefineInvariants: with an unlimited buffer the fraction of busy servers
// is the load at every N; the unit of time does not matter; the coefficients
// do not depend on N.
func TestRefineInvariants(t *testing.T) {
	for _, law := range []coxian.Dist{exponentialLaw, {Mu1: 2, P: .05, Mu2: .1}, {Mu1: 1.25, P: 1, Mu2: 5}} {
		for _, policy := range []ctmc.Policy{ctmc.PowerOfD(2, false), ctmc.PowerOfD(2, true), ctmc.PowerOfD(7, false)} {
			sys := ctmc.System{Servers: 100, Load: .8, Service: law, Policy: policy}
			r := mustRefine(t, sys, 2)
			for _, v := range []float64{r.TailCorrection1[0], r.TailCorrection2[0]} {
				if math.Abs(v) > 1e-9 {
					t.Errorf("%v: the fraction of busy servers is corrected by %v", sys, v)
				}
			}
			sys.Service.Mu1 *= 1e-3
			sys.Service.Mu2 *= 1e-3
			sys.Servers = 1000
			other := mustRefine(t, sys, 2)
			if !closeTo(other.Correction1, r.Correction1, 1e-10) || !closeTo(other.Correction2, r.Correction2, 1e-8) {
				t.Errorf("%v: coefficients %v %v, in another unit of time %v %v", sys, r.Correction1, r.Correction2, other.Correction1, other.Correction2)
			}
			if !closeTo(other.MeanResponseOrder1, 1e3*other.MeanJobsOrder1*law.Mean()/.8, 1e-9) {
				t.Errorf("%v: Little's law fails", sys)
			}
			if r.Neglected > 1e-12 {
				t.Errorf("%v: %v neglected", sys, r.Neglected)
			}
		}
	}
}

// TestRefineLevelsSuffice: more levels change nothing.
func TestRefineLevelsSuffice(t *testing.T) {
	sys := ctmc.System{Servers: 20, Load: .9, Service: coxian.Dist{Mu1: 2, P: .25, Mu2: .5}, Policy: ctmc.PowerOfD(2, false)}
	r := mustRefine(t, sys, 2)
	fix, err := Equilibrium(sys)
	if err != nil {
		t.Fatal(err)
	}
	more := &Refinement{System: sys, Order: 2, MeanJobsLimit: fix.MeanJobs}
	if err := more.compute(context.Background(), fix, r.Levels+6); err != nil {
		t.Fatal(err)
	}
	if !closeTo(r.Correction1, more.Correction1, 1e-11) || !closeTo(r.Correction2, more.Correction2, 1e-10) {
		t.Errorf("%d levels: %.14g %.14g, %d levels: %.14g %.14g", r.Levels, r.Correction1, r.Correction2, more.Levels, more.Correction1, more.Correction2)
	}
}

// TestRefineRandomIsExact: independent servers at every N.
func TestRefineRandomIsExact(t *testing.T) {
	for _, buffer := range []int{ctmc.Unlimited, 5} {
		sys := ctmc.System{Servers: 3, Load: .99, Buffer: buffer, Service: exponentialLaw, Policy: ctmc.Random()}
		r := mustRefine(t, sys, 2)
		if r.Correction1 != 0 || r.Correction2 != 0 || r.MeanJobsOrder2 != r.MeanJobsLimit || len(r.Warnings) == 0 {
			t.Errorf("%v: %+v", sys, r)
		}
	}
}

func TestRefineWarns(t *testing.T) {
	for _, order := range []int{1, 2} {
		r := mustRefine(t, exponentialPod(10, 4, .95, true), order)
		if r.Trusted || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "not trustworthy") {
			t.Errorf("order %d at 10 servers, d=4, load .95: trusted %v, warnings %q", order, r.Trusted, r.Warnings)
		}
	}
	if r := mustRefine(t, exponentialPod(1000, 4, .95, true), 2); !r.Trusted || len(r.Warnings) > 0 {
		t.Errorf("1000 servers: %q", r.Warnings)
	}
	small := exponentialPod(10, 2, .9, true)
	small.Buffer = 7
	if r := mustRefine(t, small, 2); r.Trusted {
		t.Errorf("a buffer of 7 at load .9 and 10 servers, where the expansion is off by 5%%, is trusted")
	}
}

func TestRefineRefuses(t *testing.T) {
	for _, policy := range []ctmc.Policy{ctmc.JSQ(), ctmc.JIQ(), ctmc.I1F()} {
		sys := ctmc.System{Servers: 10, Load: .9, Service: exponentialLaw, Policy: policy}
		_, err := Refine(context.Background(), sys, 1)
		var field *ctmc.FieldError
		if !errors.As(err, &field) || !strings.Contains(err.Error(), "kink") {
			t.Errorf("%v: %v", policy, err)
		}
	}
	for _, order := range []int{-1, 0, 3} {
		if _, err := Refine(context.Background(), exponentialPod(10, 2, .9, true), order); err == nil {
			t.Errorf("order %d is accepted", order)
		}
	}
	if _, err := Refine(context.Background(), exponentialPod(10, 11, .9, true), 1); err == nil {
		t.Error("d > N is accepted")
	}
	large := exponentialPod(10, 2, 1.1, true)
	large.Buffer = 1000
	var size *ctmc.TooLargeError
	if _, err := Refine(context.Background(), large, 1); !errors.As(err, &size) {
		t.Errorf("1000 levels: %v", err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Refine(cancelled, exponentialPod(10, 2, .9, true), 1); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
