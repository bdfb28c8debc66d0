package sim

import (
	"cmp"
	"math/bits"
	"slices"
)

// calendar holds departures to come in days of equal length, a list for each
// day of a year; a departure in a later year waits in the list of its day
// (Brown, Comm. ACM 31, 1988). With about one departure a day, and at least as
// many days as departures, adding and taking one cost the same however many
// there are.
type calendar struct {
	daysPerTime float64
	today       int64 // days before have been taken
	firstOf     []int32
	entries     []departure
	free        int32 // unused entries
	pending     int
	due         []departure // scratch
}

// departure is an entry of a list.
type departure struct {
	time   float64
	server int32
	next   int32
}

const endOfList = int32(-1)

// newCalendar has days of the given length and room for an expected number of
// departures.
func newCalendar(day float64, expected int) *calendar {
	days := 1 << bits.Len(uint(max(expected, 64)-1))
	c := &calendar{daysPerTime: 1 / day, free: endOfList, due: make([]departure, 0, 64)}
	c.firstOf = emptyDays(days)
	c.entries = make([]departure, 0, days)
	return c
}

func emptyDays(n int) []int32 {
	days := make([]int32, n)
	for i := range days {
		days[i] = endOfList
	}
	return days
}

// dayOf puts what is too far away for an integer on one very late day.
func (c *calendar) dayOf(time float64) int64 { return int64(min(time*c.daysPerTime, 1<<62)) }

// add enters a departure not earlier than the last time of [calendar.take].
func (c *calendar) add(time float64, server int32) {
	if c.pending == len(c.firstOf) {
		c.lengthenYear()
	}
	i := c.free
	if i != endOfList {
		c.free = c.entries[i].next
	} else {
		i = int32(len(c.entries))
		c.entries = append(c.entries, departure{})
	}
	first := &c.firstOf[c.dayOf(time)&int64(len(c.firstOf)-1)]
	c.entries[i] = departure{time, server, *first}
	*first = i
	c.pending++
}

// take returns the next departures up to and including a time, in order of
// time, those of one day at a call, and none when there are no more. The slice
// is valid until the next call.
func (c *calendar) take(until float64) []departure {
	last := c.dayOf(until)
	if c.pending == 0 {
		c.today = last
		return nil
	}
	for c.today < last {
		found := c.collect(until)
		c.today++
		if found {
			return c.due
		}
	}
	if c.collect(until) {
		return c.due
	}
	return nil
}

// collect moves today's departures up to a time from their list to due.
func (c *calendar) collect(until float64) bool {
	c.due = c.due[:0]
	link := &c.firstOf[c.today&int64(len(c.firstOf)-1)]
	for i := *link; i != endOfList; i = *link {
		e := &c.entries[i]
		if e.time > until || c.dayOf(e.time) > c.today {
			link = &e.next
			continue
		}
		c.due = append(c.due, *e)
		*link = e.next
		e.next = c.free
		c.free = i
		c.pending--
	}
	if len(c.due) > 1 {
		sortByTime(c.due)
	}
	return len(c.due) > 0
}

func sortByTime(list []departure) {
	if len(list) > 24 {
		slices.SortFunc(list, func(a, b departure) int { return cmp.Compare(a.time, b.time) })
		return
	}
	for k := 1; k < len(list); k++ {
		for j := k; j > 0 && list[j].time < list[j-1].time; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
}

// lengthenYear doubles the number of days, so that lists stay short.
func (c *calendar) lengthenYear() {
	old := c.firstOf
	c.firstOf = emptyDays(2 * len(old))
	for _, i := range old {
		for i != endOfList {
			next := c.entries[i].next
			first := &c.firstOf[c.dayOf(c.entries[i].time)&int64(len(c.firstOf)-1)]
			c.entries[i].next = *first
			*first = i
			i = next
		}
	}
}
