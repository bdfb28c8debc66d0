package ctmc

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Work is shared out in pieces that do not depend on the number of threads,
// and sums are added in the order of the pieces: results have the same bits
// whatever the number of threads.

// pieceSize is the number of states that a thread takes at a time.
const pieceSize = 1 << 13

// workersFor is the number of threads worth starting for a number of states.
func workersFor(threads, states int) int {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return max(1, min(threads, states/pieceSize))
}

// eachPiece calls work for 0..pieces-1 on a number of goroutines.
func eachPiece(pieces, workers int, work func(piece int)) {
	if workers = min(workers, pieces); workers <= 1 {
		for k := range pieces {
			work(k)
		}
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for k := int(next.Add(1)) - 1; k < pieces; k = int(next.Add(1)) - 1 {
				work(k)
			}
		})
	}
	group.Wait()
}

// forRange calls work for ranges that cover 0..n-1.
func forRange(n, workers int, work func(low, high int)) {
	eachPiece((n+pieceSize-1)/pieceSize, workers, func(k int) {
		work(k*pieceSize, min((k+1)*pieceSize, n))
	})
}

// sumsApart is the distance in numbers of the sums of two pieces: they do not
// share a cache line, for which threads would compete.
const sumsApart = 16

// reduce adds sums over ranges that cover 0..n-1, in their order.
func reduce(n, workers, width int, add func(low, high int, sums []float64)) []float64 {
	pieces := (n + pieceSize - 1) / pieceSize
	stride := (width + sumsApart - 1) / sumsApart * sumsApart
	partial := make([]float64, pieces*stride)
	eachPiece(pieces, workers, func(k int) {
		add(k*pieceSize, min((k+1)*pieceSize, n), partial[k*stride:k*stride+width])
	})
	sums := make([]float64, width)
	for k := range pieces {
		for i := range sums {
			sums[i] += partial[k*stride+i]
		}
	}
	return sums
}
