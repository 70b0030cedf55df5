// Package growth holds work to growing with the size of its input, and no faster. Its
// central function is [Linear].
//
// The package imports only ltc/internal/trials, ltc/internal/diag and the standard library.
package growth

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"ltc/internal/diag"
	"ltc/internal/trials"
)

// times is how much larger the second of two inputs is.
const times = 8

// Linear compares work of [times] the size with [times] works of the size in a row. It
// requires about the same memory, and less than three times the processor's time; quadratic
// work takes eight times. prepare returns the work of a size. Times are those of the thread
// at hand, without a garbage collector, and are not looked at where tests are to try little.
// Both sides do as much: the clock of a thread counts some milliseconds at once, and what
// takes less may be nothing to it.
func Linear(t testing.TB, size int, prepare func(size int) (work func())) {
	t.Helper()
	few, many := measure(repeated(size, prepare)), measure(prepare(times*size))
	t.Logf("%d of %d: %v; of %d: %v", times, size, few, times*size, many)
	if most := few.allocations*5/4 + 2000; many.allocations > most {
		t.Fatalf("%s for %d of %d, %d for %d", diag.Count(few.allocations, "allocation"), times, size, many.allocations, times*size)
	}
	if most := few.bytes*2 + 1<<20; many.bytes > most { // slices and maps grow in steps
		t.Fatalf("%s for %d of %d, %d for %d", diag.Count(few.bytes, "byte"), times, size, many.bytes, times*size)
	}
	if trials.Few() {
		return
	}
	for try := 1; many.took > 3*few.took+50*time.Millisecond; try++ {
		if try == 4 {
			t.Fatalf("%v for %d of %d, %v for %d", few.took, times, size, many.took, times*size)
		}
		few.took, many.took = max(few.took, measure(repeated(size, prepare)).took), min(many.took, measure(prepare(times*size)).took)
	}
}

// repeated returns [times] works of the size in a row.
func repeated(size int, prepare func(size int) (work func())) func() {
	works := make([]func(), times)
	for i := range works {
		works[i] = prepare(size)
	}
	return func() {
		for _, work := range works {
			work()
		}
	}
}

// effort is what work has taken.
type effort struct {
	allocations, bytes uint64
	took               time.Duration
}

func measure(work func()) effort {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which takes time of whoever allocates
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime()
	work()
	took := processorTime() - start
	runtime.ReadMemStats(&after)
	return effort{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc, took}
}
