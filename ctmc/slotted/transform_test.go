package slotted

import (
	"math"
	"math/cmplx"
	"testing"

	"qlimit/internal/nearzero"
)

// TestTransforms compares E[(1+w)^count] - 1 with the sum over the window of
// probabilities, and log E - mean w near 0 with cumulants.
func TestTransforms(t *testing.T) {
	for _, c := range []struct {
		family Family
		mean   float64
	}{
		{Poisson{}, 0.3}, {Poisson{}, 9}, {Binomial{Trials: 20}, 9}, {Binomial{Trials: 4}, 4}, {Burst{Size: 10}, 1},
		{Burst{Size: 3}, 2.9}, {Geometric{}, 0.5}, {Geometric{}, 7}, {Constant{}, 3}, {Poisson{}, 0},
	} {
		law, err := c.family.At(c.mean)
		if err != nil {
			t.Fatal(err)
		}
		transformed, ok := law.(Transformed)
		if !ok {
			t.Fatalf("%v has no transform", law)
		}
		first, p := law.Window(1e-30)
		for _, z := range []complex128{1.02, 0.9, 0.5, cmplx.Exp(0.3i), cmplx.Exp(2i), -1, 1.01 * cmplx.Exp(1e-3i)} {
			want := complex128(0)
			for k, x := range p {
				want += complex(x, 0) * nearzero.Expm1(complex(float64(first)+float64(k), 0)*cmplx.Log(z))
			}
			w := z - 1
			got := nearzero.Expm1(transformed.LogTransform(w) + times(c.mean, w))
			if cmplx.Abs(got-want) > 1e-13 {
				t.Errorf("%v: E z^count - 1 = %v at %v, want %v", law, got, z, want)
			}
		}
		for _, w := range []complex128{1e-7, -1e-7, 1e-7i, 1e-12} {
			// log E(1+w)^X = Σ κ_j log(1+w)^j/j!
			want := times((law.Variance()-law.Mean())/2, w*w) +
				times(law.ThirdCumulant()/6-law.Variance()/2+law.Mean()/3, w*w*w)
			got := transformed.LogTransform(w)
			scale := (law.Variance() + law.Mean()) * cmplx.Abs(w*w)
			if cmplx.Abs(got-want) > 3e-11*scale {
				t.Errorf("%v: log transform %v at %v, want %v", law, got, w, want)
			}
		}
	}
}

// TestSummedTransform: a bounded law without a closed form gets the transform of
// the same law that has one.
func TestSummedTransform(t *testing.T) {
	for _, family := range []Family{Binomial{Trials: 7}, Burst{Size: 5}, Constant{}} {
		law, err := family.At(3)
		if err != nil {
			t.Fatal(err)
		}
		got, want := TransformOf(plain{law}), TransformOf(law)
		for _, w := range []complex128{1e-9, -1e-5i, .3 + .1i, -.5, 2i, -1 + 1e-3i} {
			a, b := got.LogTransform(w), want.LogTransform(w)
			// Branches of the logarithm may differ.
			if d := nearzero.Expm1(a - b); cmplx.Abs(d) > 1e-14+1e-13*cmplx.Abs(b) {
				t.Errorf("%v at %v: %v, want %v", law, w, a, b)
			}
			if math.Abs(cmplx.Abs(w)) < 1e-4 && cmplx.Abs(a-b) > 1e-12*cmplx.Abs(b) {
				t.Errorf("%v at %v: %v, want %v to 12 digits", law, w, a, b)
			}
		}
	}
	unbounded, err := Poisson{}.At(2)
	if err != nil || TransformOf(plain{unbounded}) != nil {
		t.Errorf("an unbounded law without a transform: %v, %v", TransformOf(plain{unbounded}), err)
	}
}

// plain hides the transform of a law.
type plain struct{ Law }

// TestTransformOfLargeBursts: no overflow, no NaN.
func TestTransformOfLargeBursts(t *testing.T) {
	law, err := Burst{Size: 1_000_000}.At(3)
	if err != nil {
		t.Fatal(err)
	}
	got := law.(Transformed).LogTransform(0.01)
	want := 1e6*math.Log(1.01) + math.Log(3e-6) - 0.03
	if math.Abs(real(got)-want) > 1e-9 || imag(got) != 0 {
		t.Errorf("%v, want %v", got, want)
	}
}
