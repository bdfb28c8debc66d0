package ctmc

// Progress receives how much of a piece of long work is done: done out of
// total (0 = unknown), in a unit of the work's choosing, and what is going
// on. It may be called from several goroutines at once; nil means nobody
// listens.
type Progress func(done, total float64, what string)
