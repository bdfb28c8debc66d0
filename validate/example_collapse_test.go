package validate_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate"
)

// Every hypothesis of a state-space collapse against every state of the exact
// chain, and the bound on the tail against the tail.
func ExampleAuditCollapse() {
	problem := stein.Problem{
		Servers: 12, Scaling: stein.FixedLoad(0.65), Buffer: 2,
		Service: coxian.Dist{Mu1: 2, P: 0.45, Mu2: 0.9}, Policy: ctmc.JSQ(),
	}
	proof, err := stein.CollapseSharp(problem, 0.1)
	if err != nil {
		log.Fatal(err)
	}
	audit, err := validate.AuditCollapse(context.Background(), problem.System(), proof.Steps)
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range audit {
		below := true
		for j := range step.Tail {
			below = below && step.Tail[j] <= step.Lemma[j]
		}
		fmt.Println(step.Step.Focus, len(step.Faults), "faults, tail below its bound:", below)
	}
	// Output:
	// phase-2-crowd 0 faults, tail below its bound: true
	// phase-1-lack 0 faults, tail below its bound: true
	// phase-2-lack 0 faults, tail below its bound: true
	// queue 0 faults, tail below its bound: true
}

// The built-in experiment is a file, from which one's own may start.
func ExampleBuiltIn() {
	builtIn, err := validate.BuiltIn()
	if err != nil {
		log.Fatal(err)
	}
	own, err := validate.Parse(bytes.NewReader(validate.BuiltInText()))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(own.Cases) == len(builtIn.Cases), own.Cases[0].System.Validate() == nil)
	// Output: true true
}

// The tails of power-of-two in the limit as a figure: s_3 = 0.9^7.
func ExampleTailStudy() {
	f, err := validate.TailFigure(context.Background(), validate.TailStudy{Load: 0.9, Choices: []int64{2}})
	if err != nil {
		log.Fatal(err)
	}
	for i, x := range f.Series[0].X {
		if x == 3 {
			fmt.Printf("%.7f\n", f.Series[0].Y[i])
		}
	}
	// Output: 0.4782969
}
