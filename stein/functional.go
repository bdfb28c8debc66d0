package stein

// functional is a linear function of the occupancy: the sum over the servers
// of a weight of their class.
type functional struct {
	weights []float64          // by class
	jumps   [Mechanisms][]jump // what a transition changes, in the order of the classes; no zeros
}

// jump is the change by a transition of a server of the class of that index.
type jump struct {
	class  int
	change float64
}

func newFunctional(weight func(class) float64, classes []class, buffer int) functional {
	f := functional{weights: make([]float64, len(classes))}
	for index, from := range classes {
		f.weights[index] = weight(from)
		for m := range Mechanisms {
			to, ok := m.after(from, buffer)
			if change := weight(to) - weight(from); ok && change != 0 {
				f.jumps[m] = append(f.jumps[m], jump{index, change})
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

// drift is Σ rate × change.
func drift(jumps []jump, rates []float64) float64 {
	total := 0.0
	for _, j := range jumps {
		total += rates[j.class] * j.change
	}
	return total
}

// workWeight is the expected remaining work at a server, service of mean 1.
func workWeight(mu2 float64) func(class) float64 {
	return func(c class) float64 {
		if c.phase == 2 {
			return float64(c.level-1) + 1/mu2
		}
		return float64(c.level)
	}
}

// levelWeight counts the servers with at least so many jobs.
func levelWeight(level int) func(class) float64 {
	return func(c class) float64 { return indicator(c.level >= level) }
}

// phase2Weight counts those of them whose job in service is in phase 2.
func phase2Weight(level int) func(class) float64 {
	return func(c class) float64 { return indicator(c.phase == 2 && c.level >= level) }
}

func indicator(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
