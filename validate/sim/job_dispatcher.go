package sim

import (
	"math/rand/v2"

	"qlimit/ctmc"
)

// Dispatcher decides where each job goes. It sees the servers through a Farm;
// what it costs to look is counted with [Farm.Count].
//
// Every replication has a dispatcher of its own, made by the function that
// [JobPolicy].Prepare returns. All servers are idle at first. A dispatcher draws all its random
// numbers from the generator it is given and allocates nothing once a run is
// under way.
//
// A policy that looks at nothing but what Choose is given embeds [Unnotified].
type Dispatcher interface {
	// Choose returns the server, 0 .. Servers-1, of a job that arrives now.
	// Only size-aware policies look at the size.
	Choose(f *Farm, size float64, random *rand.PCG) int
	// Joined is called after a job has joined a server (not for lost jobs),
	// Left after one has left, in order of time; Len counts them already.
	Joined(f *Farm, server int)
	Left(f *Farm, server int)
}

// Unnotified is the part of a Dispatcher that does not follow the queues.
type Unnotified struct{}

// Joined does nothing.
func (Unnotified) Joined(*Farm, int) {}

// Left does nothing.
func (Unnotified) Left(*Farm, int) {}

// JobPolicy is a dispatching rule for the simulator of single jobs.
type JobPolicy struct {
	Name string // as printed
	// Prepare says what the policy does not allow (a *ctmc.FieldError), does
	// what is to be done once for a system, and returns the function that makes
	// the dispatcher of one replication.
	Prepare func(s *JobSystem) (makeOne func() Dispatcher, err error)
}

func (p JobPolicy) String() string { return p.Name }

// Message is a kind of message between dispatcher and servers.
type Message = ctmc.Message

// Kinds of messages.
const (
	Query  = ctmc.Query
	Reply  = ctmc.Reply
	Pull   = ctmc.Pull
	Update = ctmc.Update
)

// MessageKinds lists the kinds.
func MessageKinds() []Message { return []Message{Query, Reply, Pull, Update} }
