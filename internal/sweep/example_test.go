package sweep_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"qlimit/internal/manifest"
	"qlimit/internal/sweep"
)

// Two machines share a sweep of four cells; merged, the rows come in the order of
// the plan. Here a cell computes nothing but the number of its arguments.
func ExamplePlan() {
	spec, err := sweep.ParseSpec(strings.NewReader(`
command = "meanfield equilibrium"
[[grid]]
policy = ["jsq", "random"]
load = [0.5, 0.9]
`))
	if err != nil {
		log.Fatal(err)
	}
	plan, err := sweep.NewPlan(spec, manifest.Program{Version: "v1"})
	if err != nil {
		log.Fatal(err)
	}
	directory, err := os.MkdirTemp("", "sweep")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	count := func(_ context.Context, arguments []string) (sweep.Outcome, error) {
		return sweep.Outcome{Header: []string{"arguments"}, Rows: [][]string{{fmt.Sprint(len(arguments))}}}, nil
	}
	for k := range 2 {
		shard := sweep.Shard{K: k + 1, N: 2}
		done, err := plan.Run(context.Background(), directory, shard, count, func(done, total int) {})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("shard", k+1, "computed", done.Computed)
	}
	merged, missing, err := plan.Merge(directory)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(merged.Rows), "rows,", len(missing), "missing")
	// Output:
	// shard 1 computed 2
	// shard 2 computed 2
	// 4 rows, 0 missing
}
