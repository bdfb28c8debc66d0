//go:build long

package sim

import (
	"math"
	"testing"
)

// TestPullThousandServers: mean waiting times at 1000 servers that were
// simulated independently of this program (theory, section on memory and
// messages; their standard errors in brackets): .9550(40) and .7574(30).
func TestPullThousandServers(t *testing.T) {
	for _, c := range []struct {
		memory      int64
		rate        float64
		want, error float64
	}{{2, 5, .9550, .0040}, {1, 10, .7574, .0030}} {
		got := runPull(t, pullCase(1000, .9, 0, c.memory, c.rate), Settings{Seed: 1, Events: 3e8})
		delay := got.MeanResponse.Value - 1
		if math.Abs(delay-c.want) > 3*math.Hypot(c.error, got.MeanResponse.StandardError) {
			t.Errorf("memory %d, rate %g: %.5f ± %.5f, published %.4f ± %.4f", c.memory, c.rate, delay, got.MeanResponse.StandardError, c.want, c.error)
		}
		t.Logf("memory %d, rate %g: %.5f ± %.5f", c.memory, c.rate, delay, got.MeanResponse.StandardError)
	}
}
