package main

import (
	"context"
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
)

type chainTransientOptions struct {
	*environment
	system    systemFlags
	start     string
	at        []float64
	tolerance float64
	within    float64
	maxStates int64
	memory    int64
	total     bool
}

func newChainTransientCommand(env *environment, run func(context.Context, *chainTransientOptions) error) *cobra.Command {
	o := &chainTransientOptions{environment: env, start: "empty", tolerance: 1e-10}
	c := leaf(&cobra.Command{
		Use:   "transient",
		Short: "Exact law of a finite system over time",
		Long: `Compute the law of a finite system at the times --at after a start: mean jobs, the
fraction of idle servers (p_idle), the probabilities that an arrival at that time
waits or is lost, the average of mean_jobs since the start (mean_jobs_average),
an upper bound on the total variation distance to the stationary law, and the
expected fractions of servers with 0, 1, .. jobs (occupancy, a row for each
time). --total adds the law of the number of jobs in the whole system (total, a
row for each of the times in total_t).

The method is uniformization. It stops where the law is as close to the
stationary one as the tolerance allows, so that late times cost no more than
early ones; error bounds the error of every probability. --within 0.01 also
gives a time from which on the law is within that distance of the stationary one.

A start by classes must give whole numbers of servers. In place of an unlimited
buffer one is used that is expected to lose less than 1e-9 jobs by the last time.
Where the stationary law would need a much larger one, stationary_mean_jobs and
distance_bound are left out, unless --within asks for it.`,
		Example: `  qlimit ctmc transient -n 10 --policy jsq --load 0.9 --buffer 4 --at 0,1,10,100
  qlimit ctmc transient -n 5 --policy pod:d=2 --load 0.7 --buffer 5 --service erlang2 --start jobs=3 --at 1,5 --within 0.01 --format json
  qlimit ctmc transient -n 4 --load 0.8 --buffer 3 --start 0:0.5,2.1:0.5 --at 0,2 --total`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.system.addTo(c)
	flags := c.Flags()
	flags.StringVar(&o.start, "start", o.start, "`start`: empty, jobs=2, jobs=3,phase=2, classes 0:0.2,1.1:0.3,3.2:0.5 (level.phase:fraction of the servers), or a CSV file")
	flags.Var(&decimals{&o.at}, "at", "`times` >= 0, increasing, separated by commas")
	flags.Var(&decimal{target: &o.tolerance, accept: uniformizable, allowed: "a number between 1e-14 and 0.5"}, "tolerance", "`error` of the probabilities, 1e-14 to 0.5")
	flags.Var(&decimal{target: &o.within, accept: proportion, allowed: "a number > 0 and < 1"}, "within", "find the time from which on the law is within this total variation `distance` of the stationary one")
	flags.BoolVar(&o.total, "total", false, "also the law of the number of jobs in the whole system")
	flags.Var(&count{&o.maxStates, 1, 1 << 40, "an integer between 1 and 2^40"}, "max-states", "largest `number` of states (default: 5e7, or 2e6 with --within and an unlimited buffer)")
	flags.Var(&count{&o.memory, 1, 1 << 20, "an integer >= 1"}, "memory", "most `GiB` for the chain (default: 12)")
	return c
}

func uniformizable(tolerance float64) bool { return tolerance >= 1e-14 && tolerance <= 0.5 }

func runChainTransient(ctx context.Context, o *chainTransientOptions) error {
	boundMemory(o.memory)
	if len(o.at) == 0 {
		return badRequest("--at is missing (times >= 0, increasing, separated by commas)")
	}
	system, err := o.system.system(finiteSystem)
	if err != nil {
		return err
	}
	start, err := wholeStart(o.start, system)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("following")
	found, err := ctmc.SolveTransient(ctx, system, start, o.at, ctmc.TransientSettings{
		Tolerance: o.tolerance, Within: o.within, MaxStates: o.maxStates, Memory: o.memory << 30, Threads: o.threads,
		Progress: func(done, total float64, what string) {
			progress.report(done/total, fmt.Sprintf("%.0f %s", done, what))
		},
	})
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	r := chainTransientReport(system, o.start, found)
	if o.total {
		r.tables = append(r.tables, table{columns: []column{numberColumn("total_t", 0, found.Times)},
			matrix: &matrix{name: "total", heading: jobsHeading, rows: found.Total}})
	}
	return o.show(r)
}

// wholeStart reads a start and counts its servers by class.
func wholeStart(text string, system ctmc.System) ([]int64, error) {
	state, err := startState(text, system)
	if err != nil {
		return nil, err
	}
	counts, total := make([]int64, len(state)), int64(0)
	for class, fraction := range state {
		servers := fraction * float64(system.Servers)
		whole := math.Round(servers)
		if math.Abs(servers-whole) > 1e-6 {
			return nil, badRequest("start %s: %g servers in a class (must be a whole number of the %d servers)", text, servers, system.Servers)
		}
		counts[class] = int64(whole)
		total += counts[class]
	}
	if total != system.Servers {
		return nil, badRequest("start %s: %d servers (must be all %d)", text, total, system.Servers)
	}
	return counts, nil
}

func jobsHeading(k int) string { return fmt.Sprintf("%d jobs", k) }

func chainTransientReport(asked ctmc.System, start string, found *ctmc.Transient) *report {
	r := &report{command: "ctmc transient", system: &asked, kind: ctmc.Exact, status: ctmc.Converged.String()}
	block := found.Block
	if asked.Buffer == ctmc.Unlimited {
		block = make([]float64, len(found.Times)) // the loss is that of the cut
	}
	times := table{matrix: &matrix{name: "occupancy", heading: jobsHeading, rows: found.Occupancy}, columns: []column{
		numberColumn("t", 0, found.Times), numberColumn("mean_jobs", 0, found.MeanJobs), numberColumn("p_idle", 0, found.Idle),
		numberColumn("p_wait", 0, found.Wait), numberColumn("p_block", 0, block),
		numberColumn("mean_jobs_average", 0, found.Average),
	}}
	r.work = []fact{{"start", start}}
	if found.Stationary != nil {
		times.columns = append(times.columns, numberColumn("distance_bound", 0, found.Distance))
		r.work = append(r.work, fact{"stationary_mean_jobs", found.Stationary.MeanJobs})
	} else {
		r.addWarnings(fmt.Sprintf("the buffer of %d that serves these times in place of the unlimited one does not serve the stationary law: no stationary_mean_jobs and distance_bound (--within asks for it)", found.System.Buffer))
	}
	r.tables = []table{times}
	r.work = append(r.work, fact{"states", found.States}, fact{"transitions", found.Transitions},
		fact{"buffer_used", found.System.Buffer}, fact{"events", found.Events}, fact{"event_rate", found.Rate},
		fact{"settled", found.Settled}, fact{"error", found.Error})
	if found.TimeWithin > 0 {
		r.kinds = map[string]ctmc.Kind{"time_within": ctmc.UpperBound}
		r.quantities = append(r.quantities, quantity{"time_within", found.TimeWithin, unitTime})
	}
	if asked.Buffer == ctmc.Unlimited {
		r.work = append(r.work, fact{"expected_lost_jobs", found.Lost})
	}
	if found.Stationary != nil && found.Stationary.Law.Status != ctmc.Converged {
		r.addWarnings(fmt.Sprintf("the stationary law, to which late times are held, did not converge: residual %.2g", found.Stationary.Law.Residual))
	}
	return r
}
