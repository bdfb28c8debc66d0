package main

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/stein"
	"qlimit/validate"
	"qlimit/validate/estimate"
)

// collapseOptions are the flags of bound collapse and figure collapse.
type collapseOptions struct {
	system  systemFlags
	version string
	delta   float64
	samples int64
}

var collapseVersions = []string{"best", "explicit"}

func (o *collapseOptions) addTo(c *cobra.Command) {
	o.version = collapseVersions[0]
	o.system.addTo(c)
	c.Flags().Var(&choice{&o.version, collapseVersions}, "version", "best (constants that bound the mean best) or explicit (delta = log(N)/sqrt(N))")
	c.Flags().Var(&decimal{target: &o.delta, accept: positive, allowed: "a number > 0"}, "delta", "instead: all margins in proportion to this `width`")
	c.Flags().Var(&count{&o.samples, 0, 1 << 40, "an integer between 0 (no simulation) and 2^40"}, "samples", "simulate and sample the state this `number` of times, once per mean service time; 0 = no simulation")
}

func newCollapseCommand(env *environment, run func(context.Context, *environment, *collapseOptions) error) *cobra.Command {
	o := &collapseOptions{}
	c := leaf(&cobra.Command{
		Use:   "collapse",
		Short: "Chain of sets in which the state lives, with tail bounds and tail probabilities",
		Long: `The bounds of "bound stein" rest on a chain of sets that the state hardly ever
leaves: not too many services in phase 2, not too few in phase 1, not too few in
phase 2, and no queue beside idle servers. Each step has a function V of the
state whose drift is at most -drift where V >= start and the sets before hold, at
most outside elsewhere, and

  P(V > start + 2j/N) <= (1 + drift/up_rate)^-(j+1) + (1 + outside/drift) P(not in the sets before).

Print, for each step, the set, these constants, the bound on the probability of
leaving the set (V > reach) and the probability itself: exact where the chain has
at most 200,000 states (with the worst drift and up-rate over all its states,
which the constants must bound), estimated by simulation with --samples. The
tails at other levels follow. S11 and S12 are the fractions of servers that serve
a job in its first and second phase, S1 those with a job, S2 those with two.`,
		Example: `  qlimit bound collapse --servers 20 --load 0.6 --buffer 2 --service coxian:mu1=2,p=0.4,mu2=0.8 --delta 0.05
  qlimit bound collapse --servers 1e8 --load-exponent 0.25 --buffer 2 --service coxian:mu1=2,p=0.5,mu2=1 --version explicit
  qlimit bound collapse --servers 200 --load 0.5 --buffer 3 --service coxian:mean=1,scv=2 --policy jiq --delta 0.1 --samples 2e4`,
	}, func(ctx context.Context) error { return run(ctx, env, o) })
	o.addTo(c)
	return c
}

// collapsed is a chain of sets beside the truth.
type collapsed struct {
	problem stein.Problem
	proof   *stein.Proof
	steps   []validate.CollapseStep
}

// solve finds the chain that the flags ask for and what it is to be compared
// with.
func (o *collapseOptions) solve(ctx context.Context, env *environment) (*collapsed, error) {
	p, err := steinProblem(&o.system, 0)
	if err != nil {
		return nil, err
	}
	var proof *stein.Proof
	switch {
	case o.delta > 0 && o.version != collapseVersions[0]:
		return nil, badRequest("--delta and --version explicit were both given (give one of them)")
	case o.delta > 0:
		proof, err = stein.CollapseSharp(p, o.delta)
	case o.version == "explicit":
		proof, err = stein.CollapseAsPublished(p)
	default:
		proof, err = stein.CollapseBest(p)
	}
	if err != nil {
		return nil, err
	}
	c := &collapsed{problem: p, proof: proof}
	if !proof.Holds() {
		return c, nil
	}
	progress := env.newProgress("simulating")
	c.steps, err = validate.Collapse(ctx, p.System(), proof.Steps, env.stateSimulation(o.samples, progress))
	progress.close()
	return c, progress.explain(err)
}

func (env *environment) stateSimulation(samples int64, progress *progress) validate.StateSimulation {
	return validate.StateSimulation{Samples: samples, Seed: env.seed, Threads: env.threads,
		Progress: func(done, total float64, _ string) { progress.report(done/total, "") }}
}

func runCollapse(ctx context.Context, env *environment, o *collapseOptions) error {
	c, err := o.solve(ctx, env)
	if err != nil {
		return err
	}
	return env.show(collapseReport(c))
}

func collapseReport(c *collapsed) *report {
	s := c.problem.System()
	r := &report{command: "bound collapse", system: &s, kind: ctmc.UpperBound}
	r.further = []*records{stepRecords(c), tailRecords(c), conditionRecords(c.proof.Conditions)}
	excess := any(nil)
	if c.proof.Holds() {
		excess = math.Exp(c.proof.LogExcess)
		r.work = []fact{{"eta", c.proof.Eta}, {"k", c.proof.K}, {"kappa", c.proof.Kappa}, {"delta", c.proof.Delta}}
		r.addWarnings(auditWarnings(c.steps)...)
	} else {
		r.addWarnings("no bounds: " + c.failing())
	}
	r.quantities = []quantity{{"bound_excess", excess, unitJobs}}
	return r
}

// failing names the first condition that does not hold.
func (c *collapsed) failing() string {
	for _, condition := range c.proof.Conditions {
		if !condition.Holds {
			return "condition " + condition.String()
		}
	}
	return ""
}

// auditWarnings are contradictions between a step and the exact chain: there
// should be none.
func auditWarnings(steps []validate.CollapseStep) []string {
	var list []string
	for _, step := range steps {
		if step.Audit != nil {
			list = append(list, step.Audit.Faults...)
		}
	}
	return list
}

func stepRecords(c *collapsed) *records {
	list := &records{name: "steps", group: -1, fields: []recordField{
		{name: "step", heading: "step"}, {name: "set", heading: "set"},
		{name: "start", heading: "start"}, {name: "reach", heading: "reach"}, {name: "jumps", heading: "J"},
		{name: "drift", heading: "drift"}, {name: "outside"}, {name: "up_rate", heading: "up-rate"},
		{name: "bound", heading: "P(leave) <="}, {name: "log10_bound"},
		{name: "exact", heading: "exact"}, {name: "simulated", heading: "simulated"}, {name: "half_width"},
		{name: "worst_drift"}, {name: "worst_outside"}, {name: "worst_up_rate"}, {name: "kind"},
	}}
	for _, step := range c.steps {
		s := &step.Step
		row := []any{s.Focus.String(), s.Set(), s.Start, s.Reach, s.Jumps, s.Drift, s.Outside, s.UpRate,
			step.Reach, s.LogTail / math.Ln10, nil, nil, nil, nil, nil, nil, ctmc.UpperBound.String()}
		if a := step.Audit; a != nil {
			row[10], row[13], row[14], row[15] = a.ReachProb, a.Drift, a.Outside, a.UpRate
		}
		if step.SimulatedReach != nil {
			row[11], row[12] = estimateCells(*step.SimulatedReach)
		}
		list.rows = append(list.rows, row)
	}
	return list
}

// estimateCells are the value and half width of an estimate as cells.
func estimateCells(e estimate.Estimate) (value, halfWidth any) {
	if e.Status == estimate.Undefined {
		return nil, nil
	}
	return e.Value, e.HalfWidth
}

// tailRecords show the tails of a step at no more than a dozen levels in tables;
// JSON and CSV have them all.
func tailRecords(c *collapsed) *records {
	list := &records{name: "tails", group: 0, fields: []recordField{
		{name: "step", heading: "tail of V"}, {name: "jumps", heading: "j"}, {name: "level", heading: "V >"},
		{name: "bound", heading: "bound"}, {name: "exact", heading: "exact"},
		{name: "simulated", heading: "simulated"}, {name: "half_width", heading: "half width"},
	}}
	for _, step := range c.steps {
		for k, j := range step.Levels {
			row := []any{step.Step.Focus.String(), j, step.Step.Start + 2*step.Step.Jump*j, step.Bound[k], nil, nil, nil}
			if step.Audit != nil {
				row[4] = step.Audit.Tail[k]
			}
			if step.Simulated != nil {
				row[5], row[6] = estimateCells(step.Simulated[k])
			}
			list.rows = append(list.rows, row)
		}
	}
	return list
}
