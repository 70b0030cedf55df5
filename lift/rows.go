package lift

import (
	"math"
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/stablehlo"
)

// places says which elements of a tensor a gather or a scatter means: for each element of a
// result or of updates, of the shape shape, a place along each axis.
type places struct {
	of, shape types.Shape // the tensor; the result or the updates
	indices   *ir.Node    // in which the index vectors are the last axis
	window    []int       // of shape: axes that run along a window
	dropped   []int       // of the tensor: axes whose windows have one place, and no axis in shape
	batch     []int       // of the tensor: axes that are a batch
	batchAt   []int       // of the indices: the axes of that batch
	mapped    []int       // of the tensor: the axis of each element of an index vector
	sizes     []int       // of the windows, by axis of the tensor
}

// vectors returns indices with the axis of the index vectors at the end, which texts may leave
// out if it has one element.
func (r *recorder) vectors(indices *ir.Node, axis int) *ir.Node {
	rank := indices.Type.Rank()
	if axis == rank {
		return r.reshape(indices, append(slices.Clone(indices.Type.Shape), 1))
	}
	return r.transpose(indices, append(without(rank, []int{axis}), axis))
}

func gather(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o := stablehlo.AsGather(op)
	d := o.DimensionNumbers()
	x := in[0]
	p := places{
		of: x.Type.Shape, shape: r.result(0).Shape, indices: r.vectors(in[1], int(d.IndexVectorDim)), window: narrow(d.OffsetDims), dropped: narrow(d.CollapsedSliceDims),
		batch: narrow(d.OperandBatchingDims), batchAt: narrow(d.StartIndicesBatchingDims), mapped: narrow(d.StartIndexMap), sizes: narrow(o.SliceSizes()),
	}
	p.shift(int(d.IndexVectorDim))
	if axis, ok := p.row(); ok {
		order := append([]int{axis}, without(len(p.of), []int{axis})...)
		at := r.node(ir.OpClampIndex, []ir.Attr{ir.ClampIndexRows: {Int: int64(p.of[axis])}}, p.rows(r))
		return one(r.node(ir.OpGather, []ir.Attr{{}}, r.transpose(x, order), at))
	}
	if x.Type.Elements() == 0 {
		return one(r.filled(x.Type.DType, 0, p.shape))
	}
	flat := r.reshape(x, types.Shape{x.Type.Elements()})
	return one(r.node(ir.OpGather, []ir.Attr{{}}, flat, p.flat(r, true)))
}

// shift says the axes of the batch of indices behind that of the index vectors, which has
// become the last.
func (p *places) shift(vector int) {
	for i, a := range p.batchAt {
		if a > vector {
			p.batchAt[i]--
		}
	}
}

// row reports whether the windows are rows: all of the tensor but one place along one axis,
// with their axes last.
func (p *places) row() (axis int, ok bool) {
	if len(p.mapped) != 1 || len(p.batch) > 0 || !slices.Equal(p.dropped, p.mapped) || p.of[p.mapped[0]] == 0 {
		return 0, false
	}
	axis = p.mapped[0]
	for i, n := range p.sizes {
		if i != axis && n != p.of[i] {
			return 0, false
		}
	}
	first := len(p.shape) - len(p.window)
	for i, a := range p.window {
		if a != first+i {
			return 0, false
		}
	}
	return axis, true
}

// rows returns the indices without the axis of vectors, which have one element.
func (p *places) rows(r *recorder) *ir.Node {
	s := p.indices.Type.Shape
	return r.reshape(p.indices, s[:len(s)-1])
}

// flat records the place of each element in row-major order, of the shape p.shape. Windows are
// moved so that they lie within the tensor if inside; else elements that do not have the
// place -1.
func (p *places) flat(r *recorder, inside bool) *ir.Node {
	t := types.Type{DType: types.I64, Shape: p.shape}
	outer := without(len(p.shape), p.window) // axes that are those of the index vectors
	kept := without(len(p.of), p.dropped, p.batch)
	sum, good := r.filled(types.I64, 0, t.Shape), (*ir.Node)(nil)
	stride := p.strides()
	for a, n := range p.of {
		at := r.filled(types.I64, 0, t.Shape)
		if k := slices.Index(p.mapped, a); k >= 0 {
			start := r.component(p.indices, k)
			if inside {
				last := n - p.sizes[a]
				start = r.node(ir.OpMinimum, nil, r.node(ir.OpMaximum, nil, start, r.filled(types.I64, 0, start.Type.Shape)), r.filled(types.I64, float64(last), start.Type.Shape))
			}
			at = r.broadcast(start, t.Shape, outer)
		}
		if k := slices.Index(kept, a); k >= 0 {
			at = r.node(ir.OpAdd, nil, at, r.iota(t, p.window[k]))
		}
		if k := slices.Index(p.batch, a); k >= 0 {
			at = r.node(ir.OpAdd, nil, at, r.iota(t, outer[p.batchAt[k]]))
		}
		if !inside {
			within := r.node(ir.OpAnd, nil, r.compare("GE", at, r.filled(types.I64, 0, t.Shape)), r.compare("LT", at, r.filled(types.I64, float64(n), t.Shape)))
			if good != nil {
				within = r.node(ir.OpAnd, nil, good, within)
			}
			good = within
		}
		sum = r.node(ir.OpAdd, nil, sum, r.node(ir.OpMul, nil, at, r.filled(types.I64, float64(stride[a]), t.Shape)))
	}
	if good != nil {
		sum = r.orNone(good, sum)
	}
	return sum
}

// orNone returns places where good is true, and else -1, which is no place: a text defines that what would
// be there is dropped, and it is no error of the user's.
func (r *recorder) orNone(good, at *ir.Node) *ir.Node {
	y := r.node(ir.OpWhere, nil, good, at, r.filled(types.I64, -1, at.Type.Shape))
	if y.Value == nil {
		y.Value = ir.InRange{}
	}
	return y
}

// strides are those of the tensor in row-major order.
func (p *places) strides() []int {
	all := make([]int, len(p.of))
	for i, n := len(p.of)-1, 1; i >= 0; i-- {
		all[i] = n
		n *= p.of[i]
	}
	return all
}

// component returns element k of each index vector, as i64.
func (r *recorder) component(indices *ir.Node, k int) *ir.Node {
	s := indices.Type.Shape
	last := len(s) - 1
	starts, limits := make([]int, len(s)), slices.Clone(s)
	starts[last], limits[last] = k, k+1
	x := r.slice(indices, starts, limits, slices.Repeat([]int{1}, len(s)))
	return r.whole(r.reshape(x, s[:last]))
}

// whole returns indices as i64.
func (r *recorder) whole(x *ir.Node) *ir.Node {
	if x.Type.DType == types.U64 { // which i64 has half of
		x = r.node(ir.OpMinimum, nil, x, r.spread(r.bits(types.U64, math.MaxInt64), x.Type.Shape))
	}
	return r.to(types.I64, x)
}

func scatter(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	if len(in) != 3 {
		r.fail("it scatters into %s at once; lazy tensors have scatters into one", diag.Count(len(in)/2, "tensor"))
	}
	d := stablehlo.AsScatter(op).ScatterDimensionNumbers()
	x, updates := in[0], in[2]
	combine, ok := map[fold]string{sum: ir.CombineAdd, multiplied: ir.CombineMul, maximum: ir.CombineMaximum, minimum: ir.CombineMinimum, second: ir.CombineSet}[foldOf(op.Regions[0], x.Type.DType)]
	if !ok || x.Type.DType == types.Bool && combine != ir.CombineSet {
		r.fail("its region is no sum, product, maximum or minimum of numbers, and does not take the update")
	}
	p := places{
		of: x.Type.Shape, shape: updates.Type.Shape, indices: r.vectors(in[1], int(d.IndexVectorDim)), window: narrow(d.UpdateWindowDims), dropped: narrow(d.InsertedWindowDims),
		batch: narrow(d.InputBatchingDims), batchAt: narrow(d.ScatterIndicesBatchingDims), mapped: narrow(d.ScatterDimsToOperandDims),
	}
	p.shift(int(d.IndexVectorDim))
	kept := without(len(p.of), p.dropped, p.batch)
	p.sizes = slices.Repeat([]int{1}, len(p.of))
	for i, a := range kept {
		p.sizes[a] = p.shape[p.window[i]]
	}
	attrs := []ir.Attr{{}, {Str: combine}}
	if axis, ok := p.row(); ok {
		order := append([]int{axis}, without(len(p.of), []int{axis})...)
		at := r.whole(p.rows(r))
		good := r.node(ir.OpAnd, nil, r.compare("GE", at, r.filled(types.I64, 0, at.Type.Shape)), r.compare("LT", at, r.filled(types.I64, float64(p.of[axis]), at.Type.Shape)))
		y := r.node(ir.OpScatter, attrs, r.transpose(x, order), r.orNone(good, at), updates)
		return one(r.transpose(y, sortedBy(order)))
	}
	flat := r.reshape(x, types.Shape{x.Type.Elements()})
	return one(r.reshape(r.node(ir.OpScatter, attrs, flat, p.flat(r, false), updates), p.of))
}
