package validate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"qlimit/ctmc"
	"qlimit/validate/estimate"
)

// Reading is one way to understand a file of results: as it says, or with one
// of the mistakes that are made in simulations and in writing them down.
type Reading struct {
	Name       string  // short, such as "waiting time"
	What       string  // in words
	Rows       int     // that it concerns
	Agree      int     // of which within their tolerance
	MeanSquare float64 // of the differences in standard errors (each at most 10)
	Fits       bool    // it explains all rows

	applies func(row *DataRow) bool
	value   func(ctx context.Context, c *dataComparison, row *DataRow) (bestKnown, error)
	rows    []Row
}

func everyRow(*DataRow) bool { return true }

var asStated = Reading{Name: "as stated", What: "as the file says", applies: everyRow,
	value: func(ctx context.Context, c *dataComparison, row *DataRow) (bestKnown, error) {
		return c.known(ctx, row, row.System, row.Quantity)
	}}

// count adds a row to the tally.
func (r *Reading) count(data *DataRow, row *Row) {
	r.Rows++
	if row.Verdict != estimate.Disagree {
		r.Agree++
	}
	z := 10.0
	if unit := row.Tolerance / DefaultSigmas; unit > 0 {
		z = math.Min(z, math.Abs(row.Difference)/unit)
	}
	r.MeanSquare += (z*z - r.MeanSquare) / float64(r.Rows)
}

// toggled is the system with the other way of sampling.
func toggled(s ctmc.System) ctmc.System {
	k := s.Policy.Fallback.(ctmc.Sampling)
	s.Policy = ctmc.PowerOfD(k.Choices, !k.Replacement)
	return s
}

// otherReplacement reads samples with replacement as without and the other way
// round.
var otherReplacement = Reading{Name: "replacement", What: "servers are sampled with replacement where the file says without, and the other way round",
	applies: func(row *DataRow) bool { return samples(row.System.Policy) > 1 },
	value: func(ctx context.Context, c *dataComparison, row *DataRow) (bestKnown, error) {
		other := toggled(row.System)
		if err := other.Validate(); err != nil {
			return bestKnown{}, fmt.Errorf("line %d: %w", row.Line, err)
		}
		return c.known(ctx, row, other, row.Quantity)
	}}

// chooseReplacement settles how rows are read that do not say whether they
// sample with replacement: in the way in which fewer disagree, then in which the
// differences are smaller. Short simulations decide where they can.
func (c *dataComparison) chooseReplacement(ctx context.Context, r *DataReport) error {
	open := func(row *DataRow) bool { return row.replacementOpen }
	if !slices.ContainsFunc(c.set.Rows, func(row DataRow) bool { return row.replacementOpen }) {
		return nil
	}
	without, with := asStated, otherReplacement
	without.applies, with.applies = open, open
	quick := *c
	quick.progress, quick.theories = nil, newTheories(c.theories.simulation)
	quick.theories.simulation.Events = min(quickEvents, c.theories.simulation.Events)
	if err := quick.compareBoth(ctx, &without, &with); err != nil {
		return err
	}
	if apart := with.Agree - without.Agree; max(apart, -apart)*10 < with.Rows {
		if err := c.compareBoth(ctx, &without, &with); err != nil {
			return err
		}
	}
	c.theories.Events += quick.theories.Events
	r.Replacement = "without replacement"
	if with.Agree > without.Agree || with.Agree == without.Agree && with.MeanSquare < without.MeanSquare {
		r.Replacement = "with replacement"
		for i := range c.set.Rows {
			if row := &c.set.Rows[i]; row.replacementOpen {
				relative := c.wanted[row.System.String()]
				row.System = toggled(row.System)
				c.wanted[row.System.String()] = relative
			}
		}
	}
	without.What, with.What = "servers are sampled without replacement", "servers are sampled with replacement"
	without.Name, with.Name = "without replacement", "with replacement"
	for _, reading := range []Reading{without, with} {
		reading.Fits = reading.Agree == reading.Rows
		r.Readings = append(r.Readings, reading)
	}
	r.Notes = append(r.Notes, fmt.Sprintf("the file does not say whether servers are sampled with or without replacement: %d of %d rows agree with, %d without; read as %s",
		with.Agree, with.Rows, without.Agree, r.Replacement))
	return nil
}

func (c *dataComparison) compareBoth(ctx context.Context, a, b *Reading) error {
	for _, reading := range []*Reading{a, b} {
		reading.Rows, reading.Agree, reading.MeanSquare = 0, 0, 0
		if err := c.compare(ctx, reading); err != nil {
			return err
		}
	}
	return nil
}

// otherReadings are tried on files that disagree.
func otherReadings() []Reading {
	adjusted := func(name, what string, applies func(row *DataRow) bool, adjust func(ctx context.Context, c *dataComparison, row *DataRow, best *bestKnown) error) Reading {
		return Reading{Name: name, What: what, applies: applies, value: func(ctx context.Context, c *dataComparison, row *DataRow) (bestKnown, error) {
			best, err := c.known(ctx, row, row.System, row.Quantity)
			if err == nil {
				err = adjust(ctx, c, row, &best)
			}
			return best, err
		}}
	}
	is := func(q Quantity) func(row *DataRow) bool {
		return func(row *DataRow) bool { return row.Quantity == q }
	}
	lossy := func(row *DataRow) bool { return row.System.Buffer != ctmc.Unlimited }
	return []Reading{
		otherReplacement,
		adjusted("waiting time", "mean_response is the time spent waiting, without the service", is(MeanResponse),
			func(_ context.Context, _ *dataComparison, row *DataRow, best *bestKnown) error {
				best.value = math.Max(0, best.value-row.System.Service.Mean())
				return nil
			}),
		adjusted("waiting jobs", "mean_jobs counts waiting jobs only, not those in service", is(MeanJobs), minusBusy),
		adjusted("all servers", "mean_jobs counts the jobs of the whole system, not of one server", is(MeanJobs),
			func(_ context.Context, _ *dataComparison, row *DataRow, best *bestKnown) error {
				n := float64(row.System.Servers)
				best.value, best.allowance, best.standardError = n*best.value, n*best.allowance, n*best.standardError
				return nil
			}),
		adjusted("lost jobs", "mean_response is an average over all arrivals, the lost ones with 0", func(row *DataRow) bool { return row.Quantity == MeanResponse && lossy(row) }, timesAccepted),
		{Name: "accepted load", What: "load is that of the accepted jobs, the arrival rate is higher", value: atAcceptedLoad,
			applies: func(row *DataRow) bool { return lossy(row) && row.System.Load < 1 }},
		{Name: "tie with idle", What: "the job in service is not counted when servers are compared: an idle server ties with one that has a single job", value: withIdleTied,
			applies: func(row *DataRow) bool {
				p := row.System.Policy
				return row.System.Servers <= mostTiedServers && (p.Depth == ctmc.AllLevels || samples(p) > 1) && row.Quantity != BlockProb && !strings.HasPrefix(string(row.Quantity), tailPrefix)
			}},
	}
}

// minusBusy takes off the busy servers.
func minusBusy(ctx context.Context, c *dataComparison, row *DataRow, best *bestKnown) error {
	busy, err := c.known(ctx, row, row.System, "tail_1")
	best.value -= busy.value
	best.allowance += busy.allowance
	best.standardError = math.Hypot(best.standardError, busy.standardError)
	return err
}

func timesAccepted(ctx context.Context, c *dataComparison, row *DataRow, best *bestKnown) error {
	block, err := c.known(ctx, row, row.System, BlockProb)
	best.value *= 1 - block.value
	best.standardError = math.Hypot(best.standardError, best.value*block.standardError)
	return err
}

// atAcceptedLoad solves load' (1 - P(block at load')) = load by the secant
// method and takes the theory there.
func atAcceptedLoad(ctx context.Context, c *dataComparison, row *DataRow) (bestKnown, error) {
	s := row.System
	excess := func(load float64) (float64, error) {
		s.Load = load
		block, err := c.known(ctx, row, s, BlockProb)
		return load*(1-block.value) - row.System.Load, err
	}
	a, b := row.System.Load, row.System.Load*1.05
	fa, err := excess(a)
	if err != nil {
		return bestKnown{}, err
	}
	for range 12 {
		fb, err := excess(b)
		if err != nil {
			return bestKnown{}, err
		}
		if math.Abs(fb) <= 1e-9*row.System.Load || fb == fa {
			break
		}
		a, b, fa = b, math.Max(row.System.Load/2, b-fb*(b-a)/(fb-fa)), fb
	}
	s.Load = b
	return c.known(ctx, row, s, row.Quantity)
}

// explain tries the other readings and notes for every row those under which it
// agrees.
func (c *dataComparison) explain(ctx context.Context, stated *Reading, r *DataReport) error {
	r.Readings = append(r.Readings, *stated)
	for _, reading := range otherReadings() {
		if err := c.compare(ctx, &reading); err != nil {
			return err
		}
		if reading.Rows > 0 {
			r.Readings = append(r.Readings, reading)
		}
	}
	if early, err := c.fromEmpty(ctx, stated); err != nil {
		return err
	} else if early != nil {
		r.Readings = append(r.Readings, *early)
	}
	for k := range r.Readings {
		reading := &r.Readings[k]
		if reading.rows == nil || reading.Name == stated.Name || strings.HasSuffix(reading.Name, "out replacement") || reading.Name == "with replacement" {
			continue
		}
		reading.Fits = true
		for i := range r.Rows {
			one, disagrees := reading.rows[i], r.Rows[i].Verdict == estimate.Disagree
			switch {
			case one.Verdict == "": // does not concern the row
				reading.Fits = reading.Fits && !disagrees
			case one.Verdict == estimate.Disagree || disagrees && one.Tolerance > sharp*math.Abs(r.Rows[i].Difference):
				reading.Fits = false // or says too little to explain anything
			case disagrees:
				r.Explained[i] = joined(r.Explained[i], reading.Name)
			}
		}
	}
	return nil
}

func joined(list, name string) string {
	if list == "" {
		return name
	}
	return list + ", " + name
}

// suggest says what the comparison points to.
func (c *dataComparison) suggest(r *DataReport) string {
	bad := r.Count(estimate.Disagree)
	switch {
	case bad == 0 && r.Replacement != "":
		return fmt.Sprintf("every row is explained: sampling is %s", r.Replacement)
	case bad == 0:
		return "every row is explained by theory"
	}
	var fitting []string
	for _, reading := range r.Readings {
		if reading.Fits {
			fitting = append(fitting, reading.What)
		}
	}
	if len(fitting) > 0 {
		return fmt.Sprintf("%d of %d rows disagree; all would agree if %s", bad, len(r.Rows), strings.Join(fitting, ", or "))
	}
	best, explained := "", 0
	for _, reading := range r.Readings {
		count := 0
		for i := range r.Rows {
			if r.Rows[i].Verdict == estimate.Disagree && slices.Contains(strings.Split(r.Explained[i], ", "), reading.Name) {
				count++
			}
		}
		if count > explained {
			best, explained = reading.What, count
		}
	}
	if explained > 0 {
		return fmt.Sprintf("%d of %d rows disagree; %d of them would agree if %s", bad, len(r.Rows), explained, best)
	}
	return fmt.Sprintf("%d of %d rows disagree, and none of the usual mistakes explains them", bad, len(r.Rows))
}

// sharp is the largest tolerance of a reading that explains a row, relative to
// the difference that it explains.
const sharp = 0.9
