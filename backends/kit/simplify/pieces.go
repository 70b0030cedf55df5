package simplify

import (
	"cmp"
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/ir/dims"
	"ltc/mlir"
	"ltc/stablehlo"
)

// What puts pieces together, of the pass parts.

// concatenate puts values together along dimension d.
func (e *editor) concatenate(vs []*mlir.Value, d int64) *mlir.Value {
	if len(vs) == 1 {
		return vs[0]
	}
	shape := slices.Clone(tensorOf(vs[0]).Shape)
	shape[d] = 0
	for _, v := range vs {
		shape[d] = dims.GoAdd(shape[d], tensorOf(v).Shape[d])
	}
	return e.emit(stablehlo.Concatenate, like(tensorOf(vs[0]), shape), mlir.Dict{{Name: "dimension", Value: mlir.I64Attr(d)}}, vs...)
}

// pad puts value around v, and between its elements.
func (e *editor) pad(v, value *mlir.Value, low, high, between []int64) *mlir.Value {
	shape := slices.Clone(tensorOf(v).Shape)
	for d, n := range shape {
		shape[d] = dims.GoAdd(dims.GoAdd(n, dims.GoMul(dims.GoSub(n, 1), between[d])), dims.GoAdd(low[d], high[d]))
	}
	return e.emit(stablehlo.Pad, like(tensorOf(v), shape), mlir.Dict{
		{Name: "edge_padding_low", Value: mlir.I64Array(low)},
		{Name: "edge_padding_high", Value: mlir.I64Array(high)},
		{Name: "interior_padding", Value: mlir.I64Array(between)},
	}, v, value)
}

// padsBetween reports whether a pad adds something between elements.
func padsBetween(op *mlir.Op) bool {
	return slices.ContainsFunc(stablehlo.AsPad(op).InteriorPadding(), func(n int64) bool { return !dims.GoAtMost(n, 0) })
}

// concatenateOne leaves out what has no elements; of one operand it is that,
// of equal splats a splat.
func concatenateOne(e *editor, op *mlir.Op) *mlir.Value {
	d := stablehlo.AsConcatenate(op).Dimension()
	var vs []*mlir.Value
	for _, v := range op.Operands {
		if tensorOf(v).Shape[d] != 0 {
			vs = append(vs, v)
		}
	}
	if len(vs) == 0 {
		return nil
	}
	x := program.Element(vs[0])
	equal := x != nil
	for _, v := range vs {
		equal = equal && string(program.Element(v)) == string(x)
	}
	switch {
	case equal:
		return e.splat(resultType(op), x)
	case len(vs) < len(op.Operands) || len(vs) == 1:
		return e.concatenate(vs, d)
	}
	return nil
}

// concatenateFlat puts together what is put together along the same dimension.
func concatenateFlat(e *editor, op *mlir.Op) *mlir.Value {
	d := stablehlo.AsConcatenate(op).Dimension()
	var vs []*mlir.Value
	for _, v := range op.Operands {
		inner := def(v, op.Code)
		if inner == nil || e.uses()[v] > count(op.Operands, v) || stablehlo.AsConcatenate(inner).Dimension() != d {
			vs = append(vs, v)
			continue
		}
		vs = append(vs, inner.Operands...)
	}
	if len(vs) == len(op.Operands) {
		return nil
	}
	return e.concatenate(vs, d)
}

// concatenateSlices puts parts of one value together that lie side by side.
func concatenateSlices(e *editor, op *mlir.Op) *mlir.Value {
	d := stablehlo.AsConcatenate(op).Dimension()
	var vs []*mlir.Value
	var last *mlir.Op // the slice that vs ends with
	var r ranges
	for _, v := range op.Operands {
		s := def(v, stablehlo.Slice)
		if s != nil && last != nil && s.Operands[0] == last.Operands[0] && adjoins(r, rangesOf(s), int(d)) {
			r = r.clone()
			r.limit[d] = rangesOf(s).limit[d]
			vs[len(vs)-1] = e.slice(s.Operands[0], r)
			continue
		}
		if last = s; s != nil {
			r = rangesOf(s)
		}
		vs = append(vs, v)
	}
	if len(vs) == len(op.Operands) {
		return nil
	}
	return e.concatenate(vs, d)
}

// adjoins reports whether the range s goes on where r ends, along dimension d.
func adjoins(r, s ranges, d int) bool {
	for k := range r.start {
		switch {
		case r.stride[k] != s.stride[k] || k == d && r.stride[k] != 1:
			return false
		case k == d && r.limit[k] != s.start[k], k != d && (r.start[k] != s.start[k] || r.limit[k] != s.limit[k]):
			return false
		}
	}
	return true
}

// padNothing pads by nothing, or takes away only, or pads a splat with the same.
func padNothing(e *editor, op *mlir.Op) *mlir.Value {
	x, value := op.Operands[0], op.Operands[1]
	low, high := stablehlo.AsPad(op).EdgePaddingLow(), stablehlo.AsPad(op).EdgePaddingHigh()
	t, out := tensorOf(x), resultType(op)
	if v := program.Element(value); v != nil && string(v) == string(program.Element(x)) {
		return e.splat(out, v)
	}
	if t.Elements() == 0 {
		return e.broadcast(value, out.Shape, []int64{})
	}
	if padsBetween(op) || slices.ContainsFunc(slices.Concat(low, high), func(n int64) bool { return !dims.GoAtMost(n, 0) }) {
		return nil
	}
	r := full(t.Shape)
	for d := range r.start {
		r.start[d], r.limit[d] = dims.GoSub(r.start[d], low[d]), dims.GoAdd(r.limit[d], high[d])
	}
	return e.slice(x, r)
}

// padPadded pads once what is padded twice with the same.
func padPadded(e *editor, op *mlir.Op) *mlir.Value {
	inner := def(op.Operands[0], op.Code)
	if inner == nil || inner.Operands[1] != op.Operands[1] || padsBetween(inner) || padsBetween(op) {
		return nil
	}
	first, second := stablehlo.AsPad(inner), stablehlo.AsPad(op)
	low, ok := bothPaddings(first.EdgePaddingLow(), second.EdgePaddingLow())
	high, too := bothPaddings(first.EdgePaddingHigh(), second.EdgePaddingHigh())
	if !ok || !too {
		return nil
	}
	return e.pad(inner.Operands[0], op.Operands[1], low, high, first.InteriorPadding())
}

// bothPaddings returns the paddings at one side by first and then by second; false
// where first takes away what second does not bring back.
func bothPaddings(first, second []int64) ([]int64, bool) {
	sums := slices.Clone(first)
	for d, n := range second {
		if !dims.GoAtMost(0, sums[d]) && !dims.GoAtMost(n, 0) {
			return nil, false
		}
		sums[d] = dims.GoAdd(sums[d], n)
	}
	return sums, true
}

// reverseNothing turns around no more than one element, or what looks the same
// from both ends, or twice.
func reverseNothing(e *editor, op *mlir.Op) *mlir.Value {
	x := op.Operands[0]
	if program.Element(x) != nil {
		return x
	}
	all := stablehlo.AsReverse(op).Dimensions()
	left := slices.DeleteFunc(slices.Clone(all), func(d int64) bool { return tensorOf(x).Shape[d] == 1 })
	if inner := def(x, op.Code); inner != nil {
		x = inner.Operands[0]
		for _, d := range stablehlo.AsReverse(inner).Dimensions() {
			if k := slices.Index(left, d); k >= 0 {
				left = slices.Delete(left, k, k+1)
			} else {
				left = append(left, d)
			}
		}
	}
	switch {
	case len(left) == 0:
		return x
	case x == op.Operands[0] && len(left) == len(all):
		return nil
	}
	slices.Sort(left)
	return e.emit(op.Code, op.Results[0].Type, dimsAttr("dimensions", left), x)
}

// mostPads is of how many pads a sum is at most that is looked at: each add of a longer one would look again.
const mostPads = 256

// padSum puts values beside each other that are padded with zeros and added up, each where the others have zeros. That
// is the gradient of slices which are all of a value. The sum makes a -0 of floats 0, so a 0 is added to each.
func padSum(e *editor, op *mlir.Op) *mlir.Value {
	t := resultType(op)
	pads := e.padsIn(op)
	if pads == nil || !dims.Static(t.Shape) {
		return nil
	}
	positive := func(n int64) bool { return n > 0 }
	d := slices.IndexFunc(stablehlo.AsPad(pads[0]).EdgePaddingLow(), positive)
	if d < 0 {
		d = slices.IndexFunc(stablehlo.AsPad(pads[0]).EdgePaddingHigh(), positive)
	}
	if d < 0 {
		return nil
	}
	low := func(p *mlir.Op) int64 { return stablehlo.AsPad(p).EdgePaddingLow()[d] }
	slices.SortStableFunc(pads, func(p, q *mlir.Op) int { return cmp.Compare(low(p), low(q)) })
	var vs []*mlir.Value
	end := int64(0)
	for _, p := range pads {
		x := tensorOf(p.Operands[0])
		for k, n := range x.Shape {
			if k != d && (n != t.Shape[k] || stablehlo.AsPad(p).EdgePaddingLow()[k] != 0) {
				return nil
			}
		}
		if low(p) != end {
			return nil
		}
		end += x.Shape[d]
		vs = append(vs, p.Operands[0])
	}
	if end != t.Shape[d] {
		return nil
	}
	if !isInt(t) {
		for i, v := range vs {
			vs[i] = e.emit(stablehlo.Add, v.Type, nil, v, e.constant(tensorOf(v), 0))
		}
	}
	return e.concatenate(vs, int64(d))
}

// padsIn returns the addends of a sum that are all pads with zeros around a value, which nothing else uses; nil if others
// are among them.
func (e *editor) padsIn(sum *mlir.Op) (pads []*mlir.Op) {
	for work := []*mlir.Value{sum.Operands[1], sum.Operands[0]}; len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if e.uses()[v] != 1 || len(pads) == mostPads {
			return nil
		}
		if inner := def(v, stablehlo.Add); inner != nil {
			work = append(work, inner.Operands...)
			continue
		}
		p := def(v, stablehlo.Pad)
		if p == nil || padsBetween(p) || !isZero(p.Operands[1]) {
			return nil
		}
		pads = append(pads, p)
	}
	return pads
}
