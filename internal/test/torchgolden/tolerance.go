package torchgolden

import (
	"math"

	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
)

// format is what a floating-point dtype is made of.
type format struct {
	bits     int     // of an element
	relative float64 // that results of reductions may be off
	units    uint64  // in the last place that elementary functions may be off
}

var formats = map[types.DType]format{
	types.F64:  {64, 1e-14, 4},
	types.F32:  {32, 1e-6, 2},
	types.F16:  {16, 4.0 / (1 << 10), 4},
	types.BF16: {16, 4.0 / (1 << 7), 4},
}

// tolerance returns the comparison of an element with one that is wanted. An infinity is
// one, and a NaN any NaN. Zeros have their signs where the comparison is exact. The
// largest element that is wanted, or 1, is what relative differences are of.
func tolerance(want soa.View, kind string) func(got, want soa.View, i int) bool {
	f, ok := formats[want.Type.DType]
	if !ok {
		return func(got, want soa.View, i int) bool { return samples.Bits(got, i) == samples.Bits(want, i) }
	}
	scale, far := 1.0, 1.0
	switch kind {
	case "absolute":
		far = 4 // vectors of many rotations, each of which is rounded
	case "second":
		far = 1e6 // all are of f64, of which PyTorch's trigamma has 9 digits
	}
	for i := range want.Type.Elements() {
		if x := math.Abs(samples.Float(want, i)); x > scale && !math.IsInf(x, 0) {
			scale = x
		}
	}
	return func(got, want soa.View, i int) bool {
		x, y := samples.Float(got, i), samples.Float(want, i)
		if kind == "absolute" {
			x, y = math.Abs(x), math.Abs(y)
		}
		switch {
		case math.IsNaN(x) || math.IsNaN(y):
			return math.IsNaN(x) && math.IsNaN(y)
		case samples.Bits(got, i) == samples.Bits(want, i), kind != "exact" && x == y:
			return true
		case kind == "elementary":
			a, b := f.place(samples.Bits(got, i)), f.place(samples.Bits(want, i))
			return max(a, b)-min(a, b) <= int64(f.units)
		case (kind == "relative" || kind == "absolute" || kind == "second") && !math.IsInf(x, 0) && !math.IsInf(y, 0):
			return math.Abs(x-y) <= far*f.relative*scale
		}
		return false
	}
}

// place returns the place of a number among those of its format, in their order: zeros
// have one.
func (f format) place(bits uint64) int64 {
	sign := uint64(1) << (f.bits - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}
