package meanfield_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
)

// How many servers should a dispatcher ask? The limit of many servers, and its
// corrections for a hundred, at load 0.9: the third brings less than the second.
func Example() {
	system := ctmc.System{Servers: 100, Load: 0.9, Service: coxian.Dist{Mu1: 1, Mu2: 1}}
	for d := int64(1); d <= 3; d++ {
		system.Policy = ctmc.PowerOfD(d, true)
		r, err := meanfield.Refine(context.Background(), system, 2)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("d = %d: limit %.4f, at N = 100 %.4f\n", d, r.MeanJobsLimit, r.MeanJobsOrder2)
	}
	// Output:
	// d = 1: limit 9.0000, at N = 100 9.0000
	// d = 2: limit 2.3527, at N = 100 2.3930
	// d = 3: limit 1.8251, at N = 100 1.8672
}
