package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/validate"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

const choicesUsage = "`numbers` of sampled servers d1,d2,.."

func newTailFigureCommand(env *environment) *cobra.Command {
	o, load, servers, events := &figureOptions{environment: env}, 0.9, int64(1000), int64(3e6)
	var choices []float64
	c := o.figureCommand("choices-tail", "Fraction of servers with at least i jobs by number of choices: mean field and simulation", `  qlimit figure choices-tail --load 0.9 --output tails.pdf
  qlimit figure choices-tail --load 0.95 --d 1,2,5 --servers 0 --format csv`,
		func(ctx context.Context) (*figure.Figure, error) {
			list, err := wholeNumbers("d", choices, []float64{1, 2, 3, 5})
			if err != nil {
				return nil, err
			}
			for _, d := range list {
				if servers > 0 && d > servers {
					return nil, badRequest("d = %d (must be at most the number of servers, %d)", d, servers)
				}
			}
			return validate.TailFigure(ctx, validate.TailStudy{Load: load, Choices: list, Servers: servers,
				Simulation: sim.Settings{Seed: env.seed, Threads: env.threads, Events: events, Replications: 4, Progress: o.drawing.tells}})
		})
	f := c.Flags()
	f.Var(&decimal{target: &load, accept: proportion, allowed: "a number > 0 and < 1"}, "load", "load `L` = arrival rate x mean service / servers")
	f.Var(&decimals{&choices}, "d", choicesUsage+" (default 1,2,3,5)")
	f.Var(&count{&servers, 0, sim.MaxServers, "an integer between 0 and 1e9"}, "servers", "`number` of simulated servers, 0 = no simulation")
	f.Var(&count{&events, 1, 1 << 53, "an integer between 1 and 9e15"}, "events", "largest `number` of events of each simulation")
	return c
}

// expansionFlags describe the figures of the size expansion.
type expansionFlags struct {
	validate.ExpansionStudy
	servers []float64
}

func (f *expansionFlags) addTo(c *cobra.Command, load float64, servers string) {
	f.Choices, f.Load = 2, load
	c.Flags().Var(&count{&f.Choices, 2, 100, "an integer between 2 and 100"}, "d", "`number` of servers that power-of-d samples, with replacement")
	c.Flags().Var(&decimal{target: &f.Load, accept: proportion, allowed: "a number > 0 and < 1"}, "load", "load `L` = arrival rate x mean service / servers")
	if servers != "" {
		c.Flags().Var(&decimals{&f.servers}, "servers", "`numbers` of servers N1,N2,.. of the exact chains (default "+servers+")")
	}
}

func (f *expansionFlags) study(servers ...float64) (s validate.ExpansionStudy, err error) {
	s = f.ExpansionStudy
	s.Servers, err = wholeNumbers("servers", f.servers, servers)
	return s, err
}

func newExpansionErrorFigureCommand(env *environment) *cobra.Command {
	o, flags := &figureOptions{environment: env}, &expansionFlags{}
	c := o.figureCommand("expansion-error", "Error of the mean field and of its 1/N and 1/N² expansions against N, by the exact chain", `  qlimit figure expansion-error --load 0.5 --output error.pdf`,
		func(ctx context.Context) (*figure.Figure, error) {
			study, err := flags.study(2, 4, 8, 12, 16)
			if err != nil {
				return nil, err
			}
			return study.ErrorFigure(ctx)
		})
	flags.addTo(c, 0.5, "2,4,8,12,16")
	return c
}

func newExpansionMeansFigureCommand(env *environment) *cobra.Command {
	o, flags := &figureOptions{environment: env}, &expansionFlags{}
	c := o.figureCommand("expansion-means", "Published table of the size expansion: mean jobs against N, with the published simulations", `  qlimit figure expansion-means --load 0.9 --output means.pdf`,
		func(ctx context.Context) (*figure.Figure, error) { return flags.MeansFigure(ctx) })
	flags.addTo(c, 0.9, "")
	return c
}

func newExpansionPathFigureCommand(env *environment) *cobra.Command {
	o, flags, buffer, until := &figureOptions{environment: env}, &expansionFlags{}, 6, 20.0
	c := o.figureCommand("expansion-transient", "Mean jobs over time from the empty system: fluid, 1/N expansion and exact chain", `  qlimit figure expansion-transient --load 0.9 --servers 4,8 --buffer 4 --output filling.pdf`,
		func(ctx context.Context) (*figure.Figure, error) {
			study, err := flags.study(4, 10)
			if err != nil {
				return nil, err
			}
			return study.PathFigure(ctx, buffer, until)
		})
	flags.addTo(c, 0.9, "4,10")
	c.Flags().Var(&countInt{&buffer, 1, 50, "an integer between 1 and 50"}, "buffer", "most `jobs` at one server")
	c.Flags().Var(&decimal{target: &until, accept: positive, allowed: "a number > 0"}, "until", "last `time`")
	return c
}

func newLeastLoadedFigureCommand(env *environment) *cobra.Command {
	o, service := &figureOptions{environment: env}, "exp"
	var choices []float64
	c := o.figureCommand("least-loaded", "Mean response against the load: least work beside fewest jobs of d servers, in the limit", `  qlimit figure least-loaded --service coxian:mean=1,scv=4 --output least.pdf`,
		func(context.Context) (*figure.Figure, error) {
			law, err := parseService(service)
			if err != nil {
				return nil, err
			}
			list, err := wholeNumbers("d", choices, []float64{2, 3})
			if err != nil {
				return nil, err
			}
			return validate.LeastLoadedFigure(list, law)
		})
	c.Flags().StringVar(&service, "service", service, serviceUsage)
	offer(c, "service", &servicesOffered)
	c.Flags().Var(&decimals{&choices}, "d", choicesUsage+" (default 2,3)")
	return c
}

func newDelayLawFigureCommand(env *environment) *cobra.Command {
	o, spare := &figureOptions{environment: env}, 1.0
	c := o.figureCommand("nds-response", "Tail of the response time in the non-degenerate slowdown limits", `  qlimit figure nds-response --spare 1 --output response.pdf`,
		func(context.Context) (*figure.Figure, error) { return validate.DelayLawFigure(spare) })
	addSpare(c, &spare)
	return c
}
