package sim

import (
	"bufio"
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"qlimit/ctmc"
	"qlimit/internal/wholefile"
)

// checkpointVersion changes with the layout of the file and with anything that
// changes what a seed leads to.
const checkpointVersion = 2

// checkpointPause is the time between two checkpoints, unless a test has asked
// for another.
const checkpointPause = 20 * time.Second

// checkpoint is everything that a run needs to go on as if it had never
// stopped. It is taken between cells, where all integrals start from zero.
type checkpoint struct {
	Version      int
	Run          string // which run it belongs to
	Elapsed      time.Duration
	Goal         int
	Reached      bool
	Series       []byte
	Replications []savedReplication
}

type savedReplication struct {
	Events int64
	Random []byte
	State  Start
	Stored int64 // IDs in the memory of the dispatcher
	Pooled [3]int64
}

// identity names all that the states of a run depend on.
func (e *experiment) identity() string {
	s := e.settings
	return fmt.Sprintf("%v; seed %d, %d replications, %d events, sequential %t, controls %d, start %v",
		e.system, s.Seed, s.Replications, s.Events, s.sequential(), s.Controls, s.Start)
}

// save writes a checkpoint if there is a file for it. A run does not end
// because it cannot be saved, but its result says so.
func (e *experiment) save() {
	if e.settings.Checkpoint == "" {
		return
	}
	e.saved = time.Now()
	text, err := e.snapshot()
	if err == nil {
		err = wholefile.Write(e.settings.Checkpoint, text)
	}
	e.troubles = nil
	if err != nil {
		e.troubles = []string{fmt.Sprintf("the last checkpoint could not be written to %s: %v", e.settings.Checkpoint, err)}
	}
}

func (e *experiment) snapshot() ([]byte, error) {
	series, err := e.series.MarshalBinary()
	if err != nil {
		return nil, err
	}
	c := checkpoint{
		Version: checkpointVersion, Run: e.identity(),
		Elapsed: e.before + time.Since(e.started), Goal: e.goal, Reached: e.reached, Series: series,
	}
	for r, state := range e.states {
		random, err := e.random[r].MarshalBinary()
		if err != nil {
			return nil, err
		}
		start, stored := state.state()
		saved := savedReplication{Events: e.events[r], Random: random, State: start, Stored: stored}
		if o, ok := state.(*occupancy); ok && o.pooled != nil {
			saved.Pooled = o.pooled.jobs
		}
		c.Replications = append(c.Replications, saved)
	}
	var text bytes.Buffer
	err = gob.NewEncoder(&text).Encode(c)
	return text.Bytes(), err
}

// resume goes back to the checkpoint if there is one. A file that cannot be
// read, or that belongs to another run, is an error: it might be precious.
func (e *experiment) resume() error {
	name := e.settings.Checkpoint
	if name == "" {
		return nil
	}
	info, err := os.Stat(name) // before it is opened: a pipe would wait for a writer
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wholefile.Check(name)
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no checkpoint of a simulation: not a regular file", name)
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var c checkpoint
	if err := gob.NewDecoder(bufio.NewReader(file)).Decode(&c); err != nil {
		return fmt.Errorf("%s is no checkpoint of a simulation, or a damaged one: %w", name, err)
	}
	switch {
	case c.Version != checkpointVersion:
		return &ctmc.FieldError{Field: "checkpoint", Value: name, Allowed: "a file written by this version of the program"}
	case c.Run != e.identity():
		return &ctmc.FieldError{Field: "checkpoint", Value: name, Allowed: "a file of this very run", Reason: "it holds another one: " + c.Run}
	}
	return e.restore(c)
}

func (e *experiment) restore(c checkpoint) error {
	if err := e.series.UnmarshalBinary(c.Series); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if len(c.Replications) != len(e.states) || e.series.Replications() != len(e.states) {
		return errors.New("checkpoint: wrong number of replications")
	}
	e.before, e.goal, e.reached = c.Elapsed, min(c.Goal, e.maxCells), c.Reached
	for r, saved := range c.Replications {
		if err := e.random[r].UnmarshalBinary(saved.Random); err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		e.events[r] = saved.Events
		before := e.states[r]
		e.states[r] = e.replicaAt(saved.State, saved.Stored)
		if o, ok := before.(*occupancy); ok && o.pooled != nil {
			o.pooled.jobs = saved.Pooled
			e.states[r].(*occupancy).pooled = o.pooled
		}
	}
	return nil
}

// state is the present one in the form that start takes.
func (o *occupancy) state() (Start, int64) {
	var s Start
	for i := 1; i < len(o.levels) && o.levels[i].count > 0; i++ {
		s.Tail = append(s.Tail, o.levels[i].count)
	}
	s.TailPhase2 = make([]int64, len(s.Tail))
	second := int64(0)
	for i := len(s.Tail); i >= 1; i-- {
		second += o.inPhase[2][i]
		s.TailPhase2[i-1] = second
	}
	return s, 0
}
