package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/ctmc"
	"qlimit/validate"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// resourceFigureFlags describe the setting of a figure of policies.
type resourceFigureFlags struct {
	load          float64
	service, size string
	queries       int
	memory        int
	messageRate   float64

	flags *pflag.FlagSet
}

func (f *resourceFigureFlags) addTo(c *cobra.Command) {
	f.load, f.service, f.queries, f.memory = 0.9, "exp", 2, 1
	f.flags = c.Flags()
	f.flags.Var(&decimal{target: &f.load, accept: proportion, allowed: "a number > 0 and < 1"}, "load", "load `L` = arrival rate x mean service / servers")
	f.flags.StringVar(&f.service, "service", f.service, serviceUsage)
	offer(c, "service", &servicesOffered)
	f.flags.StringVar(&f.size, "job-size", "", sizeUsage)
	f.flags.Var(&countInt{&f.queries, 0, mostTableChoices, "an integer between 0 and 64"}, "queries", "servers `D` asked by sq:d=D, ll:d=D; 0 = without these")
	f.flags.Var(&countInt{&f.memory, 1, math.MaxInt32, "an integer >= 1"}, "memory", "stored IDs `C` of pull")
	f.flags.Var(&decimal{target: &f.messageRate, accept: positive, allowed: "a number > 0"}, "message-rate", "messages `A` of pull per server and unit of time; default: one per job")
}

func (f *resourceFigureFlags) study() (validate.ResourceStudy, []validate.PolicyResources, error) {
	law, err := serviceLaw(f.service, f.size, f.flags.Changed("service"))
	if err != nil {
		return validate.ResourceStudy{}, nil, err
	}
	s := validate.ResourceStudy{Load: f.load, Law: law, Choices: f.queries, Memory: int64(f.memory), MessageRate: f.messageRate}
	rows, err := s.Table()
	return s, rows, err
}

func newDelayFigureCommand(env *environment) *cobra.Command {
	o, setting, policies := &figureOptions{environment: env}, resourceFigureFlags{}, policyFlags{jobs: defaultResourceJobs}
	c := o.figureCommand("delay-resources", "Simulated delay against the number of servers for every policy: what vanishes and what does not", `  qlimit figure delay-resources --load 0.7 --servers 10,30 --jobs 1e4 --output delay.svg`,
		func(ctx context.Context) (*figure.Figure, error) {
			study, rows, err := setting.study()
			if err != nil {
				return nil, err
			}
			servers, err := policies.counts()
			if err != nil {
				return nil, err
			}
			if len(servers) < 2 {
				return nil, badRequest("servers = %v (must be at least two numbers for a figure)", servers)
			}
			points, err := simulatePolicies(ctx, env, policies.jobs, study, rows, servers)
			if err != nil {
				return nil, err
			}
			return study.DelayFigure(rows, points)
		})
	c.Long = `Simulate every policy of the table of bound resources at several numbers of
servers and draw its mean waiting time with 95% intervals, log axes. With the
default of up to 1e5 servers this takes some minutes.`
	setting.addTo(c)
	policies.addTo(c.Flags())
	return c
}

func newMapFigureCommand(env *environment) *cobra.Command {
	o, setting, servers := &figureOptions{environment: env}, resourceFigureFlags{}, int64(1000)
	c := o.figureCommand("resource-map", "Messages per job against memory, the limiting delay as colour", `  qlimit figure resource-map --load 0.9 --servers 1e4 --output map.pdf`,
		func(context.Context) (*figure.Figure, error) {
			study, rows, err := setting.study()
			if err != nil {
				return nil, err
			}
			return study.MapFigure(rows, float64(servers))
		})
	setting.addTo(c)
	c.Flags().Var(&count{&servers, 2, sim.MaxJobServers, "an integer between 2 and 1e7"}, "servers", "`number` of servers at which bits and messages are counted")
	return c
}

func newPullSurfaceCommand(env *environment) *cobra.Command {
	o, load := &figureOptions{environment: env}, 0.9
	memories := []float64{}
	c := o.figureCommand("pull-surface", "Delay, memory and messages: pull with limited memory in the limit", `  qlimit figure pull-surface --load 0.9 --output surface.pdf
  qlimit figure pull-surface --load 0.99 --memories 1,2,4,8 --format csv`,
		func(context.Context) (*figure.Figure, error) {
			list := []int64{1, 2, 3, 5, 10, 30, ctmc.AnyMemory}
			if len(memories) > 0 {
				list = nil
			}
			for _, m := range memories {
				if !(m >= 1 && m <= 1e15 && m == math.Trunc(m)) {
					return nil, badRequest("memories = %g (must be integers between 1 and 1e15, separated by commas)", m)
				}
				list = append(list, int64(m))
			}
			return validate.PullSurface(load, list)
		})
	c.Flags().Var(&decimal{target: &load, accept: proportion, allowed: "a number > 0 and < 1"}, "load", "load `L` = arrival rate x mean service / servers")
	c.Flags().Var(&decimals{&memories}, "memories", "stored IDs `C1,C2,..` (default 1,2,3,5,10,30 and no limit)")
	return c
}
