package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

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
	offer(c, "service", &servicesOffered)
	return c
}

// priceFlags describe the figure of the price of immediate dispatch.
type priceFlags struct {
	process  string
	servers  []float64
	simulate []float64
	plain    bool
	events   int64

	precision float64
}

// The simulated points of the figure unless others are asked for.
var (
	defaultPriceServers = []float64{20, 100}
	defaultPriceSpares  = []float64{0.25, 0.5, 1, 2, 4, 8, 16}
)

func newPriceFigureCommand(env *environment) *cobra.Command {
	o, flags := &figureOptions{environment: env}, priceFlags{process: "jsq", events: 2e7, precision: 0.005}
	c := o.figureCommand("nds-price", "Price of immediate dispatch against the spare servers: limit, averaged chains, simulations", `  qlimit figure nds-price --output price.pdf
  qlimit figure nds-price --process iqf --servers 50 --simulate 1,4 --events 5e5 --output price.svg
  qlimit figure nds-price --curves-only --servers 20,100,1000 --format csv`,
		func(ctx context.Context) (*figure.Figure, error) {
			study, err := flags.study(env, o.drawing.tells)
			if err != nil {
				return nil, err
			}
			return validate.PriceFigure(ctx, study)
		})
	c.Long = `Draw how many more jobs there are under a dispatching policy than in one central
queue, exponential service, against the spare servers A (load 1 - A/N): in the
limit, by the averaged birth-death chain at finite N (a conjecture), and as
simulated with control variates, each point with its 95% interval. The simulations
run anew each time; the same --seed gives the same points.`
	f := c.Flags()
	f.Var(&choice{&flags.process, []string{"jsq", "i1f", "iqf", "jiq"}}, "process", "`process`: jsq, i1f or iqf (jiq)")
	f.Var(&decimals{&flags.servers}, "servers", "`numbers` of servers of the averaged chain and the simulations (default 20,100)")
	f.Var(&decimals{&flags.simulate}, "simulate", "spare servers `A,B,..` to simulate, where they are at most half of the servers (default 0.25,0.5,1,2,4,8,16)")
	f.BoolVar(&flags.plain, "curves-only", false, "no simulations")
	f.Var(&count{&flags.events, 1, 1 << 53, "an integer between 1 and 9e15"}, "events", "largest `number` of events of each simulated point")
	f.Var(&decimal{target: &flags.precision, accept: proportion, allowed: "a number > 0 and < 1, such as 0.5%", percent: true}, "precision", "relative half `width` at which a simulated point stops")
	return c
}

// mostPriceServers keeps the simulations short.
const mostPriceServers = 10_000

// study is what the flags ask for.
func (f *priceFlags) study(env *environment, progress ctmc.Progress) (validate.PriceStudy, error) {
	discipline, err := diffusion.ParseDiscipline(f.process)
	if err != nil {
		return validate.PriceStudy{}, err
	}
	s := validate.PriceStudy{Discipline: discipline, Spares: f.simulate,
		Simulation: sim.Settings{Seed: env.seed, Threads: env.threads, Events: f.events, Precision: f.precision, Replications: 4, Progress: progress}}
	if f.plain && len(f.simulate) > 0 {
		return s, badRequest("--curves-only and --simulate were both given (give one of them)")
	}
	if len(f.simulate) == 0 && !f.plain {
		s.Spares = defaultPriceSpares
	}
	for _, spare := range s.Spares {
		if !(spare >= 0.01) {
			return s, badRequest("simulate = %g (must be numbers >= 0.01)", spare)
		}
	}
	if len(f.servers) == 0 {
		f.servers = defaultPriceServers
	}
	for _, n := range f.servers {
		if !(n >= 1 && n <= mostPriceServers && n == math.Trunc(n)) {
			return s, badRequest("servers = %g (must be integers between 1 and %d, separated by commas)", n, mostPriceServers)
		}
		s.Servers = append(s.Servers, int64(n))
	}
	return s, nil
}

// The simulated points of the growth of power-of-d.
var growthServers = []int64{16, 64, 256, 1024}

func newGrowthFigureCommand(env *environment) *cobra.Command {
	o, spare, choices, events := &figureOptions{environment: env}, 2.0, int64(2), int64(1e7)
	c := o.figureCommand("nds-growth", "Power-of-d near load 1: jobs grow like log N, there is no limit", `  qlimit figure nds-growth --output growth.pdf
  qlimit figure nds-growth --d 3 --spare 4 --events 5e5 --output growth.svg`,
		func(ctx context.Context) (*figure.Figure, error) {
			s := validate.GrowthStudy{Choices: choices, Spare: spare,
				Simulation: sim.Settings{Seed: env.seed, Threads: env.threads, Events: events, Precision: 0.005, Replications: 4, Progress: o.drawing.tells}}
			for _, n := range growthServers {
				if float64(n) >= 2*spare && n >= choices {
					s.Servers = append(s.Servers, n)
				}
			}
			return validate.GrowthFigure(ctx, s)
		})
	c.Long = `Draw the mean number of jobs per server against the number of servers N at arrival
rate N - A, exponential service: power-of-d in the mean field and simulated
(without replacement), log_d(N/A), and join-the-shortest-queue, which has a limit.
The simulations, at 16, 64, 256 and 1024 servers, run anew each time; the same
--seed gives the same points.`
	f := c.Flags()
	f.Var(&count{&choices, 2, 100, "an integer between 2 and 100"}, "d", "`number` of servers that power-of-d samples")
	f.Var(&decimal{target: &spare, accept: growthSpare, allowed: "a number between 0.1 and 100"}, "spare", "spare servers `A`: the arrival rate is N - A")
	f.Var(&count{&events, 1, 1 << 53, "an integer between 1 and 9e15"}, "events", "largest `number` of events of each simulated point")
	return c
}

func growthSpare(x float64) bool { return x >= 0.1 && x <= 100 }

func newVariabilityFigureCommand(env *environment) *cobra.Command {
	o, spare := &figureOptions{environment: env}, 1.0
	c := o.figureCommand("nds-variability", "Mean jobs in the non-degenerate slowdown limits against the variability of service", `  qlimit figure nds-variability --spare 1 --output variability.pdf`,
		func(context.Context) (*figure.Figure, error) { return validate.VariabilityFigure(spare) })
	addSpare(c, &spare)
	return c
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
	c.Flags().Var(&choice{&process, limitProcesses}, "process", "limit `process`: cq, jsq, i1f or iqf (jiq)")
	c.Flags().StringVar(&service, "service", service, serviceUsage)
	offer(c, "service", &servicesOffered)
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
			if err := o.checkAlbum(name); err != nil {
				return err
			}
			o.drawing = o.newProgress("drawing")
			f, err := draw(ctx)
			o.drawing.close()
			if err != nil {
				return o.drawing.explain(err)
			}
			return o.deliverFigure(f)
		})
	o.addTo(c)
	return c
}
