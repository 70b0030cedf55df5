package peak

import (
	"ltc/internal/cpu"
	"ltc/ir/types"
)

// In assembly: n rounds of 12 independent chains each.
func fma512(n int)
func fma256(n int)
func dotBF16(n int)

// stream copies n bytes, a multiple of 128 above 0, past the caches; to is
// aligned to 32 bytes.
//
//go:noescape
func stream(to, from *byte, n int)

// FMA returns the loop that multiplies and adds fastest in a dtype, and the
// operations of a round of it; nil where the machine has none.
func FMA(d types.DType) (loop func(n int), flops float64) {
	const chains = 12
	switch {
	case d == types.F32 && cpu.Has("avx512f"):
		return fma512, chains * 2 * 16
	case d == types.F32 && cpu.Has("fma") && cpu.Has("avx2"):
		return fma256, chains * 2 * 8
	case d == types.BF16 && cpu.Has("avx512bf16"):
		return dotBF16, chains * 2 * 32
	}
	return nil, 0
}

// Copy copies as many bytes of from as to has, which is a multiple of 128, as
// fast as the machine can.
func Copy(to, from []byte) {
	if cpu.Has("avx2") {
		stream(&to[0], &from[0], len(to))
		return
	}
	copy(to, from)
}
