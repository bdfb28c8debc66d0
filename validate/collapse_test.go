package validate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
)

// collapseCase is a system small enough for its exact chain with choices of δ
// and J for which the hypotheses of the explicit steps hold: the final bound
// would say nothing, every step does.
type collapseCase struct {
	servers     int64
	buffer      int
	load, delta float64
	law         coxian.Dist
	policy      ctmc.Policy
}

var collapseCases = []collapseCase{
	{18, 2, 0.7, 0.12, coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, ctmc.JSQ()},
	{10, 3, 0.6, 0.17, coxian.Dist{Mu1: 2, P: 0.5, Mu2: 1}, ctmc.JIQ()},
	{18, 2, 0.65, 0.12, coxian.Dist{Mu1: 2, P: 0.45, Mu2: 0.9}, ctmc.I1F()},
	{16, 2, 0.3, 0.14, coxian.Dist{Mu1: 2, P: 0.25, Mu2: 0.5}, ctmc.JSQ()},
	{24, 2, 0.65, 0.12, coxian.Dist{Mu1: 2, P: 0.4, Mu2: 0.8}, ctmc.JSQ()},
	{16, 2, 0.6, 0.2, coxian.Dist{Mu1: 1.5, P: 0.4, Mu2: 1.2}, ctmc.JSQ()},
	{16, 2, 0.25, 0.15, coxian.Dist{Mu1: 2.2, P: 0.6, Mu2: 1.1}, ctmc.PowerOfD(12, false)},
	{40, 2, 0.4, 0.2, coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, ctmc.JSQ()},
	{30, 3, 0.3, 0.2, coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, ctmc.PowerOfD(20, true)},
}

func (c collapseCase) problem() stein.Problem {
	return stein.Problem{Servers: c.servers, Scaling: stein.FixedLoad(c.load), Buffer: c.buffer, Service: c.law, Policy: c.policy}
}

// steps are the explicit ones, and sharp ones at two scales.
func (c collapseCase) steps(t *testing.T) map[string][]stein.Step {
	t.Helper()
	all := map[string][]stein.Step{}
	for _, jumps := range []float64{0, float64(int(float64(c.servers) * c.delta / 4))} {
		proof, err := stein.CollapseExplicit(c.problem(), c.delta, jumps)
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprintf("explicit, J = %g", jumps)] = proof.Steps
	}
	for _, scale := range []float64{0.01, 0.03, 0.1} {
		proof, err := stein.CollapseSharp(c.problem(), scale)
		if err != nil {
			t.Fatal(err)
		}
		if proof.LogExcess < 1e300 { // the hypotheses could be met
			all[fmt.Sprintf("sharp, scale %g", scale)] = proof.Steps
		}
	}
	return all
}

// solvedCase keeps the law of a chain for several audits.
type solvedCase struct {
	collapseCase
	chain *ctmc.SystemChain
	law   []float64
}

func solveCases(t *testing.T) []solvedCase {
	t.Helper()
	var list []solvedCase
	for _, c := range collapseCases {
		chain, law, err := stationaryLaw(context.Background(), c.problem().System())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, solvedCase{c, chain, law})
	}
	return list
}

func (c solvedCase) audit(t *testing.T, steps []stein.Step) []StepAudit {
	t.Helper()
	audits, err := auditUnder(c.chain, c.law, steps)
	if err != nil {
		t.Fatal(err)
	}
	return audits
}

// TestCollapseSteps: hypotheses in every state, lemmas with the exact
// probability of being outside E, and the chain of bounds. A wrong constant in
// any step is caught in one of the cases.
func TestCollapseSteps(t *testing.T) {
	mutations := []struct {
		name   string
		needsE bool
		change func(*stein.Step)
	}{
		{"twice the drift", false, func(s *stein.Step) { s.Drift *= 2 }},
		{"drift from half as far", false, func(s *stein.Step) { s.Start *= 0.5 }},
		{"wrong q", false, func(s *stein.Step) { s.UpRate *= 0.4 }},
		{"half the jump", false, func(s *stein.Step) { s.Jump *= 0.5 }},
		{"the factor 2 of the double jumps missing", false, func(s *stein.Step) { s.Jumps = 2*s.Jumps + 1 }},
		{"no drift outside E", true, func(s *stein.Step) { s.Outside = -s.Drift }},
		{"wrong sign of the fluid value", false, func(s *stein.Step) { s.Origin += 2 * s.Start }},
	}
	caught := map[string]bool{}
	sharp, moved := 0, map[stein.Focus]bool{}
	for _, c := range solveCases(t) {
		for name, steps := range c.steps(t) {
			if strings.HasPrefix(name, "sharp") {
				sharp++
			}
			for k, a := range c.audit(t, steps) {
				for _, fault := range a.Faults {
					t.Errorf("%s, %s: %s", c.problem().System(), name, fault)
				}
				moved[a.Step.Focus] = moved[a.Step.Focus] || a.UpRate > 0 && a.Tail[0] > 0
				for _, mutation := range mutations {
					key := mutation.name + ", " + a.Step.Focus.String()
					if caught[key] || a.Tail[0] == 0 {
						continue
					}
					wrong := slices.Clone(steps)
					mutation.change(&wrong[k])
					caught[key] = len(c.audit(t, wrong)[k].Faults) > 0
				}
			}
		}
	}
	for focus := stein.PhaseTwoCrowd; focus <= stein.Queue; focus++ {
		if !moved[focus] {
			t.Errorf("step %s speaks of no state in any case", focus)
		}
		for _, mutation := range mutations {
			if first := focus == stein.PhaseTwoCrowd; first && (mutation.needsE || strings.HasPrefix(mutation.name, "wrong sign")) {
				continue // it has no E and no fluid value to subtract from
			}
			if !caught[mutation.name+", "+focus.String()] {
				t.Errorf("%s: step %s passes in every case", mutation.name, focus)
			}
		}
	}
	if sharp < 6 {
		t.Errorf("the sharp steps applied in %d cases only", sharp)
	}
}
