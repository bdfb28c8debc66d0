package main

import "testing"

// A figure's series are called by the figure's own name and have the kind that
// all of them share, or none: the diffusion limit is proved for exponential
// service only, the averaged chains are conjectures, dispatching distributions
// are exact.
func TestFigureSeriesNameAndKind(t *testing.T) {
	for _, c := range []struct {
		figure, flags string
		kind          any
	}{
		{"nds-densities", "", "limit"},
		{"nds-densities", "--service erlang2", "conjecture"},
		{"nds-transient", "--until 1", "limit"},
		{"nds-transient", "--until 1 --service coxian:mean=1,scv=4", "conjecture"},
		{"nds-variability", "", "conjecture"},
		{"nds-price", "--curves-only --servers 20", nil},
		{"class-pi-examples", "", "exact"},
		{"choices-tail", "--servers 0", "limit"},
		{"chain-total", "-n 2 --load 0.5 --buffer 2", "exact"},
	} {
		r := invokeJSON(t, "figure "+c.figure+" "+c.flags)
		if r["command"] != "figure "+c.figure || r["kind"] != c.kind {
			t.Errorf("figure %s %s: command %q, kind %v, want kind %v", c.figure, c.flags, r["command"], r["kind"], c.kind)
		}
	}
}
