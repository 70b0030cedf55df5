package lazy

import (
	"fmt"
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
	"ltc/shapeinfer"
)

// chosen is what tensors of indices choose of x: rows of x with the indexed axes joined to
// its first.
type chosen struct {
	perm  []int   // the axes of x, the indexed ones first
	at    *Tensor // the rows, of the shape that all indices broadcast to
	shape []int   // of the result
	first int     // where the axes of at are in the result
}

// choose reads the indices of the first axes of x; nil stands for a whole axis.
func (x *Tensor) choose(op string, indices []*Tensor) (c chosen, bad *Tensor) {
	if len(indices) > x.Rank() {
		return c, x.misuse(op, fmt.Sprintf("there are indices for %s, x has %s", diag.Count(len(indices), "axis"), diag.Count(x.Rank(), "axis")))
	}
	var indexed, rest []int
	var common types.Shape
	for a := range x.Rank() {
		if a >= len(indices) || indices[a] == nil {
			rest = append(rest, a)
			continue
		}
		i := indices[a]
		if bad := firstBad(op, i); bad != nil {
			return c, bad
		}
		if !i.DType().IsInteger() {
			return c, x.misuse(op, fmt.Sprintf("the indices of axis %d are %v, must be integers or a mask of bools", a, i.Type()))
		}
		s, ok := shapeinfer.BroadcastShapes(common, i.OpenShape())
		if !ok {
			return c, x.misuse(op, fmt.Sprintf("the indices of axis %d have the shape %v, which does not broadcast with %v", a, i.OpenShape(), common))
		}
		indexed, common = append(indexed, a), s
	}
	if len(indexed) == 0 {
		return c, x.misuse(op, "there are no indices; give an axis some")
	}
	rows := 1
	var outside *Tensor
	for _, a := range indexed {
		d := x.OpenDim(a)
		i := x.tr.Read(indices[a]).Convert(types.I64)
		size := i.sized(d)
		wrong := i.Less(size.Neg()).Or(i.GreaterEqual(size))
		i = i.Less(i.like(0)).Where(i.Add(size), i).wrapped(op, d, indices[a].DType())
		if c.at == nil {
			c.at, outside = i, wrong
		} else {
			c.at, outside = c.at.Mul(size).Add(i), outside.Or(wrong)
		}
		rows = dims.Mul(rows, d)
	}
	// A place out of range is one of no row, whatever its other indices are.
	c.at = outside.Where(c.at.sized(rows), c.at)
	if !dims.IsExpr(rows) {
		c.at = c.at.inRange()
	}
	c.at = c.at.BroadcastTo(common...)
	if c.perm = append(slices.Clone(indexed), rest...); indexed[len(indexed)-1]-indexed[0] == len(indexed)-1 {
		c.first = indexed[0]
	}
	for _, a := range rest {
		c.shape = append(c.shape, x.OpenDim(a))
	}
	c.shape = slices.Insert(c.shape, c.first, common...)
	return c, c.at.bad()
}

// bad returns x if it is poisoned.
func (x *Tensor) bad() *Tensor {
	if x.err != nil {
		return x
	}
	return nil
}

// joined is x as rows: the indexed axes are one.
func (c *chosen) joined(x *Tensor) *Tensor {
	moved := x.Transpose(c.perm...)
	indexed := len(c.perm) - (len(c.shape) - c.at.Rank())
	shape := moved.OpenShape()
	return moved.Reshape(slices.Insert(slices.Clone([]int(shape[indexed:])), 0, elementsOf(shape[:indexed]))...)
}

// order is where the axes of the result, the chosen ones first, go to.
func (c *chosen) order() []int {
	axes := types.Axes(len(c.shape))
	n := c.at.Rank()
	return slices.Concat(axes[n:n+c.first], axes[:n], axes[n+c.first:])
}

// Index returns the elements of x that indices choose along its first axes, as x[i, j, …]
// does in PyTorch. An index that is nil stands for a whole axis. A mask of bools, which has the
// dimensions of as many axes of x, stands for the places at which it is true. The others are integers that
// broadcast to one shape, whose axes take the place of those of x: of the first, or before
// all if the axes are apart. A negative index counts from the end. An index out of range is
// an error of the step, or some element where none looks at indices: see [CheckIndices].
func (x *Tensor) Index(indices ...*Tensor) *Tensor {
	const op = "index"
	x, c, bad := x.indexed(op, indices)
	if bad != nil {
		return bad
	}
	return c.joined(x).Gather(c.at).calledBy(op).Transpose(c.order()...).Clone()
}

// placesOf returns indices with the places at which masks are true in place of these: a mask of
// several axes is for as many of x.
func (x *Tensor) placesOf(op string, indices []*Tensor) (all []*Tensor, bad *Tensor) {
	for _, i := range indices {
		if i == nil || i.err != nil || i.DType() != types.Bool {
			all = append(all, i)
			continue
		}
		from := len(all)
		if i.Rank() == 0 || from+i.Rank() > x.Rank() || !i.OpenShape().Equal(x.OpenShape()[from:from+i.Rank()]) {
			return nil, x.misuse(op, fmt.Sprintf("the mask from axis %d on is %v, must have the dimensions of x there, which is %v", from, i.Type(), x.Type()))
		}
		places := x.tr.Read(i).Nonzero()
		if places.err != nil {
			return nil, places
		}
		for k := range i.Rank() {
			all = append(all, places.Select(1, k))
		}
	}
	return all, nil
}

// indexed is choose in the trace of x and the indices.
func (x *Tensor) indexed(op string, indices []*Tensor, more ...*Tensor) (*Tensor, chosen, *Tensor) {
	given := append([]*Tensor{x}, more...)
	for _, i := range indices {
		if i != nil {
			given = append(given, i)
		}
	}
	if bad := firstBad(op, given...); bad != nil {
		return nil, chosen{}, bad
	}
	tr := traceOf(given...)
	if tr == nil {
		return nil, chosen{}, noTrace(op, given...)
	}
	if x = tr.Read(x); x.err != nil {
		return nil, chosen{}, x
	}
	indices, bad := x.placesOf(op, indices)
	if bad != nil {
		return nil, chosen{}, bad
	}
	c, bad := x.choose(op, indices)
	return x, c, bad
}

// IndexPut returns x with the elements that [Tensor.Index] takes replaced by values, which
// broadcast to them. With accumulate they are added instead. Of values for the same element
// the last stays. Those with an index out of range are left out, or an error as there.
func (x *Tensor) IndexPut(values *Tensor, accumulate bool, indices ...*Tensor) *Tensor {
	const op = "index_put"
	x, c, bad := x.indexed(op, indices, values)
	if bad != nil {
		return bad
	}
	if values.DType() != x.DType() {
		return x.misuse(op, fmt.Sprintf("x is %v and values are %v; convert one with Convert", x.DType(), values.DType()))
	}
	if s, ok := shapeinfer.BroadcastShapes(values.OpenShape(), c.shape); !ok || !s.Equal(c.shape) {
		return x.misuse(op, fmt.Sprintf("values have the shape %v, which does not broadcast to the %v that the indices choose", values.OpenShape(), types.Shape(c.shape)))
	}
	n, axes := c.at.Rank(), types.Axes(len(c.shape))
	first := slices.Concat(axes[c.first:c.first+n], axes[:c.first], axes[c.first+n:])
	updates := x.tr.Read(values).BroadcastTo(c.shape...).Transpose(first...)
	combine := ir.CombineSet
	if accumulate {
		combine = ir.CombineAdd
	}
	moved := x.Transpose(c.perm...)
	back := make([]int, len(c.perm))
	for i, p := range c.perm {
		back[p] = i
	}
	return c.joined(x).scatter(c.at, updates, 0, combine).calledBy(op).Reshape(moved.OpenShape()...).Transpose(back...).Clone()
}

// IndexPut_ writes x.IndexPut(values, accumulate, indices...) into x and returns x.
func (x *Tensor) IndexPut_(values *Tensor, accumulate bool, indices ...*Tensor) *Tensor {
	return x.writeNamed("index_put_", x.IndexPut(values, accumulate, indices...))
}

// MaskedScatter returns x with the elements at which the mask is true replaced by those of source, both
// in row-major order. The mask broadcasts to x. A source of fewer elements than there are places is an error,
// or gives its last one for the others where none looks at indices: see [CheckIndices].
func (x *Tensor) MaskedScatter(mask, source *Tensor) *Tensor {
	const op = "masked_scatter"
	if bad := firstBad(op, x, mask, source); bad != nil {
		return bad
	}
	tr := traceOf(x, mask, source)
	if tr == nil {
		return noTrace(op, x, mask, source)
	}
	x, mask, source = tr.Read(x), tr.Read(mask), tr.Read(source)
	if bad := firstBad(op, x, mask, source); bad != nil {
		return bad
	}
	shape, given := x.OpenShape(), elementsOf(source.OpenShape())
	s, ok := shapeinfer.BroadcastShapes(mask.OpenShape(), shape)
	switch {
	case mask.DType() != types.Bool:
		return x.misuse(op, fmt.Sprintf("the mask is %v, must be bool", mask.Type()))
	case source.DType() != x.DType():
		return x.misuse(op, fmt.Sprintf("x is %v and source is %v; convert one with Convert", x.DType(), source.DType()))
	case !ok || !s.Equal(shape):
		return x.misuse(op, fmt.Sprintf("the mask's %v does not broadcast to x's %v", mask.OpenShape(), shape))
	case given == 0:
		return x.misuse(op, "source has no elements; give it one for each place at which the mask is true")
	}
	n := elementsOf(shape)
	if n == 0 {
		return x.Clone()
	}
	at := cumulative(mask.BroadcastTo(shape...).Reshape(n).Convert(types.I32)).SubScalar(1)
	at = at.Maximum(at.like(0)) // of places before the first at which the mask is true
	return mask.Where(source.Reshape(given).Gather(at).calledBy(op).Reshape(shape...), x)
}

// MaskedScatter_ writes x.MaskedScatter(mask, source) into x and returns x.
func (x *Tensor) MaskedScatter_(mask, source *Tensor) *Tensor {
	return x.writeNamed("masked_scatter_", x.MaskedScatter(mask, source))
}

// Take returns the elements of x, as they lie in row-major order, that the indices choose.
// Negative ones count from the end; see [Tensor.Index] for those out of range.
func (x *Tensor) Take(indices *Tensor) *Tensor {
	if bad := firstBad("take", x, indices); bad != nil {
		return bad
	}
	return x.Reshape(elementsOf(x.OpenShape())).Index(indices)
}

// Put returns x with the elements that [Tensor.Take] takes replaced by values, or with
// accumulate with values added: see [Tensor.IndexPut].
func (x *Tensor) Put(indices, values *Tensor, accumulate bool) *Tensor {
	if bad := firstBad("put", x, indices, values); bad != nil {
		return bad
	}
	y := x.Reshape(elementsOf(x.OpenShape())).IndexPut(values, accumulate, indices)
	return y.Reshape(x.OpenShape()...).Clone()
}

// IndexFill returns x with a number at the indices of the axis. Negative ones count from the
// end; those out of range are an error as there.
func (x *Tensor) IndexFill(indices *Tensor, axis int, v float64) *Tensor {
	const op = "index_fill"
	if bad := firstBad(op, x, indices); bad != nil {
		return bad
	}
	tr := traceOf(x, indices)
	if tr == nil {
		return noTrace(op, x, indices)
	}
	if axis < -x.Rank() || axis >= x.Rank() {
		return x.misuse(op, fmt.Sprintf("axis %d is not one of %v", axis, x.OpenShape()))
	}
	value, bad := tr.scalarLike(op, v, x)
	if bad != nil {
		return bad
	}
	all := make([]*Tensor, (axis+x.Rank())%x.Rank()+1)
	all[len(all)-1] = indices
	return x.IndexPut(value, false, all...)
}

// SelectScatter returns x with src at the index of the axis, which [Tensor.Select] takes.
func (x *Tensor) SelectScatter(src *Tensor, axis, index int) *Tensor {
	return x.scattered("select_scatter", src, func(x *Tensor) *Tensor { return x.Select(axis, index) })
}

// DiagonalScatter returns x with src on the diagonal that [Tensor.Diagonal] takes.
func (x *Tensor) DiagonalScatter(src *Tensor, offset, axis1, axis2 int) *Tensor {
	return x.scattered("diagonal_scatter", src, func(x *Tensor) *Tensor { return x.Diagonal(offset, axis1, axis2) })
}

// scattered writes src into a view of a copy of x.
func (x *Tensor) scattered(op string, src *Tensor, view func(x *Tensor) *Tensor) *Tensor {
	if bad := firstBad(op, x, src); bad != nil {
		return bad
	}
	tr := traceOf(x, src)
	if tr == nil {
		return noTrace(op, x, src)
	}
	y := tr.Read(x).Clone()
	part := view(y)
	if part.err == nil && (part.DType() != src.DType() || !part.OpenShape().Equal(src.OpenShape())) {
		return x.misuse(op, fmt.Sprintf("src is %v, must be %v", src.Type(), part.Type()))
	}
	if part = part.Copy_(src); part.err != nil {
		return part
	}
	return y.Clone()
}
