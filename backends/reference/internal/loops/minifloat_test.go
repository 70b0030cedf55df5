package loops

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/internal/minifloat"
	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Computing in f32 and rounding to 8 bits gives what the exact result rounded
// once does, for every pair of operands.
func TestMiniArithmetic(t *testing.T) {
	exact := map[mlir.Code]func(a, b float64) float64{
		stablehlo.Add:      func(a, b float64) float64 { return a + b },
		stablehlo.Multiply: func(a, b float64) float64 { return a * b },
		stablehlo.Divide:   func(a, b float64) float64 { return a / b },
	}
	for _, d := range []DType{F8E3M4, F8E4M3FN, F8E5M2, F8E8M0FNU, F6E2M3FN, F4E2M1FN} {
		format, bits, _ := minifloat.Of(d.String())
		all := make([]uint8, 1<<bits)
		for i := range all {
			all[i] = uint8(i)
		}
		a, o := make([]uint8, len(all)), make([]uint8, len(all))
		for op, f := range exact {
			k := Binary(op, d)
			for x := range all {
				for i := range a {
					a[i] = uint8(x)
				}
				k(unsafe.Pointer(&o[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&all[0]), len(all))
				for y, got := range o {
					// through f32, in which the least numbers of f8E8M0FNU have products of 0
					want := format.Bits(float64(float32(f(format.Value(uint64(x)), format.Value(uint64(y))))))
					if g, w := format.Value(uint64(got)), format.Value(want); g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
						require.Failf(t, "wrong", "%v: %s of %#x and %#x: got %#x, want %#x", d, op, x, y, got, want)
					}
				}
			}
		}
	}
}

// A conversion to any float and back to a type that holds its values changes
// none of them.
func TestConvertThere(t *testing.T) {
	trials.Sequential(t)
	for d := F16; d < numTypes; d++ {
		n := 1 << min(d.Bits(), 16)
		in := make([]byte, n*d.Size())
		for i := range n { // all codes of narrow types, the top bits of wide ones
			v := uint64(i)
			switch {
			case d.IsComplex():
				v <<= d.Part().Bits() - 16
			case d.Bits() > 16:
				v <<= d.Bits() - 16
			}
			for k := range min(d.Size(), 8) {
				in[i*d.Size()+k] = byte(v >> (8 * k))
			}
		}
		wide, out := make([]complex128, n), make([]byte, len(in))
		Convert(d, C128)(unsafe.Pointer(&wide[0]), unsafe.Pointer(&in[0]), n)
		Convert(C128, d)(unsafe.Pointer(&out[0]), unsafe.Pointer(&wide[0]), n)
		for i, v := range wide {
			if v == v { // the bits of NaN are not kept
				require.Equal(t, in[i*d.Size():(i+1)*d.Size()], out[i*d.Size():(i+1)*d.Size()], "%v: element %d, %v", d, i, v)
			}
		}
	}
}

// Rounding to the exponent and mantissa bits of a type gives what the type
// holds, but for its subnormal numbers, which become 0.
func TestReducePrecision(t *testing.T) {
	format, _, _ := minifloat.Of("f8E5M2")
	k := reducePrecision[uint32](8, 23, 5, 2)
	for i := range 1 << 16 {
		x := []uint32{uint32(i)<<16 | 0x8000}
		v := float64(math.Float32frombits(x[0]))
		if v != v {
			continue
		}
		o := []uint32{0}
		k(o, x)
		want := float32(format.Value(format.Bits(v)))
		if math.Abs(v) < 1.875*0x1p-15 { // what rounds up to the least normal number stays
			want = float32(math.Copysign(0, v))
		}
		require.Equal(t, math.Float32bits(want), o[0], "%v", v)
	}
}
