package soa

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
)

// ErrMemory is wrapped by errors of allocations for which there is not enough memory.
var ErrMemory = errors.New("not enough memory")

// Limit returns the most bytes that an allocation may have. It is the least of the machine's
// memory, the limits of the process's control groups, and GOMEMLIMIT. Go ends a process that
// allocates more than there is.
func Limit() int64 { return min(physical, debug.SetMemoryLimit(-1)) }

// Fits returns an error wrapping [ErrMemory] if n bytes exceed [Limit]. A negative n stands
// for a number of bytes that overflows an int.
func Fits(n int) error {
	if limit := Limit(); n < 0 || int64(n) > limit {
		return fmt.Errorf("%w: %s are needed, there are %s", ErrMemory, bytes(n), bytes(int(limit)))
	}
	return nil
}

// Size formats a number of bytes for people, as in 1.5 GiB.
func Size(n int64) string { return bytes(int(n)) }

func bytes(n int) string {
	if n < 0 {
		n = math.MaxInt
	}
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	x, u := float64(n)/1024, 0
	for x >= 1024 && u < len(units)-1 {
		x, u = x/1024, u+1
	}
	return fmt.Sprintf("%.1f %ciB", x, units[u])
}
