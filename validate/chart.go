package validate

import (
	"fmt"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/figure"
)

// PublishedChart draws the published power-of-d data of a report: mean jobs
// per server against the load, the mean-field limit as a curve, published
// averages as points on the line of our simulations, for the smallest and the
// largest number of servers. It returns nil if the report holds none.
func PublishedChart(r *Report) (*figure.Figure, error) {
	rows := publishedRows(r)
	if len(rows) == 0 {
		return nil, nil
	}
	smallest, largest := rows[0].System.Servers, rows[0].System.Servers
	lowest, highest := rows[0].System.Load, rows[0].System.Load
	for _, row := range rows {
		smallest, largest = min(smallest, row.System.Servers), max(largest, row.System.Servers)
		lowest, highest = min(lowest, row.System.Load), max(highest, row.System.Load)
	}
	curve, err := meanFieldCurve(rows[0].System.Policy, lowest, highest)
	if err != nil {
		return nil, err
	}
	f := &figure.Figure{
		Name:    "published-power-of-d",
		Title:   "Power of two choices, exponential service",
		Caption: "Mean-field limit, published simulation averages (" + PublishedReference + ") and simulations by qlimit with 95% intervals.",
		X:       figure.Axis{Label: "load λ"},
		Y:       figure.Axis{Label: "mean jobs per server"},
		Size:    figure.DoubleColumn,
		Series:  []figure.Series{curve},
	}
	for group, servers := range []int64{smallest, largest} {
		f.Series = append(f.Series, pointSeries(rows, servers, group+2)...)
		if smallest == largest {
			break
		}
	}
	return f, nil
}

// publishedRows are the rows that hold our simulation against published values.
func publishedRows(r *Report) []Row {
	var rows []Row
	for _, row := range r.Rows {
		if row.Method == Published && row.Quantity == MeanJobs {
			rows = append(rows, row)
		}
	}
	return rows
}

func meanFieldCurve(p ctmc.Policy, lowest, highest float64) (figure.Series, error) {
	const points = 120
	s := figure.Series{Name: "mean-field limit", Kind: ctmc.Limit, Style: figure.Line, Group: 1}
	for k := 0; k <= points; k++ {
		load := lowest + (highest-lowest)*float64(k)/points
		f, err := meanfield.Equilibrium(ctmc.System{Load: load, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: p})
		if err != nil {
			return s, err
		}
		s.X, s.Y = append(s.X, load), append(s.Y, f.MeanJobs)
	}
	return s, nil
}

// pointSeries are our simulations, a line with the band of its intervals, and
// the published points on it, for one number of servers.
func pointSeries(rows []Row, servers int64, group int) []figure.Series {
	published := figure.Series{Name: fmt.Sprintf("published, N = %d", servers), Kind: ctmc.Estimate, Style: figure.Points, Group: group}
	ours := figure.Series{Name: fmt.Sprintf("qlimit simulation, N = %d", servers), Kind: ctmc.Estimate, Style: figure.Line, Dash: figure.Dashed, Group: group}
	for _, row := range rows {
		if row.System.Servers != servers {
			continue
		}
		published.X, published.Y = append(published.X, row.System.Load), append(published.Y, row.Theory)
		ours.X, ours.Y = append(ours.X, row.System.Load), append(ours.Y, row.Simulated)
		ours.Low, ours.High = append(ours.Low, row.Simulated-row.HalfWidth), append(ours.High, row.Simulated+row.HalfWidth)
	}
	return []figure.Series{ours, published} // the published points on top
}
