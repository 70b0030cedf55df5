package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ltc/ir/types"
)

// Value returns the bits of a random element: mostly a small number, now and
// then an extreme one.
func Value(r *rand.Rand, t types.DType) uint64 {
	mask := ^uint64(0) >> (64 - 8*t.Size())
	switch {
	case t == types.Bool:
		return r.Uint64() & 1
	case t.IsFloat():
		if r.IntN(32) == 0 {
			return bitsOf(t, extremes[r.IntN(len(extremes))])
		}
		return bitsOf(t, math.Round(r.NormFloat64()*64)/16)
	case r.IntN(32) == 0:
		return []uint64{0, mask, mask >> 1, mask>>1 + 1}[r.IntN(4)]
	case t.IsSigned():
		return uint64(r.IntN(24)-8) & mask
	}
	return uint64(r.IntN(24))
}

var extremes = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1e30, -1e-30, 3e9}

func bitsOf(t types.DType, x float64) uint64 {
	switch t {
	case types.F16:
		return uint64(types.ToFloat16(x))
	case types.BF16:
		return uint64(types.ToBFloat16(x))
	case types.F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// floatOf returns the number that an element of a float type is.
func floatOf(t types.DType, bits uint64) float64 {
	switch t {
	case types.F16:
		return float64(types.Float16(bits).Float32())
	case types.BF16:
		return float64(types.BFloat16(bits).Float32())
	case types.F32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

// Tolerance is how far floats may be from what is wanted: by this share of it,
// or this much. All NaNs are alike.
type Tolerance struct{ Relative, Absolute float64 }

// Same reports the first element of an operand of got that is not want's.
func Same(want, got *Memory, by Tolerance) error {
	for p := range want.Kernel.Params {
		a := &want.Kernel.Params[p]
		g := got.Get(p)
		for i, w := range want.Get(p) {
			if w != g[i] && !(a.DType.IsFloat() && by.near(floatOf(a.DType, w), floatOf(a.DType, g[i]))) {
				return fmt.Errorf("kernel %s: element %d of %s is %s, want %s", want.Kernel.Name, i, a.Name,
					format(a.DType, g[i]), format(a.DType, w))
			}
		}
	}
	return nil
}

func (t Tolerance) near(want, got float64) bool {
	if want != want || math.IsInf(want, 0) || math.IsInf(got, 0) {
		return want == got || want != want && got != got
	}
	d := math.Abs(want - got)
	return d <= t.Absolute || d <= t.Relative*math.Abs(want)
}
