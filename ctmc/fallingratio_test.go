package ctmc

import (
	"math"
	"math/big"
	"testing"
)

// TestFallingRatio: C(m, d)/C(n, d) agrees with the product in long arithmetic,
// and the two ways of writing C(m, d)/C(n, d) agree with each other.
func TestFallingRatio(t *testing.T) {
	for _, c := range []struct{ a, b, terms int64 }{
		{9_990, 10_000, 5_000}, {99_000, 100_000, 9_000}, {99_999, 100_000, 99_000}, {5_000, 5_001, 5_000},
		{999_000, 1_000_000, 20_000}, {999_999_000, 1_000_000_000, 30_000}, {1e15 - 1e11, 1e15, 40_000}, {1e15 - 1, 1e15, 30_000},
	} {
		product := new(big.Float).SetPrec(200).SetInt64(1)
		for j := int64(0); j < c.terms; j++ {
			ratio := new(big.Float).SetPrec(200).SetInt64(c.a - j)
			ratio.Quo(ratio, new(big.Float).SetPrec(200).SetInt64(c.b-j))
			product.Mul(product, ratio)
		}
		want, _ := product.Float64()
		if got := (Sampling{Choices: c.terms}).Tail(c.a, c.b); math.Abs(got-want) > 1e-11*want {
			t.Errorf("product of (%d-j)/(%d-j), %d terms: %.16g, want %.16g", c.a, c.b, c.terms, got, want)
		}
	}
	// C(m, d)/C(n, d) = C(n-d, n-m)/C(n, n-m), with a billion factors.
	const n, m, d = int64(1e15), int64(1e15 - 3e6), int64(1e9)
	if x, y := fallingRatio(m, n, d), fallingRatio(n-d, n, n-m); math.Abs(x-y) > 1e-9*y {
		t.Errorf("%.16g and %.16g should agree", x, y)
	}
}
