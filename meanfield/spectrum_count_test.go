package meanfield

import (
	"math"
	"testing"
)

// TestCountRight of (z+1)(z+2)(z²+2z+5) and of (z-3)(z+1e-3).
func TestCountRight(t *testing.T) {
	stable := newShifted(denseMatrix([]float64{-5, -13, -19, -10, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, 4))
	for _, c := range []struct{ at, want float64 }{{1, 0}, {0, 0}, {-.99, 0}, {-1.01, 3}, {-1.5, 3}, {-2.5, 4}} {
		if got := stable.countRight(c.at); math.Abs(got-c.want) > 0.1 {
			t.Errorf("%v eigenvalues right of %v, want %v", got, c.at, c.want)
		}
	}
	unstable := newShifted(denseMatrix([]float64{3, 1e4, 0, -1e-3}, 2))
	for _, c := range []struct{ at, want float64 }{{4, 0}, {0, 1}, {-5e-4, 1}, {-2e-3, 2}} {
		if got := unstable.countRight(c.at); math.Abs(got-c.want) > 0.1 {
			t.Errorf("unstable: %v eigenvalues right of %v, want %v", got, c.at, c.want)
		}
	}
}

// TestMissingSlowModeIsNoticed: a search that has lost the slowest eigenvalue.
func TestMissingSlowModeIsNoticed(t *testing.T) {
	a := denseMatrix([]float64{-1, .5, .25, -2}, 2)
	start, err := qrEigenvalues(a)
	if err != nil {
		t.Fatal(err)
	}
	s := newRootSearch(a, start)
	s.refine()
	list, _, err := s.verified()
	if err != nil || len(list) != 2 {
		t.Fatalf("%v %v", list, err)
	}
	if w := s.overlooked(list); w != "" {
		t.Error(w)
	}
	if w := s.overlooked(list[1:]); w == "" {
		t.Error("the missing eigenvalue is not noticed")
	}
}
