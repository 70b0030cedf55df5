package shapeinfer

import (
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

// inferAbs: the modulus of a complex number is a number.
func inferAbs(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return types.Type{DType: in[0].Type.DType.Part(), Shape: in[0].Type.Shape}, nil
}

func inferReal(in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (types.Type, *broken) {
	return inferAbs(in, attrs, body)
}

func inferImag(in []*ir.Node, attrs []ir.Attr, body *ir.Composite) (types.Type, *broken) {
	return inferAbs(in, attrs, body)
}

func inferComplex(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return types.Type{DType: in[0].Type.DType.Complex(), Shape: in[0].Type.Shape}, nil
}

func inferFFT(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, kind, lengths := in[0].Type, attrs[ir.FFTKind].Str, attrs[ir.FFTLengths].Ints
	if !slices.Contains([]string{"FFT", "IFFT", "RFFT", "IRFFT"}, kind) {
		return breaks(fFTKind, "kind is %q, must be FFT, IFFT, RFFT or IRFFT", kind)
	}
	if x.DType.IsComplex() == (kind == "RFFT") {
		return breaks(fFTDType, "x is %v; %s takes %s", x.DType, kind, map[bool]string{true: "f32 or f64", false: "complex numbers"}[kind == "RFFT"])
	}
	if n := len(lengths); n < 1 || n > 3 || n > x.Rank() || slices.ContainsFunc(lengths, func(d int) bool { return dims.IsExpr(d) || d < 1 }) {
		return breaks(fFTLengths, "lengths are %v, must be those of one to three axes of %v, positive numbers", types.Shape(lengths), x.Shape)
	}
	first, last := x.Rank()-len(lengths), x.Rank()-1
	shape := slices.Clone(x.Shape)
	for i, n := range lengths {
		a, want := first+i, n
		if a == last && kind == "IRFFT" {
			want = n/2 + 1
		}
		if shape[a] != want {
			return breaks(fFTSizes, "axis %d of x is %s, and must have %s for the lengths %v", a, dims.String(shape[a]), diag.Count(want, "element"), types.Shape(lengths))
		}
	}
	t := types.Type{DType: x.DType.Complex(), Shape: shape}
	switch n := lengths[len(lengths)-1]; kind {
	case "RFFT":
		shape[last] = n/2 + 1
	case "IRFFT":
		shape[last], t.DType = n, x.DType.Part()
	}
	return t, nil
}
