package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"qlimit/ctmc"
	"qlimit/diffusion"
)

// stationaryProcesses are those of `diffusion stationary`.
var stationaryProcesses = append(slices.Clone(limitProcesses), "averaged-jsq", "averaged-i1f", "averaged-iqf", "averaged-jiq", "halfin-whitt")

type diffusionStationaryOptions struct {
	*environment
	limit   slowdownFlags
	servers int64
	load    float64
	beta    float64
	repair  string
	levels  []float64
	points  int
}

func newDiffusionStationaryCommand(env *environment, run func(context.Context, *diffusionStationaryOptions) error) *cobra.Command {
	o := &diffusionStationaryOptions{environment: env, points: 41, repair: repairAuto}
	c := leaf(&cobra.Command{
		Use:   "stationary",
		Short: "Stationary law of a diffusion limit or of the averaged birth-death chain",
		Long: `Compute the stationary law: mean, variance, quantiles and the density on a grid.

cq, jsq, i1f, iqf take --spare; the law is that of X = jobs in the system/N, and
relaxation_time and autocorrelation_time are those of X, divided by N. With
exponential service, and for cq and iqf with any, it is known in closed form;
else it comes from scale and speed of the diffusion.

averaged-jsq, averaged-i1f, averaged-iqf (jiq) take --servers and --load (or --spare).
averaged-iqf has a heavy-traffic factor of 2 over optimal policies where that of
finite systems is 2N/(N+1), averaged-i1f one of 1 for 1 + (N-1)/(N(N+1));
--corner-repair corrects them. By default it is on below 100 servers, where it
matters; it is better above too.

halfin-whitt takes --beta; the law is that of (jobs - N)/√N, and with --servers
the mean number of jobs per server is added.`,
		Example: `  qlimit diffusion stationary --process jsq --spare 1
  qlimit diffusion stationary --process iqf --spare 0.5 --service coxian:mean=1,scv=4 --format json
  qlimit diffusion stationary --process averaged-jsq --servers 100 --load 0.99
  qlimit diffusion stationary --process halfin-whitt --beta 1`,
	}, func(ctx context.Context) error { return run(ctx, o) })
	o.limit.addTo(c, stationaryProcesses)
	flags := c.Flags()
	flags.VarP(&count{&o.servers, 1, ctmc.MaxServers, "an integer between 1 and 1e15"}, "servers", "n", "`number` of servers N")
	flags.Var(&decimal{target: &o.load, accept: proportion, allowed: "a number > 0 and < 1"}, "load", "load `L` of an averaged process")
	flags.Var(&decimal{target: &o.beta, accept: positive, allowed: "a number > 0"}, "beta", "`B` of halfin-whitt: the arrival rate is N - B√N")
	flags.Var(&choice{&o.repair, []string{repairAuto, repairOn, repairOff}}, "corner-repair", "averaged-iqf and averaged-i1f with the right heavy-traffic factor, `when`: on, off, or auto (below 100 servers)")
	flags.Lookup("corner-repair").NoOptDefVal = repairOn
	flags.Var(&decimals{&o.levels}, "quantiles", "`levels` of the quantiles, separated by commas")
	flags.Var(&countInt{&o.points, 2, 10_000, "an integer between 2 and 10000"}, "points", "`number` of points of the density")
	return c
}

// The corner correction of averaged-iqf.
const (
	repairAuto = "auto"
	repairOn   = "on"
	repairOff  = "off"
)

// defaultLevels are the levels of quantiles where none are asked for.
var defaultLevels = []float64{0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99}

func quantileLevels(asked []float64) ([]float64, error) {
	if len(asked) == 0 {
		return defaultLevels, nil
	}
	for _, q := range asked {
		if !proportion(q) {
			return nil, badRequest("quantiles = %g (must be numbers > 0 and < 1)", q)
		}
	}
	return asked, nil
}

func runDiffusionStationary(_ context.Context, o *diffusionStationaryOptions) error {
	levels, err := quantileLevels(o.levels)
	if err != nil {
		return err
	}
	o.levels = levels
	var r *report
	switch {
	case o.limit.process == "halfin-whitt":
		r, err = o.halfinWhitt()
	case strings.HasPrefix(o.limit.process, "averaged-"):
		r, err = o.averaged()
	default:
		r, err = o.slowdown()
	}
	if err != nil {
		return err
	}
	return o.show(r)
}

// refuseFlags refuses flags that say nothing about the process.
func (o *diffusionStationaryOptions) refuseFlags(names ...string) error {
	for _, name := range names {
		if o.limit.flags.Changed(name) {
			return badRequest("--%s does not apply to --process %s", name, o.limit.process)
		}
	}
	return nil
}

func (o *diffusionStationaryOptions) slowdown() (*report, error) {
	if err := o.refuseFlags("servers", "load", "beta", "corner-repair"); err != nil {
		return nil, err
	}
	n, err := o.limit.nds()
	if err != nil {
		return nil, err
	}
	law, err := n.Stationary()
	if err != nil {
		return nil, err
	}
	wait, err := n.WaitProbability()
	if err != nil {
		return nil, err
	}
	process, err := n.Process()
	if err != nil {
		return nil, err
	}
	r := &report{command: "diffusion stationary", service: &n.Service, kind: n.Kind()}
	r.quantities = []quantity{
		{"mean", 1 + law.Mean(), unitJobs},
		{"variance", law.Variance(), unitNone},
		{"mean_response", (1 + law.Mean()) * timeUnit(n.Service), unitTime},
		{"mean_wait", law.Mean() * timeUnit(n.Service), unitTime},
		{"p_wait", wait, unitProbability},
	}
	r.quantities = append(r.quantities, slowdownMemory(n)...)
	r.tables = o.lawTables(law, 1, 0)
	method := "closed form"
	if engine, ok := law.(*diffusion.Law); ok {
		method = fmt.Sprintf("scale and speed, %d panels", engine.Panels())
	}
	r.work = append(slowdownFacts(n), fact{"boundary", process.Boundary().String()}, fact{"method", method})
	r.addWarnings(limitNote)
	return r, nil
}

// slowdownMemory says how long the number of jobs is remembered, in times of the
// limit, which are those of a system divided by N. A time that has no value in
// floating point is left out.
func slowdownMemory(n diffusion.NDS) []quantity {
	times := make([]any, 2)
	if relaxation, err := n.Relaxation(); err == nil {
		times[0] = relaxation.Time * timeUnit(n.Service)
	}
	if law, err := n.Engine(); err == nil {
		times[1] = law.AutocorrelationTime() * timeUnit(n.Service)
	}
	return []quantity{
		{"relaxation_time", times[0], unitTimePerServer},
		{"autocorrelation_time", times[1], unitTimePerServer},
	}
}

// lawTables are the quantiles and the density of a law shifted by an origin,
// on a grid from the lowest place to the 99.9% quantile.
func (o *diffusionStationaryOptions) lawTables(law diffusion.Distribution, origin, lowest float64) []table {
	quantiles := make([]float64, len(o.levels))
	for i, q := range o.levels {
		quantiles[i] = origin + law.Quantile(q)
	}
	highest := law.Quantile(0.999)
	x, density := make([]float64, o.points), make([]float64, o.points)
	for i := range x {
		u := lowest + (highest-lowest)*float64(i)/float64(o.points-1)
		x[i], density[i] = origin+u, law.Density(u)
	}
	return []table{
		{columns: []column{numberColumn("q", 0, o.levels), numberColumn("quantiles", 0, quantiles)}},
		{columns: []column{numberColumn("x", 0, x), numberColumn("density", 0, density)}},
	}
}

func (o *diffusionStationaryOptions) averaged() (*report, error) {
	if err := o.refuseFlags("beta"); err != nil {
		return nil, err
	}
	a, err := o.averagedChain()
	if err != nil {
		return nil, err
	}
	law, err := a.Solve()
	if err != nil {
		return nil, err
	}
	r := &report{command: "diffusion stationary", service: &a.Service, kind: law.Kind()}
	r.quantities = []quantity{
		{"mean", law.MeanJobs(), unitJobs},
		{"variance", law.Variance(), unitNone},
		{"mean_response", law.MeanResponse(), unitTime},
		{"p_wait", law.WaitProbability(), unitProbability},
	}
	r.tables = o.onLattice(o.lawTables(law, 0, law.Quantile(1e-4)), law)
	r.work = []fact{
		{"process", o.limit.process}, {"servers", a.Servers}, {"load", a.Load},
		{"spare", float64(a.Servers) * (1 - a.Load)}, {"corner_repair", a.CornerRepair},
	}
	if a.Discipline.Name != "jsq" && !a.CornerRepair {
		r.addWarnings("without the corner correction (--corner-repair), which is better where the load is very close to 1")
	}
	return r, nil
}

// onLattice moves the grid of the density to whole numbers of jobs, each once.
func (o *diffusionStationaryOptions) onLattice(tables []table, law *diffusion.AveragedLaw) []table {
	n := float64(law.Servers)
	grid := tables[1].columns[0].values
	var x, density []float64
	for _, value := range grid {
		at := math.Round(value.(float64)*n) / n
		if len(x) == 0 || at > x[len(x)-1] {
			x, density = append(x, at), append(density, law.Density(at))
		}
	}
	tables[1].columns = []column{numberColumn("x", 0, x), numberColumn("density", 0, density)}
	return tables
}

func (o *diffusionStationaryOptions) averagedChain() (a diffusion.Averaged, err error) {
	flags := o.limit.flags
	switch {
	case !flags.Changed("servers"):
		return a, badRequest("--servers is missing (an integer between 1 and 1e7)")
	case flags.Changed("load") && flags.Changed("spare"):
		return a, badRequest("--load and --spare were both given (give one of them)")
	case !flags.Changed("load") && !flags.Changed("spare"):
		return a, badRequest("the load is missing (give one of --load, --spare)")
	}
	a = diffusion.Averaged{Servers: o.servers, Load: o.load}
	if flags.Changed("spare") {
		if !(o.limit.spare < float64(o.servers)) {
			return a, &ctmc.FieldError{Field: "spare", Value: o.limit.spare, Allowed: "> 0 and < the number of servers"}
		}
		a.Load = 1 - o.limit.spare/float64(o.servers)
	}
	if a.Discipline, err = diffusion.ParseDiscipline(strings.TrimPrefix(o.limit.process, "averaged-")); err != nil {
		return a, err
	}
	if a.Discipline.Name == "jsq" && flags.Changed("corner-repair") {
		return a, badRequest("--corner-repair applies to --process averaged-iqf and averaged-i1f only")
	}
	a.CornerRepair = a.Discipline.Name != "jsq" && (o.repair == repairOn || o.repair == repairAuto && o.servers < diffusion.CornerRepairBelow)
	a.Service, err = parseService(o.limit.service)
	return a, err
}

func (o *diffusionStationaryOptions) halfinWhitt() (*report, error) {
	if err := o.refuseFlags("spare", "load", "service", "corner-repair"); err != nil {
		return nil, err
	}
	if !o.limit.flags.Changed("beta") {
		return nil, badRequest("--beta is missing (a number > 0: the arrival rate is N - beta √N)")
	}
	h := diffusion.HalfinWhitt{Beta: o.beta}
	if err := h.Validate(); err != nil {
		return nil, err
	}
	r := &report{command: "diffusion stationary", kind: ctmc.Limit}
	r.quantities = []quantity{
		{"mean", h.Mean(), unitNone},
		{"variance", h.Variance(), unitNone},
		{"p_wait", h.WaitProbability(), unitProbability},
		{"log_p_wait", h.LogWaitProbability(), unitNone},
		{"mean_queue", h.MeanQueue(), "jobs/√N"},
	}
	if o.servers > 0 {
		if o.beta*o.beta >= float64(o.servers) {
			return nil, &ctmc.FieldError{Field: "beta", Value: o.beta, Allowed: "below the square root of the number of servers"}
		}
		r.quantities = append(r.quantities, quantity{"mean_jobs", h.MeanJobs(o.servers) / float64(o.servers), unitJobs})
	}
	r.tables = o.lawTables(h, 0, h.Quantile(1e-4))
	r.work = []fact{{"process", "halfin-whitt"}, {"beta", o.beta}}
	r.addWarnings("a statement about the limit N to infinity with arrival rate N - beta √N; X = (jobs - N)/√N")
	if h.WaitProbability() < 0x1p-1022 { // the smallest normal number
		r.addWarnings("p_wait is below the smallest floating-point number with full precision: see log_p_wait")
	}
	return r, nil
}
