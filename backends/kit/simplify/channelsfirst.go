package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// channelsFirst computes a convolution with its features before the spatial dimensions
// (NCHW) where its image has them there and its result is to have them there, for targets
// that are as fast then ([Options.ChannelsFirst]). Both would be transposed otherwise. Its
// kernel is [output feature, input feature, spatial…] then. The image may be the result of
// another such convolution, and so on up to images that memory holds: all of them are computed
// so, or none. Nothing else reads what is between them. Other networks stay in normal form, in
// which nothing is transposed between their convolutions.
//
// Comes after all other passes, which bring transposes together that cancel. What it does
// depends on sizes.
func channelsFirst(s *state) bool {
	if !s.ChannelsFirst {
		return false
	}
	return s.rewrite(func(r *opRow) rules { return r.channelsFirst })
}

// channelsFirstResult: the transpose of a convolution's result, or of what elementwise ops
// compute of that.
func channelsFirstResult(e *editor, op *mlir.Op) *mlir.Value {
	x, perm := op.Operands[0], stablehlo.AsTranspose(op).Permutation()
	if !slices.Equal(perm, toChannelsFirst(len(perm))) {
		return nil
	}
	f := &firstOrder{editor: e, perm: perm, found: map[*mlir.Value]bool{}, reads: map[*mlir.Value]int{}, built: map[*mlir.Value]*mlir.Value{}}
	if ok, convolves := f.can(x); !ok || !convolves || !f.alone() {
		return nil
	}
	return f.build(x)
}

// padAsStored: a convolution whose window has longer rows than its result pads its image in the
// order in which memory holds it. The image is transposed afterwards, which is but other strides.
// Gradients by weights of batches are such: their features are images, far from each other in
// memory, and their window is the gradient of the result.
func padAsStored(e *editor, op *mlir.Op) *mlir.Value {
	x, w := op.Operands[0], tensorOf(op.Operands[1]).Shape
	n := len(w) - 2
	p := def(x, stablehlo.Pad)
	if n < 1 || p == nil || e.uses()[x] != 1 || !forward(op) || dims.Typical(w[n-1]) <= dims.Typical(resultType(op).Shape[n]) {
		return nil
	}
	t := def(p.Operands[0], stablehlo.Transpose)
	if t == nil {
		return nil
	}
	perm := stablehlo.AsTranspose(t).Permutation()
	if last := int64(n + 1); perm[n] != last { // rows lie as they are read
		return nil
	}
	stored := make([]int64, len(perm)) // the inverse
	for d, from := range perm {
		stored[from] = int64(d)
	}
	a := stablehlo.AsPad(p)
	padded := e.pad(t.Operands[0], p.Operands[1], pick(a.EdgePaddingLow(), stored), pick(a.EdgePaddingHigh(), stored), pick(a.InteriorPadding(), stored))
	return e.emitOp(copyOf(op, resultType(op), e.transpose(padded, perm), op.Operands[1]))
}

// firstOrder is the values that are to be computed with their features first: all of them, or
// none.
type firstOrder struct {
	*editor
	perm  []int64                     // from normal form
	found map[*mlir.Value]bool        // by value whether it includes a convolution
	reads map[*mlir.Value]int         // by value how often it is an operand of others, or of the transpose
	built map[*mlir.Value]*mlir.Value // the values with their features first
}

// alone reports whether no other op reads the values.
func (f *firstOrder) alone() bool {
	for v, n := range f.reads {
		if f.uses()[v] != n {
			return false
		}
	}
	return true
}

// toChannelsFirst returns the permutation that brings a value in normal form to features
// before spatial dimensions.
func toChannelsFirst(rank int) []int64 {
	perm := []int64{0, int64(rank - 1)}
	for d := 1; d < rank-1; d++ {
		perm = append(perm, int64(d))
	}
	return perm
}

// can reports whether a value can be computed with its features first without a transpose, and
// whether that includes a convolution. It counts in reads what the value is computed of.
func (f *firstOrder) can(v *mlir.Value) (ok, convolves bool) {
	if len(tensorOf(v).Shape) == 0 || program.Element(v) != nil || def(v, stablehlo.BroadcastInDim) != nil || f.storedChannelsFirst(v) {
		return true, false
	}
	f.reads[v]++
	if convolves, known := f.found[v]; known {
		return true, convolves
	}
	op := v.Def
	switch {
	case op == nil || !plain(op):
		return false, false
	case op.Code == stablehlo.Convolution:
		ok, convolves = f.fast(op), true
	case op.Code == stablehlo.Pad:
		ok, convolves = f.can(op.Operands[0])
	case elementwise(op):
		ok, convolves = f.canAll(op.Operands)
	}
	f.found[v] = convolves
	return ok, convolves
}

// canAll reports whether all of some values can be computed with their features first, and
// whether that includes a convolution.
func (f *firstOrder) canAll(values []*mlir.Value) (ok, convolves bool) {
	for _, v := range values {
		there, found := f.can(v)
		if !there {
			return false, false
		}
		convolves = convolves || found
	}
	return true, convolves
}

// fast reports whether a convolution in normal form is as fast with its features first, and its
// image can have them first. Targets fill up the last vector of the points of an image then. That
// takes longer than to transpose image and result where points are few and sums long. Rows of an
// image are read by vectors if windows are one or two elements apart.
func (f *firstOrder) fast(op *mlir.Op) bool {
	features, batches := groupsOf(op)
	w, out := tensorOf(op.Operands[1]).Shape, resultType(op).Shape
	stride := stablehlo.AsConvolution(op).WindowStrides()
	if len(stride) == 0 || stride[len(stride)-1] > 2 || features*batches > 1 || !forward(op) {
		return false
	}
	points, products := int64(1), int64(1)
	for _, n := range out[1 : len(out)-1] {
		points *= dims.Typical(n)
	}
	for _, n := range w[:len(w)-1] {
		products *= dims.Typical(n)
	}
	return 2*points >= products && f.image(op.Operands[0])
}

// image reports whether the image of a convolution in normal form can have its features first
// without a transpose: memory holds it so, or it comes of another convolution that is computed so.
func (f *firstOrder) image(v *mlir.Value) bool {
	ok, convolves := f.can(v)
	return ok && (convolves || f.storedChannelsFirst(v))
}

// storedChannelsFirst reports whether a value, or the operand of the pad that it is, is the
// transpose of a value that memory holds with its features first.
func (e *editor) storedChannelsFirst(v *mlir.Value) bool {
	if p := def(v, stablehlo.Pad); p != nil {
		v = p.Operands[0]
	}
	shape := tensorOf(v).Shape
	perm := toChannelsFirst(len(shape))
	if op := def(v, stablehlo.Transpose); op != nil {
		return inOrder(tensorOf(op.Operands[0]).Shape, pick(stablehlo.AsTranspose(op).Permutation(), perm))
	}
	return inOrder(shape, perm)
}

// build returns v with its features first. Requires that it can be so.
func (f *firstOrder) build(v *mlir.Value) *mlir.Value {
	first := f.built[v]
	if first == nil {
		first = f.compute(v)
		f.built[v] = first
	}
	return first
}

func (f *firstOrder) compute(v *mlir.Value) *mlir.Value {
	t, op := tensorOf(v), v.Def
	if len(t.Shape) == 0 {
		return v
	}
	to := like(t, pick(t.Shape, f.perm))
	switch {
	case program.Element(v) != nil || def(v, stablehlo.BroadcastInDim) != nil:
		return f.transpose(v, f.perm)
	case op != nil && op.Code == stablehlo.Pad:
		a := stablehlo.AsPad(op)
		return f.pad(f.build(op.Operands[0]), op.Operands[1],
			pick(a.EdgePaddingLow(), f.perm), pick(a.EdgePaddingHigh(), f.perm), pick(a.InteriorPadding(), f.perm))
	case f.storedChannelsFirst(v):
		return f.transpose(v, f.perm)
	case op.Code == stablehlo.Convolution:
		n := len(t.Shape) - 2
		kernel := []int64{int64(n) + 1, int64(n)}
		for i := range n {
			kernel = append(kernel, int64(i))
		}
		first := copyOf(op, to, f.build(op.Operands[0]), f.transpose(op.Operands[1], kernel))
		first.Attrs.Set("dimension_numbers", stablehlo.ChannelsFirst(n).Attr())
		return f.emitOp(first)
	}
	operands := make([]*mlir.Value, len(op.Operands))
	for i, x := range op.Operands {
		operands[i] = f.build(x)
	}
	return f.again(op, to, operands...)
}
