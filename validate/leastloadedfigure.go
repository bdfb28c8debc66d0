package validate

import (
	"fmt"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/validate/figure"
)

// LeastLoadedFigure draws the mean response in the limit of many servers against
// the load: the least work of d sampled servers, LL(d), beside the fewest jobs,
// SQ(d) (Hellemans, Van Houdt 2018).
func LeastLoadedFigure(choices []int64, service coxian.Dist) (*figure.Figure, error) {
	f := &figure.Figure{
		Name:    "least-loaded",
		Title:   fmt.Sprintf("Least work against fewest jobs of d servers, service %s", service),
		Caption: "Mean response in the limit N → ∞, in the unit of the service law; LL(d) joins the server with the least work of d sampled, SQ(d) the one with the fewest jobs.",
		X:       figure.Axis{Label: "load λ"},
		Y:       figure.Axis{Label: "mean response", Scale: figure.Log},
		Size:    figure.DoubleColumn,
	}
	const points, highest = 48, 0.99
	for i, d := range choices {
		work := figure.Series{Name: fmt.Sprintf("LL(%d)", d), Group: i + 1, Dash: figure.Solid}
		jobs := figure.Series{Name: fmt.Sprintf("SQ(%d)", d), Group: i + 1, Dash: figure.Dashed}
		for k := 1; k <= points; k++ {
			left := 1 - float64(k)/points
			load := highest * (1 - left*left) // denser near load 1
			delay, err := meanfield.LeastLoaded(d, load, service)
			if err != nil {
				return nil, err
			}
			shortest, err := meanfield.Equilibrium(ctmc.System{Servers: d, Load: load, Service: service, Policy: ctmc.PowerOfD(d, true)})
			if err != nil {
				return nil, err
			}
			work.Kind, jobs.Kind = delay.Kind, shortest.Kind
			work.X, work.Y = append(work.X, load), append(work.Y, delay.MeanResponse)
			jobs.X, jobs.Y = append(jobs.X, load), append(jobs.Y, shortest.MeanResponse)
		}
		f.Series = append(f.Series, work, jobs)
	}
	return f, nil
}
