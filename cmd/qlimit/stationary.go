package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
)

func newChainCommand(env *environment) *cobra.Command {
	return group("ctmc", "The finite system exactly", `The finite system as a continuous-time Markov chain on its occupancy states:
exact up to rounding and, for an unlimited buffer, a stated truncation.`,
		newStationaryCommand(env, runStationary),
		newChainTransientCommand(env, runChainTransient),
		newChainResponseCommand(env, runChainResponse),
		newAutocovarianceCommand(env, runAutocovariance),
	)
}

type stationaryOptions struct {
	*environment
	system        systemFlags
	method        string
	tolerance     float64
	maxStates     int64
	memory        int64 // GiB, 0 for the default
	maxIterations int
}

const defaultTolerance = 1e-12

func newStationaryCommand(env *environment, run func(context.Context, *stationaryOptions) error) *cobra.Command {
	o := &stationaryOptions{environment: env, method: string(ctmc.Automatic), tolerance: defaultTolerance, maxIterations: 50_000}
	c := leaf(&cobra.Command{
		Use:   "stationary",
		Short: "Exact stationary law of a finite system",
		Long: `Compute the stationary law of a finite system exactly: mean jobs, mean response
of accepted jobs, P(wait), P(block) and the fraction of servers with 0, 1, ..
jobs (occupancy).

With a finite buffer b the chain has C(N + b, b) states for exponential and
C(N + 2b, 2b) for other service laws; more than --max-states, or than fit in
--memory, are refused. With an unlimited buffer the chain is kept to the states
that carry probability, so that 100 servers near balance are no obstacle; the
result says how much was left out, what that may do to the mean, and to how many
digits the mean can be trusted. --max-states then buys digits.

When the tolerance is not reached the result is printed with its status and the
exit code is 4.`,
		Example: `  qlimit ctmc stationary --servers 5 --policy jsq --load 0.7
  qlimit ctmc stationary -n 5 --policy pod:d=2 --load 1.2 --buffer 4 --service erlang2 --format json
  qlimit ctmc stationary -n 100 --policy jsq --load 0.9 --max-states 20000`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	o.system.takePull()
	methods := ctmc.Methods()
	c.Flags().Var(&choice{&o.method, methods}, "method", "`method`: auto, gth (elimination, up to 2000 states), gauss-seidel, gauss-seidel-aggregation, or krylov (the last, accelerated)")
	c.Flags().Var(&decimal{target: &o.tolerance, accept: proportion, allowed: "a number > 0 and < 1"}, "tolerance", "`residual` to reach: flow imbalance as a fraction of the total flow")
	c.Flags().Var(&count{&o.maxStates, 1, 1 << 40, "an integer between 1 and 2^40"}, "max-states", "largest `number` of states (default: 5e7, or 2e6 where the buffer is unlimited)")
	c.Flags().Var(&count{&o.memory, 1, 1 << 20, "an integer >= 1"}, "memory", "most `GiB` for the chain and its solution (default: 12)")
	c.Flags().Var(&countInt{&o.maxIterations, 1, math.MaxInt32, "an integer >= 1"}, "max-iterations", "largest `number` of sweeps")
	return c
}

func runStationary(ctx context.Context, o *stationaryOptions) error {
	boundMemory(o.memory)
	solve, err := o.solver()
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("solving")
	found, r, err := solve(ctx, ctmc.SolverSettings{
		Method:        ctmc.Method(o.method),
		Tolerance:     o.tolerance,
		MaxIterations: o.maxIterations,
		Threads:       o.threads,
		Memory:        o.memory << 30,
		Progress: func(iteration int, residual float64) {
			// Residuals fall geometrically: the digits gained of those wanted.
			progress.report(math.Log(residual)/math.Log(o.tolerance), fmt.Sprintf("sweep %d, residual %.1e", iteration, residual))
		},
	})
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	if err := o.show(r); err != nil || found.Law.Status == ctmc.Converged {
		return err
	}
	return notConverged("the stationary law did not converge (%s): residual %.2g above the tolerance %.2g after %d sweeps", found.Law.Status, found.Law.Residual, o.tolerance, found.Law.Iterations)
}

// chainSolver solves a chain and reports what it found.
type chainSolver func(context.Context, ctmc.SolverSettings) (*ctmc.Stationary, *report, error)

// solver is that of the system that the flags describe.
func (o *stationaryOptions) solver() (chainSolver, error) {
	pull, isPull, err := o.system.pullSystem(finiteSystem)
	if err != nil {
		return nil, err
	}
	if isPull && remembers(pull) {
		return func(ctx context.Context, settings ctmc.SolverSettings) (*ctmc.Stationary, *report, error) {
			return solvePull(ctx, pull, settings, o.maxStates)
		}, pull.Validate()
	}
	system, err := o.system.system(finiteSystem)
	return func(ctx context.Context, settings ctmc.SolverSettings) (*ctmc.Stationary, *report, error) {
		found, err := ctmc.SolveStationary(ctx, system, settings, o.maxStates)
		if err != nil {
			return nil, nil, err
		}
		return found, stationaryReport(system, found), nil
	}, err
}

func notConverged(format string, args ...any) error {
	return &failure{exitNotConverged, fmt.Errorf(format, args...)}
}

func stationaryReport(asked ctmc.System, found *ctmc.Stationary) *report {
	r := &report{command: "ctmc stationary", system: &asked, kind: ctmc.Exact, status: found.Law.Status.String()}
	block := found.BlockProb
	if found.Truncated {
		block = 0 // the loss is that of the cut, not of the system
	}
	r.quantities = []quantity{
		{"mean_jobs", found.MeanJobs, unitJobs},
		{"mean_response", found.MeanResponse, unitTime},
		{"p_wait", found.WaitProb, unitProbability},
		{"p_block", block, unitProbability},
	}
	r.tables = []table{{index: "jobs", columns: []column{numberColumn("occupancy", 0, found.Occupancy)}}}
	r.work = []fact{
		{"states", found.States}, {"transitions", found.Transitions},
		{"method", string(found.Law.Method)}, {"iterations", found.Law.Iterations},
		{"residual", found.Law.Residual}, {"error", found.Law.Error},
		{"buffer_used", found.System.Buffer}, {"truncated", found.Truncated},
	}
	if found.Truncated {
		addTruncation(r, found)
	}
	if found.Law.Status != ctmc.Converged {
		r.addWarnings(fmt.Sprintf("the iteration did not converge: the values are the best iterate, with residual %.2g", found.Law.Residual))
	}
	return r
}

// addTruncation says what was left out of a chain without end, and what that
// may have done.
func addTruncation(r *report, found *ctmc.Stationary) {
	cut := found.Truncation
	if cut.Threshold == 0 {
		r.work = append(r.work, fact{"truncation_loss", found.BlockProb}, fact{"truncation_error", found.TruncationError})
		r.addWarnings(fmt.Sprintf("the unlimited buffer was cut at %d jobs: the cut loses a fraction %.2g of the jobs and lowers mean_jobs by about %.2g", found.System.Buffer, found.BlockProb, found.TruncationError))
		return
	}
	r.work = append(r.work, fact{"threshold", cut.Threshold}, fact{"neglected_mass", cut.Neglected},
		fact{"truncation_error", found.TruncationError}, fact{"trusted_digits", found.TrustedDigits()})
	if cut.Certified {
		r.work = append(r.work, fact{"mean_jobs_lower", cut.Lower}, fact{"mean_jobs_upper", cut.Upper})
	}
	r.addWarnings(fmt.Sprintf("the chain was kept to the states that carry probability, with at most %d jobs at a server: about %.2g of the probability was left out, which may change mean_jobs by about %.2g", cut.LongestQueue, cut.Neglected, found.TruncationError))
}
