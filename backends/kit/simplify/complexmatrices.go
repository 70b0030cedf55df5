package simplify

import (
	"math"
	"slices"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Factors and triangular systems of complex matrices are those of real matrices of twice as many rows, in which x+iy
// is [[x, -y], [y, x]]: products of such blocks are blocks of products. That takes twice the operations of code for
// complex numbers.

// matrixParts returns the batch and the sizes of complex matrices of f32 or f64 parts.
func matrixParts(v *mlir.Value) (batch []int64, rows, columns int64, ok bool) {
	if !isComplex(v) {
		return nil, 0, 0, false
	}
	part := partType(v.Type).(*mlir.TensorType)
	rank := len(part.Shape)
	if elem, is := part.Elem.(mlir.FloatType); !is || elem.Name != "f32" && elem.Name != "f64" || rank < 2 {
		return nil, 0, 0, false
	}
	return part.Shape[:rank-2], part.Shape[rank-2], part.Shape[rank-1], true
}

// shapeOf returns a shape of a batch and further dimensions.
func shapeOf(batch []int64, further ...int64) []int64 {
	return append(append(make([]int64, 0, len(batch)+len(further)), batch...), further...)
}

// blocks returns the real matrices of square complex ones of the parts re and im.
func (e *editor) blocks(re, im *mlir.Value, batch []int64, n int64) *mlir.Value {
	apart := func(v *mlir.Value) *mlir.Value { return e.reshape(v, shapeOf(batch, n, 1, n, 1)) }
	b := int64(len(batch))
	x, y, negative := apart(re), apart(im), apart(e.unary(stablehlo.Negate, im))
	upper := e.concatenate([]*mlir.Value{x, negative}, b+3)
	lower := e.concatenate([]*mlir.Value{y, x}, b+3)
	return e.reshape(e.concatenate([]*mlir.Value{upper, lower}, b+1), shapeOf(batch, 2*n, 2*n))
}

// fromAlternating returns the complex numbers whose parts alternate along the dimension d of v.
func (e *editor) fromAlternating(v *mlir.Value, d int) *mlir.Value {
	shape := tensorOf(v).Shape
	n := shape[d] / 2
	v = e.reshape(v, shapeOf(shape[:d], append([]int64{n, 2}, shape[d+1:]...)...))
	part := func(i int64) *mlir.Value {
		r := full(tensorOf(v).Shape)
		r.start[d+1], r.limit[d+1] = i, i+1
		return e.reshape(e.slice(v, r), shapeOf(shape[:d], append([]int64{n}, shape[d+1:]...)...))
	}
	return e.complex(part(0), part(1))
}

// toAlternating is the inverse of fromAlternating.
func (e *editor) toAlternating(re, im *mlir.Value, d int) *mlir.Value {
	shape := tensorOf(re).Shape
	apart := func(v *mlir.Value) *mlir.Value {
		return e.reshape(v, shapeOf(shape[:d+1], append([]int64{1}, shape[d+1:]...)...))
	}
	both := e.concatenate([]*mlir.Value{apart(re), apart(im)}, int64(d+1))
	return e.reshape(both, shapeOf(shape[:d], append([]int64{2 * shape[d]}, shape[d+1:]...)...))
}

// onDiagonal says which elements of matrices are on the diagonal.
func (e *editor) onDiagonal(shape []int64) *mlir.Value {
	rank := len(shape)
	index := func(d int) *mlir.Value {
		return e.emit(stablehlo.Iota, mlir.Tensor(mlir.I32, shape...), mlir.Dict{{Name: "iota_dimension", Value: mlir.I64Attr(int64(d))}})
	}
	attrs := mlir.Dict{{Name: "comparison_direction", Value: comparisonDirection("EQ")},
		{Name: "compare_type", Value: mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_type", Value: "SIGNED"}}}
	return e.emit(stablehlo.Compare, mlir.Tensor(mlir.I1, shape...), attrs, index(rank-2), index(rank-1))
}

// choleskyComplex is the factor of the real matrices, which is that of the complex ones: its diagonal is real, so
// that its blocks are triangular as well.
func choleskyComplex(e *editor, op *mlir.Op) *mlir.Value {
	batch, n, _, ok := matrixParts(op.Operands[0])
	if !ok || n < 1 {
		return nil
	}
	re, im := e.parts(op.Operands[0])
	t := tensorOf(im)
	diagonal, zero := e.onDiagonal(t.Shape), e.constant(t, 0)
	im = e.choice(diagonal, zero, im) // which does not count
	x := e.blocks(re, im, batch, n)
	factor := e.reshape(e.again(op, x.Type, x), shapeOf(batch, n, 2, n, 2))
	b := len(batch)
	part := func(row int64) *mlir.Value {
		r := full(tensorOf(factor).Shape)
		r.start[b+1], r.limit[b+1], r.limit[b+3] = row, row+1, 1
		return e.reshape(e.slice(factor, r), t.Shape)
	}
	low, high := part(0), part(1)
	if !stablehlo.AsCholesky(op).Lower() { // of an upper triangle the second column has what is not 0: [-y, x]
		r := full(tensorOf(factor).Shape)
		r.limit[b+1], r.start[b+3] = 1, 1
		high = e.unary(stablehlo.Negate, e.reshape(e.slice(factor, r), t.Shape))
	}
	return e.complex(low, e.choice(diagonal, zero, high)) // where products that are added in one step leave digits
}

// triangularComplex is the solution of the real system. Its blocks on the diagonal must be triangular: rows of the
// equations, or columns if x is at their left, are divided by the signs of the diagonal first. The diagonal is real
// then. Division by the diagonal itself may overflow.
func triangularComplex(e *editor, op *mlir.Op) *mlir.Value {
	a, b := sides(op)
	batch, n, _, ok := matrixParts(a)
	if !ok || !isComplex(b) || n < 1 {
		return nil
	}
	s := stablehlo.AsTriangularSolve(op)
	transposed, left := s.TransposeA() != "NO_TRANSPOSE", s.LeftSide()
	shape, rank := tensorOf(a).Shape, len(tensorOf(a).Shape)
	diagonal := e.onDiagonal(shape)
	if !s.UnitDiagonal() {
		re, im := e.parts(a)
		of := func(v *mlir.Value) *mlir.Value {
			return e.sum(e.choice(diagonal, v, e.constant(tensorOf(v), 0)), []int64{int64(rank - 1)})
		}
		re, im = of(re), of(im)
		size := e.emit(stablehlo.Abs, re.Type, nil, e.complex(re, im))
		one := e.constant(tensorOf(re), 1)
		none := e.emit(stablehlo.Compare, mlir.Tensor(mlir.I1, tensorOf(re).Shape...), mlir.Dict{{Name: "comparison_direction", Value: comparisonDirection("EQ")},
			{Name: "compare_type", Value: mlir.EnumAttr{Dialect: "stablehlo", Kind: "comparison_type", Value: "FLOAT"}}}, size, e.constant(tensorOf(re), 0))
		size, re = e.choice(none, one, size), e.choice(none, one, re)
		re, im = e.emit(stablehlo.Divide, re.Type, nil, re, size), e.emit(stablehlo.Divide, im.Type, nil, im, size)
		along := func(v *mlir.Value, to *mlir.Value, d int) *mlir.Value {
			dims := make([]int64, rank-1)
			for i := range dims {
				dims[i] = int64(i)
			}
			dims[rank-2] = int64(d)
			return e.broadcast(v, tensorOf(to).Shape, dims)
		}
		divided := func(v *mlir.Value, d int, conjugate bool) *mlir.Value {
			im := im
			if conjugate {
				im = e.unary(stablehlo.Negate, im)
			}
			return e.emit(stablehlo.Divide, v.Type, nil, v, e.complex(along(re, v, d), along(im, v, d)))
		}
		ofA, ofB := rank-2, rank-1
		if left {
			ofB = rank - 2
		}
		if left == transposed {
			ofA = rank - 1
		}
		a, b = divided(a, ofA, false), divided(b, ofB, s.TransposeA() == "ADJOINT")
	}
	re, im := e.parts(a)
	zero := e.constant(tensorOf(im), 0)
	im = e.choice(diagonal, zero, im)
	if (s.TransposeA() == "TRANSPOSE") == left { // the blocks of conjugates
		im = e.unary(stablehlo.Negate, im)
	}
	x := e.blocks(re, im, batch, n)
	d := rank - 1
	if left {
		d = rank - 2
	}
	bRe, bIm := e.parts(b)
	y := e.toAlternating(bRe, bIm, d)
	solve := copyOf(op, y.Type, x, y)
	if transposed {
		solve.Attrs.Set("transpose_a", mlir.EnumAttr{Dialect: "stablehlo", Kind: "transpose", Value: "TRANSPOSE"})
	}
	return e.finiteOrNaN(e.fromAlternating(e.emitOp(solve), d))
}

// finiteOrNaN replaces numbers of which a part is infinite or NaN by NaN, as the evaluator does with solutions. Which
// part of a number that is divided by 0 is infinite depends on the order of operations.
func (e *editor) finiteOrNaN(v *mlir.Value) *mlir.Value {
	re, im := e.parts(v)
	most, nan := e.constant(tensorOf(re), math.Inf(1)), e.constant(tensorOf(re), math.NaN())
	finite := func(x *mlir.Value) *mlir.Value { return e.compareFloats("LT", e.unary(stablehlo.Abs, x), most) }
	both := e.binary(stablehlo.And, finite(re), finite(im))
	return e.complex(e.choice(both, re, nan), e.choice(both, im, nan))
}

// productsComplex multiplies the halves of a dimension with each other until it has one element. What is left over
// of an odd number waits for the end.
func productsComplex(e *editor, op *mlir.Op) *mlir.Value {
	r, ok := reductionOf(op)
	if !ok || r.by != stablehlo.Multiply || !isComplex(r.x) {
		return nil
	}
	x, init := r.x, r.init
	shape := resultType(op).Shape
	for _, d := range r.dims {
		switch n := tensorOf(x).Shape[d]; {
		case n == 0 && !slices.ContainsFunc(shape, func(n int64) bool { return n < 0 }):
			return e.broadcast(init, shape, []int64{})
		case n < 1:
			return nil
		}
	}
	times := func(a, b *mlir.Value) *mlir.Value { return e.emit(stablehlo.Multiply, a.Type, nil, a, b) }
	part := func(d, from, to int64) *mlir.Value {
		at := full(tensorOf(x).Shape)
		at.start[d], at.limit[d] = from, to
		return e.slice(x, at)
	}
	for _, d := range r.dims {
		var rest *mlir.Value
		for n := tensorOf(x).Shape[d]; n > 1; n /= 2 {
			if n%2 == 1 {
				if last := part(d, n-1, n); rest == nil {
					rest = last
				} else {
					rest = times(rest, last)
				}
			}
			x = times(part(d, 0, n/2), part(d, n/2, n/2*2))
		}
		if rest != nil {
			x = times(x, rest)
		}
	}
	x = e.reshape(x, shape)
	return times(e.broadcast(init, shape, []int64{}), x)
}
