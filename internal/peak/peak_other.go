//go:build !amd64

package peak

import "ltc/ir/types"

// FMA has no loop for this kind of machine yet.
func FMA(types.DType) (loop func(n int), flops float64) { return nil, 0 }

// Copy copies as many bytes of from as to has.
func Copy(to, from []byte) { copy(to, from) }

// Reads returns loops that only read: each returns the sum of the 32-bit words of from,
// whose bytes are a multiple of 1024 above 0.
func Reads() []func(from []byte) uint32 { return []func([]byte) uint32{words} }
