//go:build unix

package measure

import (
	"syscall"
	"time"
)

// Used returns the processor time that the process has used. As a clock it tells
// what one thread takes where others use the machine, too: they take turns, which
// it leaves out, but share caches and memory, which it does not.
func Used() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
