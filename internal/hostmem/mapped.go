package hostmem

import "sync/atomic"

// offHeap counts the bytes that are mapped now, and the most so far.
var offHeap struct{ live, peak atomic.Int64 }

// OffHeap returns the bytes off the Go heap that are mapped now, and their maximum so far.
func OffHeap() (live, peak int64) { return offHeap.live.Load(), offHeap.peak.Load() }

// AddOffHeap adds n, which may be negative, to the bytes off the Go heap that are mapped.
func AddOffHeap(n int) {
	live := offHeap.live.Add(int64(n))
	for peak := offHeap.peak.Load(); live > peak && !offHeap.peak.CompareAndSwap(peak, live); {
		peak = offHeap.peak.Load()
	}
}
