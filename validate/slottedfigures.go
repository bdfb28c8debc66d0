package validate

import (
	"context"
	"fmt"

	"qlimit/ctmc"
	"qlimit/ctmc/slotted"
	"qlimit/stein"
	"qlimit/validate/estimate"
	"qlimit/validate/figure"
	"qlimit/validate/sim"
)

// SlottedPooledMean is the exact mean of the resource-pooled queue, which the
// control variates of package sim need.
func SlottedPooledMean(ctx context.Context) func(*slotted.Model) (float64, error) {
	return func(m *slotted.Model) (float64, error) {
		p, err := stein.PoolSlotted(ctx, m)
		if err != nil {
			return 0, err
		}
		return p.MeanQueue, nil
	}
}

// SlottedStudy simulates policies over a range of loads, at each load on
// common random numbers.
type SlottedStudy struct {
	Model    slotted.Model       // its load is not used
	Policies []slotted.Policy    // a curve for each
	Loads    []float64           // of the points
	Settings sim.SlottedSettings // slots of each load and policy
}

// SlottedPoint is one load of a study.
type SlottedPoint struct {
	Load    float64              // λ_Σ/μ_Σ
	Results []*sim.SlottedResult // of each policy
}

// Run simulates. Errors: fewer than two loads, no policies, an invalid model or
// policy, or the error of the context.
func (s SlottedStudy) Run(ctx context.Context) ([]SlottedPoint, error) {
	if len(s.Loads) < 2 {
		return nil, &ctmc.FieldError{Field: "loads", Value: len(s.Loads), Allowed: "at least two"}
	}
	if len(s.Policies) < 1 {
		return nil, &ctmc.FieldError{Field: "policies", Value: 0, Allowed: "at least one"}
	}
	for _, load := range s.Loads {
		if !(load > 0) {
			return nil, &ctmc.FieldError{Field: "loads", Value: load, Allowed: "> 0"}
		}
	}
	var points []SlottedPoint
	tell := s.Settings.Progress
	for i, load := range s.Loads {
		m, settings := s.Model, s.Settings
		m.Load = load
		if tell != nil {
			settings.Progress = func(done, total float64, _ string) {
				tell(float64(i)+done/total, float64(len(s.Loads)), fmt.Sprintf("load %g", load))
			}
		}
		results, err := runTogether(ctx, &m, s.Policies, settings)
		if err != nil {
			return nil, err
		}
		points = append(points, SlottedPoint{Load: load, Results: results})
	}
	return points, nil
}

// runTogether compares several policies or runs one; an interrupted run is
// none.
func runTogether(ctx context.Context, m *slotted.Model, policies []slotted.Policy, settings sim.SlottedSettings) ([]*sim.SlottedResult, error) {
	var results []*sim.SlottedResult
	if len(policies) == 1 {
		r, err := sim.RunSlotted(ctx, m, policies[0], settings)
		if err != nil {
			return nil, err
		}
		results = []*sim.SlottedResult{r}
	} else {
		c, err := sim.CompareSlotted(ctx, m, policies, settings)
		if err != nil {
			return nil, err
		}
		results = c.Results
	}
	if results[0].Ending == sim.Interrupted {
		return nil, ctx.Err()
	}
	return results, nil
}

// SlottedView says how a study is drawn.
type SlottedView struct {
	Name, Title string // of the figure
	Messages    bool   // messages per slot with arrivals, not the mean response
	Log         bool   // logarithmic ordinate
	Pooled      bool   // draw the bound of the pooled queue
	Critical    bool   // mark the loads that policies cannot carry, where theory knows them
}

// SlottedFigure draws mean response or messages against the load, a policy at
// the loads that it carries.
func SlottedFigure(m *slotted.Model, points []SlottedPoint, view SlottedView) (*figure.Figure, error) {
	f := &figure.Figure{
		Name: view.Name, Title: view.Title, Size: figure.DoubleColumn,
		Caption: fmt.Sprintf("Simulated with common random numbers, intervals at the %g%% level; rates %s, whole batches. Response in slots at slot starts: a job served in the slot it comes in counts 0.", 100*levelOf(points), slotted.FormatRates(m.Rates)),
		X:       figure.Axis{Label: "load ρ"},
		Y:       figure.Axis{Label: "mean response in slots"},
	}
	if view.Messages {
		f.Y.Label = "messages per slot with arrivals"
	}
	if view.Log {
		f.Y.Scale = figure.Log
	}
	for i, first := range points[0].Results {
		s := figure.Series{Name: first.Policy.String(), Kind: ctmc.Estimate, Style: figure.LinePoints, Group: i + 1}
		for _, p := range points {
			r := p.Results[i]
			e := r.MeanResponse
			if view.Messages {
				e = r.MessagesPerArrivalSlot
			}
			if r.Stability.Stable && e.Status != estimate.Undefined && (!view.Log || e.Value > e.HalfWidth) {
				addEstimate(&s, p.Load, e)
			}
		}
		if len(s.X) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	if view.Pooled {
		f.Series = append(f.Series, pooledBound(points))
	}
	if view.Critical {
		marks, err := criticalMarks(m, points)
		if err != nil {
			return nil, err
		}
		f.Marks = marks
	}
	return f, nil
}

func levelOf(points []SlottedPoint) float64 { return points[0].Results[0].Throughput.Level }

func addEstimate(s *figure.Series, x float64, e estimate.Estimate) {
	s.X, s.Y = append(s.X, x), append(s.Y, e.Value)
	s.Low, s.High = append(s.Low, e.Value-e.HalfWidth), append(s.High, e.Value+e.HalfWidth)
}

// pooledBound is E q/λ_Σ, exact, which no policy can go below.
func pooledBound(points []SlottedPoint) figure.Series {
	s := figure.Series{Name: "pooled queue (lower bound)", Kind: ctmc.LowerBound, Style: figure.Line, Dash: figure.Dashed, Group: len(points[0].Results) + 1}
	for _, p := range points {
		if r := p.Results[0]; r.PooledKnown {
			s.X, s.Y = append(s.X, p.Load), append(s.Y, r.PooledMean/r.Model.ArrivalRate())
		}
	}
	return s
}

func criticalMarks(m *slotted.Model, points []SlottedPoint) ([]figure.Mark, error) {
	var marks []figure.Mark
	for _, r := range points[0].Results {
		region, err := stein.StabilityRegion(m, r.Policy)
		if err != nil {
			return nil, err
		}
		if region == nil || region.CriticalLoad >= 1 {
			continue
		}
		label := fmt.Sprintf("%s: %.4g", r.Policy, region.CriticalLoad)
		if region.Fraction != "" {
			label = fmt.Sprintf("%s: %s", r.Policy, region.Fraction)
		}
		marks = append(marks, figure.Mark{Direction: figure.Vertical, At: region.CriticalLoad, Label: label})
	}
	return marks, nil
}

// SlottedPeriods simulates JBT-d with several periods T between settings of the
// threshold, and JIQ, at one load.
type SlottedPeriods struct {
	Model    slotted.Model       // with its load
	Samples  []int64             // d
	Periods  []int64             // T
	Settings sim.SlottedSettings // of each run
}

// SlottedPeriodResults are the results by d and T, and of the policies without
// a period.
type SlottedPeriodResults struct {
	SlottedPeriods
	ByPeriod [][]*sim.SlottedResult // [i][k] with Samples[i] and Periods[k]
	JIQ, JSQ *sim.SlottedResult     // which have no period
}

// Run simulates, all policies on common random numbers. Errors: fewer than two
// periods, no d, an invalid model, or the error of the context.
func (s SlottedPeriods) Run(ctx context.Context) (*SlottedPeriodResults, error) {
	if len(s.Periods) < 2 || len(s.Samples) < 1 {
		return nil, &ctmc.FieldError{Field: "periods", Value: len(s.Periods), Allowed: "at least two, with at least one d"}
	}
	out := &SlottedPeriodResults{SlottedPeriods: s}
	tell := s.Settings.Progress
	for i, d := range s.Samples {
		policies := make([]slotted.Policy, 0, len(s.Periods))
		for _, period := range s.Periods {
			policies = append(policies, slotted.JBT(slotted.ThresholdRule{Samples: d, Period: period}))
		}
		settings := s.Settings
		if tell != nil {
			settings.Progress = func(done, total float64, _ string) {
				tell(float64(i)+done/total, float64(len(s.Samples)+1), fmt.Sprintf("d = %d", d))
			}
		}
		results, err := runTogether(ctx, &s.Model, policies, settings)
		if err != nil {
			return nil, err
		}
		out.ByPeriod = append(out.ByPeriod, results)
	}
	others, err := runTogether(ctx, &s.Model, []slotted.Policy{slotted.JIQ(), slotted.JSQ()}, s.Settings)
	if err != nil {
		return nil, err
	}
	out.JIQ, out.JSQ = others[0], others[1]
	return out, nil
}

// Figure draws messages or mean response against T.
func (r *SlottedPeriodResults) Figure(messages bool) *figure.Figure {
	f := &figure.Figure{
		Name: "slotted-delay", Size: figure.DoubleColumn,
		Title:   fmt.Sprintf("Mean response of JBT-d against T, load %g", r.Model.Load),
		Caption: fmt.Sprintf("Simulated with common random numbers; rates %s. JIQ and JSQ do not depend on T.", slotted.FormatRates(r.Model.Rates)),
		X:       figure.Axis{Label: "slots T between settings of the threshold", Scale: figure.Log},
		Y:       figure.Axis{Label: "mean response in slots"},
	}
	of := func(one *sim.SlottedResult) estimate.Estimate { return one.MeanResponse }
	if messages {
		f.Name, f.Title = "slotted-messages", fmt.Sprintf("Messages of JBT-d against T, load %g", r.Model.Load)
		f.Y = figure.Axis{Label: "messages per slot with arrivals", Scale: figure.Log}
		of = func(one *sim.SlottedResult) estimate.Estimate { return one.MessagesPerArrivalSlot }
	}
	for i, d := range r.Samples {
		s := figure.Series{Name: fmt.Sprintf("JBT-%d", d), Kind: ctmc.Estimate, Style: figure.LinePoints, Group: i + 1}
		for k, one := range r.ByPeriod[i] {
			addEstimate(&s, float64(r.Periods[k]), of(one))
		}
		f.Series = append(f.Series, s)
		if messages {
			f.Series = append(f.Series, r.messageBound(i))
		}
	}
	for k, one := range []*sim.SlottedResult{r.JIQ, r.JSQ} {
		s := figure.Series{Name: []string{"JIQ", "JSQ"}[k], Kind: ctmc.Estimate, Style: figure.Line, Dash: figure.Dashed, Group: len(r.Samples) + 1 + k}
		for _, period := range r.Periods {
			addEstimate(&s, float64(period), of(one))
		}
		f.Series = append(f.Series, s)
	}
	if messages {
		f.Marks = []figure.Mark{{Direction: figure.Horizontal, At: 1, Label: "one message"}}
	}
	return f
}

// messageBound is 1 + (2d + N)/T.
func (r *SlottedPeriodResults) messageBound(i int) figure.Series {
	s := figure.Series{Name: fmt.Sprintf("1 + (2·%d + N)/T", r.Samples[i]), Kind: ctmc.UpperBound, Style: figure.Line, Faint: true, Group: i + 1}
	for _, period := range r.Periods {
		s.X = append(s.X, float64(period))
		s.Y = append(s.Y, 1+(2*float64(r.Samples[i])+float64(len(r.Model.Rates)))/float64(period))
	}
	return s
}
