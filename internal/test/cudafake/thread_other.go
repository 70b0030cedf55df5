//go:build !linux

package cudafake

// thread returns 1: on this system all threads count as one.
func thread() int { return 1 }
