package lift

import (
	"ltc/ir"
	"ltc/mlir"
	"ltc/stablehlo"
)

func complexOf(r *recorder, _ *mlir.Op, in []*ir.Node) []*ir.Node {
	return one(r.node(ir.OpComplex, nil, in...))
}

// partOf is the real or the imaginary part, which numbers that are not complex have, too.
func partOf(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	switch {
	case in[0].Type.DType.IsComplex() && op.Code == stablehlo.Real:
		return one(r.node(ir.OpReal, nil, in[0]))
	case in[0].Type.DType.IsComplex():
		return one(r.node(ir.OpImag, nil, in[0]))
	case op.Code == stablehlo.Real:
		return in
	}
	return one(r.filled(in[0].Type.DType, 0, in[0].Type.Shape))
}

func fourier(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o := stablehlo.AsFFT(op)
	return one(r.node(ir.OpFFT, []ir.Attr{ir.FFTKind: {Str: o.FFTType()}, ir.FFTLengths: {Ints: narrow(o.FFTLength())}}, in[0]))
}
