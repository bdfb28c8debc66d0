// Epidemic shows a population process of one's own: susceptible-infected-
// susceptible among N individuals, with infection from outside. It holds the
// fluid limit and its 1/N and 1/N² corrections against the exact chain and a
// simulation.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/sim"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// epidemic has one coordinate, the infected fraction x: a susceptible is
// infected from outside at rate 0.2 and by others at rate 1.5 x; an infected
// one recovers at rate 1.
func epidemic() (*ctmc.Model, error) {
	return ctmc.NewModel(1,
		ctmc.Transition{Name: "infection", Change: []int64{+1}, Rate: ctmc.Polynomial{ // (0.2 + 1.5 x)(1 - x)
			{Coefficient: 0.2}, {Coefficient: 1.3, Powers: []int{1}}, {Coefficient: -1.5, Powers: []int{2}}}},
		ctmc.Transition{Name: "recovery", Change: []int64{-1}, Rate: ctmc.Polynomial{
			{Coefficient: 1, Powers: []int{1}}}})
}

func run(ctx context.Context, w io.Writer) error {
	model, err := epidemic()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "infected fraction in steady state")
	fmt.Fprintln(w, "   N      limit        1/N       1/N²      exact   N² error   N³ error   simulation")
	for _, n := range []int64{10, 20, 50, 100, 200} {
		r, err := meanfield.RefinePopulation(ctx, model, []float64{0.5}, n, 2)
		if err != nil {
			return err
		}
		chain, err := ctmc.NewPopulationChain(model, n, []int64{0})
		if err != nil {
			return err
		}
		exact, _, err := chain.Mean(ctx, ctmc.SolverSettings{}, 0)
		if err != nil {
			return err
		}
		simulated, err := sim.RunPopulation(ctx, model, n, []int64{n / 2}, sim.PopulationSettings{Name: fmt.Sprint("epidemic ", n), Seed: 1, Duration: 1000})
		if err != nil {
			return err
		}
		size := float64(n)
		fmt.Fprintf(w, "%4d  %.7f  %.7f  %.7f  %.7f  %9.4f  %9.4f   %.4f ± %.4f\n", n, r.Limit[0], r.Order1[0], r.Order2[0], exact[0],
			(r.Order1[0]-exact[0])*size*size, (r.Order2[0]-exact[0])*size*size*size, simulated.Mean[0].Value, simulated.Mean[0].HalfWidth)
	}
	return nil
}
