//go:build long

package sim

import (
	"context"
	"testing"

	"qlimit/ctmc/slotted"
)

// TestDetectionAgreesWithSaturation: JIQ on two pools of five, rates 1 and 10,
// by both ways; SQ(2) 9/22, with replacement 4/11.
func TestDetectionAgreesWithSaturation(t *testing.T) {
	m := &slotted.Model{Rates: []float64{1, 1, 1, 1, 1, 10, 10, 10, 10, 10}}
	s, err := CriticalBySaturation(context.Background(), m, slotted.JIQ(), SlottedSettings{Seed: 2})
	if err != nil || s.Critical.HalfWidth > 1e-3 {
		t.Fatal(s, err)
	}
	for _, c := range []struct {
		policy slotted.Policy
		want   float64
	}{{slotted.JIQ(), s.Critical.Value}, {slotted.SQ(2, false), 9. / 22}, {slotted.SQ(2, true), 4. / 11}} {
		d, err := DetectCritical(context.Background(), m, c.policy, .02, SlottedSettings{Seed: 2, Slots: 1e6})
		if err != nil || d.Stable > c.want+1e-3 || d.Unstable < c.want-1e-3 || d.Unstable-d.Stable > .04 {
			t.Errorf("%v: [%.4f, %.4f], want %.4f; %v", c.policy, d.Stable, d.Unstable, c.want, err)
		}
	}
}
