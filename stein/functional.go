package stein

// functional is a linear function of the occupancy: the sum over the servers
// of a weight of their class.
type functional struct {
	weights []float64          // by class
	jumps   [Mechanisms][]jump // what a transition changes, in the order of the classes; no zeros
}

// jump is the change by a transition of a server of the class.
type jump struct {
	class  int
	change float64
}

func newFunctional(w Linear, g *Generator, classes int) functional {
	f := functional{weights: make([]float64, classes)}
	for from := range classes {
		f.weights[from] = w(from)
		for m := range Mechanisms {
			if to, ok := m.after(from, g); ok && w(to) != w(from) {
				f.jumps[m] = append(f.jumps[m], jump{from, w(to) - w(from)})
			}
		}
	}
	return f
}

func (f *functional) value(counts []int64) float64 {
	total := 0.0
	for c, n := range counts {
		total += f.weights[c] * float64(n)
	}
	return total
}

// products are the jumps Δf Δg of two functionals under the same transition.
func products(f, g []jump) []jump {
	var both []jump
	j := 0
	for _, a := range f {
		for j < len(g) && g[j].class < a.class {
			j++
		}
		if j < len(g) && g[j].class == a.class {
			both = append(both, jump{a.class, a.change * g[j].change})
		}
	}
	return both
}

// drift is Σ rate × change over the given number of classes.
func drift(jumps []jump, rates []float64, classes int) float64 {
	total := 0.0
	for _, j := range jumps {
		if j.class >= classes {
			break
		}
		total += rates[j.class] * j.change
	}
	return total
}

// atLevel counts the servers with at least so many jobs.
func atLevel(level int, g *Generator) Linear {
	return func(class int) float64 { return indicator(g.Level(class) >= level) }
}

// inPhase2 counts those of them whose job in service is in phase 2.
func inPhase2(level int, g *Generator) Linear {
	return func(class int) float64 {
		own := g.Level(class)
		return indicator(own >= max(level, 1) && class == g.Class(own, 2))
	}
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
