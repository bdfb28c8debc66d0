package ode

import (
	"math"
	"testing"
)

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %.17g, want %.17g ± %g (off by %.2g)", what, got, want, tolerance, got-want)
	}
}

// tight settings put the error of the solution below that of the times tested.
func tight(m Method, events ...Event) Settings {
	return Settings{Method: m, RelTol: 1e-13, AbsTol: 1e-13, Events: events}
}

// The oscillator y = cos t, y' = −sin t crosses zero at π/2 + kπ, falling first.
func TestCrossingsOfTheOscillator(t *testing.T) {
	position := func(_ float64, y []float64) float64 { return y[0] }
	for _, method := range methods {
		s := run(t, oscillator(), 0, []float64{1, 0}, 10, tight(method,
			Event{G: position}, Event{G: position, Direction: Rising}, Event{G: position, Direction: Falling}))
		var times [3][]float64
		for _, h := range s.Hits {
			times[h.Event] = append(times[h.Event], h.Time)
			within(t, "position at the root", h.State[0], 0, 1e-15)
			falling := math.Sin(h.Time) > 0
			if (h.Direction == Falling) != falling {
				t.Errorf("%v: direction %v at %v", method, h.Direction, h.Time)
			}
		}
		if len(times[0]) != 3 || len(times[1]) != 1 || len(times[2]) != 2 {
			t.Fatalf("%v: %d, %d rising, %d falling roots, want 3, 1, 2", method, len(times[0]), len(times[1]), len(times[2]))
		}
		for k, at := range times[0] {
			within(t, method.String(), at, (float64(k)+0.5)*math.Pi, 1e-12)
		}
		within(t, "rising", times[1][0], 1.5*math.Pi, 1e-12)
	}
}

// The pendulum released at the angle θ0 passes the vertical after a quarter of
// its period 2π/agm(1, cos(θ0/2)) (Gauss).
func TestPendulumPeriod(t *testing.T) {
	const release = 2.5
	a, b := 1.0, math.Cos(release/2)
	for range 10 {
		a, b = (a+b)/2, math.Sqrt(a*b)
	}
	period := 2 * math.Pi / a
	pendulum := Problem{Dim: 2, F: func(_ float64, y, d []float64) { d[0], d[1] = y[1], -math.Sin(y[0]) }}
	for _, method := range methods {
		s := run(t, pendulum, 0, []float64{release, 0}, 2*period, tight(method,
			Event{G: func(_ float64, y []float64) float64 { return y[0] }}))
		if len(s.Hits) != 4 {
			t.Fatalf("%v: %d passages, want 4", method, len(s.Hits))
		}
		for k, h := range s.Hits {
			within(t, method.String(), h.Time, period*(2*float64(k)+1)/4, 3e-12)
		}
	}
}

// A ball dropped from height 1/2 under gravity 1 with restitution r hits the
// ground at 1, 1 + 2r, 1 + 2r + 2r², ...
func TestBouncingBall(t *testing.T) {
	const r = 0.8
	ball := Problem{Dim: 2, F: func(_ float64, y, d []float64) { d[0], d[1] = y[1], -1 }}
	ground := Event{
		G:         func(_ float64, y []float64) float64 { return y[0] },
		Direction: Falling,
		Jump:      func(_ float64, y []float64) { y[0], y[1] = 0, -r*y[1] },
	}
	for _, method := range methods {
		s := run(t, ball, 0, []float64{0.5, 0}, 8, tight(method, ground))
		want, flight := 1.0, 2*r
		hits := s.Hits
		for want < 8 {
			if len(hits) == 0 {
				t.Fatalf("%v: no hit at %v", method, want)
			}
			within(t, method.String(), hits[0].Time, want, 1e-12)
			hits = hits[1:]
			want += flight
			flight *= r
		}
		if len(hits) != 0 {
			t.Errorf("%v: %d hits too many, the first at %v", method, len(hits), hits[0].Time)
		}
		if s.Stats.Restarts != len(s.Hits) {
			t.Errorf("%v: %d restarts for %d hits", method, s.Stats.Restarts, len(s.Hits))
		}
	}
}

// A jump that leaves the position at its rounding error, on either side of the
// ground, must not fire again on the way up.
func TestJumpLeavesTheRoundingError(t *testing.T) {
	ball := Problem{Dim: 2, F: func(_ float64, y, d []float64) { d[0], d[1] = y[1], -1 }}
	ground := Event{
		G:    func(_ float64, y []float64) float64 { return y[0] },
		Jump: func(_ float64, y []float64) { y[1] = -y[1] },
	}
	for _, method := range methods {
		for _, height := range []float64{0.1, 0.3, 0.5, 0.7, 1.1} {
			s := run(t, ball, 0, []float64{height, 0}, 30, Settings{Method: method, RelTol: 1e-12, AbsTol: 1e-12, Events: []Event{ground}})
			flight := math.Sqrt(2 * height)
			if want := int((30/flight + 1) / 2); len(s.Hits) != want {
				t.Errorf("%v, height %v: %d hits, want %d", method, height, len(s.Hits), want)
			}
		}
	}
}

// uniform motion is solved by one step, so that several roots lie in it.
func uniformMotion() Problem {
	return Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = 1 }}
}

func at(level float64, e Event) Event {
	e.G = func(_ float64, y []float64) float64 { return y[0] - level }
	return e
}

func TestSeveralEventsInOneStep(t *testing.T) {
	for _, method := range methods {
		settings := Settings{Method: method, FirstStep: 8, Events: []Event{
			at(5, Event{Terminal: true}), at(2, Event{}), at(6, Event{}), at(3, Event{}), at(7, Event{Terminal: true}),
		}}
		s := run(t, uniformMotion(), 0, []float64{0}, 8, settings)
		if s.Status != EventReached {
			t.Fatalf("%v: %v", method, s.Status)
		}
		if s.Stats.Accepted != 1 {
			t.Fatalf("%v: %d steps, the test needs 1", method, s.Stats.Accepted)
		}
		within(t, "end", s.Time, 5, 1e-15)
		within(t, "state", s.State[0], 5, 1e-14)
		want := []struct {
			event int
			time  float64
		}{{1, 2}, {3, 3}, {0, 5}}
		if len(s.Hits) != len(want) {
			t.Fatalf("%v: hits %+v, want %+v", method, s.Hits, want)
		}
		for k, w := range want {
			if s.Hits[k].Event != w.event {
				t.Errorf("%v: hit %d is event %d, want %d", method, k, s.Hits[k].Event, w.event)
			}
			within(t, "hit", s.Hits[k].Time, w.time, 1e-14)
		}
	}
}

// Of two events at the same time the terminal one must not hide the other.
func TestSimultaneousEvents(t *testing.T) {
	s := run(t, uniformMotion(), 0, []float64{0}, 8, Settings{FirstStep: 8, Events: []Event{
		at(3, Event{Terminal: true}), at(3, Event{}), at(3, Event{Terminal: true}),
	}})
	if s.Status != EventReached || len(s.Hits) != 3 {
		t.Errorf("%v with %d hits, want 3", s.Status, len(s.Hits))
	}
}

// y = t, g = (t − 2)² − δ within one step from 0 to 8: two roots for δ > 0 even
// if no sample lies between them, a touch for δ = 0, nothing for δ < 0.
func TestGrazing(t *testing.T) {
	const centre = 2.3
	for _, test := range []struct {
		depth, tolerance float64
		want             []float64
		touch            bool
	}{
		{1e-6, 0, []float64{centre - 1e-3, centre + 1e-3}, false},
		{1e-10, 0, []float64{centre - 1e-5, centre + 1e-5}, false},
		{0, 0, []float64{centre}, true},
		{-1e-6, 0, nil, false},
		{-1e-6, 1e-5, []float64{centre}, true},
	} {
		for _, sign := range []float64{1, -1} {
			for _, direction := range []Direction{Either, Rising, Falling} {
				event := Event{Tolerance: test.tolerance, Direction: direction, G: func(_ float64, y []float64) float64 {
					return sign * ((y[0]-centre)*(y[0]-centre) - test.depth)
				}}
				s := run(t, uniformMotion(), 0, []float64{0}, 8, Settings{FirstStep: 8, Events: []Event{event}})
				// From above, G falls first and touches falling.
				var want []float64
				for k, at := range test.want {
					d := Direction(-sign)
					if k == 1 {
						d = -d
					}
					if direction == Either || direction == d {
						want = append(want, at)
					}
				}
				if len(s.Hits) != len(want) {
					t.Errorf("%+v, sign %v, %v: %d hits, want %d", test, sign, direction, len(s.Hits), len(want))
					continue
				}
				for k, h := range s.Hits {
					accuracy := 1e-10 // the root of g is ill-conditioned at depth 1e-10
					if test.touch {
						accuracy = 1e-6
					}
					within(t, "grazing root", h.Time, want[k], accuracy)
					if h.Touch != test.touch {
						t.Errorf("%+v: Touch = %v", test, h.Touch)
					}
				}
			}
		}
	}
}

// A dip across the end of a step is found from whichever side it lies on.
func TestGrazingNearTheEndOfAStep(t *testing.T) {
	for _, offset := range []float64{-0.3, -0.05, -0.01, 0, 0.01, 0.05, 0.3} {
		centre := 4 + offset
		s := run(t, uniformMotion(), 0, []float64{0}, 8, Settings{FixedStep: 4, Events: []Event{{
			G: func(_ float64, y []float64) float64 { return (y[0]-centre)*(y[0]-centre) - 1e-5 },
		}}})
		if len(s.Hits) != 2 {
			t.Errorf("offset %v: %d roots, want 2", offset, len(s.Hits))
			continue
		}
		within(t, "first root", s.Hits[0].Time, centre-math.Sqrt(1e-5), 1e-10)
		within(t, "second root", s.Hits[1].Time, centre+math.Sqrt(1e-5), 1e-10)
	}
}

// A root at the start is no event, whatever the rounding; the next one is.
func TestRootAtTheStart(t *testing.T) {
	s := run(t, oscillator(), 0, []float64{0, 1}, 7, tight(Tsitouras5,
		Event{G: func(_ float64, y []float64) float64 { return y[0] }, Terminal: true}))
	within(t, "first root of sin after 0", s.Time, math.Pi, 1e-12)
}

// The root after one at the start is found even if it is very close to the
// start compared with the step, as long as G between them stands out of its
// rounding errors (16 units of the largest |G| = 64 over the step).
func TestRootJustAfterTheStart(t *testing.T) {
	for _, gap := range []float64{1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1} {
		s := run(t, uniformMotion(), 0, []float64{0}, 8, Settings{FirstStep: 8, Events: []Event{{
			G: func(_ float64, y []float64) float64 { return y[0] * (y[0] - gap) },
		}}})
		if len(s.Hits) != 1 {
			t.Errorf("gap %v: %d roots, want 1", gap, len(s.Hits))
			continue
		}
		within(t, "root", s.Hits[0].Time, gap, 1e-14)
	}
}

// After a terminal event, going on, restarting and restarting with another
// right-hand side all find the next root and not the same one again.
func TestRestartDoesNotFireAgain(t *testing.T) {
	position := Event{G: func(_ float64, y []float64) float64 { return y[0] }, Terminal: true}
	proceed := map[string]func(in *Integrator) error{
		"Step":    func(in *Integrator) error { return nil },
		"Restart": func(in *Integrator) error { return in.Restart(in.Time(), in.State()) },
		"RestartWith": func(in *Integrator) error {
			return in.RestartWith(in.Time(), in.State(), oscillator(), []Event{position})
		},
	}
	for name, again := range proceed {
		for _, method := range methods {
			for _, end := range []float64{200, -200} {
				in, err := NewIntegrator(oscillator(), 0, []float64{1, 0}, end, Settings{
					Method: method, RelTol: 1e-11, AbsTol: 1e-11, Events: []Event{position},
				})
				if err != nil {
					t.Fatal(err)
				}
				roots := 0
				for {
					status := in.Step()
					if status == Done {
						break
					}
					if status == Running {
						continue
					}
					if status != EventReached {
						t.Fatalf("%s, %v: %v", name, method, status)
					}
					within(t, name, math.Abs(in.Time()), (float64(roots)+0.5)*math.Pi, 1e-8)
					roots++
					if err := again(in); err != nil {
						t.Fatal(err)
					}
				}
				if roots != 64 { // ⌊200/π + 1/2⌋
					t.Errorf("%s, %v: %d roots up to 200, want 64", name, method, roots)
				}
			}
		}
	}
}

// y' = −sign(y) in Filippov's sense, driven by the stepping interface: it falls
// at rate 1 from y = 1, arrives at 0 at t = 1 and slides there, y' = 0.
func TestSlidingAtADiscontinuity(t *testing.T) {
	fall := Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = -1 }}
	rest := Problem{Dim: 1, F: func(_ float64, y, d []float64) { d[0] = 0 }}
	surface := Event{G: func(_ float64, y []float64) float64 { return y[0] }, Terminal: true}
	for _, method := range methods {
		in, err := NewIntegrator(fall, 0, []float64{1}, 5, Settings{Method: method, Events: []Event{surface}})
		if err != nil {
			t.Fatal(err)
		}
		for in.Step() == Running {
		}
		if in.Status() != EventReached {
			t.Fatalf("%v: %v", method, in.Status())
		}
		within(t, "arrival", in.Time(), 1, 1e-12)
		if err := in.RestartWith(in.Time(), []float64{0}, rest, []Event{surface}); err != nil {
			t.Fatal(err)
		}
		for in.Step() == Running {
		}
		if in.Status() != Done || in.State()[0] != 0 {
			t.Errorf("%v: %v at y = %v, want rest at 0", method, in.Status(), in.State()[0])
		}
	}
}

// The relay oscillator d²y/dt² = −sign(y): parabolic arcs, from y = 0 and y' = 1 zeros
// at t = 2, 4, 6, ...
func TestRelayOscillator(t *testing.T) {
	force := -1.0
	relay := Problem{Dim: 2, F: func(_ float64, y, d []float64) { d[0], d[1] = y[1], force }}
	change := Event{
		G:    func(_ float64, y []float64) float64 { return y[0] },
		Jump: func(float64, []float64) { force = -force },
	}
	for _, method := range methods {
		force = -1
		s := run(t, relay, 0, []float64{0, 1}, 21, tight(method, change))
		if len(s.Hits) != 10 {
			t.Fatalf("%v: %d changes, want 10", method, len(s.Hits))
		}
		for k, h := range s.Hits {
			within(t, method.String(), h.Time, 2*float64(k+1), 1e-12)
		}
		within(t, "y(21)", s.State[0], 0.5, 1e-12)
	}
}

// With a stiff mode present the stiff method still locates events to 1e-12:
// x' = −x, z' = −1e6(z − x²); x² falls through 1/4 at ln 2 and z with it.
func TestEventOfAStiffSystem(t *testing.T) {
	p := Problem{Dim: 2, F: func(_ float64, y, d []float64) {
		d[0] = -y[0]
		d[1] = -1e6 * (y[1] - y[0]*y[0])
	}}
	s := run(t, p, 0, []float64{1, 0}, 3, tight(RadauIIA5,
		Event{G: func(_ float64, y []float64) float64 { return y[0] - 0.5 }},
		Event{G: func(_ float64, y []float64) float64 { return y[1] - 0.25 }, Direction: Falling}))
	if len(s.Hits) != 2 {
		t.Fatalf("%d events, want 2", len(s.Hits))
	}
	// On the slow manifold z = x²/(1 − 2e-6), exactly.
	for _, h := range s.Hits {
		want := math.Ln2
		if h.Event == 1 {
			want = math.Log(4/(1-2e-6)) / 2
		}
		within(t, "root", h.Time, want, 1e-12)
	}
}

// locate finds roots to the spacing of numbers, minimise finds minima to about
// the square root of it.
func TestRootAndMinimum(t *testing.T) {
	for _, test := range []struct {
		g          func(float64) float64
		a, b, want float64
	}{
		{math.Cos, 0, 3, math.Pi / 2},
		{func(x float64) float64 { return math.Expm1(x - 0.7) }, -20, 20, 0.7},
		{func(x float64) float64 { return math.Pow(x-0.25, 3) }, 0, 1, 0.25},
		{func(x float64) float64 { return math.Copysign(1, x-0.3) }, 0, 1, 0.3},
	} {
		evaluations := 0
		counted := func(x float64) float64 { evaluations++; return test.g(x) }
		x, residual := locate(counted, test.a, test.g(test.a), test.b, test.g(test.b), 1e-16)
		within(t, "root", x, test.want, 4.5e-16)
		if test.g(x)*test.g(test.b) < 0 {
			t.Errorf("root %v lies on the near side", x)
		}
		if math.Abs(test.g(x)) > residual {
			t.Errorf("residual %v exceeds the bound %v", test.g(x), residual)
		}
		if evaluations > 120 {
			t.Errorf("%d evaluations", evaluations)
		}
	}
	x, least := minimise(func(x float64) float64 { return math.Cosh(x-0.4) + 1 }, -1, 1)
	within(t, "minimum", x, 0.4, 1e-7)
	within(t, "least value", least, 2, 1e-14)
}
