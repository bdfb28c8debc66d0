package ode

// interpolant is the dense output of one step from t to t+h. With the
// position θ = (time − t)/h in [0, 1] it is the polynomial
//
//	c0 + θ(c1 + (1−θ)(c2 + θ(c3 + (1−θ)(c4 + θ·c5))))
//
// of degree at most 5 with vector coefficients. The nesting makes c0 the
// state at the start and c0 + c1 the state at the end, free of rounding
// errors of the higher coefficients.
type interpolant struct {
	start, step  float64 // step has the sign of the direction
	coefficients [6][]float64
	degree       int
}

func newInterpolant(dim int) interpolant {
	var p interpolant
	block := make([]float64, 6*dim)
	for i := range p.coefficients {
		p.coefficients[i] = block[i*dim : (i+1)*dim : (i+1)*dim]
	}
	return p
}

// at writes the state at position θ into dst.
func (p *interpolant) at(theta float64, dst []float64) {
	rest := 1 - theta
	c0, c1, c2 := p.coefficients[0][:len(dst)], p.coefficients[1][:len(dst)], p.coefficients[2][:len(dst)]
	c3, c4, c5 := p.coefficients[3][:len(dst)], p.coefficients[4][:len(dst)], p.coefficients[5][:len(dst)]
	switch p.degree {
	case 5:
		for i := range dst {
			dst[i] = c0[i] + theta*(c1[i]+rest*(c2[i]+theta*(c3[i]+rest*(c4[i]+theta*c5[i]))))
		}
	case 4:
		for i := range dst {
			dst[i] = c0[i] + theta*(c1[i]+rest*(c2[i]+theta*(c3[i]+rest*c4[i])))
		}
	default:
		for i := range dst {
			dst[i] = c0[i] + theta*(c1[i]+rest*(c2[i]+theta*c3[i]))
		}
	}
}

// position returns θ for a time.
func (p *interpolant) position(t float64) float64 { return (t - p.start) / p.step }

// copyInto copies p into q without sharing memory.
func (p *interpolant) copyInto(q *interpolant) {
	q.start, q.step, q.degree = p.start, p.step, p.degree
	for i := range p.coefficients {
		copy(q.coefficients[i], p.coefficients[i])
	}
}
