package lazy

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// vary is an input of a gradient case: values drawn from [lo, hi].
type vary struct {
	dims   []int
	lo, hi float64
}

func in(lo, hi float64, dims ...int) vary { return vary{dims, lo, hi} }

// gradCase is a function whose gradients, first and second, are compared with
// central differences. The inputs keep away from kinks.
type gradCase struct {
	name string
	in   []vary
	f    func(x []*Tensor) *Tensor
}

func unaryCase(name string, lo, hi float64, f func(x *Tensor) *Tensor) gradCase {
	return gradCase{name, []vary{in(lo, hi, 2, 3)}, func(x []*Tensor) *Tensor { return f(x[0]) }}
}

func binaryCase(name string, a, b vary, f func(x, y *Tensor) *Tensor) gradCase {
	return gradCase{name, []vary{a, b}, func(x []*Tensor) *Tensor { return f(x[0], x[1]) }}
}

// index records an i32 vector.
func index(x *Tensor, rows ...int32) *Tensor { return From(x.tr, rows, len(rows)) }

var gradCases = slices.Concat(elementwiseGrads, broadcastGrads, shapeGrads, stridedGrads, reduceGrads, scanGrads, matmulGrads, indexGrads, windowGrads, compositeGrads, complexGrads)

var elementwiseGrads = []gradCase{
	unaryCase("abs", 0.2, 2, (*Tensor).Abs),
	unaryCase("abs of negative", -2, -0.2, (*Tensor).Abs),
	unaryCase("neg", -2, 2, (*Tensor).Neg),
	unaryCase("sign", 0.2, 2, (*Tensor).Sign),
	unaryCase("exp", -2, 2, (*Tensor).Exp),
	unaryCase("expm1", -2, 2, (*Tensor).Expm1),
	unaryCase("log", 0.5, 3, (*Tensor).Log),
	unaryCase("log1p", -0.5, 3, (*Tensor).Log1p),
	unaryCase("sqrt", 0.5, 3, (*Tensor).Sqrt),
	unaryCase("rsqrt", 0.5, 3, (*Tensor).Rsqrt),
	unaryCase("sin", -3, 3, (*Tensor).Sin),
	unaryCase("cos", -3, 3, (*Tensor).Cos),
	unaryCase("tan", -1, 1, (*Tensor).Tan),
	unaryCase("asin", -0.8, 0.8, (*Tensor).Asin),
	unaryCase("acos", -0.8, 0.8, (*Tensor).Acos),
	unaryCase("atan", -2, 2, (*Tensor).Atan),
	unaryCase("asinh", -2, 2, (*Tensor).Asinh),
	unaryCase("acosh", 1.3, 3, (*Tensor).Acosh),
	unaryCase("atanh", -0.8, 0.8, (*Tensor).Atanh),
	unaryCase("cbrt", 0.5, 3, (*Tensor).Cbrt),
	unaryCase("cbrt of negative", -3, -0.5, (*Tensor).Cbrt),
	unaryCase("erfc", -2, 2, (*Tensor).Erfc),
	unaryCase("erf_inv", -0.8, 0.8, (*Tensor).ErfInv),
	unaryCase("lgamma", 0.5, 3, (*Tensor).Lgamma),
	unaryCase("lgamma below 0", -1.8, -1.2, (*Tensor).Lgamma),
	unaryCase("digamma", 0.5, 3, (*Tensor).Digamma),
	unaryCase("digamma below 0", -1.7, -1.3, (*Tensor).Digamma),
	unaryCase("digamma far below 0", -8.7, -8.3, (*Tensor).Digamma),
	unaryCase("polygamma", 0.5, 3, func(x *Tensor) *Tensor { return x.like(2).Polygamma(x) }),
	unaryCase("zeta", 0.5, 3, func(x *Tensor) *Tensor { return x.like(2.5).Zeta(x) }),
	binaryCase("atan2", in(-2, 2, 3), in(0.5, 2, 3), (*Tensor).Atan2),
	binaryCase("atan2 on the left", in(0.5, 2, 3), in(-2, -0.5, 3), (*Tensor).Atan2),
	binaryCase("next_after", in(0, 1, 3), in(2, 3, 3), (*Tensor).NextAfter),
	unaryCase("bit_cast", 0.5, 3, func(x *Tensor) *Tensor {
		sign := x.BitCast(I64).ShiftRightLogical(Const(x.tr, I64, 63)).Convert(F64)
		return x.Mul(sign.AddScalar(2))
	}),
	unaryCase("tanh", -2, 2, (*Tensor).Tanh),
	unaryCase("sigmoid", -3, 3, (*Tensor).Sigmoid),
	unaryCase("floor", 0.2, 0.8, (*Tensor).Floor),
	unaryCase("ceil", 0.2, 0.8, (*Tensor).Ceil),
	unaryCase("round", 0.6, 0.9, (*Tensor).Round),
	unaryCase("relu above 0", 0.2, 2, (*Tensor).ReLU),
	unaryCase("relu below 0", -2, -0.2, (*Tensor).ReLU),
	binaryCase("add", in(-2, 2, 3), in(-2, 2, 3), (*Tensor).Add),
	binaryCase("sub", in(-2, 2, 3), in(-2, 2, 3), (*Tensor).Sub),
	binaryCase("mul", in(-2, 2, 3), in(-2, 2, 3), (*Tensor).Mul),
	binaryCase("div", in(-2, 2, 3), in(0.5, 2, 3), (*Tensor).Div),
	binaryCase("div by negative", in(-2, 2, 3), in(-2, -0.5, 3), (*Tensor).Div),
	binaryCase("rem", in(2.1, 2.9, 3), in(0.95, 1, 3), (*Tensor).Rem),
	binaryCase("rem of negative", in(-2.9, -2.1, 3), in(0.95, 1, 3), (*Tensor).Rem),
	binaryCase("pow", in(0.5, 2, 3), in(-2, 2, 3), (*Tensor).Pow),
	unaryCase("pow of negative", -2, -0.5, func(x *Tensor) *Tensor { return x.Pow(x.like(3)) }),
	unaryCase("power of a constant", -2, 2, func(x *Tensor) *Tensor { return x.like(1.5).Pow(x) }),
	binaryCase("maximum", in(0, 1, 3), in(2, 3, 3), (*Tensor).Maximum),
	binaryCase("minimum", in(0, 1, 3), in(2, 3, 3), (*Tensor).Minimum),
	binaryCase("where", in(-2, 2, 4), in(-2, 2, 4), func(x, y *Tensor) *Tensor {
		return From(x.tr, []bool{true, false, false, true}, 4).Where(x, y)
	}),
	binaryCase("where by compare", in(0, 1, 4), in(2, 3, 4), func(x, y *Tensor) *Tensor { return x.Less(y).Where(x.Mul(y), y) }),
	unaryCase("convert to f64", -2, 2, func(x *Tensor) *Tensor { return x.Convert(F64).Mul(x) }),
	unaryCase("used twice", -2, 2, func(x *Tensor) *Tensor { return x.Sin().Mul(x).Add(x) }),
	binaryCase("both operands one", in(-2, 2, 3), in(-2, 2, 3), func(x, y *Tensor) *Tensor { return x.Mul(x).Add(x.Sub(y).Mul(x.Sub(y))) }),
}

// complexCase is of the parts of a complex number, and of the function's result.
func complexCase(name string, f func(z *Tensor) *Tensor) gradCase {
	return gradCase{name, []vary{in(0.3, 2, 2, 3), in(-2, -0.3, 2, 3)}, func(x []*Tensor) *Tensor {
		y := f(Complex(x[0], x[1]))
		if y.DType().IsComplex() {
			y = y.ViewAsReal()
		}
		return y
	}}
}

// shiftedBy is z plus a number.
func shiftedBy(z *Tensor, by complex128) *Tensor { return z.Add(FullComplex(z.tr, z.DType(), by)) }

var complexGrads = []gradCase{
	complexCase("complex", func(z *Tensor) *Tensor { return z.Mul(z) }),
	complexCase("real", func(z *Tensor) *Tensor { return z.Mul(z).Real() }),
	complexCase("imag", func(z *Tensor) *Tensor { return z.Mul(z).Imag() }),
	complexCase("abs of complex", (*Tensor).Abs),
	complexCase("sign of complex", (*Tensor).Sign),
	complexCase("div of complex", func(z *Tensor) *Tensor { return z.Div(shiftedBy(z, 1+3i)) }),
	complexCase("pow of complex", func(z *Tensor) *Tensor { return z.Pow(shiftedBy(z, 0.5-0.25i)) }),
	complexCase("exp of complex", (*Tensor).Exp),
	complexCase("expm1 of complex", (*Tensor).Expm1),
	complexCase("log of complex", (*Tensor).Log),
	complexCase("log1p of complex", (*Tensor).Log1p),
	complexCase("sqrt of complex", (*Tensor).Sqrt),
	complexCase("rsqrt of complex", (*Tensor).Rsqrt),
	complexCase("sin of complex", (*Tensor).Sin),
	complexCase("cos of complex", (*Tensor).Cos),
	complexCase("tan of complex", (*Tensor).Tan),
	complexCase("tanh of complex", (*Tensor).Tanh),
	complexCase("sigmoid of complex", (*Tensor).Sigmoid),
	complexCase("reciprocal of complex", (*Tensor).Reciprocal),
	complexCase("conj", func(z *Tensor) *Tensor { return z.Conj().Mul(z).Mul(z) }),
	complexCase("angle", (*Tensor).Angle),
	complexCase("view_as_complex", func(z *Tensor) *Tensor { return z.ViewAsReal().ViewAsComplex().Mul(z) }),
	complexCase("matmul of complex", func(z *Tensor) *Tensor { return z.MatMul(shiftedBy(z, 1i).Transpose(1, 0)) }),
	complexCase("sum of complex", func(z *Tensor) *Tensor { return z.Mul(z).Sum(0) }),
	complexCase("mean of complex", func(z *Tensor) *Tensor { return z.Mul(z).Mean(1) }),
	complexCase("where of complex", func(z *Tensor) *Tensor { return z.Real().GreaterScalar(1).Where(z.Mul(z), z.Conj()) }),
	complexCase("gather of complex", func(z *Tensor) *Tensor { return z.Mul(z).Gather(index(z, 1, 0, 1)) }),
	complexCase("slice of complex", func(z *Tensor) *Tensor { return z.Mul(z).Narrow(1, 1, 2).PadZeros([2]int{0, 1}) }),
	complexCase("convert of complex", func(z *Tensor) *Tensor { return z.Mul(z).Convert(F64).Convert(C128).Mul(z) }),
	complexCase("fft", func(z *Tensor) *Tensor { return z.Mul(z).FourierTransform(Fourier, 3) }),
	complexCase("fft inverse", func(z *Tensor) *Tensor { return z.Mul(z).FourierTransform(InverseFourier, 2, 3) }),
	complexCase("fft to real", func(z *Tensor) *Tensor { return z.Mul(z).FourierTransform(InverseRealFourier, 4) }),
	complexCase("fft to real of odd length", func(z *Tensor) *Tensor { return z.Mul(z).FourierTransform(InverseRealFourier, 2, 5) }),
	complexCase("fft of real", func(z *Tensor) *Tensor { return z.Mul(z).Real().FourierTransform(RealFourier, 3) }),
	complexCase("fft of real planes", func(z *Tensor) *Tensor { return z.Mul(z).Real().FourierTransform(RealFourier, 2, 3) }),
	binaryCase("polar", in(0.5, 2, 3), in(-2, 2, 3), func(x, y *Tensor) *Tensor { return x.Polar(y).ViewAsReal() }),
}

var broadcastGrads = []gradCase{
	binaryCase("add row", in(-2, 2, 2, 3), in(-2, 2, 3), (*Tensor).Add),
	binaryCase("add to row", in(-2, 2, 3), in(-2, 2, 2, 3), (*Tensor).Add),
	binaryCase("mul both", in(-2, 2, 2, 1), in(-2, 2, 1, 3), (*Tensor).Mul),
	binaryCase("mul scalar", in(-2, 2), in(-2, 2, 2, 2), (*Tensor).Mul),
	binaryCase("div by scalar", in(-2, 2, 2, 2), in(1, 2), (*Tensor).Div),
	binaryCase("sub column", in(-2, 2, 2, 1), in(-2, 2, 3), (*Tensor).Sub),
	binaryCase("pow row", in(0.5, 2, 2, 1), in(-1, 1, 3), (*Tensor).Pow),
	binaryCase("maximum row", in(0, 1, 2, 1), in(2, 3, 3), (*Tensor).Maximum),
	binaryCase("where scalar", in(-2, 2), in(-2, 2, 2, 2), func(x, y *Tensor) *Tensor {
		return From(x.tr, []bool{true, false}, 2, 1).Where(x, y)
	}),
	unaryCase("broadcast", -2, 2, func(x *Tensor) *Tensor { return x.Unsqueeze(1).BroadcastTo(4, 2, 2, 3).Sin() }),
	unaryCase("broadcast inner axis", -2, 2, func(x *Tensor) *Tensor {
		return record1(ir.OpBroadcast, x, ir.Attr{Ints: []int{2, 2, 3}}, ir.Attr{Ints: []int{0, 2}})
	}),
}

var shapeGrads = []gradCase{
	unaryCase("reshape", -2, 2, func(x *Tensor) *Tensor { return x.Reshape(3, -1).Sin() }),
	unaryCase("transpose", -2, 2, func(x *Tensor) *Tensor { return x.Transpose().Sin() }),
	{"transpose of three", []vary{in(-2, 2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].Transpose(2, 0, -2).Sin() }},
	{"transpose of scalar", []vary{in(-2, 2)}, func(x []*Tensor) *Tensor { return x[0].Transpose().Sin() }},
	{"slice", []vary{in(-2, 2, 7)}, func(x []*Tensor) *Tensor { return x[0].Slice([]int{1}, []int{4}, []int{1}).Sin() }},
	{"slice with strides", []vary{in(-2, 2, 8, 3)}, func(x []*Tensor) *Tensor {
		return x[0].Slice([]int{1, 0}, []int{8, 3}, []int{3, 2}).Sin()
	}},
	{"slice to the stride's rest", []vary{in(-2, 2, 6)}, func(x []*Tensor) *Tensor { return x[0].Slice([]int{0}, []int{6}, []int{4}).Sin() }},
	{"empty slice", []vary{in(-2, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].Slice([]int{2}, []int{2}, []int{1}) }},
	binaryCase("concatenate", in(-2, 2, 2, 1), in(-2, 2, 2, 2), func(x, y *Tensor) *Tensor { return Concatenate(-1, x, y, x).Sin() }),
	binaryCase("pad", in(-2, 2, 3), in(-2, 2), func(x, y *Tensor) *Tensor { return x.Pad(y, []int{1}, []int{2}, []int{0}).Sin() }),
	binaryCase("pad inside", in(-2, 2, 3), in(-2, 2), func(x, y *Tensor) *Tensor { return x.Pad(y, []int{2}, []int{1}, []int{2}).Sin() }),
	binaryCase("pad with negative", in(-2, 2, 5), in(-2, 2), func(x, y *Tensor) *Tensor { return x.Pad(y, []int{-1}, []int{-2}, []int{0}).Sin() }),
	binaryCase("pad negative and inside", in(-2, 2, 4), in(-2, 2), func(x, y *Tensor) *Tensor { return x.Pad(y, []int{-2}, []int{-1}, []int{1}).Sin() }),
	binaryCase("pad a plane", in(-2, 2, 2, 3), in(-2, 2), func(x, y *Tensor) *Tensor {
		return x.Pad(y, []int{1, -1}, []int{-1, 2}, []int{1, 0}).Sin()
	}),
}

var reduceGrads = []gradCase{
	unaryCase("sum", -2, 2, func(x *Tensor) *Tensor { return x.Sum().Sin() }),
	unaryCase("sum of rows", -2, 2, func(x *Tensor) *Tensor { return x.Sum(-1).Sin() }),
	unaryCase("sum of columns", -2, 2, func(x *Tensor) *Tensor { return x.Sum(-2).Sin() }),
	{"sum of two axes", []vary{in(-2, 2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].Sum(0, -1).Sin() }},
	unaryCase("mean", -2, 2, func(x *Tensor) *Tensor { return x.Mean(1).Sin() }),
	unaryCase("max", -2, 2, func(x *Tensor) *Tensor { return x.Max(-1).Sin() }),
	unaryCase("max of all", -2, 2, func(x *Tensor) *Tensor { return x.Max().Sin() }),
	unaryCase("min", -2, 2, func(x *Tensor) *Tensor { return x.Min(0).Sin() }),
	unaryCase("argmax", -2, 2, func(x *Tensor) *Tensor { return x.Mul(x.ArgMax(1).Convert(F64).Unsqueeze(1)) }),
	{"sum of nothing", []vary{in(-2, 2, 2, 0)}, func(x []*Tensor) *Tensor { return x[0].Sum(1) }},
}

var matmulGrads = []gradCase{
	binaryCase("matmul", in(-2, 2, 2, 3), in(-2, 2, 3, 2), matmulSin),
	binaryCase("matmul of batches", in(-2, 2, 2, 2, 3), in(-2, 2, 2, 3, 1), matmulSin),
	binaryCase("matmul with a shared matrix", in(-2, 2, 2, 2, 3), in(-2, 2, 3, 2), matmulSin),
	binaryCase("matmul of a shared matrix", in(-2, 2, 2, 3), in(-2, 2, 2, 3, 1), matmulSin),
	binaryCase("matmul with batches that broadcast", in(-2, 2, 2, 1, 1, 2), in(-2, 2, 3, 2, 1), matmulSin),
	binaryCase("matmul of a row", in(-2, 2, 3), in(-2, 2, 3, 2), matmulSin),
	binaryCase("matmul with a column", in(-2, 2, 2, 3), in(-2, 2, 3), matmulSin),
	binaryCase("matmul of vectors", in(-2, 2, 3), in(-2, 2, 3), matmulSin),
	binaryCase("matmul of a row with batches", in(-2, 2, 3), in(-2, 2, 2, 3, 2), matmulSin),
	unaryCase("matmul with itself", -1, 1, func(x *Tensor) *Tensor { return x.MatMul(x.Transpose()) }),
}

func matmulSin(x, y *Tensor) *Tensor { return x.MatMul(y).Sin() }

var stridedGrads = []gradCase{
	binaryCase("slice_scatter of a block", in(-2, 2, 3, 4), in(-2, 2, 2, 2), func(x, y *Tensor) *Tensor {
		return x.SliceScatter(y, []int{1, 2}, []int{1, 1}).Sin()
	}),
	binaryCase("slice_scatter in steps", in(-2, 2, 3, 4), in(-2, 2, 2, 2), func(x, y *Tensor) *Tensor {
		return x.SliceScatter(y, []int{0, 1}, []int{2, 2}).Sin()
	}),
	binaryCase("slice_scatter of nothing", in(-2, 2, 3), in(-2, 2, 0), func(x, y *Tensor) *Tensor {
		return x.SliceScatter(y, []int{3}, []int{1}).Sin()
	}),
	unaryCase("as_strided", -2, 2, func(x *Tensor) *Tensor { return x.AsStrided([]int{2, 2}, []int{1, 3}, 1).Sin() }),
	unaryCase("as_strided windows", -2, 2, func(x *Tensor) *Tensor { return x.AsStrided([]int{3, 3}, []int{1, 1}, 1).Sin() }),
	unaryCase("as_strided repeated", -2, 2, func(x *Tensor) *Tensor { return x.AsStrided([]int{3, 2}, []int{0, 2}, 1).Sin() }),
	binaryCase("as_strided_scatter", in(-2, 2, 2, 3), in(-2, 2, 2, 2), func(x, y *Tensor) *Tensor {
		return x.AsStridedScatter(y, []int{1, 3}, 1).Sin()
	}),
	unaryCase("argsort is flat", -2, 2, func(x *Tensor) *Tensor { return x.ArgSort(1).Convert(F64).Mul(x).Sin() }),
	unaryCase("sort", -2, 2, func(x *Tensor) *Tensor {
		values, indices := x.Sort(-1, false)
		return values.Mul(indices.Convert(F64)).Sin()
	}),
	unaryCase("sort of columns, falling", -2, 2, func(x *Tensor) *Tensor {
		values, _ := x.Sort(0, true)
		return values.Sin().Mul(values)
	}),
	unaryCase("sort's indices are flat", -2, 2, func(x *Tensor) *Tensor {
		_, indices := x.Sort(0, false)
		return indices.Convert(F64).Mul(x).Sin()
	}),
	binaryCase("case", in(-2, 2, 2, 2), in(-2, 2, 2, 2), func(x, y *Tensor) *Tensor {
		branch := func(by float64) func(*Trace) []*Tensor {
			return func(*Trace) []*Tensor {
				return []*Tensor{x.Mul(y).MulScalar(by).Softmax(0).Mul(x), y.AddScalar(by).Tanh()}
			}
		}
		ys := If(x.Sum().Less(y.Sum()), branch(1), branch(-2))
		return ys[0].Mul(ys[1])
	}),
	unaryCase("dynamic_slice", -2, 2, func(x *Tensor) *Tensor {
		i := x.ArgMax(1).Max().Convert(I32)
		return x.DynamicSlice([]int{2, 1}, i, i).Sin()
	}),
	binaryCase("dynamic_update_slice", in(-2, 2, 2, 3), in(-2, 2, 1, 2), func(x, y *Tensor) *Tensor {
		i := Const(x.Trace(), I32, 1)
		return x.Mul(x).DynamicUpdateSlice(y.Sin(), i, i).Mul(x)
	}),
	binaryCase("barrier", in(-2, 2, 2, 3), in(-2, 2, 2), func(x, y *Tensor) *Tensor { // in a gradient
		z := Checkpoint(x, func(x *Tensor) *Tensor { return x.Sin().Mul(y.Reshape(2, 1)).Exp() })
		return Grad(z.Sum(), x)[0]
	}),
	binaryCase("checkpoint", in(-2, 2, 2, 3), in(-2, 2, 2), func(x, y *Tensor) *Tensor {
		return Checkpoint(x, func(x *Tensor) *Tensor {
			return Checkpoint(x.Sin(), func(z *Tensor) *Tensor { return z.Mul(y.Reshape(2, 1)).Softmax(1).Mul(x) })
		})
	}),
	unaryCase("host_call", -2, 2, func(x *Tensor) *Tensor { // behind a stop: it has none of its own
		n, err := shapeinfer.Record(x.tr.b, ir.OpHostCall, []*ir.Node{x.tr.operand(x)}, []ir.Attr{{Str: "test.elements"}, {Str: "f32[]"}, {}}, nil)
		return x.Mul(x.tr.result(n, err).Convert(F64).Stop())
	}),
	unaryCase("stop", -2, 2, func(x *Tensor) *Tensor { return x.Mul(x.Stop().MulScalar(0).Stop().AddScalar(3)) }),
	unaryCase("while without gradients", -2, 2, func(x *Tensor) *Tensor {
		n := While(func(_ *Trace, s []*Tensor) *Tensor { return s[0].Sum().LessScalar(100) },
			func(_ *Trace, s []*Tensor) []*Tensor { return []*Tensor{s[0].MulScalar(2).AddScalar(5)} }, x.Stop())[0]
		return x.Mul(n.MulScalar(0).AddScalar(2))
	}),
	binaryCase("scan", in(-2, 2, 2, 2), in(-2, 2, 3, 2), func(x, y *Tensor) *Tensor {
		c, ys := Scan(func(_ *Trace, c, xs []*Tensor) (next, ys []*Tensor) {
			n := c[0].MatMul(x).Add(xs[0].Unsqueeze(0)).Tanh()
			return []*Tensor{n}, []*Tensor{n.Sum(0).Mul(xs[0])}
		}, []*Tensor{x.Sin()}, []*Tensor{y}, ScanOptions{})
		return c[0].Sum().Mul(ys[0].Sum(1))
	}),
	unaryCase("top_k", -2, 2, func(x *Tensor) *Tensor {
		values, _ := x.TopK(2, 1)
		return values.Sin()
	}),
	{"sort of nothing", []vary{in(-2, 2, 2, 0)}, func(x []*Tensor) *Tensor {
		values, _ := x[0].Sort(1, false)
		return values.Add(x[0]).Sum(1)
	}},
	unaryCase("diagonal", -2, 2, func(x *Tensor) *Tensor { return x.Diagonal(1, 0, 1).Sin() }),
	unaryCase("select", -2, 2, func(x *Tensor) *Tensor { return x.Select(1, 1).Sin() }),
	binaryCase("write through a view of a view", in(-2, 2, 3, 4), in(-2, 2, 2), func(x, y *Tensor) *Tensor {
		h := x.Mul(x)
		h.Transpose().Narrow(0, 1, 2).Select(1, 2).Mul_(y)
		return h.Sin()
	}),
	binaryCase("write what was read before", in(-2, 2, 3), in(-2, 2, 3), func(x, y *Tensor) *Tensor {
		h := x.Mul(y)
		before := h.Sin()
		h.Add_(before)
		h.Cos_()
		return h.Mul(before)
	}),
}

var indexGrads = []gradCase{
	{"gather", []vary{in(-2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].Gather(index(x[0], 2, 0)).Sin() }},
	{"gather of repeated rows", []vary{in(-2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].Gather(index(x[0], 1, 1, 0, 1)).Sin() }},
	{"gather clamped", []vary{in(-2, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].Gather(index(x[0], -5, 1, 9)).Sin() }},
	{"gather by u8 from many", []vary{in(-2, 2, 300)}, func(x []*Tensor) *Tensor {
		return x[0].Gather(From(x[0].tr, []uint8{255, 44, 0}, 3)).Sin()
	}},
	{"gather a scalar index", []vary{in(-2, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].Gather(From(x[0].tr, []int64{1}, 1).Reshape()).Sin() }},
	{"scatter_add", []vary{in(-2, 2, 3, 2), in(-2, 2, 4, 2)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterAdd(index(x[0], 2, 0, 2, 2), x[1]).Sin()
	}},
	{"scatter_add out of range", []vary{in(-2, 2, 3), in(-2, 2, 4)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterAdd(index(x[0], -1, 0, 3, 1), x[1]).Sin()
	}},
	{"gather_along", []vary{in(-2, 2, 3, 2)}, func(x []*Tensor) *Tensor {
		return x[0].GatherAlong(index(x[0], 2, 0, 2, 2, -1, 1).Reshape(3, 2), 0).Sin()
	}},
	{"gather_along the last of fewer", []vary{in(-2, 2, 3, 2)}, func(x []*Tensor) *Tensor {
		return x[0].GatherAlong(index(x[0], 1, 1, 0, 0).Reshape(2, 2), 1).Sin()
	}},
	{"index_select", []vary{in(-2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].IndexSelect(index(x[0], 1, 0, 1), 1).Sin() }},
	{"index_add", []vary{in(-2, 2, 3, 2), in(-2, 2, 3, 3)}, func(x []*Tensor) *Tensor {
		return x[0].IndexAdd(index(x[0], 1, 0, 1), x[1], 1).Sin()
	}},
	{"index_copy of repeated", []vary{in(-2, 2, 3, 2), in(-2, 2, 4, 2)}, func(x []*Tensor) *Tensor {
		return x[0].IndexCopy(index(x[0], 1, 0, 1, 5), x[1], 0).Sin()
	}},
	{"scatter_along of repeated", []vary{in(-2, 2, 2, 3), in(-2, 2, 2, 4)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterAlong(index(x[0], 1, 0, 1, 5, 2, 2, 2, -1).Reshape(2, 4), x[1], 1).Sin()
	}},
	{"scatter_along of a part", []vary{in(-2, 2, 2, 3), in(-2, 2, 2, 4)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterAlong(index(x[0], 1, 0).Reshape(1, 2), x[1], 1).Sin()
	}},
	{"scatter_add_along", []vary{in(-2, 2, 3, 2), in(-2, 2, 4, 2)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterAddAlong(index(x[0], 1, 0, 1, 2, 2, 3, 2, -1).Reshape(4, 2), x[1], 0).Sin()
	}},
	{"scatter_mul_along", []vary{in(1, 2, 2, 3), in(-2, -1, 2, 4)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterMulAlong(index(x[0], 1, 0, 1, 5, 2, 2, 2, -1).Reshape(2, 4), x[1], 1).Sin()
	}},
	{"scatter_mul_along by a 0", []vary{in(1, 2, 3), in(1, 2, 4)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterMulAlong(index(x[0], 0, 0, 1, 1), x[1].Mul(From(x[0].tr, []float64{0, 1, 0, 0}, 4).Convert(x[0].DType())), 0)
	}},
	{"scatter_min_along", []vary{in(-2, -1, 2, 3), in(-2, 2, 2, 4)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterMinAlong(index(x[0], 1, 0, 1, 5, 2, 2, 2, -1).Reshape(2, 4), x[1], 1).Sin()
	}},
	{"scatter_max_along", []vary{in(-2, -1, 2, 3), in(-2, 2, 2, 4)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterMaxAlong(index(x[0], 1, 0, 1, 5, 2, 2, 2, -1).Reshape(2, 4), x[1], 1).Sin()
	}},
	{"scatter_add by u8 into many", []vary{in(-2, 2, 300), in(-2, 2, 2)}, func(x []*Tensor) *Tensor {
		return x[0].ScatterAdd(From(x[0].tr, []uint8{255, 44}, 2), x[1]).Sin()
	}},
}

func convSin(o ConvOptions) func(x, kernel *Tensor) *Tensor {
	return func(x, kernel *Tensor) *Tensor { return x.Conv(kernel, o).Sin() }
}

var windowGrads = []gradCase{
	unaryCase("reverse", -2, 2, func(x *Tensor) *Tensor { return x.Reverse(1).Sin() }),
	unaryCase("reverse all", -2, 2, func(x *Tensor) *Tensor { return x.Reverse().Sin() }),
	binaryCase("conv", in(-1, 1, 2, 2, 4, 3), in(-1, 1, 3, 2, 2, 2), convSin(ConvOptions{})),
	binaryCase("conv without spatial axes", in(-1, 1, 2, 3), in(-1, 1, 2, 3), convSin(ConvOptions{})),
	binaryCase("conv with strides and padding", in(-1, 1, 2, 5, 2), in(-1, 1, 3, 2, 2), convSin(ConvOptions{Strides: []int{2}, Padding: [][2]int{{2, 1}}, Layout: "NWC,WIO->NWC"})),
	binaryCase("conv with negative padding", in(-1, 1, 1, 1, 6), in(-1, 1, 2, 1, 2), convSin(ConvOptions{Strides: []int{2}, Padding: [][2]int{{-1, -1}}})),
	binaryCase("conv with dilations", in(-1, 1, 1, 2, 6, 3), in(-1, 1, 2, 2, 3, 2), convSin(ConvOptions{Dilation: []int{2, 1}, Base: []int{1, 3}, Padding: [][2]int{{1, 0}, {0, 2}}})),
	binaryCase("conv that leaves elements out", in(-1, 1, 1, 1, 8), in(-1, 1, 1, 1, 2), convSin(ConvOptions{Strides: []int{4}})),
	binaryCase("conv in groups", in(-1, 1, 2, 4, 3), in(-1, 1, 6, 2, 2), convSin(ConvOptions{Groups: 2})),
	binaryCase("conv depthwise", in(-1, 1, 1, 4, 4, 3), in(-1, 1, 3, 3, 1, 3), convSin(ConvOptions{Groups: 3, Padding: [][2]int{{1, 1}, {1, 1}}, Layout: "NHWC,HWIO->NHWC"})),
	binaryCase("conv of a batch in groups", in(-1, 1, 4, 2, 3), in(-1, 1, 6, 2, 2), convSin(ConvOptions{Batches: 2})),
	binaryCase("conv in another order", in(-1, 1, 3, 2, 2, 3), in(-1, 1, 2, 2, 2, 2), convSin(ConvOptions{Strides: []int{1, 2}, Layout: "HCNW,IWHO->WNCH"})),
	binaryCase("conv of nothing", in(-1, 1, 0, 2, 3), in(-1, 1, 3, 2, 2), convSin(ConvOptions{})),
	{"max_pool", []vary{in(-2, 2, 1, 2, 4, 4)}, func(x []*Tensor) *Tensor { return x[0].MaxPool([]int{2, 2}, PoolOptions{}).Sin() }},
	{"max_pool of windows that overlap", []vary{in(-2, 2, 1, 5, 5, 2)}, func(x []*Tensor) *Tensor {
		return x[0].MaxPool([]int{3, 2}, PoolOptions{Strides: []int{2, 1}, Padding: [][2]int{{1, 1}, {0, -1}}, Dilation: []int{1, 2}, Layout: "NHWC"}).Sin()
	}},
	{"max_pool of windows that overlap, without dilation", []vary{in(-2, 2, 1, 2, 5, 5)}, func(x []*Tensor) *Tensor {
		return x[0].MaxPool([]int{3, 2}, PoolOptions{Strides: []int{2, 1}, Padding: [][2]int{{1, 1}, {0, -1}}}).Sin()
	}},
	{"max_pool_grad", []vary{in(-2, 2, 1, 5, 4, 2), in(-2, 2, 1, 3, 3, 2)}, func(x []*Tensor) *Tensor {
		y := x[0].MaxPool([]int{3, 2}, PoolOptions{Strides: []int{2, 1}, Padding: [][2]int{{1, 1}, {0, 0}}, Layout: "NHWC"})
		return Grad(y.Mul(x[1]).Sum(), x[0])[0].Sin()
	}},
	{"max_pool_grad of nothing", []vary{in(-2, 2, 0, 2, 4), in(-2, 2, 0, 2, 2)}, func(x []*Tensor) *Tensor {
		return Grad(x[0].MaxPool([]int{2}, PoolOptions{}).Mul(x[1]).Sum(), x[0])[0].Sin()
	}},
	{"max_pool of nothing", []vary{in(-2, 2, 0, 2, 4)}, func(x []*Tensor) *Tensor { return x[0].MaxPool([]int{2}, PoolOptions{}).Sin() }},
	{"sum_pool", []vary{in(-2, 2, 1, 2, 5, 4)}, func(x []*Tensor) *Tensor { return x[0].SumPool([]int{2, 2}, PoolOptions{}).Sin() }},
	{"avg_pool of windows that overlap", []vary{in(-2, 2, 1, 6, 5, 2)}, func(x []*Tensor) *Tensor {
		return x[0].AvgPool([]int{3, 2}, PoolOptions{Strides: []int{2, 1}, Padding: [][2]int{{1, 1}, {0, -1}}, Dilation: []int{1, 2}, Layout: "NHWC"}).Sin()
	}},
	{"sum_pool, cumulative", []vary{in(-2, 2, 1, 2, 7)}, func(x []*Tensor) *Tensor {
		return x[0].SumPool([]int{7}, PoolOptions{Strides: []int{1}, Padding: [][2]int{{6, 0}}}).Sin()
	}},
	{"sum_pool of nothing", []vary{in(-2, 2, 0, 2, 4)}, func(x []*Tensor) *Tensor { return x[0].SumPool([]int{2}, PoolOptions{}).Sin() }},
}

// firstOf returns a function that takes the first of two results.
func firstOf(f func(x *Tensor) (y, _ *Tensor)) func(x *Tensor) *Tensor {
	return func(x *Tensor) *Tensor {
		y, _ := f(x)
		return y.Sin()
	}
}

// definite are symmetric positive definite matrices.
func definite(x *Tensor) *Tensor {
	return x.MatMul(x.Transpose(append(types.Axes(x.Rank()-2), x.Rank()-1, x.Rank()-2)...)).Add(Eye(x.tr, F64, x.Dim(-1), x.Dim(-1)))
}

// spaced are numbers of which no two are near.
func spaced(x *Tensor) *Tensor {
	return x.Add(Iota(x.tr, F64, 0, x.Type().Elements()).MulScalar(0.7).Sin().MulScalar(3).Reshape(x.Shape()...))
}

var scanGrads = []gradCase{
	unaryCase("prod", -2, 2, func(x *Tensor) *Tensor { return x.Prod().Sin() }),
	unaryCase("prod of rows", -2, 2, func(x *Tensor) *Tensor { return x.Prod(1).Sin() }),
	{"prod of two axes", []vary{in(-2, 2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].Prod(2, 0).Sin() }},
	{"prod with zeros", []vary{in(-2, 2, 2, 3)}, func(x []*Tensor) *Tensor {
		return x[0].Mul(From(x[0].tr, []float64{1, 0, 1, 0, 0, 1}, 2, 3)).Prod(1).Sin()
	}},
	{"prod of one", []vary{in(-2, 2, 2, 1)}, func(x []*Tensor) *Tensor { return x[0].Prod(1).Sin() }},
	{"prod of nothing", []vary{in(-2, 2, 0, 2)}, func(x []*Tensor) *Tensor { return x[0].Prod(0).Sin() }},
	binaryCase("linear_scan", in(-2, 2, 2, 4), in(-1, 1, 2, 4), func(x, y *Tensor) *Tensor { return x.LinearScan(y, 1, false).Sin() }),
	binaryCase("linear_scan in reverse", in(-2, 2, 3, 2), in(-1, 1, 3, 2), func(x, y *Tensor) *Tensor { return x.LinearScan(y, 0, true).Sin() }),
	{"cholesky", []vary{in(-2, 2, 2, 3, 3)}, func(x []*Tensor) *Tensor { return definite(x[0]).Cholesky(false).Sin() }},
	{"cholesky upper", []vary{in(-2, 2, 3, 3)}, func(x []*Tensor) *Tensor { return definite(x[0]).Cholesky(true).Sin() }},
	{"triangular_solve", []vary{in(1, 2, 2, 3, 3), in(-2, 2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].TriangularSolve(x[1], false, false, false, false).Sin() }},
	{"triangular_solve transposed", []vary{in(1, 2, 3, 3), in(-2, 2, 3, 2)}, func(x []*Tensor) *Tensor { return x[0].TriangularSolve(x[1], false, true, true, false).Sin() }},
	{"triangular_solve right", []vary{in(1, 2, 3, 3), in(-2, 2, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].TriangularSolve(x[1], true, true, false, false).Sin() }},
	{"triangular_solve right, transposed, of a unit diagonal", []vary{in(1, 2, 3, 3), in(-2, 2, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].TriangularSolve(x[1], true, false, true, true).Sin() }},
	unaryCase("cumsum", -2, 2, func(x *Tensor) *Tensor { return x.CumSum(1).Sin() }),
	unaryCase("cumprod", -2, 2, func(x *Tensor) *Tensor { return x.CumProd(1).Sin() }),
	{"cumprod with zeros", []vary{in(-2, 2, 2, 3)}, func(x []*Tensor) *Tensor {
		return x[0].Mul(From(x[0].tr, []float64{1, 0, 1, 0, 0, 1}, 2, 3)).CumProd(1).Sin()
	}},
	unaryCase("cummax", -0.1, 0.1, firstOf(func(x *Tensor) (y, i *Tensor) { return spaced(x).CumMax(1) })),
	unaryCase("cummin", -0.1, 0.1, firstOf(func(x *Tensor) (y, i *Tensor) { return spaced(x).CumMin(0) })),
	unaryCase("logcumsumexp", -2, 2, func(x *Tensor) *Tensor { return x.LogCumSumExp(1).Sin() }),
	unaryCase("var", -2, 2, func(x *Tensor) *Tensor { return x.Var(1, 1).Sin() }),
	unaryCase("std", -2, 2, func(x *Tensor) *Tensor { return x.Std(0).Sin() }),
	unaryCase("log_sum_exp", -2, 2, func(x *Tensor) *Tensor { return x.LogSumExp(1).Sin() }),
	unaryCase("norm", 0.5, 2, func(x *Tensor) *Tensor { return x.Norm(2, 1).Sin() }),
	unaryCase("norm of 1", 0.5, 2, func(x *Tensor) *Tensor { return x.Norm(1).Sin() }),
	unaryCase("norm of 3", -2, -0.5, func(x *Tensor) *Tensor { return x.Norm(3, 0).Sin() }),
	unaryCase("norm of infinity", -0.1, 0.1, func(x *Tensor) *Tensor { return spaced(x).Norm(math.Inf(1), 1).Sin() }),
	unaryCase("nan_mean", -2, 2, func(x *Tensor) *Tensor { return x.NaNMean(1).Sin() }),
	unaryCase("nan_sum", -2, 2, func(x *Tensor) *Tensor { return x.NaNSum(1).Sin() }),
	unaryCase("max_with_indices", -0.1, 0.1, firstOf(func(x *Tensor) (y, i *Tensor) { return spaced(x).MaxWithIndices(1) })),
	unaryCase("min_with_indices", -0.1, 0.1, firstOf(func(x *Tensor) (y, i *Tensor) { return spaced(x).MinWithIndices(0) })),
	unaryCase("kth_value", -0.1, 0.1, firstOf(func(x *Tensor) (y, i *Tensor) { return spaced(x).KthValue(2, 1) })),
	unaryCase("median", -0.1, 0.1, firstOf(func(x *Tensor) (y, i *Tensor) { return spaced(x).Median(1) })),
	unaryCase("mode", -0.1, 0.1, firstOf(func(x *Tensor) (y, i *Tensor) { return spaced(x).Mode(1) })),
	{"tril and triu", []vary{in(-2, 2, 3, 3)}, func(x []*Tensor) *Tensor { return x[0].Tril(0).Sin().Add(x[0].Triu(1).Mul(x[0])) }},
	unaryCase("tile", -2, 2, func(x *Tensor) *Tensor { return x.Tile([]int{2, 2}...).Sin() }),
	unaryCase("repeat_interleave", -2, 2, func(x *Tensor) *Tensor { return x.RepeatInterleave(2, 1).Sin() }),
	unaryCase("roll", -2, 2, func(x *Tensor) *Tensor { return x.Roll([]int{1, 2}, []int{0, 1}).Sin() }),
	unaryCase("rot90", -2, 2, func(x *Tensor) *Tensor { return x.Rot90(1, 0, 1).Sin() }),
	unaryCase("diag_embed", -2, 2, func(x *Tensor) *Tensor { return x.DiagEmbed(1, 0, 2).Sin() }),
	unaryCase("diag", -2, 2, func(x *Tensor) *Tensor { return x.Diag(1).Sin() }),
	unaryCase("unfold", -2, 2, func(x *Tensor) *Tensor { return x.Unfold(1, 2, 1).Sin() }),
	{"bincount", []vary{in(-2, 2, 4)}, func(x []*Tensor) *Tensor { return index(x[0], 2, 0, 2, 5).Bincount(x[0], 3).Sin() }},
}

// Composites of the tests: without a gradient of their own, one in the other.
var (
	testSquare = Define(Composite{Name: "test.square", Operands: operandsOf("x")}, func(x []*Tensor, _ Attrs) *Tensor { return x[0].Mul(x[0]) }, nil)
	testOuter  = Define(Composite{Name: "test.outer", Operands: operandsOf("x", "y"), Attrs: []ops.Attr{{Name: "by", Kind: ops.Real}}}, func(x []*Tensor, a Attrs) *Tensor {
		return testSquare.Call(nil, x[0].Sin()).Add(x[0].Softmax(-1)).MulScalar(a.Float("by")).Add(x[1])
	}, nil)
	testUnused = Define(Composite{Name: "test.unused", Operands: operandsOf("x", "y")}, func(x []*Tensor, _ Attrs) *Tensor { return x[0].Exp() }, nil)
)

// operandsOf are floating-point operands.
func operandsOf(names ...string) (all []ops.Operand) {
	for _, name := range names {
		all = append(all, ops.Operand{Name: name, Is: ops.Float})
	}
	return all
}

var compositeGrads = []gradCase{
	unaryCase("softmax", -2, 2, func(x *Tensor) *Tensor { return x.Softmax(-1) }),
	unaryCase("softmax of columns", -2, 2, func(x *Tensor) *Tensor { return x.Softmax(0) }),
	unaryCase("log_softmax", -2, 2, func(x *Tensor) *Tensor { return x.LogSoftmax(1) }),
	{"cross_entropy", []vary{in(-2, 2, 3, 4)}, func(x []*Tensor) *Tensor { return x[0].CrossEntropy(index(x[0], 3, 0, 1)) }},
	unaryCase("erf", -2, 2, (*Tensor).Erf),
	unaryCase("gelu", -2, 2, (*Tensor).GELU),
	unaryCase("sinh", -2, 2, (*Tensor).Sinh),
	unaryCase("cosh", -2, 2, (*Tensor).Cosh),
	unaryCase("square", -2, 2, (*Tensor).Square),
	unaryCase("reciprocal", 0.5, 2, (*Tensor).Reciprocal),
	unaryCase("exp2", -2, 2, (*Tensor).Exp2),
	unaryCase("log2", 0.5, 3, (*Tensor).Log2),
	unaryCase("log10", 0.5, 3, (*Tensor).Log10),
	unaryCase("frac", 0.2, 0.8, func(x *Tensor) *Tensor { return x.Frac().Mul(x) }),
	unaryCase("rad2deg", -2, 2, func(x *Tensor) *Tensor { return x.Rad2Deg().Deg2Rad().Sin() }),
	unaryCase("nan_to_num", -2, 2, func(x *Tensor) *Tensor { return x.NaNToNum(0, 1, -1).Sin() }),
	unaryCase("number on the left", 0.5, 2, func(x *Tensor) *Tensor { return x.RSubScalar(1).Mul(x.RDivScalar(2)).Mul(x.RPowScalar(3)) }),
	unaryCase("clamp_scalar", -2, 2, func(x *Tensor) *Tensor { return x.ClampScalar(-0.9, 1.1).Mul(x) }),
	binaryCase("floor_divide is flat", in(2.1, 2.9, 3), in(0.95, 1, 3), func(x, y *Tensor) *Tensor { return x.FloorDivide(y).Add(x.TruncDivide(y)).Mul(x) }),
	binaryCase("remainder", in(2.1, 2.9, 3), in(0.95, 1, 3), (*Tensor).Remainder),
	binaryCase("remainder of another sign", in(-2.9, -2.1, 3), in(0.95, 1, 3), (*Tensor).Remainder),
	{"clamp", []vary{in(-2, 2, 4), in(-1, -0.5, 4), in(0.5, 1, 4)}, func(x []*Tensor) *Tensor { return x[0].Clamp(x[1], x[2]).Sin() }},
	{"clamp between bounds that crossed", []vary{in(-2, 2, 4), in(2, 3, 4), in(0.5, 1, 4)}, func(x []*Tensor) *Tensor { return x[0].Clamp(x[1], x[2]).Sin() }},
	binaryCase("fmax", in(-2, 2, 4), in(-2, 2, 4), func(x, y *Tensor) *Tensor { return x.FMax(y).Mul(x.FMin(y.MulScalar(0.5))) }),
	binaryCase("float_power", in(0.5, 2, 3), in(-2, 2, 3), (*Tensor).FloatPower),
	{"lerp", []vary{in(-2, 2, 3), in(-2, 2, 3), in(-1, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].Lerp(x[1], x[2]).Sin() }},
	binaryCase("lerp_scalar", in(-2, 2, 3), in(-2, 2, 3), func(x, y *Tensor) *Tensor { return x.LerpScalar(y, 0.25).Mul(x.LerpScalar(y, 0.75)) }),
	{"addcmul", []vary{in(-2, 2, 3), in(-2, 2, 3), in(-2, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].AddCMul(x[1], x[2], 0.5).Sin() }},
	{"addcdiv", []vary{in(-2, 2, 3), in(-2, 2, 3), in(0.5, 2, 3)}, func(x []*Tensor) *Tensor { return x[0].AddCDiv(x[1], x[2], 0.5).Sin() }},
	binaryCase("copy_sign", in(-2, 2, 4), in(-2, 2, 4), func(x, y *Tensor) *Tensor { return x.CopySign(y).Exp().Mul(y) }),
	unaryCase("frexp", 2.1, 3.9, firstOf((*Tensor).Frexp)),
	binaryCase("ldexp", in(-2, 2, 3), in(-2, 2, 3), (*Tensor).Ldexp),
	binaryCase("log_add_exp", in(-2, 2, 3), in(-2, 2, 3), (*Tensor).LogAddExp),
	binaryCase("log_add_exp2", in(-2, 2, 3), in(-2, 2, 3), (*Tensor).LogAddExp2),
	binaryCase("log_add_exp of a row", in(-2, 2, 2, 1), in(-2, 2, 3), (*Tensor).LogAddExp),
	binaryCase("hypot", in(0.5, 2, 3), in(-2, -0.5, 3), (*Tensor).Hypot),
	binaryCase("xlogy", in(-2, 2, 3), in(0.5, 2, 3), (*Tensor).Xlogy),
	{"layer_norm", []vary{in(-2, 2, 2, 4), in(0.5, 2, 4), in(-1, 1, 4)}, func(x []*Tensor) *Tensor { return x[0].LayerNorm(x[1], x[2], 1e-3).Sin() }},
	{"attention", []vary{in(-2, 2, 2, 3, 4), in(-2, 2, 2, 5, 4), in(-2, 2, 2, 5, 3)}, func(x []*Tensor) *Tensor {
		return x[0].Attention(x[1], x[2], AttentionOptions{})
	}},
	{"attention of groups", []vary{in(-2, 2, 4, 2, 3), in(-2, 2, 2, 3, 3), in(-2, 2, 2, 3, 2)}, func(x []*Tensor) *Tensor {
		return x[0].Attention(x[1], x[2], AttentionOptions{Causal: true, Scale: 0.75})
	}},
	{"attention with a bias", []vary{in(-2, 2, 3, 2), in(-2, 2, 4, 2), in(-2, 2, 4, 2), in(-2, 2, 3, 1)}, func(x []*Tensor) *Tensor {
		return x[0].Attention(x[1], x[2], AttentionOptions{Mask: x[3]})
	}},
	{"attention with a mask", []vary{in(-2, 2, 3, 2), in(-2, 2, 3, 2), in(-2, 2, 3, 2)}, func(x []*Tensor) *Tensor {
		mask := From(x[0].tr, []bool{true, false, true, false, false, false, true, true, true}, 3, 3)
		return x[0].Attention(x[1], x[2], AttentionOptions{Mask: mask})
	}},
	binaryCase("nested without gradients of their own", in(-2, 2, 2, 3), in(-2, 2, 2, 3), func(x, y *Tensor) *Tensor {
		return testOuter.Call(Attrs{"by": 1.5}, x, y).Sin()
	}),
	binaryCase("operand that the body leaves out", in(-2, 2, 3), in(-2, 2, 3), func(x, y *Tensor) *Tensor { return testUnused.Call(nil, x, y) }),
	unaryCase("composite of one operand twice", -1, 1, func(x *Tensor) *Tensor {
		return testOuter.Call(Attrs{"by": 2}, x, x)
	}),
}

// gradTest evaluates one case.
type gradTest struct {
	gradCase
	tr   *Trace
	data [][]float64
	rng  *rand.Rand
	ops  map[ir.Op]bool // of the value
}

// record records the case at the present inputs: the weighted sum of f, and the
// weighted sum of that one's gradients.
func (g *gradTest) record() (x []*Tensor, first, second *Tensor) {
	for i, v := range g.in {
		x = append(x, From(g.tr, g.data[i], append([]int{}, v.dims...)...))
		if len(v.dims) == 0 {
			x[i] = From(g.tr, g.data[i], 1).Reshape()
		}
	}
	first = weighted(g.f(x))
	for _, d := range Grad(first, x...) {
		if s := weighted(d); second == nil {
			second = s
		} else {
			second = second.Add(s)
		}
	}
	return x, first, second
}

// weighted is a sum of the elements with weights that differ.
func weighted(y *Tensor) *Tensor {
	if y.Err() != nil {
		return y
	}
	n := y.Type().Elements()
	weights := Iota(y.tr, F64, 0, n).AddScalar(1.5).Sin().AddScalar(1.1).Reshape(y.Shape()...)
	return y.Mul(weights).Sum()
}

func (g *gradTest) values(t *testing.T) (first, second float64) {
	_, a, b := g.record()
	require.NoError(t, g.tr.MarkStep(a, b))
	return a.Float(), b.Float()
}

func TestGrad(t *testing.T) {
	trials.Sequential(t)
	covered := map[ir.Op]bool{}
	for _, c := range gradCases {
		t.Run(c.name, func(t *testing.T) {
			dev, err := Open("eval", CheckIndices(false))
			require.NoError(t, err)
			g := &gradTest{gradCase: c, tr: NewTrace(dev), rng: rand.New(rand.NewPCG(1, 2))}
			for _, v := range c.in {
				data := make([]float64, types.Shape(v.dims).Elements())
				for i := range data {
					data[i] = v.lo + (v.hi-v.lo)*g.rng.Float64()
				}
				g.data = append(g.data, data)
			}
			x, first, second := g.record()
			for _, n := range g.tr.b.Walk(first.node) {
				covered[n.Op] = true
			}
			all := slices.Concat([]*Tensor{first, second}, Grad(first, x...), Grad(second, x...))
			require.NoError(t, g.tr.MarkStep(all...))
			for i := range x {
				got1, err := ToSlice[float64](all[2+i])
				require.NoError(t, err)
				got2, err := ToSlice[float64](all[2+len(x)+i])
				require.NoError(t, err)
				g.compare(t, i, got1, got2)
			}
		})
	}
	for i := range ops.Table {
		row := &ops.Table[i]
		if slices.ContainsFunc(row.Operands, func(o ops.Operand) bool { return o.Is.Allows(F64) }) {
			require.True(t, covered[ir.Op(i)], "no gradient case has the op %s: add one to the list in grad_test.go, as unaryCase does", row.Mnemonic())
		}
	}
}

// compare compares the gradients of input i with central differences, at up to
// 16 of its elements.
func (g *gradTest) compare(t *testing.T, i int, first, second []float64) {
	t.Helper()
	const h = 1e-5
	x := g.data[i]
	require.Len(t, first, len(x))
	for k := range x {
		if len(x) > 16 && k%44 != 0 && k != 255 {
			continue
		}
		old := x[k]
		x[k] = old + h
		a1, a2 := g.values(t)
		x[k] = old - h
		b1, b2 := g.values(t)
		x[k] = old
		requireNear(t, (a1-b1)/(2*h), first[k], fmt.Sprintf("gradient of input %d at %d", i, k))
		requireNear(t, (a2-b2)/(2*h), second[k], fmt.Sprintf("second gradient of input %d at %d", i, k))
	}
}

// requireNear allows 1e-6, absolute and of the value.
func requireNear(t *testing.T, want, got float64, what string) {
	t.Helper()
	require.LessOrEqual(t, math.Abs(got-want), 1e-6*(1+math.Abs(want)), "%s is %v, central differences give %v", what, got, want)
}

// numbersIn marks a step and returns the values of xs.
func numbersIn(t *testing.T, tr *Trace, xs ...*Tensor) [][]float64 {
	t.Helper()
	require.NoError(t, tr.MarkStep(xs...))
	all := make([][]float64, len(xs))
	for i, x := range xs {
		var err error
		all[i], err = ToSlice[float64](x)
		require.NoError(t, err)
	}
	return all
}

func evalTrace(t *testing.T) *Trace {
	dev, err := Open("eval", CheckIndices(false))
	require.NoError(t, err)
	return NewTrace(dev)
}

// Where a function has a kink, or several elements are extreme, the gradient is
// a convention.
func TestGradAtKinks(t *testing.T) {
	for _, c := range []struct {
		name string
		x    []float64
		f    func(x *Tensor) *Tensor
		want []float64
	}{
		{"abs is flat at 0", []float64{0, -1, 1}, (*Tensor).Abs, []float64{0, -1, 1}},
		{"relu is flat at 0", []float64{0, -1, 1}, (*Tensor).ReLU, []float64{0, 0, 1}},
		{"ties share the maximum", []float64{3, 1, 3, 3}, func(x *Tensor) *Tensor { return x.Max() }, []float64{1.0 / 3, 0, 1.0 / 3, 1.0 / 3}},
		{"ties share the minimum", []float64{1, 1, 3, 4}, func(x *Tensor) *Tensor { return x.Min() }, []float64{0.5, 0.5, 0, 0}},
		{"equal operands share", []float64{1, 2}, func(x *Tensor) *Tensor { return x.Maximum(x.like(2)) }, []float64{0, 0.5}},
		{"of minimum, too", []float64{1, 2}, func(x *Tensor) *Tensor { return x.Minimum(x.like(2)) }, []float64{1, 0.5}},
		{"power 0 of 0", []float64{0, 2}, func(x *Tensor) *Tensor { return x.Pow(x.like(0)) }, []float64{0, 0}},
		{"power 1 of 0", []float64{0, 2}, func(x *Tensor) *Tensor { return x.Pow(x.like(1)) }, []float64{1, 1}},
		{"a clamp leaves its bounds the gradient", []float64{-2, -1, 1, 2}, func(x *Tensor) *Tensor { return x.Clamp(x.like(-1), x.like(1)) }, []float64{0, 1, 1, 0}},
		{"of equal operands fmax takes the first", []float64{1, 2}, func(x *Tensor) *Tensor { return x.FMax(x.like(2)) }, []float64{0, 1}},
		{"of equal operands fmin takes the first", []float64{1, 2}, func(x *Tensor) *Tensor { return x.FMin(x.like(2)) }, []float64{1, 1}},
		{"log_add_exp of equal ones", []float64{1, math.Inf(-1)}, func(x *Tensor) *Tensor { return x.LogAddExp(x.like(1)) }, []float64{0.5, 0}},
		{"hypot of 0 and 0", []float64{0, -2}, func(x *Tensor) *Tensor { return x.Hypot(x.like(0)) }, []float64{0, -1}},
		{"hypot in f32", []float64{0, -2}, func(x *Tensor) *Tensor { x = x.Convert(types.F32); return x.Hypot(x.like(0)) }, []float64{0, -1}},
		{"xlogy at 0", []float64{0, 1}, func(x *Tensor) *Tensor { return x.Xlogy(x.like(0).AddScalar(math.E)) }, []float64{1, 1}},
		{"xlogy of 0", []float64{-1, 1}, func(x *Tensor) *Tensor { return x.like(0).Xlogy(x) }, []float64{0, 0}},
		{"xlogy of 0 and no logarithm", []float64{0, 1}, func(x *Tensor) *Tensor { return x.Xlogy(x.SubScalar(1).Stop()) }, []float64{0, math.Inf(-1)}},
		{"atan2 of 0 and 0", []float64{0, -2}, func(x *Tensor) *Tensor { return x.Atan2(x.like(0)) }, []float64{0, 0}},
		{"power of 0", []float64{2, 0}, func(x *Tensor) *Tensor { return x.like(0).Pow(x) }, []float64{0, 0}},
	} {
		tr := evalTrace(t)
		x := From(tr, c.x)
		got := numbersIn(t, tr, Grad(c.f(x).Sum(), x)...)
		require.Equal(t, c.want, got[0], c.name)
	}
}

// The gradient of Frexp is ct·2^-e, which is the mantissa where ct is x: also at the ends of each dtype, where 2^e overflows.
func TestGradOfFrexpAtEnds(t *testing.T) {
	smallest := map[types.DType]float64{types.F16: 0x1p-24, types.BF16: 0x1p-133, types.F32: math.SmallestNonzeroFloat32, types.F64: math.SmallestNonzeroFloat64}
	for d, least := range smallest {
		numbers := []float64{40000, largestOf(d), -largestOf(d), 1, least, -3 * least}
		tr := evalTrace(t)
		x := From(tr, numbers).Convert(d)
		m, e := x.Frexp()
		grad := Grad(m.Mul(x.Stop()).Sum(), x)[0]
		got := numbersIn(t, tr, x.Convert(types.F64), m.Convert(types.F64), e.Convert(types.F64), grad.Convert(types.F64))
		for i, v := range got[0] {
			mantissa, exponent := math.Frexp(v)
			require.Equal(t, []float64{mantissa, float64(exponent), mantissa}, []float64{got[1][i], got[2][i], got[3][i]}, "%v of %v", v, d)
		}
	}
}

func TestGradOfIntermediate(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{1, 2})
	y := x.Mul(x)
	loss := y.Mul(y).Sum()
	got := numbersIn(t, tr, Grad(loss, y, x, loss)...)
	require.Equal(t, [][]float64{{2, 8}, {4, 32}, {1}}, got)
}

func TestGradOfIndependent(t *testing.T) {
	tr := evalTrace(t)
	x, other := From(tr, []float64{1, 2}), From(tr, []float64{3, 4, 5})
	later := x.Exp() // of x, but not on the way to the loss
	got := numbersIn(t, tr, Grad(x.Mul(x).Sum(), other, later)...)
	require.Equal(t, [][]float64{{0, 0, 0}, {0, 0}}, got)
	later = x.Exp()
	grads := GradOrNil(x.Mul(x).Sum(), other, x, later)
	require.Nil(t, grads[0])
	require.Nil(t, grads[2])
	require.Equal(t, [][]float64{{2, 4}}, numbersIn(t, tr, grads[1]))
	require.ErrorContains(t, GradOrNil(x, x)[0].Err(), "must be a floating-point scalar")
}

// Through an integer or a comparison nothing flows.
func TestGradStopsAtIntegers(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{1.5, 2.5})
	whole := x.Convert(I32).Convert(F64)
	above := x.Greater(x.like(2)).Convert(F64)
	got := numbersIn(t, tr, Grad(whole.Add(above).Mul(x).Sum(), x)...)
	require.Equal(t, [][]float64{{1, 3}}, got)
}

// The gradient of a 16-bit tensor has its dtype.
func TestGradKeepsDType(t *testing.T) {
	for _, d := range []types.DType{F16, BF16, F32} {
		tr := evalTrace(t)
		x := From(tr, []float32{1, 2, 3}).Convert(d)
		g := Grad(x.Softmax(0).Mul(x).Sum().Convert(F32), x)[0]
		require.Equal(t, types.Of(d, 3), g.Type())
		require.NoError(t, tr.MarkStep(g))
	}
}

func TestGradOfVariables(t *testing.T) {
	dev, err := Open("eval", CheckIndices(false))
	require.NoError(t, err)
	tr := NewTrace(dev)
	w := SetValues(dev.Variable("w", F64, 2), []float64{3, -1})
	frozen := SetValues(dev.Variable("frozen", F64, 2), []float64{2, 2}).SetRequiresGrad(false)
	x := From(tr, []float64{1, 2})
	loss := x.Mul(w).Mul(w).Mul(frozen).Sum()
	g := Grad(loss, w, frozen)
	require.NoError(t, loss.Backward())
	require.Nil(t, frozen.Grad())
	got := numbersIn(t, tr, g[0], g[1], w.Grad())
	require.Equal(t, [][]float64{{12, -8}, {9, 2}, {12, -8}}, got)
}

// Gradients of several batches add up, in one step or over several, until they are forgotten.
func TestBackwardAccumulates(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	backward := func(x ...float64) {
		require.NoError(t, From(tr, x).Mul(w).Sum().Backward())
	}
	grad := func() []float64 {
		got, err := ToSlice[float64](w.Grad())
		require.NoError(t, err)
		return got
	}
	backward(1, 2)
	backward(10, 20)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float64{11, 22}, grad())
	backward(100, 200)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float64{111, 222}, grad())
	g := w.Grad()
	w.ZeroGrad()
	require.Nil(t, w.Grad())
	require.NoError(t, g.Err()) // who holds it keeps it
	backward(5, 6)
	w.Sub_(w.Grad())
	w.ZeroGrad() // a gradient that was used is no result of the step
	require.NoError(t, tr.MarkStep())
	got, err := ToSlice[float64](w)
	require.NoError(t, err)
	require.Equal(t, []float64{-2, -7}, got)
	require.Contains(t, tr.StableHLO(), ") -> tensor<2xf64> {") // w alone
}

// A tensor that is not a scalar has a gradient of its own.
func TestBackwardOfAnyShape(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64, 2), []float64{3, -1})
	y := tr.Read(w).Mul(w)
	require.ErrorContains(t, y.Backward(), "must be a floating-point scalar")
	require.ErrorContains(t, y.Backward(From(tr, []float64{1})), "its gradient of the same type")
	require.ErrorIs(t, y.Backward(y, y), ErrUsage)
	require.Nil(t, w.Grad())
	require.NoError(t, y.Backward(From(tr, []float64{1, 10})))
	require.Equal(t, [][]float64{{6, -20}}, numbersIn(t, tr, w.Grad()))
}

// Two traces add to one gradient when the step of the first has ended.
func TestBackwardOfTwoTraces(t *testing.T) {
	tr := evalTrace(t)
	other := NewTrace(tr.Device())
	w := SetValues(tr.Device().Variable("w", F64, 1), []float64{3})
	require.NoError(t, From(tr, []float64{2}).Mul(w).Sum().Backward())
	err := From(other, []float64{5}).Mul(w).Sum().Backward()
	require.ErrorContains(t, err, "give it to that trace's MarkStep first")
	require.NoError(t, tr.MarkStep())
	require.NoError(t, From(other, []float64{5}).Mul(w).Sum().Backward())
	require.NoError(t, other.MarkStep())
	require.Equal(t, 7.0, w.Grad().Float())
}

// A variable that the second loss does not depend on keeps its gradient.
func TestBackwardOfUnusedVariables(t *testing.T) {
	tr := evalTrace(t)
	v, w := SetValues(tr.Device().Variable("v", F64), []float64{3}), SetValues(tr.Device().Variable("w", F64), []float64{5})
	unused := tr.Read(tr.Device().Variable("unused", F64))
	require.NoError(t, tr.Read(v).Mul(w).Backward())
	require.NoError(t, tr.Read(v).MulScalar(10).Backward())
	require.NoError(t, tr.MarkStep(unused))
	require.Equal(t, 15.0, v.Grad().Float())
	require.Equal(t, 3.0, w.Grad().Float())
}

// Errors of gradients name the call.
func TestGradErrorsNameTheCall(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64), []float64{3})
	y := tr.Read(w).Mul(w)
	w.Add_(y)
	require.ErrorContains(t, Grad(y, w)[0].Err(), "grad(f64[], f64[]): variable \"w\" was assigned at")
	require.ErrorContains(t, VJP(y, y, w)[0].Err(), "vjp(f64[], f64[]): variable \"w\" was assigned at")
}

// A step that fails leaves gradients as they were before it.
func TestGradientsOfFailedSteps(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64), []float64{3})
	backward := func(x float64) { require.NoError(t, tr.Read(w).MulScalar(x).Backward()) }
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	backward(1)
	require.Error(t, tr.MarkStepContext(cancelled))
	require.Nil(t, w.Grad())
	backward(5)
	require.NoError(t, tr.MarkStep())
	backward(10)
	backward(20)
	require.Error(t, tr.MarkStepContext(cancelled))
	require.Equal(t, 5.0, w.Grad().Float())
	backward(2)
	require.NoError(t, tr.MarkStep())
	require.Equal(t, 7.0, w.Grad().Float())
}

// In a closure Backward is an error that changes nothing.
func TestBackwardInAClosure(t *testing.T) {
	tr := evalTrace(t)
	w := SetValues(tr.Device().Variable("w", F64), []float64{3})
	require.NoError(t, tr.Read(w).MulScalar(2).Backward())
	var err error
	y := If(tr.Read(w).GreaterScalar(0), func(tr *Trace) []*Tensor {
		err = tr.Read(w).Mul(w).Backward()
		return []*Tensor{tr.Read(w)}
	}, func(tr *Trace) []*Tensor { return []*Tensor{tr.Read(w)} })[0]
	require.ErrorIs(t, err, ErrUsage)
	require.ErrorContains(t, err, "backward(f64[]): gradients cannot be added up in the first function of the if at grad_test.go:")
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, 2.0, w.Grad().Float())
}

func TestSetRequiresGradErrors(t *testing.T) {
	tr := evalTrace(t)
	require.ErrorContains(t, tr.Device().Variable("n", I32).SetRequiresGrad(true).Err(), "there is no gradient with respect to a tensor of i32")
	require.ErrorContains(t, From(tr, []float64{1}).SetRequiresGrad(false).Err(), "it is not a variable")
	require.False(t, tr.Device().Variable("n", I32).RequiresGrad())
	require.True(t, tr.Device().Variable("w", F32).RequiresGrad())
}

func TestThirdGradient(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{2})
	y := x.Pow(x.like(4)).Sum()
	for range 3 {
		y = Grad(y, x)[0].Sum()
	}
	require.InDelta(t, 48, numbersIn(t, tr, y)[0][0], 1e-9)
}

// Logits of -Inf, classes without probability, have no gradient, and leave that
// of the others alone.
func TestGradOfMaskedLogits(t *testing.T) {
	tr := evalTrace(t)
	x := From(tr, []float64{0, 0, math.Inf(-1)}, 1, 3)
	got := numbersIn(t, tr, Grad(x.CrossEntropy(index(x, 1)), x)...)[0]
	require.InDeltaSlice(t, []float64{0.5, -0.5, 0}, got, 1e-12)
}

// The gradient of y in x·log(y) is x/y, as in PyTorch: NaN where both are 0.
func TestGradOfXlogyAtZeros(t *testing.T) {
	tr := evalTrace(t)
	x, y := From(tr, []float64{0, 0, 2}), From(tr, []float64{0, 3, 4})
	got := numbersIn(t, tr, Grad(x.Xlogy(y).Sum(), y)...)
	require.True(t, math.IsNaN(got[0][0]))
	require.Equal(t, []float64{0, 0.5}, got[0][1:])
}
