package meanfield

import "context"

// symmetricThird returns the symmetric κ, in the real Schur basis Z, with
//
//	sym3(T_ad κ_dbc) + G_abc = 0,  T = Z^T A Z,
//
// sym3 the sum over the three places, for a symmetric G, which is overwritten.
// In the triangular basis that is back substitution,
//
//	(M_aa + M_bb + M_cc) κ_abc = -G_abc - Σ_{d>a} M_ad κ_dbc - Σ_{d>b} M_bd κ_adc
//	                             - Σ_{d>c} M_cd κ_abd,
//
// r⁴/4 multiplications, for indices a <= b <= c and a, b, c falling in turn:
// what stands on the right has then been found.
func (t *triangular[T]) symmetricThird(ctx context.Context, g []float64) ([]float64, error) {
	r, m := t.r, t.m
	kappa := t.thirdToBasis(g)
	// at is row (a, b) of κ, its last index running.
	at := func(a, b int) []T { return kappa[(a*r+b)*r : (a*r+b+1)*r] }
	for a := r - 1; a >= 0; a-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ma := m[a*r : (a+1)*r]
		for b := r - 1; b >= a; b-- {
			mb := m[b*r : (b+1)*r]
			ab := at(a, b)
			for c := r - 1; c >= b; c-- {
				mc := m[c*r : (c+1)*r]
				sum := -ab[c] - dot(ma[a+1:], at(b, c)[a+1:]) - dot(mb[b+1:], at(a, c)[b+1:]) - dot(mc[c+1:], ab[c+1:])
				setSymmetric(kappa, r, a, b, c, sum/(ma[a]+mb[b]+mc[c]))
			}
		}
	}
	return t.thirdFromBasis(kappa, g), nil
}

// thirdToBasis turns every index by G^H.
func (t *triangular[T]) thirdToBasis(g []float64) []T {
	tensor := make([]T, len(g))
	for i, v := range g {
		tensor[i] = fromReal[T](v)
	}
	for _, pair := range t.pairs {
		turnThird(tensor, t.r, pair.k, pair.cConj, pair.sConj, pair.s, pair.c)
	}
	return tensor
}

// thirdFromBasis turns every index by G and writes the result, real for the
// image of a real tensor, to dst.
func (t *triangular[T]) thirdFromBasis(tensor []T, dst []float64) []float64 {
	for _, pair := range t.pairs {
		turnThird(tensor, t.r, pair.k, pair.c, -pair.sConj, -pair.s, pair.cConj)
	}
	for i, v := range tensor {
		dst[i] = realPart(v)
	}
	return dst
}

// turnThird does to all three indices what turn does to two.
func turnThird[T scalar](u []T, r, k int, a, b, e, d T) {
	upper, lower := u[(k-1)*r*r:k*r*r], u[k*r*r:(k+1)*r*r]
	for j, p := range upper {
		q := lower[j]
		upper[j], lower[j] = a*p+b*q, d*q-e*p
	}
	for i := range r {
		turn(u[i*r*r:(i+1)*r*r], r, k, a, b, e, d)
	}
}

// schurBasis returns Z, n×r, and r.
func (t *triangular[T]) schurBasis() ([]float64, int) { return t.z, t.r }
