package sim

import (
	"math/rand/v2"

	"qlimit/internal/stream"
)

// levelSets keeps the servers sorted by their number of jobs, capped at cap:
// ordered[start[l]:start[l+1]] are those of level l, in arbitrary order. Levels
// change by one, so that a change swaps a server with the edge of its level.
type levelSets struct {
	ordered []int32
	place   []int32 // where a server stands in ordered
	start   []int32
	cap     int // the last level takes all servers with that many jobs or more
	lowest  int // lowest level with a server
}

func newLevelSets(servers, cap int) *levelSets {
	s := &levelSets{
		ordered: make([]int32, servers), place: make([]int32, servers),
		start: make([]int32, 2, 64), cap: cap,
	}
	for i := range s.ordered {
		s.ordered[i], s.place[i] = int32(i), int32(i)
	}
	s.start[1] = int32(servers)
	return s
}

// choose returns a server of the lowest level, uniformly.
func (s *levelSets) choose(random *rand.PCG) int {
	from, to := s.start[s.lowest], s.start[s.lowest+1]
	return int(s.ordered[int(from)+stream.Below(uint64(to-from), random)])
}

// rise moves a server that now holds level jobs up by one.
func (s *levelSets) rise(server, level int) {
	if level > s.cap {
		return
	}
	if level+1 == len(s.start) {
		s.start = append(s.start, s.start[level])
	}
	s.start[level]--
	s.swap(server, s.start[level])
	if s.start[level] == s.start[level-1] && s.lowest == level-1 {
		s.lowest = level
	}
}

// fall moves a server that now holds level jobs down by one.
func (s *levelSets) fall(server, level int) {
	if level >= s.cap {
		return
	}
	s.swap(server, s.start[level+1])
	s.start[level+1]++
	s.lowest = min(s.lowest, level)
}

func (s *levelSets) swap(server int, to int32) {
	from, other := s.place[server], s.ordered[to]
	s.ordered[to], s.ordered[from] = int32(server), other
	s.place[server], s.place[other] = to, from
}
