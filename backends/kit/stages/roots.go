package stages

import (
	"math"

	"ltc/mlir"
	"ltc/stablehlo"
)

// mostElements is the most elements of a value that sizes are read from.
const mostElements = 64

// sizing finds the values that tell sizes which follow from data: the roots.
type sizing struct {
	known map[*mlir.Value]bool // roots of earlier stages
	data  map[*mlir.Value]bool // whether a value follows from data
}

// folded are the ops that sizes are computed by: what they give follows from their operands as
// expressions do, so that their operands are roots and not they.
var folded = map[mlir.Code]bool{
	stablehlo.Convert: true, stablehlo.Reshape: true, stablehlo.OptimizationBarrier: true, stablehlo.Concatenate: true,
	stablehlo.Slice: true, stablehlo.BroadcastInDim: true, stablehlo.Add: true, stablehlo.Multiply: true,
	stablehlo.Minimum: true, stablehlo.Maximum: true, stablehlo.Subtract: true, stablehlo.Divide: true, stablehlo.Remainder: true,
}

// sizesOf reports whether a value has a few integers that sizes can be computed from.
func sizesOf(v *mlir.Value) bool {
	t, ok := v.Type.(*mlir.TensorType)
	if !ok || t.Unranked || !t.Static() || t.Elements() > mostElements {
		return false
	}
	i, ok := t.Elem.(mlir.IntegerType)
	return ok && i.Width >= 32
}

// folds reports whether the sizes that v tells are those that the operands of its op tell.
func folds(v *mlir.Value) bool {
	if v.Def == nil || !folded[v.Def.Code] || !sizesOf(v) {
		return false
	}
	for _, o := range v.Def.Operands {
		if !sizesOf(o) {
			return false
		}
	}
	return true
}

// ofData reports whether v follows from more than shapes, constants and roots of earlier stages.
func (s *sizing) ofData(v *mlir.Value) bool {
	is, seen := s.data[v]
	if seen {
		return is && !s.known[v]
	}
	switch {
	case v.Def == nil:
		is = true
	case v.Def.Code == stablehlo.GetDimensionSize:
	default:
		for o := range v.Def.Uses() {
			is = is || s.ofData(o)
		}
		is = is || len(v.Def.Operands) == 0 && v.Def.Code != stablehlo.Constant && v.Def.Code != stablehlo.Iota
	}
	s.data[v] = is
	return is && !s.known[v]
}

// learn has roots be known from now on.
func (s *sizing) learn(roots []*mlir.Value) {
	for _, v := range roots {
		s.known[v] = true
	}
	clear(s.data)
}

// roots adds the roots that v follows from, unless they are known.
func (s *sizing) roots(v *mlir.Value, add func(root *mlir.Value)) {
	switch {
	case !s.ofData(v):
	case folds(v):
		for _, o := range v.Def.Operands {
			s.roots(o, add)
		}
	default:
		add(v)
	}
}

// rootsOf returns the roots of the sizes of op's results and attributes, and of those of the ops in its
// regions.
func (s *sizing) rootsOf(op *mlir.Op) (all []*mlir.Value) {
	add := func(root *mlir.Value) { all = append(all, root) }
	for _, k := range shapeOperands(op) {
		if k < len(op.Operands) {
			s.roots(op.Operands[k], add)
		}
	}
	for o := range op.Inner() {
		all = append(all, s.rootsOf(o)...)
	}
	return all
}

// shapeOperands returns the operands of op that say shapes, or attributes that shapes follow from.
func shapeOperands(op *mlir.Op) (all []int) {
	if d := op.Code.Info().Static; d != nil {
		for _, p := range d.Parts {
			all = append(all, p.Operand)
		}
		return all
	}
	switch op.Code {
	case stablehlo.SetDimensionSize:
		return []int{1}
	case stablehlo.CustomCall:
		return stablehlo.ShapeOperands(op)
	}
	return nil
}

// largest is the most that an element of a root can be, and the op that it is a size of.
type largest struct {
	n  int64
	op *mlir.Op
}

// bounds lowers the most that elements of roots can be by what op takes: a slice ends within its operand, and
// a size that a type bounds is no larger.
func bounds(op *mlir.Op, most map[element]largest) {
	limit := func(v *mlir.Value, k, dim int) {
		n := mostOfDim(op.Operands[0], dim)
		if list := stablehlo.Bounds(op.Results[0].Type.(*mlir.TensorType)); dim < len(list) && list[dim] != mlir.Dynamic {
			n = min(n, list[dim])
		}
		if e, ok := elementOf(v, k); ok {
			if b, has := most[e]; !has || n < b.n {
				most[e] = largest{n, op}
			}
		}
	}
	switch op.Code {
	case stablehlo.RealDynamicSlice:
		if t, ok := op.Operands[2].Type.(*mlir.TensorType); ok && t.Static() {
			for i := range int(t.Elements()) {
				limit(op.Operands[2], i, i)
			}
		}
	case stablehlo.SetDimensionSize:
		limit(op.Operands[1], 0, int(stablehlo.AsSetDimensionSize(op).Dimension()))
	}
}

// mostOfDim returns a number that a dimension of v is at most.
func mostOfDim(v *mlir.Value, dim int) int64 {
	t := v.Type.(*mlir.TensorType)
	switch {
	case t.Unranked:
	case t.Shape[dim] != mlir.Dynamic:
		return t.Shape[dim]
	case v.Def == nil:
	case v.Def.Code == stablehlo.RealDynamicSlice: // from no less than 0, in steps of no less than 1
		return min(max(mostOf(v.Def.Operands[2], dim), 0), mostOfDim(v.Def.Operands[0], dim))
	case v.Def.Code.Info().Static != nil:
		if p := v.Def.Code.Info().Static.Parts[0]; p.Attr == "" { // the result's shape
			return max(mostOf(v.Def.Operands[p.Operand], dim), 0)
		}
	}
	return math.MaxInt32
}

// mostOf returns a number that element k of v, a value that sizes are computed from, is at most. It
// follows no unsigned integers, and no converts to fewer bits: these could wrap.
func mostOf(v *mlir.Value, k int) int64 {
	for folds(v) || v.Def != nil && v.Def.Code == stablehlo.Constant {
		op := v.Def
		i, ok := v.Type.(*mlir.TensorType).Elem.(mlir.IntegerType)
		if !ok || i.Sign == mlir.Unsigned {
			return math.MaxInt32
		}
		switch op.Code {
		case stablehlo.Constant:
			if list, ok := mlir.Ints(op.Attrs.Get("value")); ok && k < len(list) {
				return list[k]
			}
			return math.MaxInt32
		case stablehlo.Minimum:
			return min(mostOf(op.Operands[0], k), mostOf(op.Operands[1], k))
		case stablehlo.Maximum:
			return max(mostOf(op.Operands[0], k), mostOf(op.Operands[1], k))
		case stablehlo.Convert:
			if from := op.Operands[0].Type.(*mlir.TensorType).Elem.(mlir.IntegerType); from.Width > i.Width {
				return math.MaxInt32
			}
		}
		o, at, ok := moved(op, k)
		if !ok {
			return math.MaxInt32
		}
		v, k = o, at
	}
	return math.MaxInt32
}

// element is one of the integers of a root.
type element struct {
	of *mlir.Value
	at int
}

// elementOf returns the element of another value that element k of v is; false if v computes it.
func elementOf(v *mlir.Value, k int) (element, bool) {
	for folds(v) {
		var ok bool
		if v, k, ok = moved(v.Def, k); !ok {
			return element{}, false
		}
	}
	return element{v, k}, true
}

// moved returns the operand's element that element k of the result is, of an op that folds; false if
// the op computes it.
func moved(op *mlir.Op, k int) (*mlir.Value, int, bool) {
	switch op.Code {
	case stablehlo.Convert, stablehlo.Reshape, stablehlo.OptimizationBarrier:
		return op.Operands[0], k, true
	case stablehlo.BroadcastInDim:
		switch n := op.Operands[0].Type.(*mlir.TensorType).Elements(); n {
		case 1:
			return op.Operands[0], 0, true
		case op.Results[0].Type.(*mlir.TensorType).Elements(): // only dimensions of 1 are added
			return op.Operands[0], k, true
		}
	case stablehlo.Concatenate:
		for _, o := range op.Operands {
			n := int(o.Type.(*mlir.TensorType).Elements())
			if k < n {
				return o, k, true
			}
			k -= n
		}
	}
	return nil, 0, false
}
