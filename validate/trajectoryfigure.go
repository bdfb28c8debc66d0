package validate

import (
	"fmt"
	"math"

	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/figure"
)

// trajectoryPoints is the number of points of a drawn path.
const trajectoryPoints = 400

// TrajectoryTimes are evenly spaced times from 0 to until, or to 20 mean
// service times if until is 0, in the unit of the service law.
func TrajectoryTimes(s ctmc.System, until float64) []float64 {
	if until == 0 {
		until = 20 * s.Service.Mean()
	}
	times := make([]float64, trajectoryPoints+1)
	for k := range times {
		times[k] = until * float64(k) / trajectoryPoints
	}
	return times
}

// mostLevelCurves is the number of levels drawn each on its own.
const mostLevelCurves = 6

// TrajectoryFigure draws a path of the mean-field limit: the fractions of
// servers with exactly 0, 1, 2, .. jobs against time, and the times at which
// the regime changes as vertical lines.
func TrajectoryFigure(s ctmc.System, p *meanfield.Path) (*figure.Figure, error) {
	if len(p.Times) < 2 {
		return nil, fmt.Errorf("a path needs at least two times, not %d", len(p.Times))
	}
	f := &figure.Figure{
		Name:    "trajectory",
		Title:   fmt.Sprintf("%s, load %g, %s: mean-field limit", s.Policy, s.Load, s.Service),
		Caption: fmt.Sprintf("Fractions of servers by number of jobs in the many-server limit of %s, load %g, service %s; vertical lines mark changes of regime.", s.Policy, s.Load, s.Service),
		X:       figure.Axis{Label: "time (unit of the service law)"},
		Y:       figure.Axis{Label: "fraction of servers"},
		Size:    figure.DoubleColumn,
	}
	drawn := min(highestLevel(p)+1, mostLevelCurves)
	for level := 0; level < drawn; level++ {
		f.Series = append(f.Series, levelSeries(p, level))
	}
	if highestLevel(p)+1 > drawn {
		f.Series = append(f.Series, restSeries(p, drawn))
	}
	for i := range f.Series {
		f.Series[i].Kind = p.Kind
	}
	f.Marks = regimeMarks(p)
	return f, nil
}

// mostMarks is the number of regime changes up to which each is marked.
const mostMarks = 12

// regimeMarks are vertical lines at the changes of regime, the first one
// labelled; none where there are too many to tell apart.
func regimeMarks(p *meanfield.Path) []figure.Mark {
	var marks []figure.Mark
	for _, change := range p.RegimeChanges {
		if change.Time > 0 {
			marks = append(marks, figure.Mark{Direction: figure.Vertical, At: change.Time})
		}
	}
	if len(marks) == 0 || len(marks) > mostMarks {
		return nil
	}
	marks[0].Label = "regime change"
	return marks
}

// highestLevel is the highest level that is seen in the figure.
func highestLevel(p *meanfield.Path) int {
	const visible = 1e-3
	highest := 1
	for _, row := range p.ByJobs {
		for level, q := range row {
			if q > visible {
				highest = max(highest, level)
			}
		}
	}
	return highest
}

func levelSeries(p *meanfield.Path, level int) figure.Series {
	name := fmt.Sprintf("%d jobs", level)
	switch level {
	case 0:
		name = "idle"
	case 1:
		name = "1 job"
	}
	return figure.Series{Name: name, Style: figure.Line, X: p.Times, Y: fractionOver(p, level, level)}
}

func restSeries(p *meanfield.Path, from int) figure.Series {
	return figure.Series{Name: fmt.Sprintf("%d jobs or more", from), Style: figure.Line, X: p.Times, Y: fractionOver(p, from, math.MaxInt)}
}

// fractionOver is the fraction of servers with low to high jobs, by time.
func fractionOver(p *meanfield.Path, low, high int) []float64 {
	y := make([]float64, len(p.Times))
	for k, row := range p.ByJobs {
		for level := low; level <= high && level < len(row); level++ {
			y[k] += row[level]
		}
	}
	return y
}
