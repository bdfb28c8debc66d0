package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"qlimit/diffusion"
	"qlimit/internal/stream"
)

type diffusionPathOptions struct {
	*environment
	limit  slowdownFlags
	start  float64
	until  float64
	step   float64
	points int
}

func newDiffusionPathCommand(env *environment, run func(context.Context, *diffusionPathOptions) error) *cobra.Command {
	o := &diffusionPathOptions{environment: env, start: 1, until: 10, points: 200}
	c := leaf(&cobra.Command{
		Use:   "path",
		Short: "Sample path of a non-degenerate slowdown limit",
		Long: `Sample a path of X = jobs in the system/N in the non-degenerate slowdown limit,
from --start up to time --until (real time divided by N, in the unit of the
service law). The path never falls below 1. The same --seed gives the same path.

cq: exact at the printed times. jsq, i1f, iqf: drift-implicit steps of length
--step (default: an eighth of the interval between printed times, at most 1/1000
of the relaxation time).`,
		Example: `  qlimit diffusion path --process jsq --spare 1 --until 20 --format csv
  qlimit diffusion path --process iqf --spare 1 --start 3 --seed 7`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.limit.addTo(c, limitProcesses)
	flags := c.Flags()
	flags.Var(&decimal{target: &o.start, accept: atLeastOne, allowed: "a number >= 1"}, "start", "`X` at time 0, jobs per server")
	flags.Var(&decimal{target: &o.until, accept: positive, allowed: "a number > 0"}, "until", "last `time`")
	flags.Var(&decimal{target: &o.step, accept: positive, allowed: "a number > 0"}, "step", "largest `length` of a step")
	flags.Var(&countInt{&o.points, 1, 1_000_000, "an integer between 1 and 1e6"}, "points", "`number` of intervals between printed times")
	return c
}

func runDiffusionPath(_ context.Context, o *diffusionPathOptions) error {
	n, err := o.limit.nds()
	if err != nil {
		return err
	}
	process, err := n.Process()
	if err != nil {
		return err
	}
	interval := o.until / timeUnit(n.Service) / float64(o.points)
	inside := o.substeps(n, interval)
	if !(inside*float64(o.points) <= maxPathSteps) {
		return badRequest("step = %.3g takes %.3g steps (must be at most %.0e: give fewer --points, a shorter --until or a larger --step)",
			o.until/(inside*float64(o.points)), inside*float64(o.points), maxPathSteps)
	}
	cell := fmt.Sprintf("diffusion path %s spare=%g %s", n.Discipline.Name, n.Spare, n.Service)
	source := stream.New(stream.Key{Seed: o.seed, Cell: cell, Purpose: stream.Events})
	steps := int(inside) * o.points
	fine, err := process.Path(o.start-1, interval/inside, steps, source)
	if err != nil {
		return err
	}
	return o.show(o.report(n, fine, int(inside)))
}

const maxPathSteps = 1e8

// substeps is the number of steps between printed times.
func (o *diffusionPathOptions) substeps(n diffusion.NDS, interval float64) float64 {
	if n.Discipline.Name == "cq" && o.step == 0 {
		return 1 // constant coefficients: any step is exact
	}
	largest := o.step / timeUnit(n.Service)
	if o.step == 0 {
		// 1/(1 + α)² is below the relaxation time of every process here.
		largest = math.Min(interval/8, 1e-3/((1+n.Spare)*(1+n.Spare)))
	}
	return math.Max(1, math.Ceil(interval/largest*(1-1e-9)))
}

func (o *diffusionPathOptions) report(n diffusion.NDS, fine []float64, inside int) *report {
	r := &report{command: "diffusion path", service: &n.Service, kind: n.Kind()}
	t, x := make([]float64, o.points+1), make([]float64, o.points+1)
	for i := range t {
		t[i], x[i] = o.until*float64(i)/float64(o.points), 1+fine[i*inside]
	}
	r.tables = []table{{columns: []column{numberColumn("t", 0, t), numberColumn("x", 0, x)}}}
	r.work = append(slowdownFacts(n), fact{"start", o.start}, fact{"steps", len(fine) - 1}, fact{"seed", o.seed})
	r.addWarnings(limitNote)
	return r
}
