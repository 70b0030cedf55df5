package simplify

import (
	"slices"

	"ltc/backends/kit/simplify/program"
	"ltc/mlir"
	"ltc/stablehlo"
)

// reshape merges reshapes in a row and leaves out those that change nothing. A
// reshape of what is repeated is a repetition of less. A transpose that only
// moves dimensions of 1 is a reshape, and one that moves merged dimensions as a
// whole is done before they are merged, where it meets another transpose there.
func reshape(s *state) bool {
	return s.rewrite(func(r *opRow) rules { return r.reshape })
}

func normalReshape(e *editor, op *mlir.Op) *mlir.Value {
	x, shape := op.Operands[0], resultType(op).Shape
	if v := e.reshaped(x, shape); v != nil {
		return v
	}
	if a := program.Literal(x); a != nil && a.Resource == "" && e.uses()[x] == 1 {
		if data, splat, err := a.Decode(); err == nil && !splat {
			if b := mlir.Dense(like(tensorOf(x), shape), data); b != nil {
				return e.emit(stablehlo.Constant, b.Type, mlir.Dict{{Name: "value", Value: b}})
			}
		}
	}
	return nil
}

// transposeMerged: the transpose of a reshape that merges dimensions, or adds
// or removes some of 1.
func transposeMerged(e *editor, op *mlir.Op) *mlir.Value {
	x := op.Operands[0]
	perm := stablehlo.AsTranspose(op).Permutation()
	from := tensorOf(x).Shape
	if inOrder(from, perm) {
		return e.transpose(x, perm)
	}
	r := def(x, stablehlo.Reshape)
	if r == nil || e.uses()[x] > 1 {
		return nil
	}
	src := tensorOf(r.Operands[0]).Shape
	onlyUnits := slices.Equal(withoutUnits(src), withoutUnits(from))
	if !splits(from, src) || !onlyUnits && def(r.Operands[0], stablehlo.Transpose) == nil && !e.multiplies(r.Operands[0]) {
		return nil // a product reads a transpose better than what is merged
	}
	at := make([][]int64, len(from)) // the source's dimensions that each of x's is made of
	for _, g := range groups(from, src) {
		for _, d := range g.from {
			if from[d] == 1 {
				continue
			}
			for _, k := range g.to {
				if src[k] != 1 {
					at[d] = append(at[d], k)
				}
			}
		}
	}
	order := []int64{}
	for _, d := range perm {
		order = append(order, at[d]...)
	}
	order = append(order, units(src)...) // anywhere
	return e.reshape(e.transpose(r.Operands[0], order), resultType(op).Shape)
}

// multiplies reports whether v is a product, or computed from one alone element by element: its
// transpose may be the product the other way round.
func (e *editor) multiplies(v *mlir.Value) bool {
	for range mostBetween {
		switch {
		case e.uses()[v] > 1 || v.Def == nil || !plain(v.Def):
			return false
		case v.Def.Code == stablehlo.DotGeneral:
			return true
		case !elementwise(v.Def):
			return false
		}
		var from *mlir.Value
		for _, x := range v.Def.Operands {
			switch {
			case len(tensorOf(x).Shape) == 0 || program.Element(x) != nil:
			case from != nil:
				return false
			default:
				from = x
			}
		}
		if from == nil {
			return false
		}
		v = from
	}
	return false
}
