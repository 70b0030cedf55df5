package diag

import (
	"fmt"
	"math"
)

// Bytes formats a number of bytes for people, as in 1.5 GiB. A negative number stands for one
// that overflows.
func Bytes[N int | int64](n N) string {
	b := int64(n)
	if b < 0 {
		b = math.MaxInt64
	}
	const units = "KMGTPE"
	if b < 1024 {
		return fmt.Sprintf("%d B", b)
	}
	x, u := float64(b)/1024, 0
	for x >= 1024 && u < len(units)-1 {
		x, u = x/1024, u+1
	}
	return fmt.Sprintf("%.1f %ciB", x, units[u])
}
