package main

import (
	"bytes"
	"testing"
	"time"
)

// TestSilence: a command that says nothing is announced after 20 s, then every
// minute; its own words count, and a bar is left alone.
func TestSilence(t *testing.T) {
	var stderr bytes.Buffer
	begun := time.Unix(0, 0)
	at := func(seconds int) time.Time { return begun.Add(time.Duration(seconds) * time.Second) }
	v := &voice{to: &stderr, begun: begun, last: begun}
	for second := range 100 {
		v.beat(at(second))
	}
	const announced = "qlimit: still at work after 20s; how long it takes is not known (Ctrl-C ends it)\n" +
		"qlimit: still at work after 1m20s; how long it takes is not known (Ctrl-C ends it)\n"
	if stderr.String() != announced {
		t.Errorf("%q, want %q", stderr.String(), announced)
	}

	stderr.Reset()
	v = &voice{to: &stderr, begun: begun, last: begun}
	stop := v.draw()
	for second := range 100 {
		v.beat(at(second))
	}
	stop()
	if stderr.Len() > 0 {
		t.Errorf("beside a bar: %q", stderr.String())
	}
	if _, err := v.Write([]byte("a word\n")); err != nil || stderr.String() != "a word\n" || time.Since(v.last) > time.Minute {
		t.Errorf("%q, %v, last word at %v", stderr.String(), err, v.last)
	}
}
