//go:build long

package meanfield

import "testing"

// TestRandomJourneysLong is the randomised search at length.
func TestRandomJourneysLong(t *testing.T) { search(t, 300, 10000) }
