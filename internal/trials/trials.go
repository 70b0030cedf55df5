// Package trials says how many random cases tests try, by [Of]: fewer where each
// takes longer, as under the race detector, or where haste was asked for, by
// -short. What only some goroutines can break is tried all the same. Long runs try
// as many as [Soak] says. [Soon] bounds how long a call may take on a busy machine.
//
// The package imports only the standard library.
package trials

import (
	"runtime/debug"
	"testing"
)

// fewer is how many times less there are of them where they are few.
const fewer = 10

// Few reports whether tests try little: under the race detector, which makes
// them ten times slower and finds nothing in what one goroutine does, and with
// -short.
func Few() bool { return Race || testing.Short() }

// Of returns n, or a tenth of it but at least one where there are few.
func Of(n int) int {
	if Few() {
		return max(n/fewer, 1)
	}
	return n
}

// First returns all of some cases, or only the first of them where there are few.
func First[T any](all []T) []T {
	if Few() {
		return all[:min(len(all), 1)]
	}
	return all
}

// Sequential skips a test in a build for the race detector: it compares values or
// text that one goroutine makes, so that the detector can only slow it down.
func Sequential(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("it has one goroutine: nothing for the race detector")
	}
}

// Allocs is [testing.AllocsPerRun] without collections of garbage, which empty pools. It is 0
// in a build for the race detector, in which pools lose what they are given.
func Allocs(runs int, f func()) float64 {
	if Race {
		f()
		return 0
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	return testing.AllocsPerRun(runs, f)
}

// LeastAllocs is the least of five [Allocs]: what other goroutines of the process allocate
// meanwhile counts in one.
func LeastAllocs(runs int, f func()) float64 {
	least := Allocs(runs, f)
	for range 4 {
		least = min(least, Allocs(runs, f))
	}
	return least
}
