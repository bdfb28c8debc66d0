package main

import (
	"context"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/validate"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

func newSteinFigureCommand(env *environment) *cobra.Command {
	o, alpha, buffer, service, events := &figureOptions{environment: env}, 0.25, 2, "coxian:mu1=2,p=0.5,mu2=1", int64(1e6)
	policy := "jsq"
	var servers []float64
	c := o.figureCommand("stein-bounds", "Chance to wait at load 1 - N^-A against N: bounds by Stein's method and simulations", `  qlimit figure stein-bounds --load-exponent 0.25 --policy jiq --output bounds.pdf`,
		func(ctx context.Context) (*figure.Figure, error) {
			law, err := parseService(service)
			if err != nil {
				return nil, err
			}
			p, err := ctmc.ParsePolicy(policy)
			if err != nil {
				return nil, err
			}
			list, err := wholeNumbers("servers", servers, []float64{4, 8, 16, 32})
			if err != nil {
				return nil, err
			}
			return validate.SteinFigure(ctx, validate.SteinStudy{Alpha: alpha, Buffer: buffer, Service: law, Policy: p, Servers: list,
				Simulation: sim.Settings{Seed: env.seed, Threads: env.threads, Events: events, Replications: 4, Progress: o.drawing.tells}})
		})
	f := c.Flags()
	f.Var(&decimal{target: &alpha, accept: func(x float64) bool { return x > 0 && x < 0.5 }, allowed: "a number > 0 and < 0.5"}, "load-exponent", "`A`: load 1 - N^-A")
	f.Var(&countInt{&buffer, 2, 100, "an integer between 2 and 100"}, "buffer", "most `jobs` at one server")
	f.StringVar(&service, "service", service, serviceUsage)
	offer(c, "service", &servicesOffered)
	f.StringVar(&policy, "policy", policy, "dispatching `policy`: jsq, jiq, i1f or pod:d=D")
	f.Var(&decimals{&servers}, "servers", "`numbers` of servers N1,N2,.. to simulate (default 4,8,16,32)")
	f.Var(&count{&events, 1, 1 << 53, "an integer between 1 and 9e15"}, "events", "largest `number` of events of each simulated point")
	return c
}

func newHeavyTrafficFigureCommand(env *environment) *cobra.Command {
	const byDefault = "lsq:push=2,lsq:pull=0.5,local-jba:push=2,local-sq:d=2,push=2,jsq"
	o, system, policies, slots := &figureOptions{environment: env}, &slottedFlags{}, byDefault, int64(4e5)
	var slacks []float64
	c := o.figureCommand("heavy-traffic", "Mean queue times slack against the slack: local estimates at several dispatchers", `  qlimit figure heavy-traffic --output heavy.pdf`,
		func(ctx context.Context) (*figure.Figure, error) {
			if len(slacks) == 0 {
				slacks = []float64{2, 1, 0.5, 0.25, 0.125}
			}
			if !system.flags.Changed("dispatchers") {
				system.dispatchers = 5
			}
			m, err := system.figureModel("1x10", "")
			if err != nil {
				return nil, err
			}
			study := validate.HeavyTrafficStudy{Model: *m, Slacks: slacks}
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
			f, err := study.Figure(ctx)
			return f, progress.explain(err)
		})
	system.addServersTo(c)
	c.Flags().Lookup("rates").Usage += "; default 1x10"
	c.Flags().Lookup("dispatchers").Usage += "; default 5"
	c.Flags().Var(&decimals{&slacks}, "slacks", "`slacks` E1,E2,.. = sum of the rates - mean arrivals per slot; default 2,1,0.5,0.25,0.125")
	c.Flags().StringVar(&policies, "policies", policies, "`policies` P1,P2,..")
	addSlots(c, &slots)
	return c
}
