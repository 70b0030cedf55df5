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

// In assembly: the sum of the 32-bit words of n bytes, a multiple of 1024 above 0, read with
// vectors of so many bits from as many places at once as the name ends in.
//
//go:noescape
func read512x1(p *byte, n int) uint32

//go:noescape
func read512x2(p *byte, n int) uint32

//go:noescape
func read512x4(p *byte, n int) uint32

//go:noescape
func read256x1(p *byte, n int) uint32

//go:noescape
func read256x2(p *byte, n int) uint32

//go:noescape
func read256x4(p *byte, n int) uint32

// Reads returns loops that only read: each returns the sum of the 32-bit words of from,
// whose bytes are a multiple of 1024 above 0. They differ in the width of their vectors and
// in how many places they read at once: the fastest one depends on the machine.
func Reads() []func(from []byte) uint32 {
	loop := func(f func(*byte, int) uint32) func([]byte) uint32 {
		return func(from []byte) uint32 { return f(&from[0], len(from)) }
	}
	var all []func([]byte) uint32
	if cpu.Has("avx512f") {
		all = append(all, loop(read512x1), loop(read512x2), loop(read512x4))
	}
	if cpu.Has("avx2") {
		all = append(all, loop(read256x1), loop(read256x2), loop(read256x4))
	}
	if len(all) == 0 {
		all = append(all, words)
	}
	return all
}

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
