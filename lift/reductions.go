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

// fold is a way to combine two elements.
type fold int

// The folds that regions are recognised as.
const (
	unknown fold = iota
	sum
	multiplied
	maximum
	minimum
	second // the later of the two
)

// folds are how elements are combined, by their results for two numbers.
var folds = map[fold]func(a, b float64) float64{
	sum:        func(a, b float64) float64 { return a + b },
	multiplied: func(a, b float64) float64 { return a * b },
	maximum:    func(a, b float64) float64 { return max(a, b) },
	minimum:    func(a, b float64) float64 { return min(a, b) },
	second:     func(_, b float64) float64 { return b },
}

// foldOf returns the fold of two elements of d that a region computes. For bool the operation
// or is the maximum, and the operation and is the minimum.
func foldOf(region *mlir.Region, d types.DType) fold {
	samples := []float64{0, 1}
	if d != types.Bool {
		samples = []float64{3, 2, -5, 0.5, 7}
		if !d.IsFloat() {
			samples = []float64{3, 2, 5, 0, 7}
		}
		if d.IsFloat() {
			samples = append(samples, math.NaN()) // which a choice by comparison drops
		}
		samples = append(samples, besideConstants(region)...)
	}
	for f, want := range folds {
		if all(samples, func(a, b float64) bool {
			got, ok := scalars(region, a, b)
			is := want(a, b)
			return ok && len(got) == 1 && (got[0] == is || math.IsNaN(got[0]) && math.IsNaN(is))
		}) && !(d == types.Bool && (f == sum || f == multiplied)) {
			return f
		}
	}
	return unknown
}

// besideConstants returns numbers at and around the constants that a region uses: there a sum
// that saturates, such as min(a + b, 127), differs from a sum.
func besideConstants(region *mlir.Region) []float64 {
	var all []float64
	for _, op := range region.Blocks[0].Ops {
		for _, v := range op.Operands {
			if c, ok := number(v); ok && !math.IsNaN(c) && !math.IsInf(c, 0) {
				all = append(all, c-1, c, c+1)
			}
		}
	}
	return all
}

// all reports whether something holds for each pair of samples.
func all(samples []float64, holds func(a, b float64) bool) bool {
	for _, a := range samples {
		for _, b := range samples {
			if !holds(a, b) {
				return false
			}
		}
	}
	return true
}

func reduce(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	axes := narrow(stablehlo.AsReduce(op).Dimensions())
	slices.Sort(axes)
	if len(in) == 4 {
		return r.extreme(op, in, axes)
	}
	if len(in) != 2 {
		r.fail("it reduces %s at once: lazy tensors have reductions of one, and those of a number and its place", diag.Count(len(in)/2, "tensor"))
	}
	x, init, d := in[0], in[1], in[0].Type.DType
	f := foldOf(op.Regions[0], d)
	if f == unknown || f == second {
		r.fail("its region is no sum, product, maximum or minimum, nor and or or of bool")
	}
	y := r.fold(f, x, axes)
	if isNeutral(f, d, op.Operands[1]) {
		return one(y)
	}
	return one(r.combine(f, y, r.spread(init, y.Type.Shape)))
}

// fold reduces axes.
func (r *recorder) fold(f fold, x *ir.Node, axes []int) *ir.Node {
	d := x.Type.DType
	if len(axes) == 0 { // which are all to the rows
		return x
	}
	attrs := []ir.Attr{{Ints: axes}}
	switch {
	case d == types.Bool && f == maximum:
		return r.truth(r.node(ir.OpMax, attrs, r.to(types.U8, x)))
	case d == types.Bool:
		return r.truth(r.node(ir.OpMin, attrs, r.to(types.U8, x)))
	case f == sum:
		return r.node(ir.OpSum, attrs, x)
	case f == maximum:
		return r.node(ir.OpMax, attrs, x)
	case f == minimum:
		return r.node(ir.OpMin, attrs, x)
	}
	return r.node(ir.OpProd, attrs, x)
}

// truth is whether numbers are not 0.
func (r *recorder) truth(x *ir.Node) *ir.Node { return r.to(types.Bool, x) }

// combine combines two tensors of one shape.
func (r *recorder) combine(f fold, x, y *ir.Node) *ir.Node {
	op := map[fold]ir.Op{sum: ir.OpAdd, multiplied: ir.OpMul, maximum: ir.OpMaximum, minimum: ir.OpMinimum}[f]
	return r.elementwise(op, []*ir.Node{x, y})
}

// isNeutral reports whether an initial value is a constant that changes no result.
func isNeutral(f fold, d types.DType, init *mlir.Value) bool {
	x, ok := number(init)
	if !ok {
		return false
	}
	lowest, highest := bounds(d)
	if f == minimum && d.Size() == 8 && d.IsInteger() { // the highest has no float64
		bits, _ := literal(init)
		return d.IsSigned() && bits == math.MaxInt64 || !d.IsSigned() && bits == math.MaxUint64
	}
	if f == maximum && d == types.I64 {
		bits, _ := literal(init)
		return bits == 1<<63
	}
	return x == map[fold]float64{sum: 0, multiplied: 1, maximum: lowest, minimum: highest}[f]
}

// bounds are the smallest and the largest value of a dtype.
func bounds(d types.DType) (lowest, highest float64) {
	switch bits := float64(8 * d.Size()); {
	case d == types.Bool:
		return 0, 1
	case d.IsFloat():
		return math.Inf(-1), math.Inf(1)
	case d.IsSigned():
		return -math.Exp2(bits - 1), math.Exp2(bits-1) - 1
	default:
		return 0, math.Exp2(bits) - 1
	}
}

// extreme is a reduction of elements and their places to the largest or smallest and its
// place, as exporters write argmax and argmin.
func (r *recorder) extreme(op *mlir.Op, in []*ir.Node, axes []int) []*ir.Node {
	x, places, d := in[0], in[1], in[0].Type.DType
	if len(axes) != 1 || places.Op != ir.OpIota || places.Attrs[ir.IotaAxis].Int != int64(axes[0]) {
		r.fail("it reduces two tensors at once: lazy tensors have that for a number and its place along one axis")
	}
	if first, ok := number(op.Operands[3]); !ok || first < 0 {
		r.fail("the place that it begins with must be a constant that is not negative")
	}
	axis := []ir.Attr{{Int: int64(axes[0])}}
	index := places.Type.DType
	switch {
	case isNeutral(maximum, d, op.Operands[2]) && isExtreme(op.Regions[0], d, func(a, b float64) bool { return a > b }):
		return []*ir.Node{r.node(ir.OpMax, []ir.Attr{{Ints: axes}}, x), r.to(index, r.node(ir.OpArgMax, axis, x))}
	case isNeutral(minimum, d, op.Operands[2]) && isExtreme(op.Regions[0], d, func(a, b float64) bool { return a < b }):
		falling := ir.OpNeg
		if !d.IsFloat() {
			falling = ir.OpNot // -x-1: it falls, without overflow
		}
		return []*ir.Node{r.node(ir.OpMin, []ir.Attr{{Ints: axes}}, x), r.to(index, r.node(ir.OpArgMax, axis, r.node(falling, nil, x)))}
	}
	r.fail("its region and initial value are not those of the largest or the smallest number with its first place")
	return nil
}

// samples are the numbers on which a region is tried as an order of elements of d.
func samples(region *mlir.Region, d types.DType) []float64 {
	all := append(besideConstants(region), 0, 1, 2, 3)
	if d.IsSigned() {
		all = append(all, -2)
	}
	if d.IsFloat() {
		all = append(all, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN())
	}
	return all
}

// isExtreme reports whether a region keeps, of two numbers with places, the one that wins, the
// first NaN before all numbers, and of equal ones that with the smaller place.
func isExtreme(region *mlir.Region, d types.DType, wins func(a, b float64) bool) bool {
	return all(samples(region, d), func(a, b float64) bool {
		for _, at := range [][2]float64{{1, 2}, {2, 1}} {
			nanA, nanB := math.IsNaN(a), math.IsNaN(b)
			if nanA && nanB && at[0] > at[1] {
				continue // a reduction takes places in rising order
			}
			first := nanA && !nanB || !nanA && !nanB && wins(a, b)
			if tie := nanA && nanB || a == b; tie {
				first = at[0] < at[1]
			}
			value, index := b, at[1]
			if first {
				value, index = a, at[0]
			}
			got, ok := scalars(region, a, at[0], b, at[1])
			if !ok || len(got) != 2 || got[1] != index || got[0] != value && !math.IsNaN(value) {
				return false
			}
		}
		return true
	})
}

func reduceWindow(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	if len(in) != 2 {
		if ys := recurrence(r, op, in); ys != nil {
			return ys
		}
		r.fail("it reduces windows of %s at once, and is no linear recurrence; lazy tensors have windows of one", diag.Count(len(in)/2, "tensor"))
	}
	o, x, d := stablehlo.AsReduceWindow(op), in[0], in[0].Type.DType
	f := foldOf(op.Regions[0], d)
	if f == unknown || f == second || f == multiplied || d == types.Bool || !isNeutral(f, d, op.Operands[1]) {
		r.fail("its region and initial value are not those of a sum, maximum or minimum of numbers")
	}
	if base := narrow(o.BaseDilations()); slices.Max(append(base, 1)) > 1 {
		zeros, between := make([]int, len(base)), make([]int, len(base))
		for i, b := range base {
			between[i] = b - 1
		}
		x = r.node(ir.OpPad, []ir.Attr{{Ints: zeros}, {Ints: zeros}, {Ints: between}}, x, r.value(op.Operands[1]))
	}
	low, high := sides(o.Padding())
	attrs := []ir.Attr{{Ints: narrow(o.WindowDimensions())}, {Ints: narrow(o.WindowStrides())}, {Ints: low}, {Ints: high}, {Ints: narrow(o.WindowDilations())}}
	switch {
	case f == sum:
		return one(r.node(ir.OpSumPool, attrs, x))
	case f == maximum:
		return one(r.node(ir.OpMaxPool, attrs, x))
	case d.IsFloat():
		return one(r.node(ir.OpNeg, nil, r.node(ir.OpMaxPool, attrs, r.node(ir.OpNeg, nil, x))))
	}
	return one(r.node(ir.OpNot, nil, r.node(ir.OpMaxPool, attrs, r.node(ir.OpNot, nil, x))))
}

// recurrence is the linear recurrence that windows of pairs are which end at each element, or
// begin there: see [ops.Table]. Nil if they are another function.
func recurrence(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o, t := stablehlo.AsReduceWindow(op), in[0].Type
	if len(in) != 4 || t.DType == types.Bool || !in[1].Type.Equal(t) {
		return nil
	}
	zero, ok := number(op.Operands[2])
	one, known := number(op.Operands[3])
	if !ok || !known || zero != 0 || one != 1 || slices.Max(slices.Concat(o.WindowStrides(), o.BaseDilations(), o.WindowDilations(), []int64{1})) > 1 {
		return nil
	}
	axis, reverse := -1, false
	low, high := sides(o.Padding())
	for i, n := range narrow(o.WindowDimensions()) {
		switch rest := n - 1; {
		case rest == 0 && low[i] == 0 && high[i] == 0:
		case axis >= 0 || n != t.Shape[i] || low[i]+high[i] != rest || low[i] != 0 && high[i] != 0:
			return nil
		default:
			axis, reverse = i, high[i] > 0
		}
	}
	if axis < 0 {
		return in[:2]
	}
	if !composes(op.Regions[0], reverse) {
		return nil
	}
	attrs := []ir.Attr{ir.LinearScanAxis: {Int: int64(axis)}, ir.LinearScanReverse: {}}
	starts, ends := make([]int, t.Rank()), slices.Clone([]int(t.Shape))
	before, behind := make([]int, t.Rank()), make([]int, t.Rank())
	if last := t.Shape[axis] - 1; reverse {
		attrs[ir.LinearScanReverse].Int = 1
		starts[axis], before[axis] = last, last
	} else {
		ends[axis], behind[axis] = 1, last
	}
	// The products of the second are a recurrence, too, which begins with its first element.
	ones := slices.Repeat([]int{1}, t.Rank())
	begin := r.node(ir.OpSlice, []ir.Attr{{Ints: starts}, {Ints: ends}, {Ints: ones}}, in[1])
	begin = r.node(ir.OpPad, []ir.Attr{{Ints: before}, {Ints: behind}, {Ints: make([]int, t.Rank())}}, begin, r.scalar(t.DType, 0))
	return []*ir.Node{r.node(ir.OpLinearScan, attrs, in[0], in[1]), r.node(ir.OpLinearScan, attrs, begin, in[1])}
}

// composes reports whether a region makes, of two functions by·y + x, that of the second after
// the first, in reverse that of the first after the second.
func composes(region *mlir.Region, reverse bool) bool {
	return all(append([]float64{-1, 0, 2, 5}, besideConstants(region)...), func(a, b float64) bool {
		x, by, y, factor := a, b, b+3, a-2
		got, ok := scalars(region, x, by, y, factor)
		if reverse {
			x, by, y, factor = y, factor, x, by
		}
		return ok && len(got) == 2 && got[0] == factor*x+y && got[1] == by*factor
	})
}

// selectAndScatter is the gradient of a pool of maxima.
func selectAndScatter(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	o, d := stablehlo.AsSelectAndScatter(op), in[0].Type.DType
	init, known := number(op.Operands[2])
	if !known || init != 0 || !d.IsFloat() || foldOf(op.Regions[1], d) != sum || !selectsLargest(op.Regions[0]) {
		r.fail("it is not the gradient of a pool of maxima: its regions must select by >= and add, from 0")
	}
	low, high := sides(o.Padding())
	return one(r.node(ir.OpMaxPoolGrad, []ir.Attr{{Ints: narrow(o.WindowDimensions())}, {Ints: narrow(o.WindowStrides())}, {Ints: low}, {Ints: high}}, in[0], in[1]))
}

func selectsLargest(region *mlir.Region) bool {
	return all(append([]float64{-1, 0, 2}, besideConstants(region)...), func(a, b float64) bool {
		got, ok := scalars(region, a, b)
		return ok && len(got) == 1 && got[0] == truth(a >= b)
	})
}

// sort orders by the first tensor; the others follow it.
func sort(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	x, d, axis := in[0], in[0].Type.DType, stablehlo.AsSort(op).Dimension()
	if axis < 0 {
		axis += int64(x.Type.Rank())
	}
	descending := false
	switch {
	case isOrder(op.Regions[0], d, len(in), func(a, b float64) bool { return a < b || math.IsNaN(b) && !math.IsNaN(a) }):
	case isOrder(op.Regions[0], d, len(in), func(a, b float64) bool { return a > b || math.IsNaN(a) && !math.IsNaN(b) }):
		descending = true
	default:
		r.fail("its comparator is not the order of the first tensor, rising or falling, with NaN as the largest number and -0 equal to 0")
	}
	sorted := r.results(ir.OpSort, one(x), []ir.Attr{{Int: axis}, {Int: int64(truth(descending))}}, nil)
	out := []*ir.Node{sorted[0]}
	for _, y := range in[1:] {
		if y.Op == ir.OpIota && y.Attrs[ir.IotaAxis].Int == axis {
			out = append(out, r.to(y.Type.DType, sorted[1]))
		} else {
			out = append(out, r.along(y, sorted[1], int(axis)))
		}
	}
	return out
}

// topK takes the first of each row of the last axis, sorted falling.
func topK(r *recorder, op *mlir.Op, in []*ir.Node) []*ir.Node {
	x, t := in[0], r.result(0)
	rank := t.Rank()
	sorted := r.results(ir.OpSort, one(x), []ir.Attr{{Int: int64(rank - 1)}, {Int: 1}}, nil)
	zeros, ones := make([]int, rank), slices.Repeat([]int{1}, rank)
	return []*ir.Node{r.slice(sorted[0], zeros, t.Shape, ones), r.to(r.result(1).DType, r.slice(sorted[1], zeros, t.Shape, ones))}
}

// isOrder reports whether a comparator of n tensors compares the elements of the first.
func isOrder(region *mlir.Region, d types.DType, n int, before func(a, b float64) bool) bool {
	return all(samples(region, d), func(a, b float64) bool {
		for _, rest := range [][2]float64{{0, 1}, {1, 0}} {
			args := []float64{a, b}
			for range n - 1 {
				args = append(args, rest[0], rest[1])
			}
			got, ok := scalars(region, args...)
			if !ok || len(got) != 1 || got[0] != truth(before(a, b)) {
				return false
			}
		}
		return true
	})
}

// along takes the elements of x at indices along an axis, each from its own row.
func (r *recorder) along(x, indices *ir.Node, axis int) *ir.Node {
	rank := x.Type.Rank()
	last := append(without(rank, []int{axis}), axis)
	y := r.node(ir.OpGather, []ir.Attr{{Int: int64(rank - 1)}}, r.transpose(x, last), r.transpose(indices, last))
	back := sortedBy(last)
	return r.transpose(y, back)
}
