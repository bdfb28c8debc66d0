package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/validate"
	"qlimit/validate/figure"
)

func newChainTotalFigureCommand(env *environment) *cobra.Command {
	o, system, policies := &figureOptions{environment: env}, &systemFlags{}, []string(nil)
	c := o.figureCommand("chain-total", "Exact law of the number of jobs in the system, one curve for each policy",
		`  qlimit figure chain-total -n 5 --load 0.9 --buffer 5 --policies "jsq;jiq;pod:d=2;random" --output total.pdf`,
		func(ctx context.Context) (*figure.Figure, error) {
			solved, err := solvePolicies(ctx, env, system, policies)
			if err != nil {
				return nil, err
			}
			return validate.ChainTotal(solved), nil
		})
	addPolicies(c, system, &policies)
	return c
}

func newResponseTailFigureCommand(env *environment) *cobra.Command {
	o, system, policies, least := &figureOptions{environment: env}, &systemFlags{}, []string(nil), 1e-6
	c := o.figureCommand("response-tail", "Exact tail of the response time, one curve for each policy",
		`  qlimit figure response-tail -n 5 --load 0.9 --buffer 5 --policies "jsq;jiq;pod:d=2;random" --output tail.pdf`,
		func(ctx context.Context) (*figure.Figure, error) {
			solved, err := solvePolicies(ctx, env, system, policies)
			if err != nil {
				return nil, err
			}
			return validate.ResponseTails(ctx, solved, least)
		})
	addPolicies(c, system, &policies)
	c.Flags().Var(&decimal{target: &least, accept: drawableTail, allowed: "a number between 1e-14 and 0.1"}, "least", "smallest `probability` drawn")
	return c
}

func drawableTail(p float64) bool { return p >= 1e-14 && p <= 0.1 }

func addPolicies(c *cobra.Command, system *systemFlags, policies *[]string) {
	system.addTo(c)
	c.Flags().Var(&semicolonList{policies}, "policies", "`policies` to compare, separated by semicolons (default: that of --policy)")
}

// semicolonList is a list of texts that may hold commas.
type semicolonList struct{ target *[]string }

func (v *semicolonList) Set(text string) error {
	*v.target = nil
	for _, part := range strings.Split(text, ";") {
		if part = strings.TrimSpace(part); part == "" {
			return refuse(text, "policies separated by semicolons")
		}
		*v.target = append(*v.target, part)
	}
	return nil
}

func (v *semicolonList) Type() string   { return "list" }
func (v *semicolonList) explains()      {}
func (v *semicolonList) String() string { return "" }

// solvePolicies solves the system of the flags under each policy.
func solvePolicies(ctx context.Context, env *environment, flags *systemFlags, policies []string) ([]*ctmc.Stationary, error) {
	if len(policies) == 0 {
		policies = []string{flags.policy}
	}
	var solved []*ctmc.Stationary
	for _, policy := range policies {
		flags.policy = policy
		system, err := flags.system(finiteSystem)
		if err != nil {
			return nil, err
		}
		r, err := ctmc.SolveStationary(ctx, system, ctmc.SolverSettings{Threads: env.threads}, 0)
		if err != nil {
			return nil, err
		}
		if r.Law.Status != ctmc.Converged {
			return nil, notConverged("the stationary law under %s did not converge (%s): residual %.2g", policy, r.Law.Status, r.Law.Residual)
		}
		solved = append(solved, r)
	}
	return solved, nil
}
