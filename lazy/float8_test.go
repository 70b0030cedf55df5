package lazy_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
)

// float8Goldens are what PyTorch makes of floats of 8 bits, as bits; testdata/float8.py writes them.
func float8Goldens(t *testing.T) map[string]float8Golden {
	data, err := os.ReadFile("testdata/float8.json")
	require.NoError(t, err)
	goldens := map[string]float8Golden{}
	require.NoError(t, json.Unmarshal(data, &goldens))
	return goldens
}

type float8Golden struct {
	Values                []uint32
	Numbers               []int32
	Rounded               []int
	At, Weights, Gradient []float32 // not as bits
}

var float8s = []types.DType{lazy.F8E4M3FN, lazy.F8E5M2}

// float8 returns a tensor of floats of 8 bits.
func float8(p lazy.Place, d types.DType, bits []uint8, dims ...int) *lazy.Tensor {
	if d == lazy.F8E5M2 {
		return lazy.From(p, convertAll(bits, func(b uint8) types.Float8E5M2 { return types.Float8E5M2(b) }), dims...)
	}
	return lazy.From(p, convertAll(bits, func(b uint8) types.Float8E4M3FN { return types.Float8E4M3FN(b) }), dims...)
}

func convertAll[S, T any](all []S, f func(S) T) []T {
	out := make([]T, len(all))
	for i, x := range all {
		out[i] = f(x)
	}
	return out
}

// compiledTrace opens a backend, of which the evaluator runs no op unless it is the evaluator.
func compiledTrace(t *testing.T, backend string) *lazy.Trace {
	if backend == "eval" {
		return lazy.NewTrace(open(t, backend))
	}
	return lazy.NewTrace(open(t, backend, lazy.Compiled()))
}

// Conversions are those of PyTorch, on each backend and of each pattern of bits: NaN is NaN, of
// any payload and sign.
func TestFloat8Converts(t *testing.T) {
	goldens := float8Goldens(t)
	all := make([]uint8, 256)
	for i := range all {
		all[i] = uint8(i)
	}
	for _, backend := range []string{"eval", "cpu"} {
		for _, d := range float8s {
			golden := goldens[d.String()]
			require.Len(t, golden.Values, 256)
			tr := compiledTrace(t, backend)
			got, err := lazy.ToSlice[float32](float8(tr, d, all).Convert(lazy.F32))
			require.NoError(t, err)
			for i, want := range golden.Values {
				if want := math.Float32frombits(want); want == want {
					require.Equal(t, golden.Values[i], math.Float32bits(got[i]), "%s: %v of bits %#x", backend, d, i)
				} else {
					require.True(t, got[i] != got[i], "%s: %v of bits %#x is %v, want NaN", backend, d, i, got[i])
				}
			}
			numbers := convertAll(golden.Numbers, func(b int32) float32 { return math.Float32frombits(uint32(b)) })
			for _, from := range []types.DType{lazy.F32, lazy.F64} {
				rounded := bits(t, lazy.From(tr, numbers).Convert(from).Convert(d))
				for i, want := range golden.Rounded {
					if x := numbers[i]; x == x {
						require.Equal(t, want, int(rounded[i]), "%s: %v of %v, of %v", backend, d, x, from)
						require.Equal(t, want, int(types.Float8Bits(d, float64(x))), "%v of %v", d, x)
					} else {
						require.True(t, math.IsNaN(float64(types.Float8Value(d, rounded[i]))), "%s: %v of NaN is %#x", backend, d, rounded[i])
					}
				}
			}
		}
	}
}

// A number of f64 is rounded once: by way of f32 this one would be a tie, and round down. Integers
// and complex numbers that are too large are as floats.
func TestFloat8ConvertsFromEachDType(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := compiledTrace(t, backend)
		x := lazy.From(tr, []float64{1 + 0x1p-4 + 0x1p-40, 1 + 0x1p-4, 1 + 0x1p-4 - 0x1p-40, -1e300, 0x1p-10 + 0x1p-50, -0x1p-10}).Convert(lazy.F8E4M3FN)
		require.Equal(t, []byte{0x39, 0x38, 0x38, 0xfe, 0x01, 0x80}, bits(t, x), backend)
		require.Equal(t, []byte{0x7e, 0xfe, 0x38, 0}, bits(t, lazy.From(tr, []int32{500, -100000, 1, 0}).Convert(lazy.F8E4M3FN)), backend)
		require.Equal(t, []byte{0x7c, 0xfc, 0x3c}, bits(t, lazy.From(tr, []int64{1 << 40, -1 << 40, 1}).Convert(lazy.F8E5M2)), backend)
		require.Equal(t, []byte{0x7e, 0x3c}, bits(t, lazy.From(tr, []complex64{1000 + 2i, 1.5}).Convert(lazy.F8E4M3FN)), backend)
		require.Equal(t, []byte{0x38, 0}, bits(t, lazy.From(tr, []bool{true, false}).Convert(lazy.F8E4M3FN)), backend)
		y := float8(tr, lazy.F8E5M2, []uint8{0x7b, 0x7c, 0x3e})
		require.Equal(t, []byte{0x7e, 0x7e, 0x3c}, bits(t, y.Convert(lazy.F8E4M3FN)), backend)
		whole, err := lazy.ToSlice[int32](y.Narrow(0, 0, 1).Convert(lazy.I32))
		require.NoError(t, err)
		require.Equal(t, []int32{57344}, whole, backend)
		z, err := lazy.ToSlice[complex64](y.Narrow(0, 2, 1).Convert(lazy.C64))
		require.NoError(t, err)
		require.Equal(t, []complex64{1.5}, z, backend)
	}
}

// Ops that move elements keep their bits, those of NaN too.
func TestFloat8Moves(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		for _, d := range float8s {
			tr := compiledTrace(t, backend)
			x := float8(tr, d, []uint8{1, 0x7f, 0x80, 0xff, 0x38, 2}, 2, 3)
			require.Equal(t, []byte{1, 0xff, 0x7f, 0x38, 0x80, 2}, bits(t, x.Transpose()), backend)
			require.Equal(t, []byte{0x80, 2, 1, 0xff}, bits(t, lazy.Concatenate(0, x.Narrow(1, 2, 1), x.Narrow(1, 0, 1)).Reshape(4)), backend)
			require.Equal(t, []byte{0xff, 0x38, 2, 1, 0x7f, 0x80}, bits(t, x.IndexSelect(lazy.From(tr, []int32{1, 0}), 0)), backend)
			p := lazy.From(tr, []bool{true, false, true})
			require.Equal(t, []byte{1, 0x38, 0x80}, bits(t, p.Where(x.Select(0, 0), x.Select(0, 1))), backend)
			require.Equal(t, []byte{1, 0x7f, 0x80, 1, 0x7f, 0x80}, bits(t, x.Select(0, 0).BroadcastTo(2, 3)), backend)
			require.Equal(t, []byte{0x80, 0x7f, 1, 2, 0x38, 0xff}, bits(t, x.Reverse(1)), backend)
		}
	}
}

// Comparisons are of the numbers: NaN is unequal to itself, and zeros of either sign are equal.
func TestFloat8Compares(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		for _, d := range float8s {
			tr := compiledTrace(t, backend)
			x, y := float8(tr, d, []uint8{0x80, 0x7f, 0xbc, 0x3c}), float8(tr, d, []uint8{0, 0x7f, 0x3c, 0x38})
			require.Equal(t, []byte{1, 0, 0, 0}, bits(t, x.Equal(y)), backend)
			require.Equal(t, []byte{0, 0, 1, 0}, bits(t, x.Less(y)), backend)
		}
	}
}

// Values and items are the numbers.
func TestFloat8Reads(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.Full(tr, lazy.F8E4M3FN, 1.76, 2)
	got, err := lazy.ToSlice[types.Float8E4M3FN](x)
	require.NoError(t, err)
	require.Equal(t, []types.Float8E4M3FN{0x3e, 0x3e}, got)
	item, err := x.Select(0, 0).Item()
	require.NoError(t, err)
	require.Equal(t, 1.75, item)
}

// There is no arithmetic on floats of 8 bits, and no promotion: the error says what to do.
func TestFloat8HasNoArithmetic(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x, y := float8(tr, lazy.F8E4M3FN, []uint8{1, 2}), lazy.From(tr, []float32{1, 2})
	for name, z := range map[string]*lazy.Tensor{
		"add(f8E4M3FN[2], f8E4M3FN[2])": x.Add(x),
		"mul(f8E4M3FN[2], f32[2])":      x.Mul(y),
		"exp(f8E4M3FN[2])":              x.Exp(),
		"sum(f8E4M3FN[2])":              x.Sum(),
		"matmul":                        x.Reshape(1, 2).MatMul(x.Reshape(2, 1)),
	} {
		require.ErrorIs(t, z.Err(), lazy.ErrType, name)
		require.ErrorContains(t, z.Err(), name)
		require.ErrorContains(t, z.Err(), "is f8E4M3FN; convert it to f32 or bf16 with Convert", name)
	}
	z := x.And(x)
	require.ErrorContains(t, z.Err(), "is f8E4M3FN; convert it with Convert")
	require.Equal(t, types.Invalid, lazy.CommonDType(x, y))
	require.Equal(t, lazy.F8E4M3FN, lazy.CommonDType(x, x))
	require.Equal(t, types.Invalid, lazy.CommonDType(x, float8(tr, lazy.F8E5M2, []uint8{1, 2})))
}

// Gradients of conversions to floats of 8 bits and back are those of PyTorch. Other readers add up
// in f32, where PyTorch has no sum. They end at a Stop, in NoGrad and at other ops of 8 bits.
func TestFloat8Gradients(t *testing.T) {
	goldens := float8Goldens(t)
	for _, d := range float8s {
		for _, backend := range []string{"eval", "cpu"} {
			tr := compiledTrace(t, backend)
			g := goldens[d.String()]
			x, weights := lazy.From(tr, g.At), lazy.From(tr, g.Weights)
			gradient := func(y *lazy.Tensor) []float32 {
				require.NoError(t, y.Err())
				grads, err := lazy.ToSlice[float32](lazy.Grad(y, x)[0])
				require.NoError(t, err)
				return grads
			}
			y := x.Convert(d)
			require.Equal(t, g.Gradient, gradient(y.Convert(lazy.F32).Mul(weights).Sum()), "%s: %v", backend, d)
			twice := y.Convert(lazy.F32).Mul(weights).Sum().Add(y.Convert(lazy.BF16).Sum().Convert(lazy.F32))
			require.Equal(t, convertAll(g.Gradient, func(x float32) float32 { return x + 1 }), gradient(twice), "%s: %v", backend, d)
			end := tr.NoGrad()
			within := x.Convert(d)
			end()
			for _, y := range []*lazy.Tensor{within, y.Stop(), y.Reshape(1, 5)} {
				require.Equal(t, make([]float32, 5), gradient(y.Convert(lazy.F32).Mul(weights).Sum().Add(x.Sum().MulScalar(0))))
			}
		}
	}
}
