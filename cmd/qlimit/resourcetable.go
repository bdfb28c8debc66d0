package main

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"qlimit/validate"
	"qlimit/validate/estimate"
	"qlimit/validate/sim"
)

// mostTableChoices is the most servers that the table's policies ask.
const mostTableChoices = 64

// defaultResourceServers are the numbers of servers of --simulate.
var defaultResourceServers = []float64{10, 100, 1000, 10_000, 100_000}

// policyFlags describe the comparison of policies.
type policyFlags struct {
	servers []float64
	jobs    int64
}

// counts are the numbers of servers to simulate.
func (f *policyFlags) counts() ([]int, error) {
	servers := f.servers
	if len(servers) == 0 {
		servers = defaultResourceServers
	}
	var list []int
	for _, n := range servers {
		if !(n >= 1 && n <= sim.MaxJobServers && n == math.Trunc(n)) {
			return nil, badRequest("servers = %g (must be integers between 1 and 1e7, separated by commas)", n)
		}
		list = append(list, int(n))
	}
	return list, nil
}

// study is the setting of the table of policies.
func (o *resourcesOptions) study(law sim.Law) validate.ResourceStudy {
	s := validate.ResourceStudy{Load: o.load, Law: law, Memory: int64(math.Max(1, math.Floor(o.memory))), MessageRate: o.messageRate}
	if o.queries <= mostTableChoices {
		s.Choices = int(o.queries)
	}
	return s
}

// comparePolicies tabulates the policies and, if asked to, simulates them.
func (o *resourcesOptions) comparePolicies(ctx context.Context, law sim.Law) (*records, []string, error) {
	study := o.study(law)
	rows, err := study.Table()
	if err != nil {
		return nil, nil, err
	}
	if !o.simulate {
		return resourceRecords(rows, nil, nil), nil, nil
	}
	servers, err := o.policies.counts()
	if err != nil {
		return nil, nil, err
	}
	points, err := o.simulatePolicies(ctx, study, rows, servers)
	if err != nil {
		return nil, nil, err
	}
	return resourceRecords(rows, servers, points), simulationNotes(rows, points), nil
}

func (o *resourcesOptions) simulatePolicies(ctx context.Context, study validate.ResourceStudy, rows []validate.PolicyResources, servers []int) ([][]validate.ResourcePoint, error) {
	return simulatePolicies(ctx, o.environment, o.policies.jobs, study, rows, servers)
}

func simulatePolicies(ctx context.Context, env *environment, jobs int64, study validate.ResourceStudy, rows []validate.PolicyResources, servers []int) ([][]validate.ResourcePoint, error) {
	progress := env.newProgress("simulating")
	defer progress.close()
	points, err := study.Simulate(ctx, rows, validate.ResourceSimulation{
		Servers: servers, Jobs: jobs, Seed: env.seed, Threads: env.threads,
		Progress: func(done, total float64, what string) { progress.report(done/total, what) },
	})
	if err != nil {
		return nil, progress.explain(err)
	}
	return points, nil
}

// resourceRecords lists the policies, with three fields for every number of
// servers simulated.
func resourceRecords(rows []validate.PolicyResources, servers []int, points [][]validate.ResourcePoint) *records {
	r := &records{name: "policies", group: -1, fields: []recordField{
		{name: "policy", heading: "policy"},
		{name: "memory_bits", heading: "memory, bits"},
		{name: "message_rate", heading: "messages per mean service"},
		{name: "messages_per_job"},
		{name: "delay", heading: "limiting delay"},
		{name: "delay_formula", heading: "formula"},
		{name: "vanishes", heading: "vanishes", text: yesOrNo(6)},
		{name: "kind", heading: "kind"},
	}}
	for k, n := range servers {
		at := len(r.fields)
		r.fields = append(r.fields,
			recordField{name: fmt.Sprintf("delay_%d", n), heading: fmt.Sprintf("N = %d", n), text: simulatedText(points, k, at)},
			recordField{name: fmt.Sprintf("half_width_%d", n)},
			recordField{name: fmt.Sprintf("exact_%d", n)},
			recordField{name: fmt.Sprintf("messages_per_job_%d", n)},
		)
	}
	for i, p := range rows {
		row := []any{p.Name, p.Memory, p.Messages, perJobLimit(p), delayOf(p), p.Formula, p.Vanishes, p.Kind.String()}
		for k := range servers {
			row = append(row, pointValues(points[i][k])...)
		}
		r.rows = append(r.rows, row)
	}
	return r
}

func yesOrNo(field int) func(row []any) string {
	return func(row []any) string {
		if row[field].(bool) {
			return "yes"
		}
		return "no"
	}
}

// delayOf is nil where no formula gives the limiting delay.
func delayOf(p validate.PolicyResources) any {
	if !p.Known {
		return nil
	}
	return p.Delay
}

// perJobLimit is nil where the number of messages grows with the servers.
func perJobLimit(p validate.PolicyResources) any {
	if few, many := p.MessagesPerJob(1e3), p.MessagesPerJob(1e6); few != many {
		return nil
	}
	return p.MessagesPerJob(1e6)
}

func pointValues(p validate.ResourcePoint) []any {
	values := []any{nil, nil, nil, nil}
	if p.Known {
		values[2] = p.Exact
	}
	if p.Refused == "" && p.Delay.Status != estimate.Undefined {
		values[0], values[1], values[3] = p.Delay.Value, p.Delay.HalfWidth, p.MessagesPerJob.Value
	}
	return values
}

// simulatedText is value ± half width, found by the row's policy.
func simulatedText(points [][]validate.ResourcePoint, k, at int) func(row []any) string {
	texts := map[[2]any]string{}
	for i := range points {
		p := points[i][k]
		if p.Refused == "" {
			texts[[2]any{p.Delay.Value, p.Delay.HalfWidth}] = interval(p.Delay)
		}
	}
	return func(row []any) string {
		if text, ok := texts[[2]any{row[at], row[at+1]}]; ok {
			return text
		}
		return noNumber
	}
}

// simulationNotes says which simulations were refused and which are too short.
func simulationNotes(rows []validate.PolicyResources, points [][]validate.ResourcePoint) []string {
	var notes, short []string
	for i := range points {
		var servers []string
		for _, p := range points[i] {
			switch {
			case p.Refused != "":
				notes = append(notes, fmt.Sprintf("%s was not simulated with %d servers: %s", rows[i].Name, p.Servers, p.Refused))
			case len(p.Delay.Warnings) > 0 && p.Delay.Status == estimate.Usable:
				servers = append(servers, strconv.Itoa(p.Servers))
			}
		}
		if len(servers) > 0 {
			short = append(short, fmt.Sprintf("%s (N = %s)", rows[i].Name, strings.Join(servers, ", ")))
		}
	}
	if len(short) > 0 {
		notes = append(notes, "simulations so short that their intervals may be too narrow (raise --jobs): "+strings.Join(short, "; "))
	}
	return notes
}
