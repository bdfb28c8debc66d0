package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"qlimit/coxian"
	"qlimit/diffusion"
)

func newDiffusionCommand(env *environment) *cobra.Command {
	return group("diffusion", "Diffusion limits near load 1", `The limits of systems whose load approaches 1 as the number of servers grows.

Non-degenerate slowdown: arrival rate N - A in units of one over the mean service
time, A = --spare fixed, for one central queue (cq), join-the-shortest-queue
(jsq), idle-one-first (i1f) and idle-queue-first (iqf, also jiq). X is the number
of jobs in the system divided by N. Exponential service is a proved limit, other
laws are a conjecture. The averaged birth-death chain (averaged-jsq, averaged-i1f,
averaged-iqf) is the approximation at finite N, a conjecture. halfin-whitt is the
M/M/N queue with arrival rate N - B√N.`,
		newDiffusionStationaryCommand(env, runDiffusionStationary),
		newDiffusionPriceCommand(env, runDiffusionPrice),
		newDiffusionTransientCommand(env, runDiffusionTransient),
		newDiffusionPathCommand(env, runDiffusionPath),
	)
}

// slowdownFlags describe a non-degenerate slowdown limit.
type slowdownFlags struct {
	process string
	spare   float64
	service string

	flags *pflag.FlagSet
}

func (f *slowdownFlags) addTo(c *cobra.Command, processes []string) {
	f.process, f.service = "jsq", "exp"
	f.flags = c.Flags()
	f.flags.SortFlags = false
	f.flags.Var(&choice{&f.process, processes}, "process", "`process`: "+strings.Join(processes, ", "))
	f.flags.Var(&decimal{target: &f.spare, accept: positive, allowed: "a number > 0"}, "spare", "spare servers `A`: the arrival rate is N - A")
	f.flags.StringVar(&f.service, "service", f.service, serviceUsage)
	offer(c, "service", &servicesOffered)
}

// limitProcesses are the processes with a stationary law, paths and transients.
var limitProcesses = []string{"cq", "jsq", "i1f", "iqf", "jiq"}

// nds is the limit that the flags describe.
func (f *slowdownFlags) nds() (diffusion.NDS, error) {
	if !f.flags.Changed("spare") {
		return diffusion.NDS{}, badRequest("--spare is missing (a number > 0: the arrival rate is N - spare)")
	}
	discipline, err := diffusion.ParseDiscipline(f.process)
	if err != nil {
		return diffusion.NDS{}, err
	}
	service, err := parseService(f.service)
	if err != nil {
		return diffusion.NDS{}, err
	}
	n := diffusion.NDS{Discipline: discipline, Spare: f.spare, Service: service}
	return n, n.Validate()
}

// limitNote says what numbers of the limit are not.
const limitNote = "a statement about the limit N to infinity with N(1 - load) = spare; for finite N see --process averaged-jsq, averaged-i1f, averaged-iqf"

// slowdownFacts are what was asked for.
func slowdownFacts(n diffusion.NDS) []fact {
	return []fact{{"process", n.Discipline.Name}, {"spare", n.Spare}}
}

// timeUnit is the mean service time: diffusion times are mean service times
// divided by N, those of the command line are in the unit of the law.
func timeUnit(law coxian.Dist) float64 { return law.Mean() }
