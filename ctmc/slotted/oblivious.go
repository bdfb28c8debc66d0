package slotted

// Random sends the jobs of a slot to a server chosen uniformly.
func Random() Policy { return oblivious{name: "random"} }

// Weighted chooses server n with probability μ_n/μ_Σ.
func Weighted() Policy { return oblivious{name: "weighted", byRate: true} }

type oblivious struct {
	name   string
	byRate bool
}

func (o oblivious) String() string        { return o.name }
func (o oblivious) Validate(*Model) error { return nil }

func (o oblivious) Declaration() Declaration {
	return Declaration{Memory: Oblivious, Probabilities: func(m *Model, _ []int64, _ int64, p []float64) {
		if o.byRate {
			shareByRate(m.Rates, p)
			return
		}
		for n := range p {
			p[n] = 1 / float64(len(p))
		}
	}}
}

func shareByRate(rates, p []float64) {
	total := 0.0
	for _, rate := range rates {
		total += rate
	}
	for n, rate := range rates {
		p[n] = rate / total
	}
}

func (o oblivious) Dispatcher(m *Model, _ *View) Dispatcher {
	if o.byRate {
		return &weightedDispatcher{weights: newWeighted(m.Rates)}
	}
	return uniformDispatcher{}
}

// forgetful is the part of a dispatcher that keeps nothing between slots.
type forgetful struct{}

func (forgetful) EndOfSlot(*View)     {}
func (forgetful) MemoryBits() float64 { return 0 }

type uniformDispatcher struct{ forgetful }

func (uniformDispatcher) Choose(v *View, _ int, _ int64) int { return v.chooseUniform() }

type weightedDispatcher struct {
	forgetful
	weights weighted
}

func (d *weightedDispatcher) Choose(v *View, _ int, _ int64) int { return d.weights.choose(v.Routing) }
