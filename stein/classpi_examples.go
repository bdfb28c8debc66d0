package stein

// PiExample is one of six dispatching distributions over four queues in
// increasing order at servers of equal rate by which the definitions of class Π
// can be told apart. The published figure of such examples has bars without
// numbers; these are stand-ins with the same answers.
type PiExample struct {
	Name string     // its letter
	P    [4]float64 // over queues in increasing order
}

// PiExamples are, on four different lengths: (a) tilted, (b) tilted, (c) not
// tilted, (d), (e) and (f) δ-tilted with δ = 1/4. When all four queues are equal
// each is equivalent to a δ-tilted one.
func PiExamples() []PiExample {
	return []PiExample{
		{"a", [4]float64{1. / 4, 1. / 4, 1. / 4, 1. / 4}},
		{"b", [4]float64{1. / 4, 1. / 2, 1. / 4, 0}},
		{"c", [4]float64{0, 1. / 2, 1. / 2, 0}},
		{"d", [4]float64{1. / 2, 1. / 4, 1. / 4, 0}},
		{"e", [4]float64{1, 0, 0, 0}},
		{"f", [4]float64{1. / 2, 1. / 3, 1. / 6, 0}},
	}
}

// Over is the example on four queues.
func (e PiExample) Over(lengths [4]int64) Ranked {
	return Ranked{Lengths: lengths[:], P: e.P[:], Fair: []float64{.25, .25, .25, .25}}
}
