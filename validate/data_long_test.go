//go:build long

package validate

import "testing"

// TestWholePublishedFile goes through unchanged, and every row is explained.
func TestWholePublishedFile(t *testing.T) { checkPublished(t, publishedPowerOfD, 0) }
