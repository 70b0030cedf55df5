package simplify

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// convolutions brings convolutions into their normal form. Images are [batch, spatial…,
// feature], kernels [spatial…, input feature, output feature]. Padding and dilation of
// images are part of their values, and windows are read forwards. Strides, dilated
// kernels and groups stay. A window of one element is a matrix product, and a sum of no
// elements is 0.
func convolutions(s *state) bool {
	return s.rewrite(func(r *opRow) rules { return r.convolution })
}

// window is what a convolution says of each spatial dimension.
type window struct {
	stride, dilation, between []int64 // between elements of the image
	low, high                 []int64
	reversed                  []int64 // dimensions
}

func normalConvolution(e *editor, op *mlir.Op) *mlir.Value {
	d := stablehlo.AsConvolution(op).DimensionNumbers()
	x, w, out := op.Operands[0], op.Operands[1], resultType(op)
	if !numbers(tensorOf(x)) || !numbers(tensorOf(w)) || !numbers(out) || out.Elements() == 0 {
		return nil
	}
	if tensorOf(x).Elements() == 0 || tensorOf(w).Elements() == 0 {
		return e.constant(out, 0)
	}
	n := int64(len(d.InputSpatial))
	at := windowOf(op, int(n))
	features, batches := groupsOf(op)
	flat := features*batches == 1
	for _, k := range d.KernelSpatial {
		flat = flat && tensorOf(w).Shape[k] == 1
	}
	image := slices.Concat([]int64{d.InputBatch}, d.InputSpatial, []int64{d.InputFeature})
	kernel := slices.Concat(d.KernelSpatial, []int64{d.KernelInputFeature, d.KernelOutFeature})
	result := slices.Concat([]int64{d.OutputBatch}, d.OutputSpatial, []int64{d.OutputFeature})
	if !flat && forward(op) && slices.IsSorted(image) && slices.IsSorted(kernel) && slices.IsSorted(result) {
		return nil
	}
	if !flat { // of one element there is no other end
		for _, k := range at.reversed {
			w = e.emit(stablehlo.Reverse, w.Type, dimsAttr("dimensions", []int64{d.KernelSpatial[k]}), w)
		}
	}
	phases := at.phases(e.Launch, multiplications(op, w))
	if phases == nil || flat {
		x = e.padded(x, d.InputSpatial, at)
	}
	x, w = e.transpose(x, image), e.transpose(w, kernel)
	t := like(out, pick(out.Shape, result))
	if phases == nil || flat {
		x = e.convolution(op, x, w, at, t)
	} else {
		x = e.interleaved(op, x, w, at, phases, t)
	}
	return e.transpose(x, inverse(result))
}

// convolution emits a convolution of an image and a kernel in normal form.
func (e *editor) convolution(op *mlir.Op, x, w *mlir.Value, at window, t *mlir.TensorType) *mlir.Value {
	n := int64(len(at.stride))
	features, batches := groupsOf(op)
	if features*batches > 1 || slices.ContainsFunc(tensorOf(w).Shape[:n], func(k int64) bool { return k != 1 }) {
		return e.emit(op.Code, t, at.attrs(op, n), x, w)
	}
	x = e.slice(x, at.places(tensorOf(x).Shape, t.Shape))
	w = e.reshape(w, tensorOf(w).Shape[n:])
	return e.dot(op, stablehlo.DotDims{LHSContract: []int64{n + 1}, RHSContract: []int64{0}}, x, w, t)
}

// numbers reports whether elements are numbers that are not pairs of such, nor
// true and false.
func numbers(t *mlir.TensorType) bool {
	if t == nil || t.Elem == mlir.Type(mlir.I1) {
		return false
	}
	_, complex := t.Elem.(mlir.ComplexType)
	return !complex
}

// groupsOf returns in how many groups a convolution has features and batches.
func groupsOf(op *mlir.Op) (features, batches int64) {
	c := stablehlo.AsConvolution(op)
	return max(c.FeatureGroupCount(), 1), max(c.BatchGroupCount(), 1)
}

// windowOf returns the window of a convolution of n spatial dimensions.
func windowOf(op *mlir.Op, n int) (w window) {
	c := stablehlo.AsConvolution(op)
	w.stride, w.dilation, w.between = c.WindowStrides(), c.RHSDilation(), slices.Clone(c.LHSDilation())
	w.low, w.high = make([]int64, n), make([]int64, n)
	padding := c.Padding()
	for i := range n {
		w.low[i], w.high[i] = padding[2*i], padding[2*i+1]
	}
	for i := range w.between {
		w.between[i]--
	}
	for i, yes := range c.WindowReversal() {
		if yes != 0 {
			w.reversed = append(w.reversed, int64(i))
		}
	}
	return w
}

// forward reports whether a window reads an image as it lies, as nothing is said
// to the contrary.
func forward(op *mlir.Op) bool {
	return op.Attrs.Get("padding") == nil && op.Attrs.Get("lhs_dilation") == nil && op.Attrs.Get("window_reversal") == nil
}

func (w *window) pads() bool {
	return slices.ContainsFunc(slices.Concat(w.low, w.high, w.between), func(n int64) bool { return n != 0 })
}

// padded returns an image with zeros around it and between its elements.
func (e *editor) padded(x *mlir.Value, spatial []int64, w window) *mlir.Value {
	if !w.pads() {
		return x
	}
	t := tensorOf(x)
	n := len(t.Shape)
	low, high, between := make([]int64, n), make([]int64, n), make([]int64, n)
	for i, d := range spatial {
		low[d], high[d], between[d] = w.low[i], w.high[i], w.between[i]
	}
	return e.pad(x, e.constant(like(t, nil), 0), low, high, between)
}

// places are the elements of an image that windows of one element are, given its
// shape and that of the result.
func (w *window) places(image, result []int64) ranges {
	r := full(image)
	for i, s := range w.stride {
		r.limit[1+i], r.stride[1+i] = lastOf(0, result[1+i], s), s
	}
	return r
}

// attrs are those of a convolution in normal form.
func (w *window) attrs(op *mlir.Op, n int64) mlir.Dict {
	features, batches := groupsOf(op)
	attrs := mlir.Dict{
		{Name: "dimension_numbers", Value: stablehlo.ChannelsLast(int(n)).Attr()},
		{Name: "window_strides", Value: mlir.I64Array(w.stride)}, {Name: "rhs_dilation", Value: mlir.I64Array(w.dilation)},
		{Name: "feature_group_count", Value: mlir.I64Attr(features)}, {Name: "batch_group_count", Value: mlir.I64Attr(batches)},
	}
	if p := op.Attrs.Get("precision_config"); p != nil {
		attrs = append(attrs, mlir.NamedAttr{Name: "precision_config", Value: p})
	}
	return attrs
}

// sidesOfConvolution returns what a slice of a convolution takes of the image and of
// the kernel: of the batch, and of the features if there is one group of them.
func sidesOfConvolution(op *mlir.Op, r ranges) (image, kernel ranges, ok bool) {
	d := stablehlo.AsConvolution(op).DimensionNumbers()
	features, batches := groupsOf(op)
	if batches != 1 {
		return image, kernel, false
	}
	image, kernel = full(tensorOf(op.Operands[0]).Shape), full(tensorOf(op.Operands[1]).Shape)
	image.set(d.InputBatch, r, d.OutputBatch)
	if features == 1 {
		kernel.set(d.KernelOutFeature, r, d.OutputFeature)
	}
	return image, kernel, true
}

// sliceConvolution convolves parts of the image and the kernel, and slices the result
// along the other dimensions.
func (e *editor) sliceConvolution(op *mlir.Op, r ranges) *mlir.Value {
	d := stablehlo.AsConvolution(op).DimensionNumbers()
	image, kernel, _ := sidesOfConvolution(op, r)
	x, w := e.slice(op.Operands[0], image), e.slice(op.Operands[1], kernel)
	t := resultType(op)
	shape := slices.Clone(t.Shape)
	shape[d.OutputBatch] = tensorOf(x).Shape[d.InputBatch]
	if features, _ := groupsOf(op); features == 1 {
		shape[d.OutputFeature] = tensorOf(w).Shape[d.KernelOutFeature]
	}
	rest := r.clone()
	for _, dim := range []int64{d.OutputBatch, d.OutputFeature} {
		if shape[dim] != t.Shape[dim] {
			rest.start[dim], rest.limit[dim], rest.stride[dim] = 0, shape[dim], 1
		}
	}
	return e.slice(e.again(op, like(t, shape), x, w), rest)
}
