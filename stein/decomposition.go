package stein

import (
	"math"

	"qlimit/ctmc"
)

// Decomposition is the exact decomposition of E(X - η)^+ that Stein's method
// rests on, X = jobs per server. With f(s) = g(X(s)), E[Gf] = 0 reads
//
//	E(X-η)^+ = E[-δ g'(X) - λN(1-A_b)(g(X+1/N) - g(X)) - N D_1 (g(X-1/N) - g(X))]
//
// where A_b is the probability that an arrival finds its server full and D_1 =
// (1-p)μ1 S_{1,1} + μ2 S_{1,2} the rate of departures per server. For X > η +
// 1/N the differences of g are exactly g'/N + g”/(2N²) and -g'/N + g”/(2N²), g”
// = -1/δ, which gives the terms far from η; the others are kept as they are.
//
// It is not safe for concurrent use.
type Decomposition struct {
	Equation
	System ctmc.System // with service of mean 1

	generator *Generator
	n, load   float64
	b         float64
	model     model
}

// NewDecomposition takes any system with a finite buffer; eta is any number,
// delta > 0. Errors: an unlimited buffer, δ or η out of range, or an invalid
// system ([ctmc.FieldError]).
func NewDecomposition(s ctmc.System, eta, delta float64) (*Decomposition, error) {
	s.Service = s.Service.Normalized()
	switch {
	case s.Buffer == ctmc.Unlimited:
		return nil, &ctmc.FieldError{Field: "buffer", Value: "unlimited", Allowed: ">= 1"}
	case !(delta > 0) || math.IsInf(delta, 1):
		return nil, &ctmc.FieldError{Field: "delta", Value: delta, Allowed: "> 0 and finite"}
	case math.IsNaN(eta) || math.IsInf(eta, 0):
		return nil, &ctmc.FieldError{Field: "eta", Value: eta, Allowed: "finite"}
	}
	g, err := NewGenerator(s)
	if err != nil {
		return nil, err
	}
	return &Decomposition{
		Equation: Equation{Eta: eta, Delta: delta}, System: s, generator: g,
		n: float64(s.Servers), load: s.Load, b: float64(s.Buffer),
		model: newModel(Problem{Servers: s.Servers, Scaling: FixedLoad(s.Load), Buffer: s.Buffer, Service: s.Service, Policy: s.Policy}),
	}, nil
}

// Term is one of the terms of a [Decomposition].
type Term int

const (
	// LeftSide is (X - η)^+ itself.
	LeftSide Term = iota
	// NearDrift .. NearDepartures are the three parts where |X - η| <= 1/N.
	NearDrift
	NearArrivals   // arrivals where |X - η| <= 1/N
	NearDepartures // departures there
	// FarLack is g'(X)(D_1 - λ - δ) where X > η + 1/N and D_1 < λ + δ: what the
	// collapse has to bound. It is not negative.
	FarLack
	// FarSurplus is the same where D_1 >= λ + δ: not positive.
	FarSurplus
	// FarLoss is λ A_b g'(X): not positive.
	FarLoss
	// FarArrivals and FarDepartures are the quadratic terms λ(1-A_b)/(2Nδ) and
	// D_1/(2Nδ).
	FarArrivals
	FarDepartures // D_1/(2Nδ) there
	// LackProb is the indicator of X > η, D_1 < λ + δ; it is no term of the sum
	// but what the bound is made of.
	LackProb

	// Terms is their number.
	Terms
)

var termNames = [Terms]string{
	"excess", "near_drift", "near_arrivals", "near_departures",
	"far_lack", "far_surplus", "far_loss", "far_arrivals", "far_departures", "lack_probability",
}

func (t Term) String() string { return termNames[t] }

// Summed lists the terms that add up to the left side.
func Summed() []Term {
	return []Term{NearDrift, NearArrivals, NearDepartures, FarLack, FarSurplus, FarLoss, FarArrivals, FarDepartures}
}

// At writes the value of every term in one state; the stationary means of the
// summed terms add up to that of the left side.
func (d *Decomposition) At(state []int64, out *[Terms]float64) {
	*out = [Terms]float64{}
	shape := d.generator.Shape(state)
	x, h := shape.Jobs, 1/d.n
	lost, departures := d.rates(state, shape)
	out[LeftSide] = d.Excess(x)
	if x > d.Eta && departures < d.load+d.Delta {
		out[LackProb] = 1
	}
	switch {
	case x > d.Eta+h:
		slope, half := d.Slope(x), 1/(2*d.n*d.Delta)
		drift := slope * (departures - d.load - d.Delta)
		if departures < d.load+d.Delta {
			out[FarLack] = drift
		} else {
			out[FarSurplus] = drift
		}
		out[FarLoss] = d.load * lost * slope
		out[FarArrivals] = d.load * (1 - lost) * half
		out[FarDepartures] = departures * half
	case x >= d.Eta-h:
		out[NearDrift] = -d.Delta * d.Slope(x)
		out[NearArrivals] = -d.load * d.n * (1 - lost) * d.Up(x, h)
		out[NearDepartures] = -d.n * departures * d.Down(x, h)
	}
}

// rates are A_b and D_1.
func (d *Decomposition) rates(state []int64, shape Shape) (lost, departures float64) {
	_, route := d.generator.Routing(state)
	if len(route) > d.System.Buffer {
		lost = route[d.System.Buffer]
	}
	m := &d.model
	return lost, (1-m.p)*m.mu1*shape.First + m.mu2*shape.Second
}

// SplitBound is the bound of the explicit version on the left side, given the
// probability of X > η, D_1 < λ + δ:
//
//	1/N + 2λ/(Nδ) + (λ + w_u)/(2Nδ) + (b(λ+δ)/δ) P(X > η, D_1 < λ + δ).
func (d *Decomposition) SplitBound(lack float64) float64 {
	return d.NearBound() + d.FarBound() + d.b*(d.load+d.Delta)/d.Delta*lack
}

// NearBound bounds the sum of the terms near η in every state.
func (d *Decomposition) NearBound() float64 { return 1/d.n + 2*d.load/(d.n*d.Delta) }

// FarBound bounds the sum of the quadratic terms in every state.
func (d *Decomposition) FarBound() float64 { return (d.load + d.model.fast) / (2 * d.n * d.Delta) }

// SharpSplitBound is the bound of the sharp version, see [Bounds]:
//
//	λ/(Nδ) + ((b-η)^+ (λ+δ)/δ) P(X > η, D_1 < λ + δ).
func (d *Decomposition) SharpSplitBound(lack float64) float64 {
	return d.load/(d.n*d.Delta) + math.Max(d.b-d.Eta, 0)*(d.load+d.Delta)/d.Delta*lack
}
