package stein

import (
	"math"

	"qlimit/coxian"
	"qlimit/ctmc"
)

// ContinuousPooling is what resource pooling says about N servers of unit speed
// in continuous time with Poisson arrivals, first come first served at each
// server, unlimited buffers, and a dispatcher that does not know job sizes.
// Jobs are per server, times in the unit of the service law.
type ContinuousPooling struct {
	Servers int64       // N
	Load    float64     // 1 - slack
	Service coxian.Dist // as given

	// Central is M/M/N, one waiting line for all servers; only for exponential
	// service, where no policy has fewer jobs. P(wait) is that of M/M/N.
	HasCentral                            bool
	Central, CentralResponse, CentralWait float64

	// Fast is M/G/1, one server of speed N. Its work is a lower bound of the
	// work in the system for every law: it never works slower. Its number of
	// jobs is a lower bound if scv <= 1 or N = 1 (FastIsBound), since it is then
	// at most Conserved; above, long jobs in front of short ones may make it
	// larger than that of N servers.
	Fast, FastResponse float64
	FastIsBound        bool

	// Work bounds the mean unfinished work per server from below, in mean
	// service times, by that of the fast server. With it goes Conserved, a lower
	// bound of the mean jobs for every law: a job in service holds on average
	// E S²/(2 E S) of work and a waiting one E S, hence
	//
	//	jobs >= N ρ + max(0, N work - N ρ E S²/(2 (E S)²)).
	Work                         float64
	Conserved, ConservedResponse float64

	// Lower is the largest of the lower bounds of the mean jobs per server, and
	// LowerFrom the name of the system it comes from.
	Lower, LowerResponse float64
	LowerFrom            string
}

// Names of the systems that give bounds.
const (
	CentralQueue  = "M/M/N"
	FastServer    = "M/G/1 of speed N"
	ConservedWork = "work conservation"
)

// PoolContinuous computes the pooled systems for 0 < slack < 1 and up to 1e15
// servers; relative errors below 1e-13. The load is given by slack = 1 - load,
// which keeps its digits near load 1.
func PoolContinuous(servers int64, slack float64, service coxian.Dist) (*ContinuousPooling, error) {
	load := 1 - slack
	switch {
	case servers < 1 || servers > ctmc.MaxServers:
		return nil, &ctmc.FieldError{Field: "servers", Value: servers, Allowed: "between 1 and 1e15"}
	case !(load > 0 && slack > 0):
		return nil, &ctmc.FieldError{Field: "load", Value: load, Allowed: "> 0 and < 1", Reason: "a pooled system has a stationary law below load 1 only"}
	}
	if err := service.Validate(); err != nil {
		return nil, err
	}
	n, scv := float64(servers), service.SCV()
	p := &ContinuousPooling{Servers: servers, Load: load, Service: service}
	// In units of the mean service time: E S² = 1 + scv, and by Pollaczek and
	// Khinchine a job of the fast server waits ρ E S²/(2 N (1-ρ)).
	half := load * (1 + scv) / 2
	p.Work = half / (n * slack)
	p.Fast = (load + load*half/slack) / n
	p.FastIsBound = scv <= 1 || servers == 1
	p.Conserved = load + math.Max(0, p.Work-half)
	p.Lower, p.LowerFrom = p.Conserved, ConservedWork
	if servers == 1 {
		p.Lower, p.LowerFrom = p.Fast, FastServer
	}
	response := service.Mean() / load
	if service.IsExponential() {
		q := ctmc.Pooled{Servers: servers, Offered: load * n, Idle: slack * n}
		p.HasCentral, p.CentralWait = true, q.WaitProbability()
		p.Central = q.MeanJobs() / n
		p.CentralResponse = p.Central * response
		p.Lower, p.LowerFrom = p.Central, CentralQueue
	}
	p.FastResponse, p.ConservedResponse, p.LowerResponse = p.Fast*response, p.Conserved*response, p.Lower*response
	return p, nil
}
