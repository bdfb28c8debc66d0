package validate

import "testing"

// TestClassPiExamplesFigure: a bar for each positive probability, in the class
// that theory gives the example.
func TestClassPiExamplesFigure(t *testing.T) {
	f := ClassPiExamples()
	if err := f.Validate(); err != nil {
		t.Fatal(err)
	}
	if len(f.X.Ticks) != 6 || len(f.Series) != 4+3+2+3+1+3 {
		t.Errorf("%d examples, %d bars", len(f.X.Ticks), len(f.Series))
	}
	groups := map[int]int{}
	for _, s := range f.Series {
		groups[s.Group]++
	}
	if groups[1] != 7 || groups[2] != 7 || groups[3] != 2 { // d, e, f; a, b; c
		t.Errorf("bars by class: %v", groups)
	}
}
