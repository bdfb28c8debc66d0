package validate

import (
	"fmt"
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/diffusion"
	"qlimit/validate/figure"
)

// VariabilityFigure draws the mean number of jobs per server in the
// non-degenerate slowdown limits against the squared coefficient of variation
// of the service time, at fixed α. The laws are the two-moment Coxian-2 ones
// with μ1 = 2, p = 1/(2 scv), μ2 = 1/scv. CQ and IQF depend on the scv only,
// 1 + (1 + scv)/(2α) and 1 + (1 + scv)/α; JSQ on the law.
func VariabilityFigure(spare float64) (*figure.Figure, error) {
	const points, lowest, highest = 60, 0.5, 100.0
	f := &figure.Figure{
		Name:    "nds-variability",
		Title:   fmt.Sprintf("Non-degenerate slowdown, arrival rate N − %g: what variable service costs", spare),
		Caption: "Mean jobs per server in the limit N → ∞ against the squared coefficient of variation of Coxian-2 service times (mean 1, μ1 = 2); proved for scv 1 (exponential), elsewhere a conjecture.",
		X:       figure.Axis{Label: "scv of the service time", Scale: figure.Log},
		Y:       figure.Axis{Label: "mean jobs per server", Scale: figure.Log},
		Size:    figure.DoubleColumn,
	}
	for group, d := range []diffusion.Discipline{diffusion.CQ, diffusion.JSQ, diffusion.IQF} {
		s := figure.Series{Name: disciplineTitle(d), Kind: ctmc.Conjecture, Group: group + 1}
		for i := range points + 1 {
			scv := lowest * math.Pow(highest/lowest, float64(i)/points)
			law := coxian.Dist{Mu1: 2, P: 1 / (2 * scv), Mu2: 1 / scv}
			mean, err := diffusion.NDS{Discipline: d, Spare: spare, Service: law}.MeanJobs()
			if err != nil {
				return nil, err
			}
			s.X, s.Y = append(s.X, scv), append(s.Y, mean)
		}
		f.Series = append(f.Series, s)
	}
	return f, nil
}
