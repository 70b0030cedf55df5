package soa

import (
	"errors"
	"fmt"
	"math"
	"runtime/debug"
)

// ErrMemory is what the error of memory that cannot be had wraps.
var ErrMemory = errors.New("not enough memory")

// Limit returns the most bytes that memory can be asked for: the least of the
// machine's, those that its control groups leave the process, and what the
// environment variable GOMEMLIMIT says. A process that
// asks Go for more than there is would be ended.
func Limit() int64 { return min(physical, debug.SetMemoryLimit(-1)) }

// Fits returns an error wrapping [ErrMemory] when n bytes, of which a negative
// number stands for more than an int counts, are beyond [Limit].
func Fits(n int) error {
	if limit := Limit(); n < 0 || int64(n) > limit {
		return fmt.Errorf("%w: %s are needed, there are %s", ErrMemory, bytes(n), bytes(int(limit)))
	}
	return nil
}

// Size prints a number of bytes for people: 1.5 GiB.
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
