package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Times without a word after which a command says that it is still at work:
// the first time and later.
const (
	firstSilence = 20 * time.Second
	laterSilence = time.Minute
)

// voice is standard error. A command that shows no progress of its own, because
// nobody knows how far it has come, is not left in silence.
type voice struct {
	to io.Writer

	mu    sync.Mutex
	begun time.Time
	last  time.Time     // of the last word
	bars  int           // shown now
	beats int           // times it has said so
	done  chan struct{} // nil before begin
}

func (v *voice) Write(text []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = time.Now()
	return v.to.Write(text)
}

// begin watches the silence from now on.
func (v *voice) begin() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.begun, v.done = time.Now(), make(chan struct{})
	v.last = v.begun
	go v.watch(v.done)
}

func (v *voice) watch(done chan struct{}) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-ticks.C:
			v.beat(now)
		}
	}
}

// beat breaks a silence that has lasted too long.
func (v *voice) beat(now time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	longest := firstSilence
	if v.beats > 0 {
		longest = laterSilence
	}
	if v.bars > 0 || now.Sub(v.last) < longest {
		return
	}
	v.last = now
	v.beats++
	fmt.Fprintf(v.to, "qlimit: still at work after %v; how long it takes is not known (Ctrl-C ends it)\n", now.Sub(v.begun).Round(time.Second))
}

// end stops watching.
func (v *voice) end() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.done != nil {
		close(v.done)
		v.done = nil
	}
}

// draw leaves the terminal to a bar, until the function it returns is called.
func (v *voice) draw() (stop func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.bars++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.bars--
		v.last = time.Now()
	}
}
