package meanfield_test

import (
	"context"
	"fmt"
	"log"

	"qlimit/ctmc"
	"qlimit/meanfield"
)

// merging particles arrive at rate N and merge pairwise at rate n(n-1)/N, that is
// N (x² - x/N) with x = n/N.
func merging() *ctmc.Model {
	m, err := ctmc.NewModel(1,
		ctmc.Transition{Name: "arrives", Change: []int64{1}, Rate: ctmc.Polynomial{{Coefficient: 1}}},
		ctmc.Transition{Name: "merges", Change: []int64{-1},
			Rate:  ctmc.Polynomial{{Coefficient: 1, Powers: []int{2}}},
			OverN: ctmc.Polynomial{{Coefficient: -1, Powers: []int{1}}},
		},
	)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// The size expansion of a population of one's own. The exact mean of merging
// particles is I0(2N)/I1(2N) = 1 + 1/(4N) + 3/(32N²) + ...
func ExampleRefinePopulation() {
	r, err := meanfield.RefinePopulation(context.Background(), merging(), []float64{0.5}, 10, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f + %.6f/N + %.6f/N², %.4f at N = 10\n", r.Limit[0], r.Correction1[0], r.Correction2[0], r.Order2[0])
	fmt.Printf("N Var -> %.4f, gap %.4f\n", r.Covariance.At(0, 0), r.Gap)
	// Output:
	// 1.000000 + 0.250000/N + 0.093750/N², 1.0259 at N = 10
	// N Var -> 0.5000, gap 2.0000
}
