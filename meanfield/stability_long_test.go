//go:build long

package meanfield

import "testing"

// TestScanStabilityLong scans more starts, also of the slow systems.
func TestScanStabilityLong(t *testing.T) {
	for _, sys := range restSystems() {
		if sys.Load == 1 && !sys.Policy.Smooth() {
			continue // comes to rest as a power of time, see TestCriticalJIQ
		}
		scanAll(t, sys, 100)
	}
}
