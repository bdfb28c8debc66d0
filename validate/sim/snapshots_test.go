package sim

import (
	"context"
	"errors"
	"math"
	"testing"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// TestSnapshotsAgainstExactLaw: snapshots see the stationary law, of one phase
// and of two, also where events are rare between them.
func TestSnapshotsAgainstExactLaw(t *testing.T) {
	for _, s := range []ctmc.System{
		{Servers: 3, Load: 0.7, Buffer: 3, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JIQ()},
		{Servers: 3, Load: 1.2, Buffer: 2, Service: coxian.Dist{Mu1: 4, P: 0.5, Mu2: 1}, Policy: ctmc.PowerOfD(2, true)},
	} {
		exact, err := ctmc.SolveStationary(context.Background(), s, ctmc.SolverSettings{}, 0)
		if err != nil {
			t.Fatal(err)
		}
		const count, batches = 40_000, 40
		phases := s.Phases()
		sums := make([][batches]float64, s.Buffer+1)
		k := 0
		settings := SnapshotSettings{Seed: 1, WarmUp: 50, Every: 0.3, Count: count}
		err = Snapshots(context.Background(), s, settings, func(time float64, counts []int64) error {
			if want := 50 + 0.3*float64(k); math.Abs(time-want) > 1e-9*want {
				t.Fatalf("time %g, want %g", time, want)
			}
			total := int64(0)
			for c, n := range counts {
				sums[(c+phases-1)/phases][k*batches/count] += float64(n) / float64(s.Servers) * batches / count
				total += n
			}
			if total != s.Servers {
				t.Fatalf("%v does not add to %d", counts, s.Servers)
			}
			k++
			return nil
		})
		if err != nil || k != count {
			t.Fatal(k, err)
		}
		for level, means := range sums {
			mean, square := 0.0, 0.0
			for _, x := range means {
				mean += x / batches
			}
			for _, x := range means {
				square += (x - mean) * (x - mean)
			}
			se := math.Sqrt(square / (batches - 1) / batches)
			if math.Abs(mean-exact.Occupancy[level]) > 4.5*se {
				t.Errorf("%v: level %d: %g ± %g, exact %g", s, level, mean, se, exact.Occupancy[level])
			}
		}
	}
}

func TestSnapshotsRefusals(t *testing.T) {
	s := ctmc.System{Servers: 3, Load: 0.7, Service: coxian.Dist{Mu1: 1, P: 0, Mu2: 1}, Policy: ctmc.JSQ()}
	for _, settings := range []SnapshotSettings{{Every: 0, Count: 1}, {Every: 1}, {Every: math.Inf(1), Count: 1}, {Every: 1, Count: 1, WarmUp: -1}} {
		var field *ctmc.FieldError
		if err := Snapshots(context.Background(), s, settings, nil); !errors.As(err, &field) {
			t.Errorf("%+v: %v", settings, err)
		}
	}
	stop := errors.New("enough")
	if err := Snapshots(context.Background(), s, SnapshotSettings{Every: 1, Count: 5}, func(float64, []int64) error { return stop }); err != stop {
		t.Errorf("error of the caller: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Snapshots(ctx, s, SnapshotSettings{Every: 1, WarmUp: 1e9, Count: 1}, func(float64, []int64) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
