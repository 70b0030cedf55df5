package peak

import "ltc/ir/types"

// In assembly: n rounds of 12 independent chains each.
func fma512(n int)
func fma256(n int)
func dotBF16(n int)

// stream copies n bytes, a multiple of 128 above 0, past the caches; to is
// aligned to 32 bytes.
//
//go:noescape
func stream(to, from *byte, n int)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)
func xgetbv() uint32

// FMA returns the loop that multiplies and adds fastest in a dtype, and the
// operations of a round of it; nil where the machine has none.
func FMA(d types.DType) (loop func(n int), flops float64) {
	const chains = 12
	has := detect()
	switch {
	case d == types.F32 && has.avx512:
		return fma512, chains * 2 * 16
	case d == types.F32 && has.fma:
		return fma256, chains * 2 * 8
	case d == types.BF16 && has.bf16:
		return dotBF16, chains * 2 * 32
	}
	return nil, 0
}

// Copy copies as many bytes of from as to has, which is a multiple of 128, as
// fast as the machine can.
func Copy(to, from []byte) {
	if detect().fma {
		stream(&to[0], &from[0], len(to))
		return
	}
	copy(to, from)
}

type features struct{ fma, avx512, bf16 bool }

// detect tells what the processor has and the system lets programs use, as
// chapters 13 and 15 of Intel's manual, volume 1, say it.
func detect() (f features) {
	most, _, _, _ := cpuid(0, 0)
	_, _, c1, _ := cpuid(1, 0)
	if most < 7 || c1>>27&1 == 0 { // OSXSAVE
		return f
	}
	_, b7, _, _ := cpuid(7, 0)
	a71, _, _, _ := cpuid(7, 1)
	state := xgetbv()
	f.fma = state&0x6 == 0x6 && c1>>12&1 == 1 && b7>>5&1 == 1
	f.avx512 = f.fma && state&0xe6 == 0xe6 && b7>>16&1 == 1
	f.bf16 = f.avx512 && a71>>5&1 == 1
	return f
}
