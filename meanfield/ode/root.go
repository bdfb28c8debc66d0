package ode

import "math"

// locate returns the root of g between a and b, where its values ga and gb
// have opposite signs (gb may be 0), by the method of Chandrupatla (1997):
// bisection with inverse quadratic steps where they are safe. It stops when
// the bracket is as small as resolution or the spacing of the numbers, and
// returns the end of the bracket on the side of b, with the larger |g| of its
// two ends.
func locate(g func(float64) float64, a, ga, b, gb, resolution float64) (x, residual float64) {
	if gb == 0 {
		return b, 0
	}
	near, gNear := b, gb // newest point
	far, gFar := a, ga   // other end of the bracket
	third, gThird := near, gNear
	fraction := 0.5
	for {
		x := near + fraction*(far-near)
		gx := g(x)
		if gx == 0 {
			return x, 0
		}
		if (gx > 0) == (gNear > 0) {
			third, gThird = near, gNear
		} else {
			third, gThird = far, gFar
			far, gFar = near, gNear
		}
		near, gNear = x, gx
		width := math.Abs(far - near)
		tolerance := max(0.5*resolution, epsilon*max(math.Abs(near), math.Abs(far)))
		if width <= 2*tolerance {
			break
		}
		fraction = 0.5
		xi := (near - far) / (third - far)
		phi := (gNear - gFar) / (gThird - gFar)
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			fraction = gNear/(gFar-gNear)*gThird/(gFar-gThird) +
				(third-near)/(far-near)*gNear/(gThird-gNear)*gFar/(gThird-gFar)
		}
		least := tolerance / width
		fraction = min(1-least, max(least, fraction))
	}
	residual = max(math.Abs(gNear), math.Abs(gFar))
	if (gNear > 0) == (gb > 0) {
		return near, residual
	}
	return far, residual
}

// minimise returns a minimum of g in (a, b) by golden sections with parabolic
// steps (Brent 1973, chapter 5), or the first negative value met.
func minimise(g func(float64) float64, a, b float64) (x, gx float64) {
	const golden = 0.3819660112501051
	x = a + golden*(b-a)
	gx = g(x)
	w, gw, v, gv := x, gx, x, gx // second and third best
	var step, before float64
	for range 60 {
		middle := (a + b) / 2
		tolerance := 1e-9*math.Abs(x) + 1e-10*(b-a) + 1e-14
		if gx <= 0 || math.Abs(x-middle) <= 2*tolerance-(b-a)/2 {
			break
		}
		vertex := parabolaVertex(x, gx, w, gw, v, gv) - x
		if math.Abs(before) > tolerance && math.Abs(vertex) < math.Abs(before)/2 && x+vertex > a && x+vertex < b {
			before, step = step, vertex
		} else {
			before = b - x
			if x >= middle {
				before = a - x
			}
			step = golden * before
		}
		if math.Abs(step) < tolerance {
			step = math.Copysign(tolerance, step)
		}
		u := x + step
		gu := g(u)
		better := gu <= gx
		if better == (u >= x) {
			a = min(x, u)
		} else {
			b = max(x, u)
		}
		switch {
		case better:
			v, gv, w, gw, x, gx = w, gw, x, gx, u, gu
		case gu <= gw || w == x:
			v, gv, w, gw = w, gw, u, gu
		case gu <= gv || v == x || v == w:
			v, gv = u, gu
		}
	}
	return x, gx
}

// parabolaVertex returns the extremum of the parabola through three points,
// not finite if they lie on a line.
func parabolaVertex(x, gx, w, gw, v, gv float64) float64 {
	r := (x - w) * (gx - gv)
	q := (x - v) * (gx - gw)
	return x - ((x-v)*q-(x-w)*r)/(2*(q-r))
}
