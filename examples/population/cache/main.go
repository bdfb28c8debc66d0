// Cache is a cache with random replacement as a population process with a
// conserved quantity. N items of which a third are asked for four times as
// often as the others; the cache has room for half of the items, and an item
// that is asked for and not in it takes the place of one chosen at random.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/meanfield/ode"
)

const (
	popular = 1.0 / 3 // fraction of popular items
	room    = 0.5     // of the cache, per item
	often   = 4.0     // requests for a popular item per unit of time
	seldom  = 1.0     // and for any other
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

// cache has two coordinates, the popular items x and the other items y in the
// cache, per item. The cache is full: x + y = room, which no jump changes.
func cache() (*ctmc.Model, error) {
	return ctmc.NewModel(2,
		ctmc.Transition{Name: "popular item in, other out", Change: []int64{+1, -1}, Rate: ctmc.Polynomial{ // often (popular - x) y / room
			{Coefficient: often * popular / room, Powers: []int{0, 1}}, {Coefficient: -often / room, Powers: []int{1, 1}}}},
		ctmc.Transition{Name: "other item in, popular out", Change: []int64{-1, +1}, Rate: ctmc.Polynomial{ // seldom (1 - popular - y) x / room
			{Coefficient: seldom * (1 - popular) / room, Powers: []int{1, 0}}, {Coefficient: -seldom / room, Powers: []int{1, 1}}}})
}

// hitRatio is the fraction of requests that find their item.
func hitRatio(x []float64) float64 {
	return (often*x[0] + seldom*x[1]) / (often*popular + seldom*(1-popular))
}

func run(ctx context.Context, w io.Writer) error {
	model, err := cache()
	if err != nil {
		return err
	}
	start := []float64{0, room} // all the wrong items
	fmt.Fprintln(w, "hit ratio in steady state")
	fmt.Fprintln(w, "   N      limit        1/N       1/N²      exact   N² error   N³ error")
	for _, n := range []int64{12, 24, 48, 96, 192} {
		r, err := meanfield.RefinePopulation(ctx, model, start, n, 2)
		if err != nil {
			return err
		}
		chain, err := ctmc.NewPopulationChain(model, n, []int64{0, n / 2})
		if err != nil {
			return err
		}
		exact, _, err := chain.Mean(ctx, ctmc.SolverSettings{}, 0, hitRatio)
		if err != nil {
			return err
		}
		size := float64(n)
		fmt.Fprintf(w, "%4d  %.7f  %.7f  %.7f  %.7f  %9.4f  %9.4f\n", n, hitRatio(r.Limit), hitRatio(r.Order1), hitRatio(r.Order2), exact[0],
			(hitRatio(r.Order1)-exact[0])*size*size, (hitRatio(r.Order2)-exact[0])*size*size*size)
	}

	path, err := meanfield.RefinePopulationTrajectory(ctx, model, start, []float64{0, 0.25, 0.5, 1, 2, 4}, ode.Settings{})
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\npopular items in the cache, per item, N = 24, starting with none")
	fmt.Fprintln(w, "   t   limit      1/N     N × variance")
	for k, t := range path.Times {
		fmt.Fprintf(w, "%4.2f  %.5f  %.5f  %.5f\n", t, path.Limit[k][0], path.Limit[k][0]+path.Correction1[k][0]/24, path.Covariance[k].At(0, 0))
	}
	return nil
}
