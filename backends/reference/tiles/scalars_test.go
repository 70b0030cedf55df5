package tiles

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Every op that a kernel can have on elements of a type is there.
func TestScalars(t *testing.T) {
	for _, op := range kernel.Ops() {
		if !op.Computes() || op == kernel.Select || op == kernel.Clamp || op == kernel.BitcastConvert {
			continue
		}
		for _, d := range types.RealDTypes() {
			if !op.Takes(d) {
				continue
			}
			to := []types.DType{d}
			switch {
			case op == kernel.Convert:
				to = types.RealDTypes()
			case op == kernel.IsFinite, op >= kernel.CompareEQ && op <= kernel.CompareGE:
				to = []types.DType{types.Bool}
			}
			for _, r := range to {
				bits, err := Scalars{}.Scalar(op, r, d, []uint64{1, 1}[:op.Arity()]...)
				require.NoError(t, err)
				require.Zero(t, bits>>(8*r.Size()-1)>>1, "%v of %v to %v", op, d, r)
			}
		}
	}
	_, err := Scalars{}.Scalar(kernel.And, types.F32, types.F32, 0, 0)
	require.EqualError(t, err, "and of 2 values of f32 to f32: there is no such op")
	_, err = Scalars{}.Scalar(kernel.Lookup, types.I32, types.I32, 0)
	require.EqualError(t, err, "lookup: its value depends on more than arguments: compute it as kernel.Evaluate does")
	for op, want := range map[kernel.Op]float32{kernel.FMA: 7, kernel.CopySign: 2, kernel.Exponent: 1, kernel.Mantissa: 1, kernel.Scale: 16} {
		bits, err := Scalars{}.Scalar(op, types.F32, types.F32, []uint64{0x40000000, 0x40400000, 0x3f800000}[:op.Arity()]...) // 2, 3, 1
		require.NoError(t, err)
		require.Equal(t, want, math.Float32frombits(uint32(bits)), op)
	}
	bits, err := Scalars{}.Scalar(kernel.Erf, types.F32, types.F32, 0x3f000000)
	require.NoError(t, err)
	require.Equal(t, uint64(0x3f053f7b), bits) // 0.5204999
}
