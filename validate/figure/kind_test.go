package figure

import (
	"testing"

	"qlimit/ctmc"
)

// TestFigureKind: a figure has the kind that all points have, and none where
// they differ or one has none.
func TestFigureKind(t *testing.T) {
	two := []float64{1, 2}
	limit, bound := Series{X: two, Y: two, Kind: ctmc.Limit}, Series{X: two, Y: two, Kind: ctmc.UpperBound}
	mixed := Series{X: two, Y: two, Kind: ctmc.Limit, Kinds: []ctmc.Kind{ctmc.Limit, ctmc.Conjecture}}
	for _, c := range []struct {
		series []Series
		want   ctmc.Kind
	}{
		{[]Series{limit, limit}, ctmc.Limit},
		{[]Series{limit, bound}, 0},
		{[]Series{mixed}, 0},
		{[]Series{limit, {X: two, Y: two}}, 0},
		{[]Series{{X: two, Y: two}, limit}, 0},
		{[]Series{{X: two, Y: two, Kinds: []ctmc.Kind{ctmc.Exact, ctmc.Exact}}}, ctmc.Exact},
	} {
		f := Figure{Series: c.series}
		if got := f.Kind(); got != c.want {
			t.Errorf("%v: kind %d, want %d", c.series, got, c.want)
		}
	}
}
