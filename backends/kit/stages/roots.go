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
		for o := range usedBy(v.Def) {
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

// rootsOf returns the roots of the sizes of op's results and attributes.
func (s *sizing) rootsOf(op *mlir.Op) (all []*mlir.Value) {
	add := func(root *mlir.Value) { all = append(all, root) }
	for _, k := range shapeOperands(op) {
		if k < len(op.Operands) {
			s.roots(op.Operands[k], add)
		}
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

// usedBy yields the values that an op uses, also in its regions.
func usedBy(op *mlir.Op) func(yield func(*mlir.Value) bool) {
	return func(yield func(*mlir.Value) bool) { eachUse(op, yield) }
}

func eachUse(op *mlir.Op, yield func(*mlir.Value) bool) bool {
	for _, v := range op.Operands {
		if !yield(v) {
			return false
		}
	}
	for _, r := range op.Regions {
		for _, b := range r.Blocks {
			for _, o := range b.Ops {
				if !eachUse(o, yield) {
					return false
				}
			}
		}
	}
	return true
}

// largest is the most that an element of a root can be, and the op that it is a size of.
type largest struct {
	n  int64
	op *mlir.Op
}

// lower lowers the most that an element of a root can be.
func lower(most map[element]largest, e element, n int64, op *mlir.Op) {
	if b, has := most[e]; !has || n < b.n {
		most[e] = largest{n, op}
	}
}

// bounds lowers most by what op takes: a slice ends within its operand, and a size that a type
// bounds is no larger.
func bounds(op *mlir.Op, most map[element]largest) {
	limit := func(v *mlir.Value, k, dim int) {
		e, ok := elementOf(v, k)
		if !ok {
			return
		}
		n := int64(math.MaxInt32)
		if t := op.Operands[0].Type.(*mlir.TensorType); !t.Unranked && t.Shape[dim] != mlir.Dynamic {
			n = t.Shape[dim]
		}
		lower(most, e, n, op)
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

// element is one of the integers of a root.
type element struct {
	of *mlir.Value
	at int
}

// elementOf returns the element of another value that element k of v is; false if v computes it.
func elementOf(v *mlir.Value, k int) (element, bool) {
	for folds(v) {
		op := v.Def
		switch op.Code {
		case stablehlo.Convert, stablehlo.Reshape, stablehlo.OptimizationBarrier:
			v = op.Operands[0]
		case stablehlo.BroadcastInDim:
			switch n := op.Operands[0].Type.(*mlir.TensorType).Elements(); n {
			case 1:
				k = 0
			case v.Type.(*mlir.TensorType).Elements(): // only dimensions of 1 are added
			default:
				return element{}, false
			}
			v = op.Operands[0]
		case stablehlo.Concatenate:
			for _, o := range op.Operands {
				n := int(o.Type.(*mlir.TensorType).Elements())
				if v = o; k < n {
					break
				}
				k -= n
			}
		default:
			return element{}, false
		}
	}
	return element{v, k}, true
}
