// Package growth holds work to growing with the size of its input, and no faster. Its
// central function is [Linear].
//
// imports only ltc/internal/trials and the standard library.
package growth

import (
	"runtime"
	"testing"
	"time"

	"ltc/internal/trials"
)

// times is how much larger the second of two inputs is.
const times = 8

// Linear requires that work of [times] the size takes about so many times the memory, and
// less than three times so many times the processor's time, where quadratic work takes 64
// times. prepare returns the work of a size. Times are those of the thread at hand, and
// are not looked at where tests are to try little.
func Linear(t testing.TB, size int, prepare func(size int) (work func())) {
	t.Helper()
	few, many := measure(prepare(size)), measure(prepare(times*size))
	t.Logf("of %d: %v; of %d: %v", size, few, times*size, many)
	if most := times*few.allocations*5/4 + 2000; many.allocations > most {
		t.Fatalf("%d allocations for %d, %d for %d", few.allocations, size, many.allocations, times*size)
	}
	if most := times*few.bytes*2 + 1<<20; many.bytes > most { // slices and maps grow in steps
		t.Fatalf("%d bytes for %d, %d for %d", few.bytes, size, many.bytes, times*size)
	}
	if trials.Few() {
		return
	}
	for try := 1; many.took > 3*times*few.took+20*time.Millisecond; try++ {
		if try == 4 {
			t.Fatalf("%v for %d, %v for %d", few.took, size, many.took, times*size)
		}
		few.took, many.took = max(few.took, measure(prepare(size)).took), min(many.took, measure(prepare(times*size)).took)
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
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := processorTime()
	work()
	took := processorTime() - start
	runtime.ReadMemStats(&after)
	return effort{after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc, took}
}
