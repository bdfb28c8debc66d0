package diffusion

import (
	"context"
	"errors"
	"math"
	"testing"

	"qlimit/ctmc"
)

// reflectedBrownian is P(U_t <= y) for drift -α, noise √2, reflection at 0 and
// start x (Harrison, Brownian Motion and Stochastic Flow Systems, 1985).
func reflectedBrownian(alpha, x, y, t float64) float64 {
	s := math.Sqrt(2 * t)
	normal := func(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }
	return normal((y-x+alpha*t)/s) - math.Exp(-alpha*y)*normal((-y-x+alpha*t)/s)
}

// evolveBrownian starts from the exact law at time 1/4, on cells, and returns
// the largest error of the distribution function at the faces at time 5/4.
func evolveBrownian(t *testing.T, cells int, tolerance, step float64) float64 {
	t.Helper()
	const alpha, x, reach = 1, 0.7, 30
	p := mustProcess(t, CQ, alpha, exponential)
	law := mustLaw(t, p)
	g := newGrid(law, stretchedMesh(cells, law.innerLength(reach), reach))
	mass := make([]float64, cells)
	for i := range mass {
		mass[i] = reflectedBrownian(alpha, x, g.face[i+1], 0.25) - reflectedBrownian(alpha, x, g.face[i], 0.25)
	}
	e := newEvolution(g, mass, tolerance, 1e-3)
	if step > 0 {
		e.fixed, e.step = true, step
	}
	if err := e.advance(context.Background(), 0.25, 1.25); err != nil {
		t.Fatal(err)
	}
	worst, sum := 0.0, 0.0
	for i := range cells {
		sum += e.p[i]
		worst = math.Max(worst, math.Abs(sum-reflectedBrownian(alpha, x, g.face[i+1], 1.25)))
	}
	return worst
}

// Second order in space: the error falls by 4 when the cells are halved.
func TestSecondOrderInSpace(t *testing.T) {
	before := evolveBrownian(t, 100, 1e-9, 0)
	for _, cells := range []int{200, 400, 800} {
		now := evolveBrownian(t, cells, 1e-9, 0)
		if order := math.Log2(before / now); math.Abs(order-2) > 0.2 {
			t.Errorf("%d cells: error %.3g, order %.2f", cells, now, order)
		}
		before = now
	}
}

// Second order in time: likewise for the steps.
func TestSecondOrderInTime(t *testing.T) {
	before := evolveBrownian(t, 8000, 1, 1.0/4)
	for _, steps := range []float64{8, 16, 32} {
		now := evolveBrownian(t, 8000, 1, 1/steps)
		if order := math.Log2(before / now); math.Abs(order-2) > 0.25 {
			t.Errorf("%g steps: error %.3g, order %.2f", steps, now, order)
		}
		before = now
	}
}

// From a point, with default settings, against the exact law of CQ.
func TestTransientOfCentralQueue(t *testing.T) {
	p := mustProcess(t, CQ, 1, exponential)
	times := []float64{0.01, 0.1, 1, 10}
	for _, start := range []float64{0, 0.7, 6} {
		r, err := p.Transient(context.Background(), start, times, TransientSettings{})
		if err != nil {
			t.Fatal(err)
		}
		for k, at := range times {
			for _, y := range []float64{0.05, 0.3, 0.7, 1.5, 4, 6, 7} {
				if got, want := r.CDF(k, y), reflectedBrownian(1, start, y, at); math.Abs(got-want) > 2e-4 {
					t.Errorf("start %g, t = %g: P(U <= %g) = %.6f, want %.6f", start, at, y, got, want)
				}
			}
			if q := r.Quantile(k, 0.5); math.Abs(r.CDF(k, q)-0.5) > 1e-9 {
				t.Errorf("median %g, F = %g", q, r.CDF(k, q))
			}
		}
	}
}

// Times from far below to far above the relaxation time, starts at the boundary
// and far away: the distribution function is right on the scale of each time. A
// law that travels 150 mean lengths is off by a fortieth of its width with 2,000
// cells.
func TestTransientScales(t *testing.T) {
	for _, alpha := range []float64{1e-6, 1, 1e4} {
		p := mustProcess(t, CQ, alpha, exponential)
		for _, c := range []struct {
			start     float64
			times     []float64
			tolerance float64
		}{
			{0, []float64{1e-12}, 1e-3},
			{0, []float64{1e-6, 1e-3, 1}, 1e-3},
			{0, []float64{0, 1e-4, 100}, 1e-3},
			{0.3, []float64{1e-8, 1}, 1e-3},
			{20 / alpha, []float64{1e-4, 1}, 1e-3},
			{200 / alpha, []float64{1 / (alpha * alpha), 150 / (alpha * alpha), 1000 / (alpha * alpha)}, 0.01},
		} {
			r, err := p.Transient(context.Background(), c.start, c.times, TransientSettings{})
			if err != nil {
				t.Fatal(err)
			}
			for k, at := range c.times {
				if at == 0 {
					continue
				}
				middle := math.Max(0, c.start-alpha*at)
				for _, z := range []float64{-2, -0.5, 0.1, 0.7, 2} {
					y := middle + z*math.Sqrt(2*at)
					if y <= 0 {
						continue
					}
					if got, want := r.CDF(k, y), reflectedBrownian(alpha, c.start, y, at); math.Abs(got-want) > c.tolerance {
						t.Errorf("α = %g, start %g, t = %g of %v: P(U <= %g) = %.6f, want %.6f", alpha, c.start, at, c.times, y, got, want)
					}
				}
			}
			if r.MassError > 1e-13 {
				t.Errorf("α = %g, start %g: mass error %g", alpha, c.start, r.MassError)
			}
		}
	}
}

// Mass is kept to 1e-13, no cell turns negative, the law tends to the
// stationary one from either side, and that one stays.
func TestTransientConserves(t *testing.T) {
	for _, alpha := range []float64{0.01, 1, 100} {
		for _, d := range []Discipline{CQ, JSQ, IQF} {
			p := mustProcess(t, d, alpha, scvTwo)
			unit := 1 / (alpha * alpha)
			for _, start := range []float64{0, 20 / alpha} {
				r, err := p.Transient(context.Background(), start, []float64{0, unit, 10 * unit, 100 * unit, 1000 * unit}, TransientSettings{Cells: 400})
				if err != nil {
					t.Fatal(err)
				}
				if r.MassError > 1e-13 {
					t.Errorf("%s α = %g: mass error %g", d, alpha, r.MassError)
				}
				if r.Lowest < -1e-15 {
					t.Errorf("%s α = %g: cell probability %g", d, alpha, r.Lowest)
				}
				if last := r.Distance(4); last > 1e-9 {
					t.Errorf("%s α = %g: distance %g at the end", d, alpha, last)
				}
				if r.Mean[0] != start || r.Variance[0] != 0 || r.Quantile(0, 0.3) != start {
					t.Errorf("at time 0: mean %g, variance %g", r.Mean[0], r.Variance[0])
				}
				near(t, "final mean", r.Mean[4], mustLaw(t, p).Mean(), 1e-8)
			}
		}
	}
}

// The discrete stationary law is the exact one: cell probabilities do not move
// in any number of steps of any length.
func TestStationaryLawStays(t *testing.T) {
	p := mustProcess(t, JSQ, 1, scvHigh)
	law := mustLaw(t, p)
	g := newGrid(law, stretchedMesh(300, law.innerLength(law.Reach()), law.Reach()))
	for i := range g.mass {
		if want := law.CDF(g.face[i+1]) - law.CDF(g.face[i]); math.Abs(g.mass[i]-want) > 1e-15 {
			t.Fatalf("cell %d: %g, want %g", i, g.mass[i], want)
		}
	}
	for _, step := range []float64{1e-3, 1, 1e3} {
		e := newEvolution(g, append([]float64(nil), g.mass...), 1, step)
		e.fixed = true
		if err := e.advance(context.Background(), 0, 20*step); err != nil {
			t.Fatal(err)
		}
		for i := range e.p {
			if math.Abs(e.p[i]-g.mass[i]) > 1e-14 {
				t.Fatalf("step %g: cell %d moved by %g", step, i, e.p[i]-g.mass[i])
			}
		}
	}
}

// d/dt E U = E b(U) integrated: with drift -u and c/u, E U² obeys a linear
// equation, d/dt E U² = 2c + σ² - 2 E U².
func TestSecondMomentOfBesselBridge(t *testing.T) {
	const c = 1.0
	p := Process{Repulsion: c, Noise: 2, Drift: func(u float64) float64 { return -u }}
	times := []float64{0.05, 0.3, 1, 3}
	r, err := p.Transient(context.Background(), 2, times, TransientSettings{Cells: 4000, Tolerance: 1e-7})
	if err != nil {
		t.Fatal(err)
	}
	for k, at := range times {
		want := (c + 1) + (4-(c+1))*math.Exp(-2*at)
		if got := r.Variance[k] + r.Mean[k]*r.Mean[k]; math.Abs(got-want) > 5e-6 {
			t.Errorf("t = %g: E U² = %.8f, want %.8f", at, got, want)
		}
	}
}

// The integral of the autocorrelation function is the autocorrelation time;
// for CQ that is 2/α² (σ² = 2).
func TestAutocorrelation(t *testing.T) {
	for _, d := range []Discipline{CQ, JSQ, IQF} {
		p := mustProcess(t, d, 1, exponential)
		law := mustLaw(t, p)
		times := make([]float64, 401)
		for i := range times {
			times[i] = 0.15 * float64(i)
		}
		rho, err := p.Autocorrelation(context.Background(), times, TransientSettings{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(rho[0]-1) > 1e-12 {
			t.Errorf("%s: ρ(0) = %g", d, rho[0])
		}
		sum := 0.0
		for i := 0; i+2 < len(rho); i += 2 {
			sum += 0.15 / 3 * (rho[i] + 4*rho[i+1] + rho[i+2])
		}
		near(t, d.Name+" autocorrelation time", law.AutocorrelationTime(), sum, 2e-3)
	}
	for _, alpha := range []float64{0.01, 1, 50} {
		law := mustLaw(t, mustProcess(t, CQ, alpha, exponential))
		near(t, "CQ", law.AutocorrelationTime(), 2/(alpha*alpha), 1e-12)
	}
}

// CQ: bottom of the continuous spectrum, α²/(2σ²). IQF: the eigenvalue
// 4α²/(9σ²). Ornstein-Uhlenbeck reflected at 0: the second even Hermite
// polynomial, eigenvalue 2; with c/u: Laguerre polynomials, also 2.
func TestRelaxation(t *testing.T) {
	for _, alpha := range []float64{0.01, 1, 300} {
		cq, err := mustProcess(t, CQ, alpha, scvTwo).Relaxation()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "CQ gap", cq.Gap, alpha*alpha/6, 1e-12)
		iqf, err := mustProcess(t, IQF, alpha, scvTwo).Relaxation()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "IQF gap", iqf.Gap, 4*alpha*alpha/27, 1e-8)
		exact, err := NDS{Discipline: IQF, Spare: alpha, Service: scvTwo}.Relaxation()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "IQF relaxation time", exact.Time, iqf.Time, 1e-8)
		if !cq.Continuous || iqf.Continuous {
			t.Errorf("continuous: CQ %v, IQF %v", cq.Continuous, iqf.Continuous)
		}
	}
	for _, c := range []float64{0, 0.4, 1, 3} {
		r, err := Process{Repulsion: c, Noise: 2, Drift: func(u float64) float64 { return -u }}.Relaxation()
		if err != nil {
			t.Fatal(err)
		}
		near(t, "Hermite/Laguerre gap", r.Gap, 2, 1e-7)
		if math.Abs(r.Gap-2) > r.Error+1e-9 {
			t.Errorf("c = %g: gap %.12g, error stated %g", c, r.Gap, r.Error)
		}
	}
}

// Passage times of CQ: up from 0 to y (e^{αy} - 1 - αy)/α², down (x-y)/α.
func TestMeanFirstPassage(t *testing.T) {
	const alpha = 1.5
	law := mustLaw(t, mustProcess(t, CQ, alpha, exponential))
	passage := func(from, to float64) float64 {
		t.Helper()
		m, err := law.MeanFirstPassage(from, to)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	up := func(y float64) float64 { return (math.Exp(alpha*y) - 1 - alpha*y) / (alpha * alpha) }
	for _, y := range []float64{0.3, 2, 10} {
		near(t, "up", passage(0, y), up(y), 1e-11)
		near(t, "up from inside", passage(y/2, y), up(y)-up(y/2), 1e-11)
		near(t, "down", passage(y, y/3), y*2/3/alpha, 1e-11)
	}
	// IQF, σ² = 2, α -> 0: the two-dimensional Bessel process leaves the disc of
	// radius y after y²/4 in the mean (σ² = 2).
	small := mustLaw(t, mustProcess(t, IQF, 1e-6, exponential))
	m, err := small.MeanFirstPassage(0, 3)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "Bessel", m, 9.0/4, 1e-5)
	for _, bad := range [][2]float64{{-1, 1}, {1, 0}, {1, math.Inf(1)}, {math.NaN(), 1}} {
		var field *ctmc.FieldError
		if _, err := law.MeanFirstPassage(bad[0], bad[1]); !errors.As(err, &field) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

func TestTransientRefuses(t *testing.T) {
	p := mustProcess(t, CQ, 1, exponential)
	ctx := context.Background()
	for name, call := range map[string]func() error{
		"start":     func() error { _, err := p.Transient(ctx, -1, []float64{1}, TransientSettings{}); return err },
		"no times":  func() error { _, err := p.Transient(ctx, 1, nil, TransientSettings{}); return err },
		"order":     func() error { _, err := p.Transient(ctx, 1, []float64{2, 1}, TransientSettings{}); return err },
		"cells":     func() error { _, err := p.Transient(ctx, 1, []float64{1}, TransientSettings{Cells: 3}); return err },
		"tolerance": func() error { _, err := p.Transient(ctx, 1, []float64{1}, TransientSettings{Tolerance: 2}); return err },
		"reach":     func() error { _, err := p.Transient(ctx, 5, []float64{1}, TransientSettings{Reach: 4}); return err },
		"far start": func() error { _, err := p.Transient(ctx, 1e300, []float64{1}, TransientSettings{}); return err },
		"step":      func() error { _, err := p.Transient(ctx, 5, []float64{1}, TransientSettings{Step: -1}); return err },
	} {
		var field *ctmc.FieldError
		if err := call(); !errors.As(err, &field) {
			t.Errorf("%s: error %v, want a FieldError", name, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := p.Transient(cancelled, 1, []float64{1}, TransientSettings{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
