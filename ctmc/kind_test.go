package ctmc

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestKindAsText: the names are those of the documents, and are read back.
func TestKindAsText(t *testing.T) {
	kinds := []Kind{Exact, Limit, LowerBound, UpperBound, Conjecture, Estimate}
	text, err := json.Marshal(kinds)
	if err != nil || string(text) != `["exact","limit","lower-bound","upper-bound","conjecture","estimate"]` {
		t.Fatalf("%s, %v", text, err)
	}
	var read []Kind
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	for i, kind := range kinds {
		if read[i] != kind {
			t.Errorf("%v is read as %v", kind, read[i])
		}
	}
	for _, wrong := range []string{"", "Exact", "work", "Kind(0)"} {
		var k Kind
		if err := k.UnmarshalText([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "must be exact, limit") || k != 0 {
			t.Errorf("%q is read as %v, %v", wrong, k, err)
		}
	}
}
