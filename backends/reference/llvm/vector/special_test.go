package vector_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
	"ltc/ir/types"
)

// Where a function has an exact value, it is that: for f32 and f64 alike.
func TestExactValues(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	exact := map[kernel.Op][][2]float64{
		kernel.Exponential:         {{0, 1}, {zero, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {1e30, inf}, {-1e30, 0}},
		kernel.ExponentialMinusOne: {{0, 0}, {zero, zero}, {inf, inf}, {-inf, -1}, {nan, nan}, {-1e30, -1}, {1e30, inf}},
		kernel.Log:                 {{1, 0}, {0, -inf}, {zero, -inf}, {inf, inf}, {-inf, nan}, {-1, nan}, {nan, nan}},
		kernel.LogPlusOne:          {{0, 0}, {zero, zero}, {-1, -inf}, {inf, inf}, {-inf, nan}, {-2, nan}, {nan, nan}},
		kernel.Tanh:                {{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {20, 1}, {-1e30, -1}, {nan, nan}},
		kernel.Logistic:            {{0, 0.5}, {zero, 0.5}, {inf, 1}, {-inf, 0}, {1e30, 1}, {nan, nan}},
		kernel.Erf:                 {{0, 0}, {zero, zero}, {inf, 1}, {-inf, -1}, {7, 1}, {-1e30, -1}, {nan, nan}},
		kernel.Sqrt:                {{0, 0}, {zero, zero}, {inf, inf}, {-1, nan}, {9, 3}, {nan, nan}},
		kernel.Rsqrt:               {{0, inf}, {zero, -inf}, {inf, 0}, {-1, nan}, {4, 0.5}, {nan, nan}},
		kernel.Cbrt:                {{0, 0}, {zero, zero}, {inf, inf}, {-inf, -inf}, {8, 2}, {-27, -3}, {nan, nan}},
		kernel.Sine:                {{0, 0}, {zero, zero}, {inf, nan}, {-inf, nan}, {nan, nan}},
		kernel.Cosine:              {{0, 1}, {zero, 1}, {inf, nan}, {-inf, nan}, {nan, nan}},
		kernel.Tan:                 {{0, 0}, {zero, zero}, {inf, nan}, {-inf, nan}, {nan, nan}},
	}
	dtypes := []types.DType{types.F32, types.F64}
	each(t, func(m *vector.Module) {
		for op := range exact {
			for _, d := range dtypes {
				kernelOf(m, op.String()+d.String(), m.Machine.Lanes(d), []types.DType{d}, d, apply(op))
			}
		}
	}, func(t *testing.T, im *native.Image, _ vector.Machine) {
		for op, all := range exact {
			for _, d := range dtypes {
				in, out := make([]byte, len(all)*8), make([]byte, len(all)*8)
				for i, c := range all {
					bits := floatBits(d, c[0])
					for k := range d.Size() {
						in[i*d.Size()+k] = byte(bits >> (8 * k))
					}
				}
				call(t, im, op.String()+d.String(), len(all), in, out)
				for i, c := range all {
					require.Zero(t, apart(d, at(d, out, i), floatBits(d, c[1])), "%s of %v %v: %v, want %v", op, d, c[0], number(d, out, i), c[1])
				}
			}
		}
	})
}

// A remainder is exact for operands of any sizes, the largest quotient among them.
func TestRemainderOfFarSizes(t *testing.T) {
	large, least := math.MaxFloat64, math.SmallestNonzeroFloat64
	sizes := []float64{large, large / 3, 0x1p1000, 0x1p900, 1e300, 1e22, 10, math.Pi, 3, 0.1, 0x1p-1022, 7 * least, 3 * least, least}
	var x, y []float64
	for _, a := range sizes {
		for _, b := range sizes {
			x, y = append(x, a, -a), append(y, b, b)
		}
	}
	each(t, func(m *vector.Module) {
		kernelOf(m, "remainder", m.Machine.Lanes(types.F64), []types.DType{types.F64, types.F64}, types.F64, func(b *vector.Builder, v []vector.Value) vector.Value {
			r, err := b.Binary(kernel.Remainder, v[0], v[1])
			require.NoError(t, err)
			return r
		})
	}, func(t *testing.T, im *native.Image, _ vector.Machine) {
		in, by, out := make([]byte, 8*len(x)), make([]byte, 8*len(x)), make([]byte, 8*len(x))
		for i := range x {
			binary.LittleEndian.PutUint64(in[8*i:], math.Float64bits(x[i]))
			binary.LittleEndian.PutUint64(by[8*i:], math.Float64bits(y[i]))
		}
		call(t, im, "remainder", len(x), in, by, out)
		for i := range x {
			require.Equal(t, math.Float64bits(math.Mod(x[i], y[i])), at(types.F64, out, i), "%v modulo %v: %v", x[i], y[i], number(types.F64, out, i))
		}
	})
}
