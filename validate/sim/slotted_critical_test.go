package sim

import (
	"context"
	"reflect"
	"testing"

	"qlimit/ctmc/slotted"
)

// TestDetectionFindsKnownLoads: random routing to servers of rates 1 and 3 is
// stable up to load 1/2, weighted routing up to 1.
func TestDetectionFindsKnownLoads(t *testing.T) {
	m := &slotted.Model{Rates: []float64{1, 3}}
	settings := SlottedSettings{Seed: 1, Slots: 1e5}
	d, err := DetectCritical(context.Background(), m, slotted.Random(), .05, settings)
	if err != nil {
		t.Fatal(err)
	}
	if d.Stable >= .5 || d.Unstable <= .5 || d.Unstable-d.Stable > .1 || d.Confidence < .99 {
		t.Errorf("random: %+v", d)
	}
	settings.Threads = 1
	if again, err := DetectCritical(context.Background(), m, slotted.Random(), .05, settings); err != nil || !reflect.DeepEqual(again, d) {
		t.Errorf("one thread: %+v, %v", again, err)
	}
	w, err := DetectCritical(context.Background(), m, slotted.Weighted(), .05, settings)
	if err != nil || w.Stable != highestTested || w.Estimated() != 1 || len(w.Trials) != 1 {
		t.Errorf("weighted: %+v, %v", w, err)
	}
}

func TestDetectionInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := DetectCritical(ctx, &slotted.Model{Rates: []float64{1, 3}}, slotted.Random(), .05, SlottedSettings{Slots: 1e5}); err == nil {
		t.Error("a cancelled search answered")
	}
}
