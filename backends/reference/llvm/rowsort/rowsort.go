package rowsort

import (
	"fmt"

	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/vector"
)

// Name is the name of the function that sorts rows of elements of 4 or 8 bytes, and of its unit.
func Name(size int) string { return fmt.Sprintf("sort_%d", size) }

// Why a function stopped before the last row.
const (
	Special  = 1 // an element of the row is a NaN, or -0
	Unsorted = 2 // the row takes too long
)

// statusBits is how many bits of a status say why the function stopped. Those above say at which
// row.
const statusBits = 2

// Stopped returns why a function of a status stopped, 0 if it did not, and at which row.
func Stopped(status int32) (why, row int) {
	return int(status) & (1<<statusBits - 1), int(status) >> statusBits
}

// MostRows is how many rows a function sorts at most.
const MostRows = 1 << 28

// Units returns the modules for a level, which has AVX-512.
func Units(level vector.Level) (all []gemm.Unit) {
	m := vector.Machine{Level: level}
	for _, size := range []int{4, 8} {
		all = append(all, gemm.NewUnit(Name(size), gemm.Machine{Machine: m}, func() string { return text(m, size, usualPatience) }))
	}
	return all
}
