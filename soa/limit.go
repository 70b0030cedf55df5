package soa

import (
	"errors"
	"fmt"
	"runtime/debug"

	"ltc/internal/diag"
)

// ErrMemory is wrapped by errors of allocations for which there is not enough memory.
var ErrMemory = errors.New("not enough memory")

// Limit returns the most bytes that an allocation may have: the least of the machine's memory,
// the limits of the process's control groups, and GOMEMLIMIT. Go ends a process that allocates
// more memory than there is.
func Limit() int64 { return min(physical, debug.SetMemoryLimit(-1)) }

// Fits returns an error wrapping [ErrMemory] if n bytes exceed [Limit]. A negative n stands
// for a number of bytes that overflows an int.
func Fits(n int) error {
	if limit := Limit(); n < 0 || int64(n) > limit {
		return fmt.Errorf("%w: %s are needed, there are %s", ErrMemory, diag.Bytes(n), diag.Bytes(limit))
	}
	return nil
}
