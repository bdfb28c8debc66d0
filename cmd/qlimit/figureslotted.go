package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/ctmc/slotted"
	"qlimit/validate"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// slottedFigure is a figure of policies against the load, with its defaults.
type slottedFigure struct {
	short    string
	rates    string
	service  string // "" = poisson
	loads    []float64
	policies string
	slots    int64
	view     validate.SlottedView
}

var slottedFigures = []slottedFigure{
	{
		short: "Which loads slotted policies carry: response with five servers of rate 1 and five of rate 10",
		rates: "1x5,10x5", loads: []float64{.1, .2, .3, .35, .4, .5, .6, .7, .8, .85, .9, .95},
		policies: "sq:d=2,jiq,sq:d=2,m=3,jbt:d=2,T=1000,jbtg:d=2,T=1000,jsq", slots: 4e5,
		view: validate.SlottedView{Name: "slotted-throughput", Title: "Two pools, rates 1 and 10: a curve ends where the policy is unstable", Log: true, Critical: true},
	}, {
		short: "Mean response of slotted policies from light to heavy traffic, ten servers",
		rates: "1x10", loads: []float64{.3, .4, .5, .6, .7, .8, .9, .95, .99},
		policies: "sq:d=2,sq:d=2,m=3,jiq,jbt:d=2,T=1000,jbt:d=10,T=1000,jsq", slots: 5e5,
		view: validate.SlottedView{Name: "slotted-response", Title: "Ten servers, Poisson arrivals and service", Pooled: true},
	}, {
		short: "Mean response of slotted policies in heavy traffic, ten servers",
		rates: "1x10", loads: []float64{.9, .92, .94, .95, .96, .97, .98, .99},
		policies: "sq:d=2,sq:d=2,m=3,jiq,jbt:d=2,T=1000,jbt:d=10,T=1000,jsq", slots: 1e6,
		view: validate.SlottedView{Name: "slotted-heavy", Title: "Ten servers in heavy traffic", Pooled: true},
	}, {
		short: "Mean response of slotted policies in heavy traffic, fifty servers",
		rates: "1x50", loads: []float64{.9, .93, .96, .98, .99},
		policies: "sq:d=2,m=9,jiq,jbt:d=2,T=1000,jbt:d=50,T=1000,jsq", slots: 4e5,
		view: validate.SlottedView{Name: "slotted-large", Title: "Fifty servers in heavy traffic", Pooled: true},
	}, {
		short: "Mean response of slotted policies in heavy traffic with bursty service, ten servers",
		rates: "1x10", service: "burst:k=10", loads: []float64{.9, .92, .94, .96, .98, .99},
		policies: "sq:d=2,sq:d=2,m=3,jiq,jbt:d=2,T=1000,jbt:d=10,T=1000,jsq", slots: 1e6,
		view: validate.SlottedView{Name: "slotted-bursty", Title: "Ten servers that serve 10 jobs or none", Pooled: true},
	}, {
		short: "Table of messages: messages per slot with arrivals against the load, by policy",
		rates: "1x10", loads: []float64{.3, .5, .7, .8, .9, .95, .99},
		policies: "jsq,sq:d=2,sq:d=2,m=3,jiq,jbt:d=2,T=1000,jbt:d=10,T=1000", slots: 5e5,
		view: validate.SlottedView{Name: "slotted-message-table", Title: "Messages per slot with arrivals, ten servers", Messages: true, Log: true},
	},
}

func newSlottedFigureCommands(env *environment) []*cobra.Command {
	var commands []*cobra.Command
	for _, f := range slottedFigures {
		commands = append(commands, zhou2017.of(strings.TrimPrefix(f.view.Name, "slotted-"), newSlottedFigureCommand(env, f)))
	}
	return append(commands,
		zhou2017.of("messages", newPeriodFigureCommand(env, "slotted-messages", "Messages of JBT-d against the slots T between settings of the threshold", true)),
		zhou2017.of("delay", newPeriodFigureCommand(env, "slotted-delay", "Mean response of JBT-d against the slots T between settings of the threshold", false)))
}

func newSlottedFigureCommand(env *environment, f slottedFigure) *cobra.Command {
	o, system, policies, slots := &figureOptions{environment: env}, &slottedFlags{}, f.policies, f.slots
	var loads []float64
	name := f.view.Name
	c := o.figureCommand(name, f.short, fmt.Sprintf("  qlimit figure %s --output %s.pdf", name, name),
		func(ctx context.Context) (*figure.Figure, error) {
			if len(loads) == 0 {
				loads = f.loads
			}
			m, err := system.figureModel(f.rates, f.service)
			if err != nil {
				return nil, err
			}
			study := validate.SlottedStudy{Model: *m, Loads: loads}
			for _, text := range splitSlottedPolicies(policies) {
				p, err := slotted.ParsePolicy(text)
				if err != nil {
					return nil, err
				}
				study.Policies = append(study.Policies, p)
			}
			progress := env.newProgress("simulating")
			defer progress.close()
			study.Settings = figureSettings(ctx, env, slots, progress)
			points, err := study.Run(ctx)
			if err != nil {
				return nil, progress.explain(err)
			}
			return validate.SlottedFigure(m, points, f.view)
		})
	system.addServersTo(c)
	c.Flags().Lookup("rates").Usage += "; default " + f.rates
	c.Flags().Var(&decimals{&loads}, "loads", "`loads` L1,L2,..; default "+plainList(f.loads))
	c.Flags().StringVar(&policies, "policies", policies, "`policies` P1,P2,..")
	addSlots(c, &slots)
	return c
}

// figureModel has the default servers unless others are given.
func (f *slottedFlags) figureModel(rates, service string) (*slotted.Model, error) {
	if !f.flags.Changed("rates") && !f.flags.Changed("servers") {
		_ = f.flags.Set("rates", rates)
	}
	if service != "" && !f.flags.Changed("service-law") {
		f.services = service
	}
	return f.modelWithoutLoad()
}

func figureSettings(ctx context.Context, env *environment, slots int64, progress *progress) sim.SlottedSettings {
	return sim.SlottedSettings{
		Seed: env.seed, Threads: env.threads, Slots: slots, PooledMean: validate.SlottedPooledMean(ctx),
		Progress: func(done, total float64, what string) { progress.report(done/total, what) },
	}
}

func addSlots(c *cobra.Command, slots *int64) {
	c.Flags().Var(&count{slots, 1, 1e12, "an integer between 1 and 1e12"}, "slots", "`number` of slots of each policy and point, all replications together")
}

func plainList(values []float64) string {
	text := ""
	for i, x := range values {
		if i > 0 {
			text += ","
		}
		text += fmt.Sprint(x)
	}
	return text
}

func newPeriodFigureCommand(env *environment, name, short string, messages bool) *cobra.Command {
	o, system, load, slots := &figureOptions{environment: env}, &slottedFlags{}, 0.99, int64(1e6)
	samples, periods := []float64{2, 10}, []float64{1, 3, 10, 30, 100, 300, 1000, 3000}
	var givenSamples, givenPeriods []float64
	c := o.figureCommand(name, short, fmt.Sprintf("  qlimit figure %s --output %s.pdf", name, name),
		func(ctx context.Context) (*figure.Figure, error) {
			m, err := system.figureModel("1x10", "")
			if err != nil {
				return nil, err
			}
			m.Load = load
			study := validate.SlottedPeriods{Model: *m}
			if study.Samples, err = wholeNumbers("d", givenSamples, samples); err != nil {
				return nil, err
			}
			if study.Periods, err = wholeNumbers("T", givenPeriods, periods); err != nil {
				return nil, err
			}
			progress := env.newProgress("simulating")
			defer progress.close()
			study.Settings = figureSettings(ctx, env, slots, progress)
			results, err := study.Run(ctx)
			if err != nil {
				return nil, progress.explain(err)
			}
			return results.Figure(messages), nil
		})
	system.addServersTo(c)
	c.Flags().Lookup("rates").Usage += "; default 1x10"
	c.Flags().Var(&decimal{target: &load, accept: proportion, allowed: "a number > 0 and < 1"}, "load", "`load` of the system")
	c.Flags().Var(&decimals{&givenSamples}, "d", "`numbers` of sampled servers; default "+plainList(samples))
	c.Flags().Var(&decimals{&givenPeriods}, "T", "`numbers` of slots between settings of the threshold, increasing; default "+plainList(periods))
	addSlots(c, &slots)
	return c
}

// wholeNumbers are those given, or the default.
func wholeNumbers(name string, given, fallback []float64) ([]int64, error) {
	if len(given) == 0 {
		given = fallback
	}
	var out []int64
	for _, x := range given {
		if x != float64(int64(x)) || x < 1 || x > 1<<53 {
			return nil, badRequest("%s = %g (must be integers >= 1)", name, x)
		}
		out = append(out, int64(x))
	}
	return out, nil
}
