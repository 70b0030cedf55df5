package hostmem

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"time"
)

// minPressure is the least number of allocated bytes that is worth a garbage collection.
const minPressure = 64 << 20

// pressure counts bytes that only a garbage collection frees, but that do not cause one:
// memory off the Go heap, and blocks that pools reuse.
var pressure struct {
	sync.Mutex
	cycle  uint64 // the number of the collection that since starts at
	since  int64  // bytes since that collection
	pooled int64  // bytes of all pools, which the runtime counts as heap
	sample [2]metrics.Sample
}

func init() {
	pressure.sample[0].Name = "/gc/cycles/total:gc-cycles"
	pressure.sample[1].Name = "/gc/heap/live:bytes"
}

// Press counts n bytes. It runs the collector when the bytes since the last collection
// exceed both minPressure and the heap without the pools. The collector would run as often
// by itself if the bytes were ordinary memory. Press reports whether it has collected.
func Press(n int) bool {
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

// AddPooled adds n, which may be negative, to the bytes of all pools.
func AddPooled(n int) {
	pressure.Lock()
	pressure.pooled += int64(n)
	pressure.Unlock()
}

// Collect runs the garbage collector and waits, at most 20 ms, until unreachable memory is
// freed: pools have their blocks back, and memory off the Go heap is unmapped.
func Collect() {
	done := make(chan struct{})
	// A finalizer of this collection signals that the queue of finalizers is running. The
	// others in the queue take microseconds.
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
