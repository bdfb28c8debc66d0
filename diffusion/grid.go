package diffusion

import (
	"math"

	"qlimit/ctmc"
)

// grid is a reversible jump process on cells that stands for the diffusion.
//
// Cell i is [face[i], face[i+1]], carries the exact stationary probability
// mass[i], and sits at centre[i], its stationary mean. Neighbours exchange
// probability by the flux through the resistance between their centres,
//
//	J = (P_i/π_i - P_{i+1}/π_{i+1}) / ∫ 2/(σ² m) du,
//
// the finite volume scheme of Scharfetter and Gummel (1969) with the exact
// scale function in place of its exponential fit: π is stationary whatever the
// cells. The rates up[i] = 1/(π_i R_i) and down[i] = 1/(π_{i+1} R_i) are ratios
// of densities nearby and never overflow.
type grid struct {
	face, centre []float64
	mass         []float64
	up, down     []float64 // between cells i and i+1, length cells-1
}

// newGrid makes the cells between given faces, the first of them at 0.
func newGrid(l *Law, face []float64) *grid {
	cells := len(face) - 1
	g := &grid{
		face: face, centre: make([]float64, cells), mass: make([]float64, cells),
		up: make([]float64, cells-1), down: make([]float64, cells-1),
	}
	inside := newSweep(l)
	logMass := make([]float64, cells)
	for i := range cells {
		var relative float64
		logMass[i], relative = inside.cell(g.face[i], g.face[i+1])
		g.mass[i] = math.Exp(logMass[i])
		g.centre[i] = g.face[i] + relative
	}
	inside = newSweep(l)
	for i := range cells - 1 {
		logResistance := inside.resistance(g.centre[i], g.centre[i+1])
		g.up[i] = math.Exp(-logResistance - logMass[i])
		g.down[i] = math.Exp(-logResistance - logMass[i+1])
	}
	return g
}

// sweep integrates over short pieces of the half line from left to right.
type sweep struct {
	law  *Law
	next int // panel at or before the next piece
}

func newSweep(l *Law) *sweep { return &sweep{law: l} }

// Nodes and weights of the Gauss rule of three points on [0, 1].
var (
	threeNodes   = [3]float64{0.5 - 0.3872983346207417, 0.5, 0.5 + 0.3872983346207417}
	threeWeights = [3]float64{5.0 / 18, 8.0 / 18, 5.0 / 18}
)

// cell returns the logarithm of the mass of [a, b] and its mean's distance
// from a. A cell may reach over several panels.
func (s *sweep) cell(a, b float64) (logMass, mean float64) {
	reference := s.law.LogDensity((a + b) / 2)
	mass, first := 0.0, 0.0
	s.pieces(a, b, func(lo, hi float64) {
		half := (hi - lo) / 2
		for k, x := range gauss.node {
			u, weight := lo+half*(1+x), half*gauss.weight[k]
			if lo == 0 && !s.law.whole {
				q := endpointPower(s.law.gamma)
				v := (1 + x) / 2
				u, weight = hi*math.Pow(v, q), gauss.weight[k]/2*q*hi*math.Pow(v, q-1)
			}
			part := weight * math.Exp(s.logDensity(u)-reference)
			mass += part
			first += part * (u - a)
		}
	})
	return math.Log(mass) + reference, first / mass
}

// resistance is the logarithm of ∫ 2/(σ² m) over [a, b].
func (s *sweep) resistance(a, b float64) float64 {
	reference := s.law.LogDensity((a + b) / 2)
	sum := 0.0
	s.pieces(a, b, func(lo, hi float64) {
		for k, t := range threeNodes {
			u := lo + t*(hi-lo)
			sum += threeWeights[k] * (hi - lo) * 2 / s.law.process.variance(u) * math.Exp(reference-s.logDensity(u))
		}
	})
	return math.Log(sum) - reference
}

// pieces cuts [a, b] at the ends of panels.
func (s *sweep) pieces(a, b float64, visit func(lo, hi float64)) {
	panels := s.law.panels
	for s.next < len(panels)-1 && panels[s.next].b <= a {
		s.next++
	}
	for ; s.next < len(panels)-1 && panels[s.next].b < b; s.next++ {
		visit(a, panels[s.next].b)
		a = panels[s.next].b
	}
	visit(a, b)
}

func (s *sweep) logDensity(u float64) float64 {
	p := &s.law.panels[s.next]
	if u > s.law.end {
		return s.law.LogDensity(u)
	}
	return s.law.logDensityOf(p, u)
}

// MaxCells is the largest number of cells of a transient law.
const MaxCells = 1_000_000

func checkCells(cells int) error {
	if cells < 10 || cells > MaxCells {
		return &ctmc.FieldError{Field: "cells", Value: cells, Allowed: "between 10 and 1000000"}
	}
	return nil
}

// flows writes the net flows of probability J_i from cell i to i+1.
func (g *grid) flows(p, j []float64) {
	up, down, next := g.up[:len(j)], g.down[:len(j)], p[1:len(j)+1]
	for i := range j {
		j[i] = up[i]*p[i] - down[i]*next[i]
	}
}
