package figure

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// go test -figures=DIR writes the samples there in every format, to be looked
// at.
var figuresDir = flag.String("figures", "", "directory to write the sample figures to")

func grid(lo, hi float64, n int) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = lo + (hi-lo)*float64(i)/float64(n-1)
	}
	return xs
}

func mapped(xs []float64, f func(float64) float64) []float64 {
	ys := make([]float64, len(xs))
	for i, x := range xs {
		ys[i] = f(x)
	}
	return ys
}

func interval(ys []float64, half func(y float64) float64) (low, high []float64) {
	for _, y := range ys {
		low = append(low, y-half(y))
		high = append(high, y+half(y))
	}
	return low, high
}

// samples are figures of the kinds the literature shows; the numbers are
// made up where a formula would not fit on a line.
func samples() map[string]*Figure {
	return map[string]*Figure{
		"theory":       theorySample(),
		"loglog":       logLogSample(),
		"many":         manySample(),
		"trajectories": trajectorySample(),
		"fan":          fanSample(),
		"tails":        tailSample(),
		"edge":         edgeSample(),
	}
}

func theorySample() *Figure {
	loads, points := grid(0, 0.95, 200), grid(0.1, 0.9, 9)
	f := &Figure{
		Name: "theory", Title: "Mean queue length against load",
		Caption: "Lines: mean field; points: simulation of 100 servers.",
		X:       Axis{Label: "Load λ"}, Y: Axis{Label: "Mean jobs per server"},
	}
	for i, law := range []struct {
		name string
		mean func(float64) float64
	}{
		{"Random", func(r float64) float64 { return r / (1 - r) }},
		{"Power of 2", func(r float64) float64 {
			s := 0.0
			for k := 1; k < 30; k++ {
				s += math.Pow(r, math.Pow(2, float64(k))-1)
			}
			return s
		}},
		{"JSQ", func(r float64) float64 { return r }},
	} {
		ys := mapped(points, law.mean)
		low, high := interval(ys, func(y float64) float64 { return 0.12 * y })
		f.Series = append(f.Series,
			Series{Name: law.name + ", theory", X: loads, Y: mapped(loads, law.mean), Group: i + 1},
			Series{Name: law.name + ", N = 100", X: points, Y: ys, Low: low, High: high, Style: Points, Group: i + 1})
	}
	f.Y.Max = new(10.0)
	return f
}

func logLogSample() *Figure {
	ns := []float64{10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000}
	f := &Figure{
		Name: "loglog", Title: "Delay vanishes as N⁻¹ under I1F and as N^(-1/2) under JIQ",
		X: Axis{Label: "Number of servers N", Scale: Log},
		Y: Axis{Label: "Mean delay (units of μ⁻¹)", Scale: Log},
	}
	for i, policy := range []struct {
		name        string
		scale, rate float64
	}{{"JIQ", 2, -0.5}, {"I1F", 1.5, -1}, {"JSQ", 0.8, -1}} {
		law := func(n float64) float64 { return policy.scale * math.Pow(n, policy.rate) }
		ys := mapped(ns, func(n float64) float64 { return law(n) * (1 + 1/math.Sqrt(n)) })
		low, high := interval(ys, func(y float64) float64 { return y * (0.2 + 0.9*float64(i)*y) })
		low[len(low)-1] = -1e-5
		f.Series = append(f.Series,
			Series{Name: policy.name + " limit", X: ns, Y: mapped(ns, law), Group: i + 1},
			Series{Name: policy.name + " simulated", X: ns, Y: ys, Low: low, High: high, Style: Points, Group: i + 1})
	}
	return f
}

func manySample() *Figure {
	f := &Figure{
		Name: "many", Title: "Relative error of eight approximations", Size: DoubleColumn,
		X: Axis{Label: "Load ρ"}, Y: Axis{Label: "Relative error |ε|"},
	}
	xs := grid(0.5, 0.99, 25)
	for k := range 9 {
		f.Series = append(f.Series, Series{
			Name: fmt.Sprintf("d = %d, scv = %g", k+2, 0.5+float64(k)),
			X:    xs, Y: mapped(xs, func(x float64) float64 {
				return 0.3 * math.Exp(-float64(k)/3) * (1 + math.Sin(6*x+float64(k))*x)
			}),
			Style: []Style{Line, LinePoints}[k%2],
		})
	}
	return f
}

func trajectorySample() *Figure {
	random := rand.New(rand.NewPCG(1, 2))
	f := &Figure{
		Name: "trajectories", Title: "Occupancy of 1000 servers with two changes of load", Size: DoubleColumn,
		X: Axis{Label: "Time t (mean service times)"}, Y: Axis{Label: "Fraction of servers with at least i jobs"},
		Marks: []Mark{
			{At: 10, Label: "load 0.7 → 0.95"}, {At: 30, Label: "load 0.95 → 0.5"},
			{Direction: Horizontal, At: 0.95, Label: "λ = 0.95"},
		},
	}
	target := func(t float64, i int) float64 {
		load := 0.7
		if t > 10 {
			load = 0.95 - 0.25*math.Exp(-(t-10)/2)
		}
		if t > 30 {
			load = 0.5 + 0.45*math.Exp(-(t-30)/2)
		}
		return math.Pow(load, math.Pow(2, float64(i))-1)
	}
	coarse, fine := grid(0, 50, 400), grid(0, 50, 20000)
	for i := 1; i <= 3; i++ {
		noise := 0.0
		path := mapped(fine, func(t float64) float64 {
			noise += -noise*0.01 + 0.0016*random.NormFloat64()
			return clamp(math.Round(1000*(target(t, i)+noise))/1000, 0, 1)
		})
		f.Series = append(f.Series,
			Series{X: fine, Y: path, Style: Step, Group: i, Faint: true},
			Series{Name: fmt.Sprintf("i = %d, fluid limit", i), Group: i,
				X: coarse, Y: mapped(coarse, func(t float64) float64 { return target(t, i) })})
	}
	f.Series[0].Name = "simulated (i = 1)"
	return f
}

func fanSample() *Figure {
	xs := grid(0, 20, 60)
	middle := mapped(xs, func(t float64) float64 { return 3 - 2*math.Exp(-t/4) })
	f := &Figure{
		Name: "fan", Title: "Quantiles of the diffusion started at x₀ = 1",
		X: Axis{Label: "Time t"}, Y: Axis{Label: "Scaled queue length Q̂(t) = (Q − Nλ)/√N"},
	}
	for _, width := range []struct {
		name string
		z    float64
	}{{"98 %", 2.33}, {"80 %", 1.28}, {"50 %", 0.67}} {
		var low, high []float64
		for i, t := range xs {
			half := width.z * math.Sqrt(1-math.Exp(-t/2)) * 0.6
			low, high = append(low, middle[i]-half), append(high, middle[i]+half)
		}
		f.Series = append(f.Series, Series{Name: width.name, X: xs, Low: low, High: high, Style: Band, Group: 1})
	}
	f.Series = append(f.Series, Series{Name: "median", X: xs, Y: middle, Group: 1})
	return f
}

// tailSample spans 300 decades and has zeros on its log axis.
func tailSample() *Figure {
	ks := grid(0, 10, 11)
	return &Figure{
		Name: "tails", X: Axis{Label: "Level k"}, Y: Axis{Label: "P(Q ≥ k)", Scale: Log},
		Series: []Series{
			{Name: "Power of 2", X: ks, Y: mapped(ks, func(k float64) float64 { return math.Pow(0.5, math.Pow(2, k)-1) }), Style: LinePoints},
			{Name: "empirical", X: ks, Y: []float64{1, .5, .12, .008, 3e-5, 0, 0, 0, 0, 0, 0}, Style: Points},
		},
	}
}

// edgeSample has long words everywhere, a constant series, large numbers and
// many entries too wide for the plot.
func edgeSample() *Figure {
	xs := grid(1e6, 4e6, 7)
	f := &Figure{
		Name: "edge",
		Title: "A title that goes on and on about the mean number of jobs in a system of very many servers, " +
			"under a policy with memory and a name too long for one line",
		X: Axis{Label: "An abscissa whose label would not fit on the line below a plot one column wide, not by far"},
		Y: Axis{Label: "An ordinate whose label is taller than the plot is high when set in one line"},
		Marks: []Mark{{At: 2e6, Label: "a mark"}, {At: 2.02e6, Label: "another mark"},
			{Direction: Horizontal, At: 1.00000002, Label: "a level with a label that is much too long for the width of the plot it is in, really"}},
	}
	for k := range 7 {
		f.Series = append(f.Series, Series{
			Name: fmt.Sprintf("entry %d with a name of some length", k+1), X: xs,
			Y: mapped(xs, func(float64) float64 { return 1 + float64(k)*1e-8 }),
		})
	}
	f.Series[6].Name = "an entry so long that it cannot be written on a single line below the plot, and hardly on two lines either, whatever one does"
	return f
}

func TestWriteSamples(t *testing.T) {
	if *figuresDir == "" {
		t.Skip("no -figures directory given")
	}
	for name, f := range samples() {
		for _, format := range []Format{PDF, SVG, PNG, TeX} {
			if err := f.WriteFile(filepath.Join(*figuresDir, name+"."+format.String())); err != nil {
				t.Error(err)
			}
		}
		if err := f.WriteDataFile(filepath.Join(*figuresDir, name+".csv")); err != nil {
			t.Error(err)
		}
		for _, w := range f.Warnings {
			fmt.Fprintln(os.Stderr, name+":", w)
		}
	}
}
