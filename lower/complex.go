package lower

import (
	"slices"

	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Arguments and results of main that are complex numbers are their parts in the text, in a last
// dimension of 2: that is how Go and NumPy have complex numbers in memory. Each backend takes
// them, as memory of floats. Inside of main they are complex numbers.

// ofParts returns the complex numbers of type t whose parts an argument of main has.
func (l *lowerer) ofParts(arg *mlir.Value, t types.Type) *mlir.Value {
	return l.emit(stablehlo.Complex, tensor(t), []*mlir.Value{l.partAt(arg, t, 0), l.partAt(arg, t, 1)})
}

// partAt returns the real parts, for 0, or the imaginary ones, for 1, of an argument.
func (l *lowerer) partAt(arg *mlir.Value, t types.Type, k int) *mlir.Value {
	one := types.Type{DType: t.DType.Part(), Shape: append(slices.Clone(t.Shape), 1)}
	starts, strides := make([]int, one.Rank()), slices.Repeat([]int{1}, one.Rank())
	limits := append(slices.Clone(t.Shape), k+1)
	starts[t.Rank()] = k
	part := l.emit(stablehlo.Slice, tensor(one), []*mlir.Value{arg}, ints("start_indices", starts), ints("limit_indices", limits), ints("strides", strides))
	return l.emit(stablehlo.Reshape, tensor(types.Type{DType: one.DType, Shape: t.Shape}), []*mlir.Value{part})
}

// partsOf returns the parts of complex numbers of type t, as a result of main has them.
func (l *lowerer) partsOf(z *mlir.Value, t types.Type) *mlir.Value {
	flat := types.Type{DType: t.DType.Part(), Shape: t.Shape}
	one := types.Type{DType: flat.DType, Shape: append(slices.Clone(t.Shape), 1)}
	var parts []*mlir.Value
	for _, code := range []mlir.Code{stablehlo.Real, stablehlo.Imag} {
		part := l.emit(code, tensor(flat), []*mlir.Value{z})
		parts = append(parts, l.emit(stablehlo.Reshape, tensor(one), []*mlir.Value{part}))
	}
	return l.emit(stablehlo.Concatenate, tensor(t.Parts()), parts, attr("dimension", mlir.I64Attr(int64(t.Rank()))))
}

// lowerAbs gives the moduli of complex numbers, which are floats.
func lowerAbs(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Abs, tensor(n.Type), l.in(n))
}

func lowerReal(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Real, tensor(n.Type), l.in(n))
}

func lowerImag(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Imag, tensor(n.Type), l.in(n))
}

func lowerComplex(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.Complex, tensor(n.Type), l.in(n))
}

// lowerFFT transforms the last axes.
func lowerFFT(l *lowerer, n *ir.Node) *mlir.Value {
	return l.emit(stablehlo.FFT, tensor(n.Type), l.in(n),
		attr("fft_type", mlir.EnumAttr{Dialect: "stablehlo", Kind: "fft_type", Value: n.Attrs[ir.FFTKind].Str}), ints("fft_length", n.Attrs[ir.FFTLengths].Ints))
}
