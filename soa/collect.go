package soa

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// minPressure is how many bytes must have been handed out before a collection
// is asked for: less is not worth one.
const minPressure = 64 << 20

// pressure counts the bytes that only a collection gives back, but that do not
// bring one about: off-heap memory, and blocks that pools hand out again.
var pressure struct {
	sync.Mutex
	cycle  uint64 // of the collector, when since was last 0
	since  int64
	pooled int64 // bytes of all pools, which count as heap
	sample [2]metrics.Sample
}

func init() {
	pressure.sample[0].Name = "/gc/cycles/total:gc-cycles"
	pressure.sample[1].Name = "/gc/heap/live:bytes"
}

// press counts n bytes, and collects when those since the last collection are more than 64
// MiB and more than the heap without the pools. That is no more often than the collector
// would run by itself if they were ordinary memory. It reports whether it did.
func press(n int) bool {
	p := &pressure
	p.Lock()
	metrics.Read(p.sample[:])
	if cycle := p.sample[0].Value.Uint64(); cycle != p.cycle {
		p.cycle, p.since = cycle, 0
	}
	p.since += int64(n)
	heap := int64(p.sample[1].Value.Uint64()) - p.pooled
	due := p.since > max(minPressure, heap)
	if due {
		p.since = 0
	}
	p.Unlock()
	if due {
		Collect()
	}
	return due
}

// countPooled counts n bytes more, or less, in pools.
func countPooled(n int) {
	pressure.Lock()
	pressure.pooled += int64(n)
	pressure.Unlock()
}

// Collect runs the garbage collector and waits, 20 ms at most, for what it
// found: pools have their blocks back and off-heap memory is unmapped.
func Collect() {
	done := make(chan struct{})
	// A finalizer of the same collection tells that their queue moves; those
	// before and after it take microseconds.
	runtime.SetFinalizer(&sentinel{done: done}, func(s *sentinel) { close(s.done) })
	runtime.GC()
	timeout := time.NewTimer(20 * time.Millisecond)
	defer timeout.Stop()
	select {
	case <-done:
	case <-timeout.C:
	}
	for range 10 {
		runtime.Gosched()
	}
}

type sentinel struct{ done chan struct{} }
