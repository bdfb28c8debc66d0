package stein

import (
	"fmt"
	"math"

	"qlimit/ctmc"
)

// Aspect says which part of a system an identity speaks of, apart from the
// load, on which all of them depend.
type Aspect string

// The aspects.
const (
	Throughput Aspect = "load"    // work arrives as fast as it is done
	Service    Aspect = "service" // the law of the service and of the arrivals; the policy matters through losses alone
	Routing    Aspect = "routing" // which server gets the job
)

// Identity is E[Gf] = 0 for one test function f of the occupancy.
type Identity struct {
	Name   string // of the test function
	Aspect Aspect // what it bears on
}

// Basis is a list of test functions f whose identities E[Gf] = 0, G the
// generator, a stationary run of a system must satisfy:
//
//   - the expected remaining work W (in service 1 in phase 1 of a law of mean
//     1, 1/μ2 in phase 2; waiting jobs 1), W², and ((W-c)⁺)²/2 for knots c;
//   - the numbers m_i of servers with at least i jobs, i = 1, 2, ..;
//   - with Coxian service the servers in phase 2, all of them and those with at
//     least 2 or 3 jobs;
//   - products of W, m_1, m_2 and the servers in phase 2.
//
// States are those of [Generator], with all levels. A Basis has working
// memory: it serves one goroutine at a time.
type Basis struct {
	generator *Generator
	levels    int
	level     []int             // of a class
	from      [Mechanisms][]int // classes that a mechanism moves servers from
	linear    []functional
	tests     []testFunction

	values []float64             // of the functionals in the present state
	drifts [][Mechanisms]float64 // theirs, for each unit of the mechanism's rate
	rates  [Mechanisms][]float64 // of the transitions, by class, likewise
	totals [Mechanisms]float64
	steps  [Mechanisms]float64 // what the mechanisms change W by
	used   int                 // classes up to the highest level in use
	tail   []int64             // up to one level above it
	shares []float64           // of the levels in the routing
}

// testFunction is x, (x-a)(y-b) or ((x-a)⁺)²/2 of functionals x, y.
type testFunction struct {
	Identity
	shape
	x, y int
	a, b float64
	both [Mechanisms][]jump // Δx Δy
}

type shape int

const (
	linear shape = iota
	product
	spline
)

// The first functionals of every basis.
const (
	work = iota
	level1
	level2
)

// mostLevels is the number of levels whose drift is an identity.
const mostLevels = 8

// knotDistances place the knots, in standard deviations from the mean work.
var knotDistances = []float64{-1, 0, 1, 2, 3.5}

// NewBasis returns the basis for a system whose states have at most the given
// number of levels. The pilot states say where the process spends its time:
// they place knots and centres and leave out levels that no server reaches.
// An invalid system is an error; no levels, or no two pilot states, a panic.
func NewBasis(s ctmc.System, levels int, pilot [][]int64) (*Basis, error) {
	if levels < 1 || len(pilot) < 2 {
		panic(fmt.Sprintf("stein: basis of %d levels from %d states", levels, len(pilot)))
	}
	s.Service = s.Service.Normalized()
	g, err := NewGenerator(s)
	if err != nil {
		return nil, err
	}
	b := &Basis{generator: g, levels: levels, tail: make([]int64, levels+2), shares: make([]float64, levels+1)}
	b.listMoves()
	b.addLinear("work", Throughput, g.Work())
	b.steps = [Mechanisms]float64{Arrivals: 1, Leaving: -1}
	top := max(1, min(levels, mostLevels, b.highestLevel(pilot)+1))
	for i := 1; i <= top; i++ {
		b.addLinear(fmt.Sprintf("level %d", i), Routing, atLevel(i, g))
	}
	phase2 := len(b.linear)
	if g.Phases() == 2 {
		b.steps[Changing], b.steps[Ending] = 1/s.Service.Mu2-1, -1/s.Service.Mu2
		b.addLinear("phase 2", Service, inPhase2(1, g))
		for i := 2; i <= min(top, 3); i++ {
			b.addLinear(fmt.Sprintf("phase 2 at level %d", i), Routing, inPhase2(i, g))
		}
	}
	b.values, b.drifts = make([]float64, len(b.linear)), make([][Mechanisms]float64, len(b.linear))

	centres, spread := b.moments(pilot)
	b.addProduct("work squared", Service, work, work, centres)
	for _, z := range knotDistances {
		b.addSpline(centres[work] + z*spread)
	}
	b.addProduct("work x level 1", Routing, work, level1, centres)
	b.addProduct("level 1 squared", Routing, level1, level1, centres)
	if top >= 2 {
		b.addProduct("work x level 2", Routing, work, level2, centres)
		b.addProduct("level 1 x level 2", Routing, level1, level2, centres)
	}
	if g.Phases() == 2 {
		b.addProduct("phase 2 squared", Routing, phase2, phase2, centres)
		b.addProduct("work x phase 2", Routing, work, phase2, centres)
		b.addProduct("level 1 x phase 2", Routing, level1, phase2, centres)
	}
	return b, nil
}

func (b *Basis) listMoves() {
	g := b.generator
	for class := range g.Class(b.levels, g.Phases()) + 1 {
		b.level = append(b.level, g.Level(class))
		for m := range Mechanisms {
			if _, ok := m.after(class, g); ok {
				b.from[m] = append(b.from[m], class)
			}
		}
	}
	for m := range Mechanisms {
		b.rates[m] = make([]float64, len(b.level))
	}
}

func (b *Basis) addLinear(name string, aspect Aspect, w Linear) {
	b.tests = append(b.tests, testFunction{Identity: Identity{name, aspect}, x: len(b.linear)})
	b.linear = append(b.linear, newFunctional(w, b.generator, len(b.level)))
}

// addProduct adds the product about the centres: where fluctuations are small,
// products about 0 would nearly be linear.
func (b *Basis) addProduct(name string, aspect Aspect, x, y int, centres []float64) {
	f := testFunction{Identity: Identity{name, aspect}, shape: product, x: x, y: y, a: centres[x], b: centres[y]}
	for m := range Mechanisms {
		f.both[m] = products(b.linear[x].jumps[m], b.linear[y].jumps[m])
	}
	b.tests = append(b.tests, f)
}

func (b *Basis) addSpline(knot float64) {
	if knot > 0 {
		b.tests = append(b.tests, testFunction{Identity: Identity{fmt.Sprintf("work above %.4g", knot), Service}, shape: spline, x: work, a: knot})
	}
}

func (b *Basis) highestLevel(states [][]int64) int {
	highest := 0
	for _, counts := range states {
		for c, n := range counts {
			if n > 0 {
				highest = max(highest, b.level[c])
			}
		}
	}
	return highest
}

// moments are the means of the functionals over the states and the standard
// deviation of the work.
func (b *Basis) moments(states [][]int64) (means []float64, spread float64) {
	means = make([]float64, len(b.linear))
	weight := 1 / float64(len(states))
	for _, counts := range states {
		for k := range b.linear {
			means[k] += weight * b.linear[k].value(counts)
		}
	}
	variance := 0.0
	for _, counts := range states {
		d := b.linear[work].value(counts) - means[work]
		variance += weight * d * d
	}
	return means, math.Sqrt(variance)
}

// Identities lists the test functions.
func (b *Basis) Identities() []Identity {
	list := make([]Identity, len(b.tests))
	for k := range b.tests {
		list[k] = b.tests[k].Identity
	}
	return list
}

// Route writes the probabilities that a job is sent to level 0, 1, .. in the
// state with the given tail counts (servers with at least 0, 1, .. jobs).
type Route func(tail []int64, shares []float64)

// Evaluate writes the parts of Gf_k for every test function f_k in a state:
// with the rates r of [MechanismRates], Gf_k = Σ_m r[m] parts[k][m].
func (b *Basis) Evaluate(counts []int64, route Route, parts [][Mechanisms]float64) {
	top := len(counts) - 1
	for top > 0 && counts[top] == 0 {
		top--
	}
	level := b.level[top]
	b.used = b.generator.Class(level, b.generator.Phases()) + 1
	b.tail, b.shares = b.tail[:level+2], b.shares[:level+1]
	for k := range b.linear {
		b.values[k] = b.linear[k].value(counts[:b.used])
	}
	b.observe(counts, route)
	for m := range Mechanisms {
		b.apply(m, parts)
	}
}

// Work is the expected remaining work in the state last given to Evaluate.
func (b *Basis) Work() float64 { return b.values[work] }

// EvaluateArrivals writes parts[k][Arrivals] alone, as another rule would have
// it in the state last given to Evaluate.
func (b *Basis) EvaluateArrivals(counts []int64, route Route, parts [][Mechanisms]float64) {
	b.observeArrivals(counts, route)
	b.apply(Arrivals, parts)
}

// observe finds the rates of all transitions.
func (b *Basis) observe(counts []int64, route Route) {
	b.totals = [Mechanisms]float64{}
	clear(b.tail)
	for c, n := range counts[:b.used] {
		b.tail[b.level[c]] += n
	}
	for m := Leaving; m < Mechanisms; m++ {
		for _, class := range b.from[m] {
			if class >= b.used {
				break
			}
			rate := float64(counts[class])
			b.rates[m][class] = rate
			b.totals[m] += rate
		}
	}
	for i := len(b.tail) - 2; i >= 0; i-- {
		b.tail[i] += b.tail[i+1]
	}
	b.observeArrivals(counts, route)
}

// observeArrivals finds the rates of arrivals that are accepted; within a level
// the phases share them in proportion.
func (b *Basis) observeArrivals(counts []int64, route Route) {
	route(b.tail, b.shares)
	b.totals[Arrivals] = 0
	for _, class := range b.from[Arrivals] {
		if class >= b.used {
			break
		}
		level := b.level[class]
		here := b.tail[level] - b.tail[level+1]
		rate := 0.0
		if here > 0 {
			rate = b.shares[level] * float64(counts[class]) / float64(here)
		}
		b.rates[Arrivals][class] = rate
		b.totals[Arrivals] += rate
	}
}

// apply writes the parts of one mechanism:
//
//	G x = Σ r Δx,
//	G (x-a)(y-b) = (x-a) Gy + (y-b) Gx + Σ r Δx Δy,
//
// and for W, whose jump is the same in all transitions of a mechanism,
// G h(W) = (h(W+ΔW) - h(W)) Σ r.
func (b *Basis) apply(m Mechanism, parts [][Mechanisms]float64) {
	for k := range b.linear {
		b.drifts[k][m] = drift(b.linear[k].jumps[m], b.rates[m], b.used)
	}
	for k := range b.tests {
		f := &b.tests[k]
		switch f.shape {
		case linear:
			parts[k][m] = b.drifts[f.x][m]
		case product:
			parts[k][m] = (b.values[f.x]-f.a)*b.drifts[f.y][m] + (b.values[f.y]-f.b)*b.drifts[f.x][m] + drift(f.both[m], b.rates[m], b.used)
		case spline:
			parts[k][m] = halfSquareStep(b.values[work]-f.a, b.steps[m]) * b.totals[m]
		}
	}
}

// halfSquareStep is h(x+step) - h(x) for h(x) = (x⁺)²/2.
func halfSquareStep(x, step float64) float64 {
	y := x + step
	switch {
	case x > 0 && y > 0:
		return step * (x + step/2)
	case y > 0:
		return y * y / 2
	case x > 0:
		return -x * x / 2
	}
	return 0
}
