package sched

import "runtime"

// Goroutine returns the number of the calling goroutine, which the runtime tells only
// in stack traces: slow, for the rare places where a goroutine could wait for
// itself.
func Goroutine() uint64 {
	var buf [64]byte
	n := runtime.Stack(buf[:], false)
	const prefix = len("goroutine ")
	id := uint64(0)
	for _, c := range buf[min(prefix, n):n] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
