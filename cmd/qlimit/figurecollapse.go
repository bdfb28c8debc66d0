package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/validate"
	"qlimit/validate/figure"
)

func newCollapseFigureCommand(env *environment) *cobra.Command {
	o, flags := &figureOptions{environment: env}, &collapseOptions{}
	c := o.figureCommand("collapse", "Tail bounds of the state-space collapse beside the tail probabilities",
		`  qlimit figure collapse --servers 60 --load 0.5 --buffer 2 --output collapse.pdf
  qlimit figure collapse --servers 400 --load 0.6 --buffer 2 --service coxian:mu1=2,p=0.4,mu2=0.8 --samples 5e3 --output collapse.svg`,
		func(ctx context.Context) (*figure.Figure, error) {
			c, err := flags.solve(ctx, env)
			if err != nil {
				return nil, err
			}
			if !c.proof.Holds() {
				return nil, badRequest("there is no chain of sets for this system: %s", c.failing())
			}
			return validate.CollapseFigure(c.problem.System(), c.steps)
		})
	flags.addTo(c)
	return c
}
