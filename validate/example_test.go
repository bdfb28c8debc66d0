package validate_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate"
)

// An experiment file: one system, the exact chain against a simulation.
func ExampleRun() {
	const text = `
[simulation]
events = 1e5
[[system]]
servers = 2
load = 0.5
buffer = 3
policy = "jsq"
methods = "exact"
`
	experiment, err := validate.Parse(strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	report, err := validate.Run(context.Background(), experiment, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range report.Rows {
		fmt.Println(row.Quantity, row.Verdict)
	}
	// Output:
	// mean_jobs agree
}

// One system put to every theory.
func ExampleAsk() {
	system := ctmc.System{Servers: 100, Load: 0.99, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
	answers, err := validate.Ask(context.Background(), system, stein.FixedLoad(0.99), validate.QuestionSettings{TimeLimit: 1e7})
	if err != nil {
		log.Fatal(err)
	}
	best := answers.Answers[answers.Recommended]
	fmt.Printf("%s: %.4f jobs per server, a %s\n", best.Method, best.Value, best.Kind)
	// Output: averaged-birth-death: 2.1474 jobs per server, a conjecture
}
