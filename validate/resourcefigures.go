package validate

import (
	"fmt"
	"math"
	"strconv"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/estimate"
	"qlimit/validate/figure"
)

// smallestDelay is the least simulated delay that the figure shows.
const smallestDelay = 1e-5

// DelayFigure draws simulated mean waiting times against the number of servers,
// one line for each policy, and the limits that do not vanish as marks at its
// right end.
func (s ResourceStudy) DelayFigure(rows []PolicyResources, points [][]ResourcePoint) (*figure.Figure, error) {
	f := &figure.Figure{
		Name:    "delay-resources",
		Title:   fmt.Sprintf("Mean waiting time against the number of servers, load %g, service %v", s.Load, s.Law),
		Caption: "Simulated, with 95% intervals; in brackets the limit for many servers. Delays below 1e-5 are not shown.",
		X:       figure.Axis{Label: "servers N", Scale: figure.Log},
		Y:       figure.Axis{Label: "mean waiting time", Scale: figure.Log},
		Size:    figure.DoubleColumn,
	}
	for i, p := range rows {
		series := figure.Series{Name: p.Name + limitText(&p), Kind: ctmc.Estimate, Style: figure.LinePoints}
		for _, at := range points[i] {
			if at.Refused != "" || at.Delay.Status == estimate.Undefined || !(at.Delay.Value >= smallestDelay) {
				continue
			}
			addEstimate(&series, float64(at.Servers), at.Delay)
		}
		if len(series.X) > 0 {
			f.Series = append(f.Series, series)
		}
	}
	return f, nil
}

func limitText(p *PolicyResources) string {
	switch {
	case p.Vanishes:
		return " (0)"
	case p.Known:
		return " (" + strconv.FormatFloat(p.Delay, 'g', 3, 64) + ")"
	}
	return " (> 0)"
}

// mapClasses are the classes of delay of the map, in mean service times.
var mapClasses = []struct {
	most float64
	name string
}{{1e-6, "delay below 1e-6, or 0"}, {.1, "up to 0.1"}, {.3, "0.1 to 0.3"}, {1, "0.3 to 1"}, {3, "1 to 3"}, {10, "3 to 10"}, {math.Inf(1), "above 10"}}

func mapClass(delay float64) int {
	for k, c := range mapClasses {
		if delay <= c.most {
			return k
		}
	}
	return len(mapClasses) - 1
}

// MapFigure draws messages per job against bits of memory for a number of
// servers, the limiting delay as colour: the pull rule over its whole range
// (exponential service) as a field of points, the other policies as
// signs of their own with names and delays in the legend. Log axes; the place of 0 is marked.
func (s ResourceStudy) MapFigure(rows []PolicyResources, servers float64) (*figure.Figure, error) {
	const zeroBits, zeroMessages = 0.5, 0.003
	f := &figure.Figure{
		Name:    "resource-map",
		Title:   fmt.Sprintf("What a delay costs: load %g, service %v, N = %s", s.Load, s.Law, strconv.FormatFloat(servers, 'g', -1, 64)),
		Caption: "Messages per job against the dispatcher's memory; the colour is the limiting mean waiting time in mean service times. Small signs: pull with c stored IDs.",
		X:       figure.Axis{Label: "memory, bits", Scale: figure.Log, Ticks: zeroTicks(zeroBits, 1, servers*2)},
		Y:       figure.Axis{Label: "messages per job", Scale: figure.Log, Ticks: zeroTicks(zeroMessages, .01, 2*servers)},
		Size:    figure.DoubleColumn,
	}
	field, err := s.pullField(servers)
	if err != nil {
		return nil, err
	}
	classes := make([]figure.Series, len(mapClasses))
	for k, c := range mapClasses {
		classes[k] = figure.Series{Name: c.name, Kind: ctmc.Limit, Style: figure.Points, Group: k + 1}
	}
	for _, p := range field {
		k := mapClass(p.delay)
		classes[k].X, classes[k].Y = append(classes[k].X, p.bits), append(classes[k].Y, p.messages)
	}
	for _, c := range classes {
		if len(c.X) > 0 {
			f.Series = append(f.Series, c)
		}
	}
	f.Series = append(f.Series, s.policySigns(rows, servers, zeroBits, zeroMessages)...)
	return f, nil
}

// policySigns are the policies as single points, those at the same place
// together in the colour of the least delay.
func (s ResourceStudy) policySigns(rows []PolicyResources, servers, zeroBits, zeroMessages float64) []figure.Series {
	type place struct{ bits, messages float64 }
	at := map[place]int{}
	var signs []figure.Series
	for _, p := range rows {
		if !p.Known {
			continue
		}
		delay := p.Delay / s.Law.Mean()
		here := place{math.Max(p.MemoryBits(servers), zeroBits), math.Max(p.MessagesPerJob(servers), zeroMessages)}
		name := fmt.Sprintf("%s: %s", p.Name, strconv.FormatFloat(delay, 'g', 3, 64))
		if k, taken := at[here]; taken {
			signs[k].Name += "; " + name
			signs[k].Group = min(signs[k].Group, mapClass(delay)+1)
			continue
		}
		at[here] = len(signs)
		signs = append(signs, figure.Series{Name: name, Kind: ctmc.Limit, Style: figure.Points, Group: mapClass(delay) + 1,
			X: []float64{here.bits}, Y: []float64{here.messages}})
	}
	return signs
}

// zeroTicks are powers of ten with a place for 0 on the left of them.
func zeroTicks(zero, from, to float64) []figure.Tick {
	ticks := []figure.Tick{{At: zero, Label: "0"}}
	for x := from; x <= to; x *= 10 {
		ticks = append(ticks, figure.Tick{At: x, Label: strconv.FormatFloat(x, 'g', -1, 64)})
	}
	return ticks
}

type fieldPoint struct{ bits, messages, delay float64 }

// pullField is the fluid of the pull rule for 1, 2, 4, .. stored IDs and messages
// per job from 0.01 to 100; empty unless service is exponential.
func (s ResourceStudy) pullField(servers float64) ([]fieldPoint, error) {
	if !s.exponential() {
		return nil, nil
	}
	var field []fieldPoint
	for memory := int64(1); float64(memory) <= servers; memory *= 2 {
		for step := -8; step <= 8; step++ {
			messages := math.Pow(10, float64(step)/4)
			f, err := s.pullAt(memory, messages*s.Load)
			if err != nil {
				return nil, err
			}
			bits := math.Min(float64(memory)*math.Log2(servers), servers) // a bit for each server is enough
			field = append(field, fieldPoint{bits, messages, f.Delay})
		}
	}
	return field, nil
}

// pullAt is the fluid with messages per server and mean service time.
func (s ResourceStudy) pullAt(memory int64, messages float64) (*meanfield.PullFixpoint, error) {
	return meanfield.PullEquilibrium(ctmc.PullSystem{
		Load: s.Load, Service: unitExponential, Pull: ctmc.PullRule{Memory: memory, Rate: messages / (1 - s.Load)},
	})
}

// PullSurface draws the trade-off of delay, memory and messages of the pull rule
// with exponential service in the limit of many servers: mean waiting time, in
// mean service times, against messages per server and mean service time, a
// curve for each memory; ctmc.AnyMemory stands for no limit.
func PullSurface(load float64, memories []int64) (*figure.Figure, error) {
	s := ResourceStudy{Load: load}
	f := &figure.Figure{
		Name:    "pull-surface",
		Title:   fmt.Sprintf("Delay, memory and messages: pull with stored IDs, load %g", load),
		Caption: "Mean waiting time in the limit of many servers, exponential service. Without a limit of the memory the delay is 0 from λ messages on.",
		X:       figure.Axis{Label: "messages per server and mean service time", Scale: figure.Log},
		Y:       figure.Axis{Label: "mean waiting time", Scale: figure.Log},
		Size:    figure.DoubleColumn,
		Marks:   []figure.Mark{{Direction: figure.Vertical, At: load, Label: "one message per job"}},
	}
	for _, memory := range memories {
		curve := figure.Series{Name: "c = " + strconv.FormatInt(memory, 10), Kind: ctmc.Limit}
		if memory == ctmc.AnyMemory {
			curve.Name = "no limit of memory"
		}
		for _, messages := range surfaceGrid(load, memory) {
			p, err := s.pullAt(memory, messages)
			if err != nil {
				return nil, err
			}
			if p.Delay < smallestDelay {
				break
			}
			curve.X, curve.Y = append(curve.X, messages), append(curve.Y, p.Delay)
		}
		f.Series = append(f.Series, curve)
	}
	return f, nil
}

// surfaceGrid is a geometric grid of messages; without a limit of the memory it
// ends, ever denser, where the delay vanishes.
func surfaceGrid(load float64, memory int64) []float64 {
	const points, least, most = 120, 1e-3, 1e3
	var grid []float64
	for k := range points + 1 {
		messages := least * math.Pow(most/least, float64(k)/points)
		if memory == ctmc.AnyMemory && messages > load/2 {
			break
		}
		grid = append(grid, messages)
	}
	if memory == ctmc.AnyMemory {
		for k := 6; k <= 110; k++ {
			grid = append(grid, load*(1-math.Pow(10, -float64(k)/20)))
		}
	}
	return grid
}
