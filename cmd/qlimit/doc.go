// Command qlimit holds the theory of load-balanced queueing systems against
// simulation.
//
// Every command parses flags into an options struct, calls one function of the
// packages below it and hands what it found, a [report], to the renderer:
//
//	qlimit meanfield equilibrium --policy pod:d=2 --load 0.9
//	qlimit ctmc stationary --servers 10 --policy jsq --load 0.9
//	qlimit simulate --servers 1e6 --policy jiq --load 0.95 --format json
//
// Results go to standard output or to --output, everything else to standard
// error. Exit codes: 0 done, 1 the environment failed, 2 the request is wrong,
// 3 a validation failed, 4 not converged, 130 interrupted.
package main
