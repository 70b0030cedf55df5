package cudafake

import "syscall"

// thread returns the number of the system's thread that calls, never 0.
func thread() int { return syscall.Gettid() }
