// Package modes numbers the state of Go values that recordings of functions depend on, such as the training mode of a
// layer. Its central type is [Flag].
//
// The package imports only the standard library.
package modes

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// state is the sum of the numbers of the flags that are on.
var state atomic.Uint64

// State returns a number that changes with each flag, and is the same again when all flags are as they were. It
// allocates and locks nothing.
func State() uint64 { return state.Load() }

// Flag is on or off, at first off. Any goroutine may use it. A copy is a flag of its own.
type Flag struct {
	on     uint32  // 1 if it is; atomic, without the type that vet keeps from being copied
	number uint64  // 0 before the first change; under mu
	of     uintptr // the address of the flag that has the number: a copy has another
}

var (
	mu    sync.Mutex
	flags uint64 // that have a number; under mu
)

// On reports whether the flag is on.
func (f *Flag) On() bool { return atomic.LoadUint32(&f.on) != 0 }

// Set turns the flag on or off.
func (f *Flag) Set(on bool) {
	mu.Lock()
	defer mu.Unlock()
	if on == f.On() {
		return
	}
	if at := uintptr(unsafe.Pointer(f)); f.number == 0 || f.of != at {
		flags++
		f.number, f.of = mixed(flags), at
	}
	if on {
		atomic.StoreUint32(&f.on, 1)
		state.Add(f.number)
	} else {
		atomic.StoreUint32(&f.on, 0)
		state.Add(-f.number)
	}
}

// mixed is the finalizer of SplitMix64 (Steele, Lea and Flood 2014): sums of its results differ for different sets of n.
func mixed(n uint64) uint64 {
	n *= 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}
