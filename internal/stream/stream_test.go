package stream

import "testing"

// TestFirstDraws freezes the streams: results published with a seed must stay
// reproducible. The value is not a truth but a promise.
func TestFirstDraws(t *testing.T) {
	base := Key{Seed: 1, Cell: "jsq", Replication: 0, Purpose: Events}
	first := New(base).Uint64()
	const promised = uint64(4020687582320095935)
	if first != promised {
		t.Errorf("first draw %d, promised %d", first, promised)
	}
	seen := map[uint64]Key{first: base}
	for _, k := range []Key{
		{2, "jsq", 0, Events}, {1, "jsr", 0, Events}, {1, "jsq", 1, Events},
		{1, "jsq", 0, Arrivals}, {1, "jsq", 0, Service}, {1, "jsq", 0, Routing}, {1, "jsq", 0, Pilot},
		{1, "jsqe", 0, "vents"}, {1, "", 0, "jsqevents"},
	} {
		v := New(k).Uint64()
		if other, dup := seen[v]; dup {
			t.Errorf("%+v and %+v share a stream", k, other)
		}
		seen[v] = k
	}
}
