package meanfield

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
type secondOrder[T scalar] struct {
	*localModel
	t    *triangular[T]
	w, v []float64

	wInBasis []T         // row l: X^H W_l, for W_l the l-th row of W
	kappa    []T         // κ in the basis, r×r×r
	pairs    map[int]int // coordinates l <= m, as l n + m, to the row of their contraction
	contract []T         // rows Σ_ab X_la X_mb κ_abc
}

func newSecondOrder[T scalar](l *localModel, t *triangular[T], w, v []float64) *secondOrder[T] {
	return &secondOrder[T]{localModel: l, t: t, w: w, v: v}
}

func (s *secondOrder[T]) correction() []float64 {
	s.projectCovariance()
	s.solveThirdCumulant()
	s.contractThirdCumulant()
	sigma := s.secondCovariance()
	forcing := make([]float64, s.n)
	for k := range s.jumps {
		j := &s.jumps[k]
		addJump(forcing, j.change, s.meanForcing(j, sigma))
	}
	return solveNegative(s.t, forcing)
}

func (s *secondOrder[T]) projectCovariance() {
	n, r := s.n, s.t.r
	s.wInBasis = make([]T, n*r)
	for l := range n {
		s.t.toBasis(s.w[l*n:(l+1)*n], s.wInBasis[l*r:(l+1)*r])
	}
}

// solveThirdCumulant solves (κ) by back substitution: in the basis A is upper
// triangular, and
//
//	(M_aa + M_bb + M_cc) κ_abc = -G_abc - Σ_{d>a} M_ad κ_dbc - Σ_{d>b} M_bd κ_adc
//	                             - Σ_{d>c} M_cd κ_abd.
func (s *secondOrder[T]) solveThirdCumulant() {
	r, m := s.t.r, s.t.m
	g := s.thirdForcing()
	// at is row (a, b) of κ, its last index running.
	at := func(a, b int) []T { return g[(a*r+b)*r : (a*r+b+1)*r] }
	for a := r - 1; a >= 0; a-- {
		ma := m[a*r : (a+1)*r]
		for b := r - 1; b >= a; b-- {
			mb := m[b*r : (b+1)*r]
			ab := at(a, b)
			for c := r - 1; c >= b; c-- {
				mc := m[c*r : (c+1)*r]
				sum := -ab[c] - dot(ma[a+1:], at(b, c)[a+1:]) - dot(mb[b+1:], at(a, c)[b+1:]) - dot(mc[c+1:], ab[c+1:])
				sum /= ma[a] + mb[b] + mc[c]
				ab[c], at(b, a)[c] = sum, sum
				at(a, c)[b], at(c, a)[b] = sum, sum
				at(b, c)[a], at(c, b)[a] = sum, sum
			}
		}
	}
	s.kappa = g
}

// thirdForcing is the right-hand side of (κ) in the basis, at sorted indices
// a <= b <= c. With ℓ' = X^H ℓ, w_l = X^H W_l and γ = X^H W ∇β it is
//
//	Σ sym3(ℓ'_a P_bc),  P = Σ_lm H_lm w_l w_m^T + ½ (ℓ' γ^T + γ ℓ'^T) + (β/3) ℓ' ℓ'^T.
//
// The part of P that has the factor ℓ' is gathered as ℓ' z^T + z ℓ'^T with
// z = γ/2 + β ℓ'/6.
func (s *secondOrder[T]) thirdForcing() []T {
	r := s.t.r
	u := make([]T, r*r*r)
	jump, z := make([]T, r), make([]T, r)
	p := make([]T, r*r)
	dense := make([]float64, s.n)
	for k := range s.jumps {
		j := &s.jumps[k]
		clear(dense)
		addJump(dense, j.change, 1)
		s.t.toBasis(dense, jump)
		s.jumpMatrix(j, jump, z, p)
		for a, factor := range jump {
			if factor == 0 {
				continue
			}
			for b := range r {
				row := u[(a*r+b)*r+b : (a*r+b+1)*r]
				for c, v := range p[b*r+b : (b+1)*r] {
					row[c] += factor * v
				}
			}
		}
	}
	s.symmetrise(u)
	return u
}

// jumpMatrix writes P on and above the diagonal.
func (s *secondOrder[T]) jumpMatrix(j *localJump, jump, z, p []T) {
	r, support := s.t.r, len(j.support)
	clear(z)
	for a, slope := range j.rate[0].Of[1] {
		if slope == 0 {
			continue
		}
		factor := fromReal[T](slope / 2)
		for c, v := range s.wInBasis[j.support[a]*r : (j.support[a]+1)*r] {
			z[c] += factor * v
		}
	}
	sixth := fromReal[T](limitRate(j) / 6)
	for c, v := range jump {
		z[c] += sixth * v
	}
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
		left := s.wInBasis[j.support[a]*r : (j.support[a]+1)*r]
		clear(z)
		for b, h := range j.rate[0].Of[2][a*support : (a+1)*support] {
			if h == 0 {
				continue
			}
			factor := fromReal[T](h)
			for c, v := range s.wInBasis[j.support[b]*r : (j.support[b]+1)*r] {
				z[c] += factor * v
			}
		}
		for b, v := range left {
			row := p[b*r : (b+1)*r]
			for c := b; c < r; c++ {
				row[c] += v * z[c]
			}
		}
	}
}

// symmetrise replaces u, symmetric in its last two indices and given for
// sorted ones, by the sum over the place of the first index, at sorted indices.
func (s *secondOrder[T]) symmetrise(u []T) {
	r := s.t.r
	for a := range r {
		for b := a; b < r; b++ {
			for c := b; c < r; c++ {
				// No other triple reads these three places.
				u[(a*r+b)*r+c] += u[(b*r+a)*r+c] + u[(c*r+a)*r+b]
			}
		}
	}
}

// contractThirdCumulant contracts κ with every pair of coordinates on which
// some rate bends.
func (s *secondOrder[T]) contractThirdCumulant() {
	n, r := s.n, s.t.r
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
	s.contract = make([]T, len(s.pairs)*r)
	half := make([]T, r*r)
	for l, others := range partners {
		if others == nil {
			continue
		}
		x := s.t.x[l*r : (l+1)*r]
		for bc := range r * r {
			half[bc] = dot(x, s.kappa[bc*r:(bc+1)*r])
		}
		for _, m := range others {
			row := s.contract[s.pairs[l*n+m]*r:]
			for c := range r {
				row[c] = dot(s.t.x[m*r:(m+1)*r], half[c*r:(c+1)*r])
			}
		}
	}
}

func anyNonZero(values []float64) bool {
	for _, v := range values {
		if v != 0 {
			return true
		}
	}
	return false
}

func (s *secondOrder[T]) contraction(l, m int) []T {
	row := s.pairs[min(l, m)*s.n+max(l, m)] * s.t.r
	return s.contract[row : row+s.t.r]
}

// secondCovariance solves (Σ).
func (s *secondOrder[T]) secondCovariance() []float64 {
	n, r := s.n, s.t.r
	forcing := make([]float64, n*n)
	inBasis, drift := make([]T, r), make([]float64, n)
	for k := range s.jumps {
		j := &s.jumps[k]
		clear(drift)
		if j.bent {
			clear(inBasis)
			support := len(j.support)
			for a, l := range j.support {
				for b, m := range j.support {
					if h := j.rate[0].Of[2][a*support+b]; h != 0 {
						factor := fromReal[T](h / 2)
						for c, v := range s.contraction(l, m) {
							inBasis[c] += factor * v
						}
					}
				}
			}
			s.t.fromBasis(inBasis, drift)
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
	return s.t.lyapunov(forcing)
}

// addGaussianDrift adds the vector, over j, Σ_m c_m W_mj with
//
//	c_m = Σ_l H_lm V_l + ½ Σ_lk C_lkm W_lk + ∂_m β¹.
func (s *secondOrder[T]) addGaussianDrift(j *localJump, drift []float64) {
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
		for i, v := range s.w[coordinate*n : (coordinate+1)*n] {
			drift[i] += factor * v
		}
	}
}

// meanForcing is the contribution of a jump to what drives A_2, per unit of ℓ.
func (s *secondOrder[T]) meanForcing(j *localJump, sigma []float64) float64 {
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
func (s *secondOrder[T]) cumulant(l, m, k int) float64 {
	r := s.t.r
	return realPart(dot(s.t.x[k*r:(k+1)*r], s.contraction(l, m)))
}
