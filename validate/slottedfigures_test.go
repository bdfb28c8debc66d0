package validate

import (
	"context"
	"math"
	"strings"
	"testing"

	"qlimit/ctmc/slotted"
	"qlimit/validate/sim"
)

func slottedPolicies(t *testing.T, texts ...string) []slotted.Policy {
	t.Helper()
	var list []slotted.Policy
	for _, text := range texts {
		p, err := slotted.ParsePolicy(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

func smallSlotted(ctx context.Context) sim.SlottedSettings {
	return sim.SlottedSettings{Slots: 4e4, PooledMean: SlottedPooledMean(ctx)}
}

// Response curves lie above the pooled bound, JSQ below SQ(2), and a policy's
// curve ends at the loads it carries, here 9/22, which is marked.
func TestSlottedFigure(t *testing.T) {
	rates, err := slotted.ParseRates("1x5,10x5")
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	study := SlottedStudy{Model: slotted.Model{Rates: rates}, Policies: slottedPolicies(t, "sq:d=2", "jsq"), Loads: []float64{0.2, 0.3, 0.6}, Settings: smallSlotted(ctx)}
	points, err := study.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	f, err := SlottedFigure(&study.Model, points, SlottedView{Name: "test", Pooled: true, Critical: true})
	renders(t, f, err)
	sampled, shortest, bound := f.Series[0], f.Series[1], f.Series[2]
	if len(sampled.X) != 2 || len(shortest.X) != 3 || len(bound.X) != 3 {
		t.Fatalf("%d points of SQ(2), %d of JSQ, %d of the bound", len(sampled.X), len(shortest.X), len(bound.X))
	}
	for k := range shortest.X {
		if shortest.Y[k] < bound.Y[k] || k < 2 && sampled.Y[k] < shortest.Y[k] {
			t.Errorf("load %g: JSQ %g, bound %g", shortest.X[k], shortest.Y[k], bound.Y[k])
		}
	}
	if len(f.Marks) != 1 || math.Abs(f.Marks[0].At-9./22) > 1e-12 || !strings.Contains(f.Marks[0].Label, "9/22") {
		t.Errorf("marks %v", f.Marks)
	}
	f, err = SlottedFigure(&study.Model, points, SlottedView{Name: "test", Messages: true, Log: true})
	renders(t, f, err)
	if y := f.Series[1].Y[0]; y != 20 {
		t.Errorf("JSQ needs %g messages", y)
	}
}

// Messages fall as T grows and stay below 1 + (2d + N)/T per slot with
// arrivals; JBT-N that sets its threshold in every slot is JSQ in delay.
func TestSlottedPeriods(t *testing.T) {
	ctx := context.Background()
	study := SlottedPeriods{Model: slotted.Model{Rates: []float64{1, 1, 1, 1}, Load: 0.95}, Samples: []int64{4}, Periods: []int64{1, 10, 100}, Settings: smallSlotted(ctx)}
	r, err := study.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	messages, delay := r.Figure(true), r.Figure(false)
	renders(t, messages, nil)
	renders(t, delay, nil)
	measured, bound := messages.Series[0], messages.Series[1]
	for k := range measured.X {
		if k > 0 && measured.Y[k] >= measured.Y[k-1] || measured.Y[k] >= bound.Y[k]/(1-math.Exp(-3.8)) {
			t.Errorf("T = %g: %g messages, bound %g", measured.X[k], measured.Y[k], bound.Y[k])
		}
	}
	if first, jsq := delay.Series[0].Y[0], delay.Series[2].Y[0]; math.Abs(first/jsq-1) > 0.05 {
		t.Errorf("JBT-N with T = 1: %g, JSQ %g", first, jsq)
	}
}

func TestSlottedStudyRefusals(t *testing.T) {
	ctx := context.Background()
	m := slotted.Model{Rates: []float64{1, 1}}
	if _, err := (SlottedStudy{Model: m, Policies: slottedPolicies(t, "jsq"), Loads: []float64{0.5}}).Run(ctx); err == nil {
		t.Error("a single load was taken")
	}
	if _, err := (SlottedStudy{Model: m, Policies: slottedPolicies(t, "jsq"), Loads: []float64{0, 0.5}}).Run(ctx); err == nil {
		t.Error("load 0 was taken")
	}
	if _, err := (SlottedStudy{Model: m, Loads: []float64{0.5, 0.6}}).Run(ctx); err == nil {
		t.Error("a study without policies was taken")
	}
	if _, err := (SlottedPeriods{Model: m, Samples: []int64{1}, Periods: []int64{1}}).Run(ctx); err == nil {
		t.Error("a single period was taken")
	}
}
