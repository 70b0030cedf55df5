package shapeinfer

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"ltc/internal/diag"
	"ltc/ir"
	"ltc/ir/dims"
	"ltc/ir/types"
)

func inferCompare(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	switch attrs[ir.CompareDirection].Str {
	case "LT", "LE", "GT", "GE":
		if in[0].Type.DType.IsComplex() {
			return breaks(compareOrder, "complex numbers have no order; compare their Abs, Real or Imag")
		}
		fallthrough
	case "EQ", "NE":
		return types.Type{DType: types.Bool, Shape: in[0].Type.Shape}, nil
	}
	return breaks(compareDirection, "direction is %q, must be EQ, NE, LT, LE, GT or GE", attrs[ir.CompareDirection].Str)
}

func inferConvert(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	d := types.DType(attrs[ir.ConvertDType].Int)
	if attrs[ir.ConvertDType].Int < 0 || attrs[ir.ConvertDType].Int > 255 || !d.Valid() {
		return breaks(convertDType, "there is no dtype number %d", attrs[ir.ConvertDType].Int)
	}
	return types.Type{DType: d, Shape: in[0].Type.Shape}, nil
}

func inferBitCast(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	from, to := in[0].Type.DType, types.DType(attrs[ir.BitCastDType].Int)
	if attrs[ir.BitCastDType].Int < 0 || attrs[ir.BitCastDType].Int > 255 || !to.IsNumber() {
		return breaks(bitCastDType, "dtype is %v, must be that of a number", to)
	}
	if from.Size() != to.Size() {
		return breaks(bitCastWidth, "an element of %v takes %s and one of %v %s", from, diag.Count(from.Size(), "byte"), to, diag.Count(to.Size(), "byte"))
	}
	return types.Type{DType: to, Shape: in[0].Type.Shape}, nil
}

func inferParameter([]*ir.Node, []ir.Attr, *ir.Composite) (types.Type, *broken) {
	panic("shapeinfer: a parameter's type is given, not inferred: use ir.Builder.Parameter")
}

func inferConstant(_ []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	d := types.DType(attrs[ir.ConstantDType].Int)
	if attrs[ir.ConstantDType].Int < 0 || attrs[ir.ConstantDType].Int > 255 || !d.Valid() {
		return breaks(constantDType, "there is no dtype number %d", attrs[ir.ConstantDType].Int)
	}
	return types.Type{DType: d}, nil
}

func inferSizeOf(_ []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	t := types.DType(attrs[ir.SizeOfDType].Int)
	if attrs[ir.SizeOfDType].Int < 0 || attrs[ir.SizeOfDType].Int > 255 || !t.IsNumber() {
		return breaks(sizeOfDType, "dtype must be a number, is %v", t)
	}
	d := attrs[ir.SizeOfSize].Int
	if err := dims.Check(d); err != nil {
		return breaks(sizeOfSize, "%v", err)
	}
	return types.Type{DType: t}, nil
}

func inferCounted(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	if r := in[0].Type.Rank(); r != 0 {
		return breaks(countedScalar, "x has %s", diag.Count(r, "axis"))
	}
	d := attrs[ir.CountedSize].Int
	if _, _, _, ok := dims.SymbolOf(d); dims.Check(d) != nil || dims.IsExpr(d) && !ok {
		return breaks(countedSize, "%s is an expression", dims.String(d))
	}
	return in[0].Type, nil
}

func inferIota(_ []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	d := types.DType(attrs[ir.IotaDType].Int)
	t := types.Type{DType: d, Shape: attrs[ir.IotaShape].Ints}
	if attrs[ir.IotaDType].Int < 0 || attrs[ir.IotaDType].Int > 255 || !d.IsNumber() {
		return breaks(iotaDType, "dtype must be a number, is %v", d)
	}
	if err := t.CheckSizes(); err != nil {
		return breaks(iotaShape, "%v", err)
	}
	if axis := attrs[ir.IotaAxis].Int; axis < 0 || axis >= int64(t.Rank()) {
		return breaks(iotaAxis, "%s", NoAxis(int(axis), t.Shape))
	}
	return t, nil
}

func inferBroadcast(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x := in[0].Type
	t := types.Type{DType: x.DType, Shape: attrs[ir.BroadcastShape].Ints}
	if err := t.CheckSizes(); err != nil {
		return breaks(broadcastShape, "%v", err)
	}
	axes := attrs[ir.BroadcastAxes].Ints
	if len(axes) != x.Rank() {
		return breaks(broadcastAxes, "got %s, x has %d", diag.Count(len(axes), "axis"), x.Rank())
	}
	for i, a := range axes {
		if a < 0 || a >= t.Rank() || i > 0 && a <= axes[i-1] {
			return breaks(broadcastAxes, "axes %v do not rise within the shape %v", axes, t.Shape)
		}
		if x.Shape[i] != 1 && x.Shape[i] != t.Shape[a] {
			return types.Type{}, because(broadcastSizes, "dimension %d of x is %s and cannot become %s", i, dims.String(x.Shape[i]), dims.String(t.Shape[a])).equal(x.Shape[i], t.Shape[a])
		}
	}
	return t, nil
}

func inferReshape(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x := in[0].Type
	t := types.Type{DType: x.DType, Shape: attrs[ir.ReshapeDims].Ints}
	if slices.Contains(t.Shape, -1) {
		b := because(reshapeElements, "no dimension in place of -1 makes %s of %v", elements(x.Elements()), t.Shape)
		if rest := known(t.Shape); dims.Less(0, rest) {
			b.guard = guardOf(dims.Multiple, x.Elements(), rest)
		}
		return types.Type{}, b
	}
	if err := t.CheckSizes(); err != nil {
		return breaks(reshapeDims, "%v", err)
	}
	if t.Elements() != x.Elements() {
		return types.Type{}, because(reshapeElements, "%v has %s, %v has %s", x.Shape, elements(x.Elements()), t.Shape, dims.String(t.Elements())).equal(x.Elements(), t.Elements())
	}
	return t, nil
}

func inferTranspose(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, perm := in[0].Type, attrs[ir.TransposePerm].Ints
	shape := make(types.Shape, len(perm))
	if len(perm) != x.Rank() {
		return breaks(transposePerm, "%v does not order %s", perm, diag.Count(x.Rank(), "axis"))
	}
	for i, p := range perm {
		if p < 0 || p >= len(perm) || slices.Contains(perm[:i], p) {
			return breaks(transposePerm, "%v is not a permutation of 0 to %d", perm, len(perm)-1)
		}
		shape[i] = x.Shape[p]
	}
	return types.Type{DType: x.DType, Shape: shape}, nil
}

func inferSlice(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x := in[0].Type
	starts, limits, strides := attrs[ir.SliceStarts].Ints, attrs[ir.SliceLimits].Ints, attrs[ir.SliceStrides].Ints
	if len(starts) != x.Rank() || len(limits) != x.Rank() || len(strides) != x.Rank() {
		return breaks(sliceLengths, "got %s, %s and %s for rank %d", diag.Count(len(starts), "start"), diag.Count(len(limits), "limit"), diag.Count(len(strides), "stride"), x.Rank())
	}
	shape := make(types.Shape, x.Rank())
	for i, d := range x.Shape {
		for _, n := range []int{starts[i], limits[i]} {
			if err := dims.Check(n); err != nil && dims.IsExpr(n) {
				return breaks(sliceBounds, "axis %d: %v", i, err)
			}
		}
		switch {
		case dims.Less(starts[i], 0) || dims.Less(limits[i], 0):
			return breaks(sliceBounds, "axis %d: %s:%s is out of bounds for dimension %s: negative numbers do not count from the end; write %s",
				i, dims.String(starts[i]), dims.String(limits[i]), dims.String(d), fromEnd(starts[i], limits[i], d))
		case dims.Less(limits[i], starts[i]) || dims.Less(d, limits[i]):
			return breaks(sliceBounds, "axis %d: %s:%s is out of bounds for dimension %s", i, dims.String(starts[i]), dims.String(limits[i]), dims.String(d))
		case strides[i] < 0:
			return breaks(sliceStrides, "axis %d: stride %d is not positive: slices do not run backwards; Gather takes rows in any order", i, strides[i])
		case strides[i] == 0:
			return breaks(sliceStrides, "axis %d: stride 0 is not positive: 1 takes every element, BroadcastTo repeats one", i)
		}
		shape[i] = dims.CeilDiv(dims.Sub(limits[i], starts[i]), strides[i])
	}
	return types.Type{DType: x.DType, Shape: shape}, nil
}

// fromEnd writes the bounds of a slice that are meant if negative ones count from
// the end of dimension d.
func fromEnd(start, limit, d int) string {
	meant := func(n int) int {
		if dims.Less(n, 0) {
			n = dims.Add(n, d)
		}
		return n
	}
	s, l := meant(start), meant(limit)
	switch {
	case dims.HasExpr(s, l):
		return fmt.Sprintf("limits by SizeSub: %s:%s", dims.String(s), dims.String(l))
	case 0 <= s && s <= l && l <= d:
		return fmt.Sprintf("%d:%d", s, l)
	}
	return fmt.Sprintf("0 <= start <= limit <= %s", dims.String(d))
}

// elements counts elements, whose number may be an expression.
func elements(n int) string {
	if dims.IsExpr(n) {
		return dims.String(n) + " elements"
	}
	return diag.Count(n, "element")
}

func inferConcatenate(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, axis := in[0].Type, int(attrs[ir.ConcatenateAxis].Int)
	if axis < 0 || axis >= x.Rank() {
		return breaks(concatenateAxis, "%s", NoAxis(axis, x.Shape))
	}
	shape := slices.Clone(x.Shape)
	for i, y := range in[1:] {
		s := y.Type.Shape
		if len(s) != len(shape) {
			return breaks(concatenateDims, "operand %d has rank %d, the first has %d", i+1, len(s), len(shape))
		}
		for k, d := range s {
			if k != axis && d != shape[k] {
				return types.Type{}, because(concatenateDims, "operand %d has %s at axis %d, the first has %s", i+1, dims.String(d), k, dims.String(shape[k])).equal(d, shape[k])
			}
		}
		if !dims.HasExpr(s[axis], shape[axis]) && s[axis] > math.MaxInt-shape[axis] {
			return breaks(concatenateDims, "the operands have more elements along axis %d than an int can count", axis)
		}
		shape[axis] = dims.Add(shape[axis], s[axis])
	}
	t := types.Type{DType: x.DType, Shape: shape}
	if err := t.CheckSizes(); err != nil {
		return breaks(concatenateDims, "%v", err)
	}
	return t, nil
}

func inferPad(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x := in[0].Type
	low, high, interior := attrs[ir.PadLow].Ints, attrs[ir.PadHigh].Ints, attrs[ir.PadInterior].Ints
	if r := in[1].Type.Rank(); r != 0 {
		return breaks(padValue, "value has rank %d, must be a scalar", r)
	}
	if len(low) != x.Rank() || len(high) != x.Rank() || len(interior) != x.Rank() {
		return breaks(padLengths, "got %d low, %d high and %d interior for rank %d", len(low), len(high), len(interior), x.Rank())
	}
	shape := make(types.Shape, x.Rank())
	for i, d := range x.Shape {
		if interior[i] < 0 {
			return breaks(padInterior, "axis %d: interior %d is negative", i, interior[i])
		}
		if dims.HasExpr(d, low[i], high[i]) {
			shape[i] = dims.Add(dims.Add(low[i], ir.Spread(d, interior[i]+1)), high[i])
			continue
		}
		const limit = 1 << 40 // keeps the sum below from wrapping around
		if max(low[i], high[i], interior[i], -low[i], -high[i]) > limit || d > 0 && interior[i] > limit/d {
			return breaks(padSize, "axis %d: padding of %d, %d, %d is too large", i, low[i], high[i], interior[i])
		}
		shape[i] = low[i] + d + max(d-1, 0)*interior[i] + high[i]
		if shape[i] < 0 {
			return breaks(padSize, "axis %d: low %d and high %d take more than its %s", i, low[i], high[i], diag.Count(d, "element"))
		}
	}
	t := types.Type{DType: x.DType, Shape: shape}
	if err := t.CheckSizes(); err != nil {
		return breaks(padSize, "%v", err)
	}
	return t, nil
}

func inferSum(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return reduced(in[0].Type, attrs[ir.SumAxes].Ints, sumAxes)
}

func inferMax(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return reduced(in[0].Type, attrs[ir.MaxAxes].Ints, maxAxes)
}

func inferMin(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return reduced(in[0].Type, attrs[ir.MinAxes].Ints, minAxes)
}

func inferProd(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return reduced(in[0].Type, attrs[ir.ProdAxes].Ints, prodAxes)
}

func inferLinearScan(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, by, axis := in[0].Type, in[1].Type, int(attrs[ir.LinearScanAxis].Int)
	switch {
	case axis < 0 || axis >= x.Rank():
		return breaks(linearScanAxis, "%s", NoAxis(axis, x.Shape))
	case !x.Shape.Equal(by.Shape):
		return breaks(linearScanShapes, "x has the shape %v and by %v; give both one shape, with BroadcastTo", x.Shape, by.Shape)
	case dims.IsExpr(x.Shape[axis]):
		return breaks(linearScanAxis, "axis %d has the open size %s; sums, maxima and minima are taken along such an axis, products and recurrences are not", axis, dims.String(x.Shape[axis]))
	}
	return x, nil
}

// reduced drops axes, which must be sorted: that is the demand.
func reduced(x types.Type, axes []int, sorted demand) (types.Type, *broken) {
	if reason := distinct(x, axes); reason != "" {
		return breaks(sorted, "%s", reason)
	}
	shape := make(types.Shape, 0, x.Rank()-len(axes))
	for i, d := range x.Shape {
		if !slices.Contains(axes, i) {
			shape = append(shape, d)
		}
	}
	return types.Type{DType: x.DType, Shape: shape}, nil
}

// distinct returns the reason if axes are not distinct ones of x, sorted.
func distinct(x types.Type, axes []int) (reason string) {
	for i, a := range axes {
		if a < 0 || a >= x.Rank() {
			return NoAxis(a, x.Shape)
		}
		if i > 0 && a == axes[i-1] {
			return fmt.Sprintf("axis %d stands twice", a)
		}
		if i > 0 && a < axes[i-1] {
			return fmt.Sprintf("axes %v are not sorted", axes)
		}
	}
	return ""
}

func inferArgMax(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, axis := in[0].Type, int(attrs[ir.ArgMaxAxis].Int)
	if axis < 0 || axis >= x.Rank() {
		return breaks(argMaxAxis, "%s", NoAxis(axis, x.Shape))
	}
	if x.Shape[axis] == 0 {
		return breaks(argMaxElements, "axis %d of %v has no elements", axis, x.Shape)
	}
	t, b := reduced(x, []int{axis}, argMaxAxis)
	t.DType = types.I64
	return t, b
}

func inferArgSort(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, axis := in[0].Type, int(attrs[ir.ArgSortAxis].Int)
	if axis < 0 || axis >= x.Rank() {
		return breaks(argSortAxis, "%s", NoAxis(axis, x.Shape))
	}
	x.DType = types.I64
	return x, nil
}

func inferSort(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (one types.Type, several []types.Type, b *broken) {
	x, axis := in[0].Type, int(attrs[ir.SortAxis].Int)
	if axis < 0 || axis >= x.Rank() {
		return one, nil, because(sortAxis, "%s", NoAxis(axis, x.Shape))
	}
	return one, []types.Type{x, {DType: types.I64, Shape: x.Shape}}, nil
}

func inferMatMul(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, y := in[0].Type.Shape, in[1].Type.Shape
	if len(x) < 2 || len(y) < 2 {
		return breaks(matMulRanks, "ranks are %d and %d, must be at least 2", len(x), len(y))
	}
	if p, q := x[len(x)-1], y[len(y)-2]; p != q {
		return types.Type{}, because(matMulInner, "inner dimensions differ: %s and %s", dims.String(p), dims.String(q)).equal(p, q)
	}
	if len(y) != 2 && !x[:len(x)-2].Equal(y[:len(y)-2]) {
		b := because(matMulBatch, "batch dimensions differ: %v and %v", x[:len(x)-2], y[:len(y)-2])
		b.guard = unequal(x[:len(x)-2], y[:len(y)-2])
		return types.Type{}, b
	}
	t := in[0].Type
	if x[len(x)-1] != y[len(y)-1] {
		t.Shape = slices.Clone(x)
		t.Shape[len(x)-1] = y[len(y)-1]
	}
	if err := t.CheckSizes(); err != nil {
		return breaks(matMulBatch, "%v", err)
	}
	return t, nil
}

func inferCholesky(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return in[0].Type, square(in[0].Type, choleskySquare)
}

func inferTriangularSolve(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, b := in[0].Type, in[1].Type
	if broken := square(x, triangularSolveSquare); broken != nil {
		return types.Type{}, broken
	}
	batch := x.Rank() - 2
	if b.Rank() != x.Rank() {
		return breaks(triangularSolveBatch, "b has rank %d and x rank %d", b.Rank(), x.Rank())
	}
	if !x.Shape[:batch].Equal(b.Shape[:batch]) {
		broken := because(triangularSolveBatch, "batch dimensions differ: %v and %v", x.Shape[:batch], b.Shape[:batch])
		broken.guard = unequal(x.Shape[:batch], b.Shape[:batch])
		return types.Type{}, broken
	}
	side, axis := "rows", batch
	if attrs[ir.TriangularSolveRight].Int != 0 {
		side, axis = "columns", batch+1
	}
	if p, q := x.Shape[batch], b.Shape[axis]; p != q {
		return types.Type{}, because(triangularSolveInner, "b has %s %s, must have %s", dims.String(q), side, dims.String(p)).equal(p, q)
	}
	return b, nil
}

// square demands matrices that have as many rows as columns.
func square(x types.Type, d demand) *broken {
	if x.Rank() < 2 {
		return because(d, "x has rank %d, must be at least 2", x.Rank())
	}
	if p, q := x.Shape[x.Rank()-2], x.Shape[x.Rank()-1]; p != q {
		return because(d, "the last two dimensions of x differ: %s and %s", dims.String(p), dims.String(q)).equal(p, q)
	}
	return nil
}

func inferGather(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, indices, axis := in[0].Type, in[1].Type, int(attrs[ir.GatherAxis].Int)
	switch {
	case x.Rank() == 0:
		return breaks(gatherRows, "x is a scalar")
	case axis < 0 || axis >= x.Rank():
		return breaks(gatherAxis, "%s", NoAxis(axis, x.Shape))
	case !batched(indices, x, axis):
		return breaks(gatherBatch, "indices have the shape %v, which must begin with %v", indices.Shape, x.Shape[:axis])
	case x.Shape[axis] == 0 && indices.Elements() > 0:
		return breaks(gatherRows, "x has no rows")
	}
	t := types.Type{DType: x.DType, Shape: slices.Concat(indices.Shape, x.Shape[axis+1:])}
	if err := t.CheckSizes(); err != nil {
		return breaks(gatherRows, "%v", err)
	}
	return t, nil
}

// batched reports whether indices have the axes of x before the axis.
func batched(indices, x types.Type, axis int) bool {
	return indices.Rank() >= axis && indices.Shape[:axis].Equal(x.Shape[:axis])
}

func inferClampIndex(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	if rows := attrs[ir.ClampIndexRows].Int; dims.AtMost(rows, 0) {
		return breaks(clampIndexRows, "rows is %d, must be positive", rows)
	}
	return in[0].Type, nil
}

func inferScatter(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	x, indices, updates := in[0].Type, in[1].Type, in[2].Type
	axis, combine := int(attrs[ir.ScatterAxis].Int), attrs[ir.ScatterCombine].Str
	switch {
	case x.Rank() == 0:
		return breaks(scatterRank, "x is a scalar")
	case axis < 0 || axis >= x.Rank():
		return breaks(scatterAxis, "%s", NoAxis(axis, x.Shape))
	case !batched(indices, x, axis):
		return breaks(scatterBatch, "indices have the shape %v, which must begin with %v", indices.Shape, x.Shape[:axis])
	case !slices.Contains(ir.Combinations, combine):
		return breaks(scatterCombine, "combine is %q", combine)
	case combine != ir.CombineSet && !x.DType.IsNumber() && !(combine == ir.CombineAdd && x.DType.IsComplex()):
		return breaks(scatterCombine, "combine is %s, and x is no number", combine)
	}
	if want := slices.Concat(indices.Shape, x.Shape[axis+1:]); !updates.Shape.Equal(want) {
		return breaks(scatterUpdates, "updates have shape %v, must have %v", updates.Shape, want)
	}
	return x, nil
}

var namespaced = regexp.MustCompile(`^[A-Za-z_]\w*\.[\w.]+$`)

// inferComposite gives the types of the body's results.
func inferComposite(in []*ir.Node, _ []ir.Attr, body *ir.Composite) (one types.Type, several []types.Type, b *broken) {
	if body == nil || len(body.Graph.Results) == 0 {
		return one, nil, because(compositeOperands, "it has no body with a result")
	}
	params := body.Graph.Params
	if len(params) != len(in) {
		return one, nil, because(compositeOperands, "%s takes %s, got %d", body.Name, diag.Count(len(params), "operand"), len(in))
	}
	for i, p := range params {
		if !p.Type.Equal(in[i].Type) {
			return one, nil, because(compositeOperands, "operand %d of %s must be %v, is %v", i, body.Name, p.Type, in[i].Type)
		}
	}
	if !namespaced.MatchString(body.Name) {
		return one, nil, because(compositeName, "the name %q has none, or has other than letters, digits, _ and .", body.Name)
	}
	one, several = typesOfResults(body.Graph.Results)
	return one, several, nil
}

// inferHostCall gives the types that the call says.
func inferHostCall(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (one types.Type, several []types.Type, b *broken) {
	if name := attrs[ir.HostCallName].Str; !namespaced.MatchString(name) {
		return one, nil, because(hostCallName, "the name %q has none, or has other than letters, digits, _ and .", name)
	}
	all, err := ir.HostResults(attrs)
	if err != nil {
		return one, nil, because(hostCallResults, "%v", err)
	}
	if slices.ContainsFunc(in, func(x *ir.Node) bool { return x.Type.DType.IsComplex() }) || slices.ContainsFunc(all, func(t types.Type) bool { return t.DType.IsComplex() }) {
		return one, nil, because(hostCallParts, "an operand or result is complex; give its parts, as by ViewAsReal")
	}
	if len(all) == 1 {
		return all[0], nil, nil
	}
	return one, all, nil
}

func inferBarrier(in []*ir.Node, _ []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	return in[0].Type, nil
}

func inferResult(in []*ir.Node, attrs []ir.Attr, _ *ir.Composite) (types.Type, *broken) {
	all := in[0].Results()
	if i := attrs[ir.ResultIndex].Int; i >= 0 && i < int64(len(all)) {
		return all[i], nil
	}
	return breaks(resultIndex, "index is %d, x has %s", attrs[ir.ResultIndex].Int, diag.Count(len(all), "result"))
}

// NoAxis says that a shape does not have the axis, for errors.
func NoAxis(axis int, s types.Shape) string {
	has := ""
	switch len(s) {
	case 0:
		return fmt.Sprintf("axis %d is out of range: a scalar has no axes", axis)
	case 1:
		has = "axis 0 alone"
	case 2:
		has = "axes 0 and 1"
	default:
		has = fmt.Sprintf("axes 0 to %d", len(s)-1)
	}
	return fmt.Sprintf("axis %d is out of range: a tensor of shape %v has %s", axis, s, has)
}
