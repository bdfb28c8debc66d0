package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"qlimit/coxian"
	"qlimit/ctmc"
	"qlimit/meanfield"
	"qlimit/meanfield/ode"
	"qlimit/validate/sim"
)

// pullUsage says how the rule with a memory is written.
const pullUsage = "; pull:memory=M,rate=R (M stored IDs of idle servers, each sending at rate R; inf may be written for either)"

// takePull lets --policy name the rule with a memory.
func (f *systemFlags) takePull() {
	f.flags.Lookup("policy").Usage += pullUsage
	f.policies = append(slices.Clone(f.policies), pullOffered)
}

// pullSystem builds the system if its policy is the rule with a memory for the
// IDs of idle servers; ok says so.
func (f *systemFlags) pullSystem(about scope) (s ctmc.PullSystem, ok bool, err error) {
	if !ctmc.IsPull(f.policy) {
		return s, false, nil
	}
	if about == finiteSystem && !f.flags.Changed("servers") {
		return s, true, badRequest("--servers is missing (an integer between 1 and 1e15)")
	}
	if s.Pull, err = ctmc.ParsePull(f.policy); err != nil {
		return s, true, err
	}
	if s.Service, err = parseService(f.service); err != nil {
		return s, true, err
	}
	if s.Load, err = f.systemLoad(); err != nil {
		return s, true, err
	}
	s.Servers, s.Buffer = f.servers, f.buffer
	if _, memoryless := s.Pull.Memoryless(); !memoryless && s.Service.IsExponential() {
		s.Service = coxian.Dist{Mu1: 1 / s.Service.Mean(), Mu2: 1 / s.Service.Mean()}
	}
	return s, true, nil
}

// remembers says that the rule needs its memory: otherwise it is a policy like
// others.
func remembers(s ctmc.PullSystem) bool {
	_, memoryless := s.Pull.Memoryless()
	return !memoryless
}

// pullQuantities are those that the rule adds to others.
func pullQuantities(empty, messages any) []quantity {
	return []quantity{
		{"p_empty", empty, unitProbability},
		{"message_rate", messages, "messages per server and time"},
	}
}

func pullEquilibriumReport(s ctmc.PullSystem) (*report, error) {
	f, err := meanfield.PullEquilibrium(s)
	if err != nil {
		return nil, err
	}
	r := equilibriumReport(s.Described(), &f.Fixpoint)
	r.quantities = append(r.quantities, quantity{"mean_wait", f.Delay, unitTime})
	r.quantities = append(r.quantities, pullQuantities(f.EmptyProb, f.MessageRate)...)
	return r, nil
}

func solvePull(ctx context.Context, s ctmc.PullSystem, settings ctmc.SolverSettings, maxStates int64) (*ctmc.Stationary, *report, error) {
	found, err := ctmc.SolvePullStationary(ctx, s, settings, maxStates)
	if err != nil {
		return nil, nil, err
	}
	r := stationaryReport(s.Described(), &found.Stationary)
	r.quantities = append(r.quantities, pullQuantities(found.EmptyProb, found.MessageRate)...)
	r.tables = append(r.tables, table{index: "stored IDs", columns: []column{numberColumn("stored", 0, found.Stored)}})
	return &found.Stationary, r, nil
}

// runPull simulates a system whose dispatcher needs its memory.
func (o *simulateOptions) runPull(ctx context.Context, s ctmc.PullSystem) error {
	start, startName, err := o.pullStart(s)
	if err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	progress := o.newProgress("simulating")
	settings := o.settings(progress)
	settings.Start = start
	result, err := sim.RunPull(ctx, s, settings)
	progress.close()
	if err != nil {
		return progress.explain(err)
	}
	r := simulationReport(&result.Result, o)
	r.quantities = append(r.quantities, pullQuantities(result.EmptyProb, result.MessageRate)...)
	r.quantities = append(r.quantities, quantity{"stored_ids", result.Stored, "IDs"})
	r.work = append(r.work, fact{"start", startName})
	return o.showSimulation(r, &result.Result)
}

func (o *simulateOptions) pullStart(s ctmc.PullSystem) (sim.Start, string, error) {
	if o.start == startEmpty || s.Servers > sim.MaxServers {
		return sim.Start{}, startEmpty, nil
	}
	fixpoint, err := meanfield.PullEquilibrium(s)
	switch {
	case err == nil:
		return sim.RoundedStart(s.Servers, fixpoint.Tail, nil), startFluid, nil
	case o.start == startFluid:
		return sim.Start{}, "", fmt.Errorf("start = fluid (must be empty or auto here): %w", err)
	}
	return sim.Start{}, startEmpty, nil
}

// followPull computes a path of the fluid with a limited memory.
func (f *pathFlags) followPull(ctx context.Context, s ctmc.PullSystem, times []float64, settings ode.Settings) (ctmc.System, *meanfield.Path, error) {
	system := s.Described()
	checked := s
	if s.Buffer == ctmc.Unlimited {
		checked.Buffer = math.MaxInt32 // nothing is wrong with overload for a while
	}
	if err := checked.ValidateLimit(); err != nil && remembers(s) {
		return system, nil, err
	}
	start, err := startState(f.start, system)
	if err != nil {
		return system, nil, err
	}
	path, err := meanfield.PullTrajectory(ctx, s, start, times, settings)
	return system, path, err
}
