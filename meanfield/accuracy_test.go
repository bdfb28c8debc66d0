package meanfield

import (
	"math"
	"math/big"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// precision is the number of bits of the reference arithmetic.
var precision uint = 320

func number(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func sum(terms ...*big.Float) *big.Float {
	total := number(0)
	for _, v := range terms {
		total.Add(total, v)
	}
	return total
}

func product(factors ...*big.Float) *big.Float {
	total := number(1)
	for _, v := range factors {
		total.Mul(total, v)
	}
	return total
}

func minus(v *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Neg(v) }

func quotient(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(precision).Quo(a, b) }

func power(v *big.Float, n int) *big.Float {
	total := number(1)
	for range n {
		total.Mul(total, v)
	}
	return total
}

// bigTails climbs the levels of power-of-d with an unlimited buffer in
// 320-bit arithmetic: with x given, the level crossing and the balance of
// phase 2 are two linear equations for the phases, and x is bisected until it
// is their sum. The law must have 0 < p < 1.
func bigTails(law coxian.Dist, load float64, d, levels int) (tail, phase2 []*big.Float) {
	unit := law.Normalized()
	mu1, p, mu2 := number(unit.Mu1), number(unit.P), number(unit.Mu2)
	leave, proceed := product(sum(number(1), minus(p)), mu1), product(p, mu1)
	lambda := number(load)
	split := func(inflow, up, second *big.Float) (x1, x2 *big.Float) {
		x2 = quotient(sum(product(up, second, leave), product(proceed, inflow)),
			sum(product(leave, sum(up, mu2)), product(proceed, mu2)))
		return quotient(sum(inflow, minus(product(mu2, x2))), leave), x2
	}
	first, second := split(lambda, number(0), number(0))
	for {
		a := sum(first, second)
		tail, phase2 = append(tail, a), append(phase2, second)
		if len(tail) == levels {
			return tail, phase2
		}
		inflow := product(lambda, power(a, d))
		low, high := number(0), new(big.Float).Copy(a)
		for range 800 {
			x := product(sum(low, high), number(0.5))
			slope := number(0)
			for j := range d {
				slope.Add(slope, product(power(a, d-1-j), power(x, j)))
			}
			x1, x2 := split(inflow, product(lambda, slope), second)
			if sum(x1, x2).Cmp(x) > 0 {
				low = x
			} else {
				high = x
			}
			if sum(high, minus(low)).Cmp(product(high, new(big.Float).SetMantExp(number(1), -120))) < 0 {
				first, second = x1, x2
				break
			}
		}
	}
}

// TestRelativeAccuracy: every s_i and s_{i,2} down to 1e-200 within 40 units
// of rounding of 320-bit arithmetic, times the growth of the relative error
// that the powers cause (it multiplies by d a level).
func TestRelativeAccuracy(t *testing.T) {
	for _, law := range []coxian.Dist{scv2, scv10, {Mu1: 1.6, P: .5, Mu2: 4. / 3}, {Mu1: 1.02, P: 1e-3, Mu2: .05}, {Mu1: 1.1, P: .99, Mu2: 10}} {
		for _, load := range []float64{.3, .9, .99} {
			for _, d := range []int{1, 2, 3} {
				if d == 1 && load == .99 {
					continue
				}
				f := solve(t, ctmc.System{Load: load, Service: law, Policy: ctmc.PowerOfD(int64(d), false)})
				levels := 0
				for levels < min(f.Levels, 25) && f.Tail[levels] > 1e-200 {
					levels++
				}
				tail, phase2 := bigTails(law, load, d, levels)
				for i := range tail {
					want, _ := tail[i].Float64()
					wantSecond, _ := phase2[i].Float64()
					tolerance := 40 * 0x1p-53 * (1 - math.Log(want))
					if !closeTo(f.Tail[i], want, tolerance) || !closeTo(f.TailPhase2[i], wantSecond, tolerance) {
						t.Errorf("%v d=%d load %g: s_%d off by a relative %.2g, phase 2 %.2g (allowed %.2g)", law, d, load, i+1,
							f.Tail[i]/want-1, f.TailPhase2[i]/wantSecond-1, tolerance)
					}
				}
			}
		}
	}
}

// bigSurplus climbs to the buffer of power-of-2 at load 1, in big arithmetic
// and with the lost rate given, and returns the sign of h(s_b) - lost. Each
// level solves the two linear equations of bigTails by the secant rule.
func bigSurplus(law coxian.Dist, lost *big.Float, buffer int) int {
	unit := law.Normalized()
	mu1, p, mu2 := number(unit.Mu1), number(unit.P), number(unit.Mu2)
	leave, proceed := product(sum(number(1), minus(p)), mu1), product(p, mu1)
	// The two rates must have mean 1 exactly, or the load is not 1.
	mean := sum(quotient(number(1), mu1), quotient(p, mu2))
	leave, proceed, mu2 = product(leave, mean), product(proceed, mean), product(mu2, mean)
	closed := product(leave, mu2)
	closed = sum(closed, product(proceed, mu2))
	split := func(inflow, up, second *big.Float) (x1, x2 *big.Float) {
		x2 = quotient(sum(product(up, second, leave), product(proceed, inflow)), sum(product(leave, up), closed))
		return quotient(sum(inflow, minus(product(mu2, x2))), leave), x2
	}
	first, second := split(sum(number(1), minus(lost)), number(0), number(0))
	previous := number(1)
	for range buffer - 1 {
		a := sum(first, second)
		inflow := sum(product(a, a), minus(lost))
		var x1, x2 *big.Float
		excess := func(x *big.Float) *big.Float {
			x1, x2 = split(inflow, sum(a, x), second)
			return sum(x1, x2, minus(x))
		}
		x, y := new(big.Float).Copy(a), sum(a, a, minus(previous))
		atX := excess(x)
		for range 60 {
			atY := excess(y)
			slope := sum(atY, minus(atX))
			if slope.Sign() == 0 {
				break
			}
			step := quotient(product(atY, sum(y, minus(x))), slope)
			x, atX, y = y, atY, sum(y, minus(step))
			if step.Sign() == 0 || step.MantExp(nil) < y.MantExp(nil)-int(precision)+600 && step.MantExp(nil) < lost.MantExp(nil)-200 {
				break
			}
		}
		excess(y)
		previous, first, second = a, x1, x2
	}
	s := sum(first, second)
	return product(s, s).Cmp(lost)
}

// TestCriticalCoxian: at load 1 with many levels the lost rate is far below
// the smallest float64; it is right to a relative 1e-9 in an arithmetic of 3000
// bits without any scaling.
func TestCriticalCoxian(t *testing.T) {
	defer func(bits uint) { precision = bits }(precision)
	precision = 3000
	for buffer, law := range map[int]coxian.Dist{1600: {Mu1: 1.6, P: .5, Mu2: 4. / 3}, 1100: {Mu1: 1.5, P: .25, Mu2: .75}} {
		problem := newEquilibriumProblem(ctmc.System{Load: 1, Buffer: buffer, Service: law, Policy: ctmc.PowerOfD(2, false)})
		unknown, scale, _ := problem.rootAboveOne(1, problem.smoothStart)
		if scale == 0 {
			t.Fatalf("%v: no scale was needed", law)
		}
		for _, side := range []int{1, -1} {
			lost := product(number(unknown), number(1-float64(side)*1e-9))
			lost.SetMantExp(lost, -scale)
			if got := bigSurplus(law, lost, buffer); got != side {
				t.Errorf("%v: h(s_b) - lost has sign %d at lost (1 - %d e-9), lost = %g 2^-%d", law, got, side, unknown, scale)
			}
		}
	}
}

// TestWideFront: a law of scv 4217 has a front hundreds of levels wide, which
// leaves few levels to the growth of small deficits.
func TestWideFront(t *testing.T) {
	law, err := coxian.FitMeanSCV(1, math.Pow(10, 3.625))
	if err != nil {
		t.Fatal(err)
	}
	f := solve(t, ctmc.System{Load: 1.0001, Buffer: 1995, Service: law, Policy: ctmc.PowerOfD(3, false)})
	if idle := 1 - f.Tail[0]; idle < 1e-9 || f.MeanJobs > 1900 {
		t.Errorf("idle %g, jobs %g", idle, f.MeanJobs)
	}
}

// TestNewtonDistance: one Newton step on the drift of the tails, all levels at
// once, moves the equilibrium by rounding only.
func TestNewtonDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := ctmc.System{Load: drawLoad(t), Service: drawLaw(t),
			Policy: ctmc.PowerOfD(rapid.SampledFrom([]int64{1, 2, 3, 10, 20, 50}).Draw(t, "d"), false),
			Buffer: rapid.IntRange(1, 30).Draw(t, "buffer")}
		f, err := Equilibrium(sys)
		if err != nil {
			t.Fatalf("%v: %v", sys, err)
		}
		distance, condition := newtonDistance(t, sys, f)
		// The step carries the rounding of the drift times the condition.
		if limit := 1e-15 * (100 + condition); distance > limit {
			t.Errorf("%v: Newton moves by %.3g, allowed %.3g", sys, distance, limit)
		}
	})
}

// newtonDistance returns the length of a Newton step from the equilibrium and
// the norm of the inverse Jacobian times the largest rate.
func newtonDistance(t *rapid.T, sys ctmc.System, f *Fixpoint) (distance, condition float64) {
	s, err := NewSmoothSystem(sys, 0)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, s.Dim())
	for i := range f.Tail {
		if s.Phases == 1 {
			y[i] = f.Tail[i]
			continue
		}
		y[2*i], y[2*i+1] = f.Tail[i]-f.TailPhase2[i], f.TailPhase2[i]
	}
	drift := make([]float64, s.Dim())
	s.F(0, y, drift)
	jac := jacobianOf(s, y)
	var inverse mat.Dense
	if err := inverse.Inverse(jac); err != nil {
		if _, ill := err.(mat.Condition); !ill {
			t.Fatal(err)
		}
		t.Skip("singular to working precision")
	}
	var step mat.VecDense
	step.MulVec(&inverse, mat.NewVecDense(len(drift), drift))
	return mat.Norm(&step, math.Inf(1)), mat.Norm(&inverse, math.Inf(1)) * (s.largestRate() + 1)
}
