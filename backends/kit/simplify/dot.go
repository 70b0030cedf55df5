package simplify

import (
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// dots brings products into their normal form: a dot_general with the result [batch…,
// m…, n…]. Its operands are no transposes and have no unit dimensions. Nor are they
// reshapes that merge dimensions, if their source could take their place. The operands
// are exchanged where the result is transposed so that it ends with m. Where a reshape
// splits dimensions of the result, the operands' are split instead: the ops after a
// product can then be computed with it.
//
// Not to the bit: what is summed is the same, but a backend may add in another
// order where the dimensions lie in another.
func dots(s *state) bool {
	return s.rewrite(func(r *opRow) rules { return r.dot })
}

// operand is one side of a product.
type operand struct {
	v               *mlir.Value
	batch, contract []int64
	free            []int64 // the other dimensions, ascending
}

// dotSides returns the operands of a dot_general.
func dotSides(op *mlir.Op) (sides [2]operand) {
	d := stablehlo.AsDotGeneral(op).DotDimensionNumbers()
	sides[0] = operand{v: op.Operands[0], batch: d.LHSBatch, contract: d.LHSContract}
	sides[1] = operand{v: op.Operands[1], batch: d.RHSBatch, contract: d.RHSContract}
	for i := range sides {
		s := &sides[i]
		s.free = make([]int64, 0, len(s.shape()))
		for d := range int64(len(s.shape())) {
			if !slices.Contains(s.batch, d) && !slices.Contains(s.contract, d) {
				s.free = append(s.free, d)
			}
		}
	}
	return sides
}

func (s *operand) shape() []int64 { return tensorOf(s.v).Shape }

// product emits the product of two sides, with what else op says.
func (e *editor) product(op *mlir.Op, s [2]operand) *mlir.Value {
	d := stablehlo.DotDims{LHSBatch: s[0].batch, RHSBatch: s[1].batch, LHSContract: s[0].contract, RHSContract: s[1].contract}
	shape := slices.Concat(pick(s[0].shape(), s[0].batch), pick(s[0].shape(), s[0].free), pick(s[1].shape(), s[1].free))
	return e.dot(op, d, s[0].v, s[1].v, like(resultType(op), shape))
}

// multiplied is product in the shape of op's result.
func (e *editor) multiplied(op *mlir.Op, s [2]operand) *mlir.Value {
	return e.reshape(e.product(op, s), resultType(op).Shape)
}

// reread multiplies what change makes of the sides of a product, in the shape of op's
// result; nil if it changes neither.
func (e *editor) reread(op *mlir.Op, change func(s *operand) bool) *mlir.Value {
	s := dotSides(op)
	left, right := change(&s[0]), change(&s[1])
	if !left && !right {
		return nil
	}
	return e.multiplied(op, s)
}

// dotUnits leaves out dimensions of 1.
func dotUnits(e *editor, op *mlir.Op) *mlir.Value {
	return e.reread(op, func(s *operand) bool {
		shape := s.shape()
		gone := units(shape)
		if len(gone) == 0 {
			return false
		}
		*s = operand{v: e.reshape(s.v, withoutUnits(shape)), batch: left(s.batch, gone), contract: left(s.contract, gone), free: left(s.free, gone)}
		return true
	})
}

// dotTranspose reads what is transposed as it was, if that leaves the order of
// the dimensions that are neither batch nor contracted.
func dotTranspose(e *editor, op *mlir.Op) *mlir.Value {
	return e.reread(op, func(s *operand) bool {
		tr := def(s.v, stablehlo.Transpose)
		if tr == nil {
			return false
		}
		perm := stablehlo.AsTranspose(tr).Permutation()
		free := pick(perm, s.free)
		if !slices.IsSorted(free) {
			return false
		}
		*s = operand{v: tr.Operands[0], batch: pick(perm, s.batch), contract: pick(perm, s.contract), free: free}
		return true
	})
}

// dotMerged reads what has had dimensions merged, which are neither batch nor
// contracted, as it was: the product's are merged instead.
func dotMerged(e *editor, op *mlir.Op) *mlir.Value {
	return e.reread(op, func(s *operand) bool {
		r := def(s.v, stablehlo.Reshape)
		return r != nil && s.unmerge(r.Operands[0])
	})
}

// unmerge makes src, which s.v is a reshape of, the side's value.
func (s *operand) unmerge(src *mlir.Value) bool {
	from, to := s.shape(), tensorOf(src).Shape
	if hasUnits(to) || !splits(from, to) {
		return false
	}
	at := make([]int64, len(from))
	var free []int64
	for _, g := range groups(from, to) {
		d := g.from[0]
		at[d] = g.to[0]
		switch {
		case slices.Contains(s.free, d):
			free = append(free, g.to...)
		case len(g.to) > 1:
			return false
		}
	}
	*s = operand{v: src, batch: pick(at, s.batch), contract: pick(at, s.contract), free: free}
	return true
}

// exchange multiplies the other way round where that leaves n last: where the
// transpose of a product ends with a dimension of m.
func exchange(e *editor, op *mlir.Op) *mlir.Value {
	dot := def(op.Operands[0], stablehlo.DotGeneral)
	if dot == nil || e.uses()[dot.Results[0]] > 1 {
		return nil
	}
	perm, ok := exchanged(dot, stablehlo.AsTranspose(op).Permutation())
	if !ok {
		return nil
	}
	s := dotSides(dot)
	s[0], s[1] = s[1], s[0]
	return e.transpose(e.product(dot, s), perm)
}

// exchanged returns the permutation by which the transpose of a product is one of the product
// of its operands the other way round. It is false where that does not leave n last, or where
// the operands cannot be exchanged.
func exchanged(dot *mlir.Op, perm []int64) ([]int64, bool) {
	s := dotSides(dot)
	b, m, n := int64(len(s[0].batch)), int64(len(s[0].free)), int64(len(s[1].free))
	if last := perm[len(perm)-1]; last < b || last >= b+m {
		return nil, false
	}
	precisions, _ := dot.Attrs.Get("precision_config").(mlir.ArrayAttr)
	if len(precisions) == 2 && precisions[0] != precisions[1] || dot.Attrs.Get("algorithm") != nil || tensorOf(s[0].v).Elem != tensorOf(s[1].v).Elem {
		return nil, false // the operands have a precision each
	}
	perm = slices.Clone(perm)
	for i, d := range perm {
		switch {
		case d >= b+m:
			perm[i] = d - m
		case d >= b:
			perm[i] = d + n
		}
	}
	return perm, true
}

// dotSplit splits dimensions of a product's operands instead of its own.
func dotSplit(e *editor, op *mlir.Op) *mlir.Value {
	dot := def(op.Operands[0], stablehlo.DotGeneral)
	if dot == nil || e.uses()[dot.Results[0]] > 1 {
		return nil
	}
	s := dotSides(dot)
	from, to := resultType(dot).Shape, withoutUnits(resultType(op).Shape)
	if hasUnits(from) || slices.Equal(from, to) || !splits(from, to) {
		return nil
	}
	parts := make([][]int64, len(from)) // by dimension of the product
	for _, g := range groups(from, to) {
		parts[g.from[0]] = pick(to, g.to)
	}
	for _, p := range parts[:len(s[0].batch)] {
		if len(p) > 1 {
			return nil
		}
	}
	m := len(s[0].batch)
	n := m + len(s[0].free)
	s[0].split(e, parts[m:n])
	s[1].split(e, parts[n:])
	return e.reshape(e.multiplied(dot, s), resultType(op).Shape)
}

// split reshapes the side's value so that its free dimensions are in parts.
func (s *operand) split(e *editor, parts [][]int64) {
	at, shape := make([]int64, len(s.shape())), []int64{}
	var free []int64
	for d, n := range s.shape() {
		at[d] = int64(len(shape))
		k := slices.Index(s.free, int64(d))
		if k < 0 {
			shape = append(shape, n)
			continue
		}
		for _, p := range parts[k] {
			free = append(free, int64(len(shape)))
			shape = append(shape, p)
		}
	}
	*s = operand{v: e.reshape(s.v, shape), batch: pick(at, s.batch), contract: pick(at, s.contract), free: free}
}
