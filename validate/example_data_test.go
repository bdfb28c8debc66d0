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
	"qlimit/validate/sim"
)

// Somebody's table. The load is 0.5 and M/M/1 has one job and a response of two
// services; the file says one: it has left out the service.
func ExampleCompareData() {
	const file = `policy,servers,load,mean_response,standard_error
random,1,0.5,1.000,0.002
random,1,0.8,4.001,0.010
`
	set, err := validate.ReadData(strings.NewReader(file), validate.DataDefaults{})
	if err != nil {
		log.Fatal(err)
	}
	report, err := validate.CompareData(context.Background(), set, validate.DataSettings{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	for i, row := range report.Rows {
		fmt.Printf("line %d: theory %.4f, %v; %s\n", report.Lines[i], row.Theory, row.Verdict, report.Explained[i])
	}
	// Output:
	// line 2: theory 2.0000, disagree; waiting time
	// line 3: theory 5.0000, disagree; waiting time
}

// Errors of a file name the line.
func ExampleReadData() {
	_, err := validate.ReadData(strings.NewReader("servers,load,mean_jobs\n10,0.5,0.51\n10,1.5,2.0\n"), validate.DataDefaults{})
	fmt.Println(err)
	// Output: line 3: load = 1.5 (must be < 1 with an unlimited buffer): the queues grow without bound; give a finite buffer to study overload
}

// Samples of a simulation's occupancy against the system that it claims to
// simulate, without knowing the stationary law. They come from ten servers with
// join-the-shortest-queue, and power-of-two is claimed.
func ExampleTestOutput() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	jsq := ctmc.System{Servers: 10, Load: 0.9, Buffer: 6, Service: exponential, Policy: ctmc.JSQ()}
	var file strings.Builder
	file.WriteString("idle,1,2,3,4,5,6\n")
	err := sim.Snapshots(context.Background(), jsq, sim.SnapshotSettings{Seed: 1, WarmUp: 1000, Every: 5, Count: 5000},
		func(_ float64, counts []int64) error {
			for level := range 7 {
				n := int64(0)
				if level < len(counts) {
					n = counts[level]
				}
				fmt.Fprintf(&file, "%d,", n)
			}
			file.WriteString("\n")
			return nil
		})
	if err != nil {
		log.Fatal(err)
	}
	text := strings.ReplaceAll(file.String(), ",\n", "\n")
	two := jsq
	two.Policy = ctmc.PowerOfD(2, false)
	for _, claim := range []ctmc.System{jsq, two} {
		samples, err := validate.NewSamples(strings.NewReader(text), claim)
		if err != nil {
			log.Fatal(err)
		}
		test, err := validate.TestOutput(context.Background(), samples, 1e-4, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v rejected: %v\n", claim.Policy, test.Rejected())
	}
	// Output:
	// jsq rejected: false
	// pod:d=2 rejected: true
}

// A system written by hand, not read from a file: Stein's decomposition of two
// servers that lose jobs when both are busy, E(X - 0.75)⁺ = 0.25 · 1.28/3.88.
func ExampleDecompose() {
	exponential := coxian.Dist{Mu1: 1, Mu2: 1}
	system := ctmc.System{Servers: 2, Load: 0.8, Buffer: 1, Service: exponential, Policy: ctmc.JIQ()}
	d, err := validate.Decompose(context.Background(), system, 0.75, 0.1, validate.StateSimulation{})
	if err != nil {
		log.Fatal(err)
	}
	left := d.Terms[stein.LeftSide]
	fmt.Printf("exact %.10f, closed form %.10f\n", *left.Exact, *left.Closed)
	// Output: exact 0.0824742268, closed form 0.0824742268
}

// Data that ship with the program: published simulations of power-of-two.
func ExamplePublishedPowerOfD() {
	rows, err := validate.PublishedPowerOfD()
	if err != nil {
		log.Fatal(err)
	}
	for _, row := range rows {
		if row.Servers == 10 && row.Load == 0.7 {
			fmt.Printf("%v: %.4f\n", row.System().Policy, row.MeanJobs)
		}
	}
	// Output: pod:d=2,replacement=true: 1.2193
}
