package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/internal/stream"
	"qlimit/validate"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

func newDensitiesFigureCommand(env *environment) *cobra.Command {
	o, spare, service := &figureOptions{environment: env}, 1.0, "exp"
	c := o.figureCommand("nds-densities", "Stationary densities of the non-degenerate slowdown limits", `  qlimit figure nds-densities --spare 1 --output densities.pdf`,
		func(context.Context) (*figure.Figure, error) {
			law, err := parseService(service)
			if err != nil {
				return nil, err
			}
			return validate.DiffusionDensities(spare, law)
		})
	addSpare(c, &spare)
	c.Flags().StringVar(&service, "service", service, serviceUsage)
	return c
}

func newPriceFigureCommand(env *environment) *cobra.Command {
	o := &figureOptions{environment: env}
	var simulated []float64
	servers, events := int64(100), int64(2e6)
	c := o.figureCommand("nds-price", "Price of immediate dispatch against the spare servers: limit, averaged chains, simulations", `  qlimit figure nds-price --output price.pdf
  qlimit figure nds-price --servers 20 --simulate 1,4 --events 5e5 --output price.svg`,
		func(ctx context.Context) (*figure.Figure, error) {
			points, err := simulatedPrices(ctx, env, servers, simulated, events)
			if err != nil {
				return nil, err
			}
			return validate.PriceFigure([]int64{servers}, points)
		})
	c.Flags().Var(&count{&servers, 2, 10_000, "an integer between 2 and 10000"}, "servers", "`number` of servers of the averaged chain and the simulations")
	c.Flags().Var(&decimals{&simulated}, "simulate", "spare servers `A,B,..` at which to simulate JSQ")
	c.Flags().Var(&count{&events, 1, 1 << 53, "an integer between 1 and 9e15"}, "events", "`number` of events of each simulation")
	return c
}

// simulatedPrices simulates JSQ with the given numbers of spare servers and
// divides its mean jobs by the exact mean of the pooled queue M/M/N.
func simulatedPrices(ctx context.Context, env *environment, servers int64, spares []float64, events int64) ([]validate.PricePoint, error) {
	var points []validate.PricePoint
	for _, spare := range spares {
		n := float64(servers)
		if !(spare > 0 && spare < n) {
			return nil, &ctmc.FieldError{Field: "simulate", Value: spare, Allowed: "> 0 and < the number of servers"}
		}
		system := ctmc.System{Servers: servers, Load: 1 - spare/n, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
		start, _, err := chooseStart(system, startAuto)
		if err != nil {
			return nil, err
		}
		r, err := sim.Run(ctx, system, sim.Settings{Seed: env.seed, Threads: env.threads, Events: events, Start: start})
		if err != nil {
			return nil, err
		}
		pooled := ctmc.Pooled{Servers: servers, Offered: n - spare}.MeanJobs() / n
		points = append(points, validate.PricePoint{Servers: servers, Spare: spare,
			Ratio: r.MeanJobs.Value / pooled, HalfWidth: r.MeanJobs.HalfWidth / pooled})
	}
	return points, nil
}

func newFanFigureCommand(env *environment) *cobra.Command {
	o, spare, start, until, service, process := &figureOptions{environment: env}, 1.0, 4.0, 10.0, "exp", "jsq"
	c := o.figureCommand("nds-transient", "Law of the number of jobs over time in a non-degenerate slowdown limit", `  qlimit figure nds-transient --process jsq --spare 1 --start 4 --until 10 --output fan.pdf`,
		func(ctx context.Context) (*figure.Figure, error) {
			law, err := parseService(service)
			if err != nil {
				return nil, err
			}
			discipline, err := diffusion.ParseDiscipline(process)
			if err != nil {
				return nil, err
			}
			random := stream.New(stream.Key{Seed: env.seed, Cell: "figure nds-transient", Purpose: stream.Events})
			return validate.TransientFan(ctx, diffusion.NDS{Discipline: discipline, Spare: spare, Service: law}, start, until, 3, random)
		})
	addSpare(c, &spare)
	c.Flags().StringVar(&process, "process", process, "limit `process`: cq, jsq, i1f or iqf")
	c.Flags().StringVar(&service, "service", service, serviceUsage)
	c.Flags().Var(&decimal{target: &start, accept: atLeastOne, allowed: "a number >= 1"}, "start", "`X` at time 0, jobs per server")
	c.Flags().Var(&decimal{target: &until, accept: positive, allowed: "a number > 0"}, "until", "last `time`, in units of N mean service times")
	return c
}

func addSpare(c *cobra.Command, spare *float64) {
	c.Flags().Var(&decimal{target: spare, accept: positive, allowed: "a number > 0"}, "spare", "spare servers `A`: load 1 - A/N")
}

// figureCommand is a command that draws one figure.
func (o *figureOptions) figureCommand(name, short, example string, draw func(context.Context) (*figure.Figure, error)) *cobra.Command {
	c := leaf(&cobra.Command{Use: name, Short: short, Example: example},
		func(ctx context.Context) error {
			f, err := draw(ctx)
			if err != nil {
				return err
			}
			return o.deliverFigure(f)
		})
	o.addTo(c)
	return c
}
