package eval

import (
	"fmt"
	"slices"
	"unsafe"

	"ltc/backends/reference/internal/loops"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

// A convolution is computed with its operands arranged as
//
//	lhs     [batch, spatial…, feature]
//	rhs     [group, spatial…, input feature, output feature]
//	result  [group, batch, spatial…, output feature]
//
// of elements of the accumulating type. For each group and image, the windows
// of some result positions are written out as the rows of a matrix, which is
// multiplied by the group's part of rhs. An element of the result is summed in
// the order of rhs: over the kernel's positions, then over the input features;
// products with padding are part of the sum.
type convolution struct {
	dims          convDims
	windows       []windowDim // by spatial dimension
	kernel        []int       // sizes of the windows
	groups        int
	batchGroups   bool // the groups divide the batch, else the features
	images        int  // of a group's result
	cin, cout     int  // features of a group
	features      int  // of lhs
	spatial       []int
	positions     int   // of the result: the product of spatial
	rows          int   // positions that are multiplied at a time
	strides       []int // of lhs' spatial dimensions, as arranged
	acc           loops.DType
	left, right   int // slots
	patches, sums int
}

// patchBytes is about how much memory written out windows take at a time.
const patchBytes = 1 << 19

func prepareConvolution(b *builder, o *site) error {
	c, err := newConvolution(o)
	if err != nil {
		return err
	}
	mul := loops.Gemm(c.acc)
	if mul == nil {
		return unsupportedf("elements of %v and %v with a result of %v", o.in[0].dt, o.in[1].dt, o.out[0].dt)
	}
	lhs := c.dims[0]
	c.left = b.arranged(o, 0, c.acc, slices.Concat([]int{lhs.first}, lhs.spatial, []int{lhs.second}))
	c.right = b.arrangedKernel(o, c)
	out := o.out[0]
	c.sums = b.scratch(o, out.n*c.acc.Size())
	work := loops.Times(out.n, loops.Times(volume(c.kernel), c.cin))
	switch {
	case out.n == 0:
	case c.pointwise():
		b.emitWork(work, func(f *frame) { c.multiplyDirect(f, mul) })
	case c.depthwise() && depthwiseKernel(c.acc) != nil:
		run := depthwiseKernel(c.acc)
		b.emitWork(work, func(f *frame) { run(f, c) })
	default:
		k := volume(c.kernel) * c.cin
		c.rows = max(1, min(c.positions, patchBytes/max(k*c.acc.Size(), 1)))
		c.patches = b.scratch(o, c.rows*k*c.acc.Size())
		b.emitWork(work, func(f *frame) { c.multiplyPatches(f, mul, k) })
	}
	b.emitResult(o, c)
	return nil
}

func newConvolution(o *site) (*convolution, error) {
	l, r, out := o.in[0], o.in[1], o.out[0]
	rank := len(l.shape)
	op := stablehlo.AsConvolution(o.op)
	dims, err := parseConvDims(o.op.Attrs.Get("dimension_numbers"), rank)
	if err != nil {
		return nil, err
	}
	features, batches := int(op.FeatureGroupCount()), int(op.BatchGroupCount())
	c := &convolution{dims: dims, groups: features * batches, batchGroups: batches > 1, acc: out.dt.Accum()}
	if c.acc == loops.I1 {
		c.acc = loops.I64 // a sum of products that is not 0 is an or of ands
	}
	in, k, res := dims[0], dims[1], dims[2]
	c.kernel, c.spatial, c.features = pick(r.shape, k.spatial), pick(out.shape, res.spatial), l.shape[in.second]
	c.windows, err = newWindows(o, windowAttrs{"window_strides", "lhs_dilation", "rhs_dilation"}, pick(l.shape, in.spatial), c.spatial, c.kernel, out.dt)
	if err != nil {
		return nil, err
	}
	for i, x := range op.WindowReversal() {
		c.windows[i].reversed = x != 0
	}
	c.images, c.cin, c.cout = out.shape[res.first], r.shape[k.first], r.shape[k.second]/c.groups
	c.positions = volume(c.spatial)
	whole := soa.Dense(append(pick(l.shape, in.spatial), c.features))
	c.strides = whole[:rank-2]
	return c, nil
}

// arrangedKernel returns a slot with rhs as [group, spatial…, input feature,
// output feature].
func (b *builder) arrangedKernel(o *site, c *convolution) int {
	in, k := o.in[1], c.dims[1]
	dense := soa.Dense(in.shape)
	shape := slices.Concat([]int{c.groups}, c.kernel, []int{c.cin, c.cout})
	strides := slices.Concat([]int{c.cout * dense[k.second]}, pick(dense, k.spatial), []int{dense[k.first], dense[k.second]})
	m, from := newMover(in.dt.Size(), shape, soa.Dense(shape), strides), in.slot
	if !m.whole.Contiguous() {
		from = b.scratch(o, in.bytes())
		b.emit(func(f *frame) { m.run(f, f.p[from], f.p[in.slot]) })
	}
	return b.converted(o, from, in.dt, c.acc, in.n)
}

// emitResult moves the sums to the result.
func (b *builder) emitResult(o *site, c *convolution) {
	out, d := o.out[0], c.dims[2]
	dense := soa.Dense(out.shape)
	shape := slices.Concat([]int{c.groups, c.images}, c.spatial, []int{c.cout})
	strides := slices.Concat([]int{c.cout * dense[d.second], dense[d.first]}, pick(dense, d.spatial), []int{dense[d.second]})
	m, from, r := newMover(out.dt.Size(), shape, strides, soa.Dense(shape)), b.converted(o, c.sums, c.acc, out.dt, out.n), b.result(o, 0)
	b.emit(func(f *frame) { m.run(f, f.p[r], f.p[from]) })
}

// image returns the offset in lhs, in elements, of image i of group g.
func (c *convolution) image(g, i int) int {
	size := c.features
	for _, w := range c.windows {
		size *= w.in
	}
	switch {
	case size == 0: // all windows lie in the padding
		return 0
	case c.batchGroups:
		return (g*c.images + i) * size
	}
	return i*size + g*c.cin
}

func (c *convolution) multiplyPatches(f *frame, mul loops.GemmFunc, k int) {
	size := c.acc.Size()
	if f.clear(f.p[c.sums], c.groups*c.images*c.positions*c.cout*size) || k == 0 {
		return
	}
	for g := range c.groups {
		right := unsafe.Add(f.p[c.right], g*k*c.cout*size)
		for i := range c.images {
			for p := 0; p < c.positions; p += c.rows {
				n := min(c.rows, c.positions-p)
				if f.due(n * k) {
					return
				}
				c.writeOut(f.p[c.patches], unsafe.Add(f.p[c.left], c.image(g, i)*size), p, n)
				to := ((g*c.images+i)*c.positions + p) * c.cout * size
				mul(&f.ws.Budget, unsafe.Add(f.p[c.sums], to), f.p[c.patches], right, n, c.cout, k, k, 1)
			}
		}
	}
}

// writeOut writes the windows of n result positions from the given one on.
func (c *convolution) writeOut(to, from unsafe.Pointer, first, n int) {
	run := c.cin * c.acc.Size()
	at, rest := make([]int, len(c.spatial)), first
	for d := len(at) - 1; d >= 0; d-- {
		at[d], rest = rest%c.spatial[d], rest/c.spatial[d]
	}
	position := odometer{c.spatial, at}
	for range n {
		_ = eachIndex(c.kernel, func(_ int, w []int) error {
			if x, inside := inputOffset(c.windows, c.strides, position.at, w); inside {
				loops.CopyBytes(to, unsafe.Add(from, x*c.acc.Size()), run)
			} else {
				clear(unsafe.Slice((*byte)(to), run))
			}
			to = unsafe.Add(to, run)
			return nil
		})
		position.next()
	}
}

// pointwise reports whether each window is one position of lhs and the windows
// are its positions in order.
func (c *convolution) pointwise() bool {
	for _, w := range c.windows {
		if w.size != 1 || w.stride != 1 || w.base != 1 || w.low != 0 || w.in != w.out {
			return false
		}
	}
	return c.cin == c.features && c.cin > 0
}

func (c *convolution) multiplyDirect(f *frame, mul loops.GemmFunc) {
	size := c.acc.Size()
	rows := c.images * c.positions
	f.clear(f.p[c.sums], c.groups*rows*c.cout*size)
	for g := range c.groups {
		if f.due(stepWork) {
			return
		}
		mul(&f.ws.Budget, unsafe.Add(f.p[c.sums], g*rows*c.cout*size), unsafe.Add(f.p[c.left], c.image(g, 0)*size),
			unsafe.Add(f.p[c.right], g*c.cin*c.cout*size), rows, c.cout, c.cin, c.cin, 1)
	}
}

// convDims are the dimension numbers of a convolution's operands and result. Those of
// lhs are batch, feature and the spatial ones, and the result's are alike. Those of rhs
// are input feature, output feature and the spatial ones.
type convDims [3]struct {
	first, second int
	spatial       []int
}

// parseConvDims reads the dimension numbers of tensors of the given rank, each
// dimension of which must be there once.
func parseConvDims(a mlir.Attribute, rank int) (c convDims, err error) {
	d, err := stablehlo.ParseConv(a)
	if err != nil {
		return c, err
	}
	c[0].first, c[0].second, c[0].spatial = int(d.InputBatch), int(d.InputFeature), toInts(d.InputSpatial)
	c[1].first, c[1].second, c[1].spatial = int(d.KernelInputFeature), int(d.KernelOutFeature), toInts(d.KernelSpatial)
	c[2].first, c[2].second, c[2].spatial = int(d.OutputBatch), int(d.OutputFeature), toInts(d.OutputSpatial)
	for i, side := range []string{"lhs", "rhs", "the result"} {
		all := append(slices.Clone(c[i].spatial), c[i].first, c[i].second)
		slices.Sort(all)
		for k, n := range all {
			if n != k || len(all) != rank {
				return c, fmt.Errorf("dimension numbers: %v of %s are not the dimensions of a tensor of rank %d", all, side, rank)
			}
		}
	}
	return c, nil
}

// depthwise reports whether each feature is convolved with a kernel of its own.
func (c *convolution) depthwise() bool {
	return !c.batchGroups && c.groups == c.features && c.cin == 1 && c.cout == 1
}

// depthwiseKernel computes a depthwise convolution for all features of a
// position at a time, summing in the same order as convolution does.
func depthwiseKernel(d loops.DType) func(f *frame, c *convolution) {
	switch d {
	case loops.F32:
		return depthwise[float32]
	case loops.F64:
		return depthwise[float64]
	}
	return nil
}

func depthwise[T loops.Float](f *frame, c *convolution) {
	n := c.features
	image := n
	for _, w := range c.windows {
		image *= w.in
	}
	taps := volume(c.kernel)
	left := unsafe.Slice((*T)(f.p[c.left]), c.images*image)
	right := unsafe.Slice((*T)(f.p[c.right]), n*taps) // [feature, tap]
	sums := unsafe.Slice((*T)(f.p[c.sums]), n*c.images*c.positions)
	byTap := make([]T, n*taps)
	for i := range n {
		for k := range taps {
			byTap[k*n+i] = right[i*taps+k]
		}
	}
	row, padding := make([]T, n), make([]T, n)
	for i := range c.images {
		if err := eachIndex(c.spatial, func(p int, at []int) error {
			if err := f.stop(n * taps); err != nil {
				return err
			}
			clear(row)
			_ = eachIndex(c.kernel, func(k int, w []int) error {
				from := padding
				if x, inside := inputOffset(c.windows, c.strides, at, w); inside {
					from = left[i*image+x:][:n]
				}
				multiplyAdd(row, from, byTap[k*n:][:n])
				return nil
			})
			for g, s := range row {
				sums[(g*c.images+i)*c.positions+p] = s
			}
			return nil
		}); err != nil {
			return
		}
	}
}

func multiplyAdd[T loops.Float](sum, a, b []T) {
	a, b = a[:len(sum)], b[:len(sum)]
	for i := range sum {
		sum[i] += T(a[i] * b[i])
	}
}
