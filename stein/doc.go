// Package stein holds what can be said about a load-balanced system at a finite
// number of servers without solving its chain: the generator acting on test
// functions, bounds by Stein's method and state-space collapse, bounds by
// resource pooling and by limited memory and messages, and the class of slotted
// dispatchers that are optimal in heavy traffic.
package stein
