package autodiff

import (
	"slices"

	"ltc/ir"
	"ltc/ir/types"
)

// The gradient ct of a complex value z stands for the differential Re(ct·dz). With this
// convention the formulas of real functions hold for holomorphic ones as they are, without a
// conjugate, and so do those of sums, products and moves. PyTorch's gradient, which descends,
// is the conjugate: [Reverse]'s callers take it where gradients come in and go out.

// The comments give the differential of L.

// complex is the number of two parts.
func (e emitter) complex(re, im *ir.Node) *ir.Node { return e.op(ir.OpComplex, re, im) }

// whole is the complex number of a real part.
func (e emitter) whole(re *ir.Node) *ir.Node { return e.complex(re, e.scalar(re, 0)) }

// conj is the conjugate; real numbers are their own.
func (e emitter) conj(z *ir.Node) *ir.Node {
	if !z.Type.DType.IsComplex() {
		return z
	}
	return e.complex(e.op(ir.OpReal, z), e.op(ir.OpNeg, e.op(ir.OpImag, z)))
}

// Re(ct (dx + i dy))
func gradComplex(t *tape, _, ct *ir.Node) {
	t.add(0, t.op(ir.OpReal, ct))
	if t.wants(1) {
		t.add(1, t.op(ir.OpNeg, t.op(ir.OpImag, ct)))
	}
}

// ct Re(dz)
func gradReal(t *tape, _, ct *ir.Node) { t.add(0, t.whole(ct)) }

// ct Im(dz), which is Re(-i ct dz)
func gradImag(t *tape, _, ct *ir.Node) { t.add(0, t.complex(t.scalar(ct, 0), t.op(ir.OpNeg, ct))) }

// ct Re(conj(z) dz)/|z|
func gradAbs(t *tape, n, ct *ir.Node) {
	sign := t.op(ir.OpSign, n.In[0])
	if n.In[0].Type.DType.IsComplex() {
		ct, sign = t.whole(ct), t.conj(sign)
	}
	t.add(0, t.mul(ct, sign))
}

// gradSign: that of x/|x| for complex numbers, 0 at 0; the derivative of other signs is 0 wherever it
// is defined, and 0 is used where it is not.
func gradSign(t *tape, n, ct *ir.Node) {
	x := n.In[0]
	if !x.Type.DType.IsComplex() {
		return
	}
	// (ct - Re(ct y) conj(y))/|x|
	along := t.mul(t.whole(t.op(ir.OpReal, t.mul(ct, n))), t.conj(n))
	size := t.op(ir.OpAbs, x)
	zero := t.compare("EQ", size, t.scalar(size, 0))
	g := t.op(ir.OpDiv, t.op(ir.OpSub, ct, along), t.whole(t.op(ir.OpWhere, zero, t.scalar(size, 1), size)))
	t.add(0, t.op(ir.OpWhere, zero, t.scalar(g, 0), g))
}

// gradFFT: the matrices of FFT and IFFT are symmetric. RFFT drops elements of the spectrum, and
// IRFFT counts those that it takes the conjugates of twice.
func gradFFT(t *tape, n, ct *ir.Node) {
	kind, lengths := n.Attrs[ir.FFTKind].Str, n.Attrs[ir.FFTLengths].Ints
	last := n.Type.Rank() - 1
	length := lengths[len(lengths)-1]
	switch kind {
	case "FFT", "IFFT":
		t.add(0, t.fft(ct, kind, lengths))
	case "RFFT":
		high := make([]int, last+1)
		high[last] = length - n.Type.Shape[last]
		whole := t.pad(ct, make([]int, last+1), high, make([]int, last+1))
		t.add(0, t.op(ir.OpReal, t.fft(whole, "FFT", lengths)))
	case "IRFFT":
		g := t.conj(t.fft(ct, "RFFT", lengths))
		size := 1
		for _, d := range lengths {
			size *= d
		}
		half := length/2 + 1
		count := t.node(ir.OpIota, nil, []ir.Attr{ir.IotaDType: {Int: int64(types.I64)}, ir.IotaShape: {Ints: []int{half}}, ir.IotaAxis: {Int: 0}})
		once := t.compare("EQ", count, t.scalar(count, 0))
		if length%2 == 0 {
			once = t.op(ir.OpOr, once, t.compare("EQ", count, t.scalar(count, float64(half-1))))
		}
		weight := t.op(ir.OpWhere, once, t.scalar(g, 1/float64(size)), t.scalar(g, 2/float64(size)))
		t.add(0, t.mul(g, weight))
	}
}

func (e emitter) fft(x *ir.Node, kind string, lengths []int) *ir.Node {
	return e.node(ir.OpFFT, []*ir.Node{x}, []ir.Attr{ir.FFTKind: {Str: kind}, ir.FFTLengths: {Ints: slices.Clone(lengths)}})
}
