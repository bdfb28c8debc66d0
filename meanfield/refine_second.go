package meanfield

import "context"

// secondOrder computes the 1/N² term of the mean. With sym2 and sym3 the sums
// over the 2 and 3 places of the marked index, and all derivatives at π,
//
//	0 = sym3(A_il κ_ljk + B_ilm W_lj W_mk + Q'_ij,l W_lk) + Σ β ℓ_i ℓ_j ℓ_k      (κ)
//	0 = sym2(A_il Σ_lj + ½ B_ilm κ_lmj + B_ilm V_l W_mj + ½ C_ilmk W_lm W_kj
//	    + A¹_il W_lj) + Q'_ij,l V_l + ½ Q''_ij,lm W_lm + Q¹_ij                  (Σ)
//	0 = A A_2 + ½ B:(Σ + V V^T) + (1/6) C:κ + ½ C:(W, V) + (1/8) D:(W, W)
//	    + A¹ V + ½ B¹:W + f².                                                   (A_2)
//
// No tensor of degree four appears: to this order the fourth moment is that
// of a Gaussian, which leaves sums over the few coordinates that a rate
// depends on. κ, of degree three, lives in the Schur basis only.
type secondOrder struct {
	*localModel
	solver solver
	basis  []float64 // Z, n×r, the real Schur basis
	r      int
	w, v   []float64

	wInBasis []float64   // row l: Z^T W_l, for W_l the l-th row of W
	kappa    []float64   // κ in the basis, r×r×r
	pairs    map[int]int // coordinates l <= m, as l n + m, to the row of their contraction
	contract []float64   // rows Σ_ab Z_la Z_mb κ_abc
}

func newSecondOrder(l *localModel, t solver, w, v []float64) *secondOrder {
	basis, r := t.schurBasis()
	return &secondOrder{localModel: l, solver: t, basis: basis, r: r, w: w, v: v}
}

func (s *secondOrder) correction(ctx context.Context) ([]float64, error) {
	s.wInBasis = make([]float64, s.n*s.r)
	for l := range s.n {
		s.toBasis(s.w[l*s.n:(l+1)*s.n], s.wInBasis[l*s.r:(l+1)*s.r])
	}
	forcing, err := s.thirdForcing(ctx)
	if err != nil {
		return nil, err
	}
	if s.kappa, err = s.solver.symmetricThird(ctx, forcing); err != nil {
		return nil, err
	}
	if err := s.contractThirdCumulant(ctx); err != nil {
		return nil, err
	}
	sigma := s.secondCovariance()
	mean := make([]float64, s.n)
	for k := range s.jumps {
		j := &s.jumps[k]
		addJump(mean, j.change, s.meanForcing(j, sigma))
	}
	return solveNegative(s.solver, mean), nil
}

// toBasis writes Z^T v.
func (s *secondOrder) toBasis(v, dst []float64) {
	clear(dst)
	for i, x := range v {
		if x != 0 {
			addTo(dst, x, s.basis[i*s.r:(i+1)*s.r])
		}
	}
}

// addTo adds factor × x.
func addTo(dst []float64, factor float64, x []float64) {
	dst = dst[:len(x)]
	for c, v := range x {
		dst[c] += factor * v
	}
}

// thirdForcing is the inhomogeneous part of (κ) in the basis, symmetric. With
// ℓ' = Z^T ℓ, w_l = Z^T W_l and γ = Z^T W ∇β it is
//
//	Σ sym3(ℓ'_a P_bc),  P = Σ_lm H_lm w_l w_m^T + ½ (ℓ' γ^T + γ ℓ'^T) + (β/3) ℓ' ℓ'^T.
//
// The part of P that has the factor ℓ' is gathered as ℓ' z^T + z ℓ'^T with
// z = γ/2 + β ℓ'/6.
func (s *secondOrder) thirdForcing(ctx context.Context) ([]float64, error) {
	r := s.r
	u := make([]float64, r*r*r)
	jump, z := make([]float64, r), make([]float64, r)
	p := make([]float64, r*r)
	dense := make([]float64, s.n)
	for k := range s.jumps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		j := &s.jumps[k]
		clear(dense)
		addJump(dense, j.change, 1)
		s.toBasis(dense, jump)
		s.jumpMatrix(j, jump, z, p)
		for a, factor := range jump {
			if factor == 0 {
				continue
			}
			for b := range r {
				addTo(u[(a*r+b)*r+b:(a*r+b+1)*r], factor, p[b*r+b:(b+1)*r])
			}
		}
	}
	symmetrise(u, r)
	return u, nil
}

// jumpMatrix writes P on and above the diagonal.
func (s *secondOrder) jumpMatrix(j *localJump, jump, z, p []float64) {
	r, support := s.r, len(j.support)
	clear(z)
	for a, slope := range j.rate[0].Of[1] {
		addTo(z, slope/2, s.row(j.support[a]))
	}
	addTo(z, limitRate(j)/6, jump)
	for b := range r {
		row := p[b*r : (b+1)*r]
		for c := b; c < r; c++ {
			row[c] = jump[b]*z[c] + z[b]*jump[c]
		}
	}
	if !j.bent {
		return
	}
	for a := range support {
		clear(z)
		for b, h := range j.rate[0].Of[2][a*support : (a+1)*support] {
			addTo(z, h, s.row(j.support[b]))
		}
		for b, v := range s.row(j.support[a]) {
			addTo(p[b*r+b:(b+1)*r], v, z[b:])
		}
	}
}

// row is w_l.
func (s *secondOrder) row(l int) []float64 { return s.wInBasis[l*s.r : (l+1)*s.r] }

// symmetrise replaces u_abc, symmetric in b and c and given for b <= c, by
// u_abc + u_bac + u_cab for all indices.
func symmetrise(u []float64, r int) {
	for a := range r {
		for b := a; b < r; b++ {
			for c := b; c < r; c++ {
				// No other triple uses these places.
				setSymmetric(u, r, a, b, c, u[(a*r+b)*r+c]+u[(b*r+a)*r+c]+u[(c*r+a)*r+b])
			}
		}
	}
}

// setSymmetric sets an entry of a symmetric tensor at all orders of its
// indices.
func setSymmetric[T scalar](u []T, r, a, b, c int, v T) {
	u[(a*r+b)*r+c], u[(a*r+c)*r+b] = v, v
	u[(b*r+a)*r+c], u[(b*r+c)*r+a] = v, v
	u[(c*r+a)*r+b], u[(c*r+b)*r+a] = v, v
}

// contractThirdCumulant contracts κ with every pair of coordinates on which
// some rate bends.
func (s *secondOrder) contractThirdCumulant(ctx context.Context) error {
	n, r := s.n, s.r
	s.pairs = map[int]int{}
	partners := make([][]int, n)
	for k := range s.jumps {
		j := &s.jumps[k]
		if !j.bent && !anyNonZero(j.rate[0].Of[3]) {
			continue
		}
		for _, l := range j.support {
			for _, m := range j.support {
				if _, seen := s.pairs[l*n+m]; l <= m && !seen {
					s.pairs[l*n+m] = len(s.pairs)
					partners[l] = append(partners[l], m)
				}
			}
		}
	}
	s.contract = make([]float64, len(s.pairs)*r)
	half := make([]float64, r*r)
	for l, others := range partners {
		if others == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		x := s.basis[l*r : (l+1)*r]
		for bc := range r * r {
			half[bc] = dot(x, s.kappa[bc*r:(bc+1)*r])
		}
		for _, m := range others {
			row := s.contract[s.pairs[l*n+m]*r:]
			for c := range r {
				row[c] = dot(s.basis[m*r:(m+1)*r], half[c*r:(c+1)*r])
			}
		}
	}
	return nil
}

func anyNonZero(values []float64) bool {
	for _, v := range values {
		if v != 0 {
			return true
		}
	}
	return false
}

func (s *secondOrder) contraction(l, m int) []float64 {
	row := s.pairs[min(l, m)*s.n+max(l, m)] * s.r
	return s.contract[row : row+s.r]
}

// secondCovariance solves (Σ).
func (s *secondOrder) secondCovariance() []float64 {
	n, r := s.n, s.r
	forcing := make([]float64, n*n)
	inBasis, drift := make([]float64, r), make([]float64, n)
	for k := range s.jumps {
		j := &s.jumps[k]
		clear(drift)
		if j.bent {
			clear(inBasis)
			support := len(j.support)
			for a, l := range j.support {
				for b, m := range j.support {
					if h := j.rate[0].Of[2][a*support+b]; h != 0 {
						addTo(inBasis, h/2, s.contraction(l, m))
					}
				}
			}
			for i := range drift {
				drift[i] = dot(s.basis[i*r:(i+1)*r], inBasis)
			}
		}
		s.addGaussianDrift(j, drift)
		for _, c := range j.change {
			for i, v := range drift {
				forcing[c.Coordinate*n+i] += float64(c.By) * v
				forcing[i*n+c.Coordinate] += float64(c.By) * v
			}
		}
	}
	s.addNoise(func(j *localJump) float64 {
		return j.slopeAlong(0, s.v) + 0.5*j.quadratic(j.rate[0].Of[2], s.w, n) + j.rate[1].Of[0][0]
	}, forcing)
	return s.solver.lyapunov(forcing)
}

// addGaussianDrift adds the vector, over j, Σ_m c_m W_mj with
//
//	c_m = Σ_l H_lm V_l + ½ Σ_lk C_lkm W_lk + ∂_m β¹.
func (s *secondOrder) addGaussianDrift(j *localJump, drift []float64) {
	support, n := len(j.support), s.n
	for m, coordinate := range j.support {
		factor := j.rate[1].Of[1][m]
		for l, lower := range j.support {
			factor += j.rate[0].Of[2][l*support+m] * s.v[lower]
			for k, other := range j.support {
				factor += 0.5 * j.rate[0].Of[3][(l*support+k)*support+m] * s.w[lower*n+other]
			}
		}
		if factor == 0 {
			continue
		}
		addTo(drift, factor, s.w[coordinate*n:(coordinate+1)*n])
	}
}

// meanForcing is the contribution of a jump to what drives A_2, per unit of ℓ.
func (s *secondOrder) meanForcing(j *localJump, sigma []float64) float64 {
	n, support := s.n, len(j.support)
	limit, explicit := &j.rate[0], &j.rate[1]
	sum := j.rate[2].Of[0][0] + j.slopeAlong(1, s.v) +
		0.5*j.quadratic(explicit.Of[2], s.w, n) + 0.5*j.quadratic(limit.Of[2], sigma, n)
	for a, l := range j.support {
		for b, m := range j.support {
			w := s.w[l*n+m]
			sum += 0.5 * limit.Of[2][a*support+b] * s.v[l] * s.v[m]
			for c, k := range j.support {
				third := limit.Of[3][(a*support+b)*support+c]
				if third != 0 {
					sum += third * (s.cumulant(l, m, k)/6 + 0.5*w*s.v[k])
				}
				for d, o := range j.support {
					sum += limit.Of[4][((a*support+b)*support+c)*support+d] * w * s.w[k*n+o] / 8
				}
			}
		}
	}
	return sum
}

// cumulant is κ_lmk in coordinates.
func (s *secondOrder) cumulant(l, m, k int) float64 {
	r := s.r
	return dot(s.basis[k*r:(k+1)*r], s.contraction(l, m))
}
