package linalg

import (
	"math"

	"ltc/ir/types"
	"ltc/lazy"
)

func checkEig(x *lazy.Tensor) (demand, reason string) { return checkSquare(x, eigSquare, eigClosed) }

func checkEigvals(x *lazy.Tensor) (demand, reason string) {
	return checkSquare(x, eigvalsSquare, eigvalsClosed)
}

func computeEigvals(x *lazy.Tensor) *lazy.Tensor {
	values, _ := Eig(x)
	return values
}

func computeEig(x *lazy.Tensor) (values, vectors *lazy.Tensor) {
	batch, part := batchOf(x, 2), types.F32
	if x.DType().Part() == types.F64 {
		part = types.F64
	}
	values, vectors = general(stack(x.Convert(sameKind(x, part)), 2))
	return unstack(values, batch), unstack(vectors, batch)
}

// sameKind is the dtype of parts d that is complex if x is.
func sameKind(x *lazy.Tensor, d types.DType) types.DType {
	if isComplex(x) {
		return d.Complex()
	}
	return d
}

// general returns the eigenvalues and eigenvectors of a[batch, n, n]. Of a Schur form a = V·T·Vᴴ they are the diagonal
// of T, and V times the eigenvectors of T.
func general(a *lazy.Tensor) (values, vectors *lazy.Tensor) {
	batch, n, c := a.OpenDim(0), a.OpenDim(1), a.DType().Part().Complex()
	if n == 0 {
		return lazy.Zeros(a.Trace(), c, batch, 0), a.Convert(c)
	}
	size := largerPart(a)
	scale := size.MaxKeep(1, 2)
	scale = scale.EqualScalar(0).ScalarWhere(1, scale)
	scaled := byParts(a, func(x *lazy.Tensor) *lazy.Tensor { return x.Div(scale) })
	if isComplex(a) || n == 1 {
		t, v := schur(scaled.Convert(c))
		values = t.Diagonal(0, 1, 2)
		vectors = unitColumns(v.MatMul(triangularVectors(t)))
	} else {
		values, vectors = realGeneral(scaled)
	}
	values, vectors = byRealPart(values, vectors)
	values = byParts(values, func(x *lazy.Tensor) *lazy.Tensor { return x.Mul(scale.Squeeze(2)) })
	// A NaN may be in an element that nothing above compares.
	broken := scale.Mul(number(scale, 0)).Add(size.MulScalar(0).SumKeep(1, 2)).Convert(c)
	return values.Add(broken.Squeeze(2)), vectors.Add(broken)
}

// largerPart is the absolute value of x, of complex numbers that of the larger part: it does not overflow.
func largerPart(x *lazy.Tensor) *lazy.Tensor {
	if isComplex(x) {
		return x.Real().Abs().Maximum(x.Imag().Abs())
	}
	return x.Abs()
}

// byParts applies f to both parts of complex numbers.
func byParts(x *lazy.Tensor, f func(x *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
	if isComplex(x) {
		return lazy.Complex(f(x.Real()), f(x.Imag()))
	}
	return f(x)
}

// schur returns the upper triangular T and the unitary V with a = V·T·Vᴴ, by the QR algorithm with single shifts:
// Golub and Van Loan, "Matrix Computations", section 7.5.
func schur(a *lazy.Tensor) (t, v *lazy.Tensor) {
	h, v := hessenberg(a)
	if a.OpenDim(1) < 2 {
		return h, v
	}
	t, v = sweepBlocks(h, v, blockEnd, func(h, first, last, tries *lazy.Tensor) loopBody {
		return chase(first, last, singleShift(h, last, tries))
	})
	return t.Triu(0), v
}

// loopBody is the body of a loop over rows.
type loopBody = func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor

// sweepBlocks applies sweeps of the QR algorithm to h[batch, n, n], zero below the subdiagonal, and their reflections or
// rotations to v. The last row of the last block that is too large, 0 where there is none, is that of blockEnd. A sweep
// is a loop over the rows of the block from first to last; tries counts the sweeps that left its end where it was. A
// matrix of the batch whose blocks are found rests. There are at most 30 sweeps for each row.
func sweepBlocks(h, v *lazy.Tensor, blockEnd func(h *lazy.Tensor) *lazy.Tensor, chase func(h, first, last, tries *lazy.Tensor) loopBody) (_, _ *lazy.Tensor) {
	batch, n := h.OpenDim(0), h.OpenDim(1)
	sweep := func(_ *lazy.Trace, state []*lazy.Tensor) []*lazy.Tensor {
		h, v, last, tries, total := state[0], state[1], state[2], state[3], state[5]
		first, same := blockStart(h, last), last
		ys := lazy.For(n-1, chase(h, first, last, tries), h, v)
		h, v = deflated(ys[0]), ys[1]
		last = blockEnd(h)
		tries = last.Equal(same).WhereScalar(tries.AddScalar(1), 0)
		return []*lazy.Tensor{h, v, last, tries, last.Max(0), total.AddScalar(1)}
	}
	again := func(_ *lazy.Trace, state []*lazy.Tensor) *lazy.Tensor {
		return state[4].GreaterScalar(0).And(state[5].LessScalar(float64(30 * n)))
	}
	h = deflated(h)
	last := blockEnd(h)
	tr := h.Trace()
	ys := lazy.While(again, sweep, h, v, last, lazy.Zeros(tr, lazy.I32, batch), last.Max(0), zero(tr))
	return ys[0], ys[1]
}

// isStuck reports whether a sweep is the tenth, the twentieth, … that leaves the end of its block where it was.
func isStuck(tries *lazy.Tensor) *lazy.Tensor { return tries.RemScalar(10).EqualScalar(9) }

// singleShift returns the shift of a sweep: the eigenvalue of the last two rows of the block that is closer to the last
// element. Each tenth try has that of LAPACK's zlahqr.
func singleShift(h, last, tries *lazy.Tensor) *lazy.Tensor {
	a, b, c, d := elementAt(h, last, last, -1, -1), elementAt(h, last, last, -1, 0), elementAt(h, last, last, 0, -1), elementAt(h, last, last, 0, 0)
	shift := closerEigenvalue(a, b, c, d)
	return isStuck(tries).Where(d.Add(c.Abs().MulScalar(0.75).Convert(d.DType())), shift)
}

// hessenberg returns H, with zeros below the diagonal under the main one, and the unitary V with a = V·H·Vᴴ, by
// Householder's reflections.
func hessenberg(a *lazy.Tensor) (h, v *lazy.Tensor) {
	n := a.OpenDim(1)
	v = eye(a, n, n)
	if n < 3 {
		return a, v
	}
	step := func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		h, v := state[0], state[1]
		i := count(tr, 1, 1, n, 1)
		x := i.Greater(k).WhereScalar(columnAt(h, k), 0)
		most := x.Abs().MaxKeep(1)
		x = x.Div(most.EqualScalar(0).ScalarWhere(1, most))
		alpha, length := rowAt(x, k.AddScalar(1)), squaresOf(x).SumKeep(1).Sqrt()
		phase := alpha.EqualScalar(0).ScalarWhere(1, alpha.Sign())
		x = x.Add(i.Equal(k.AddScalar(1)).WhereScalar(phase.Mul(length), 0))
		squares := squaresOf(x).SumKeep(1)
		factor := squares.EqualScalar(0).ScalarWhere(0, squares.EqualScalar(0).ScalarWhere(1, squares).Reciprocal().MulScalar(2))
		scaled := x.Mul(factor)
		h = h.Sub(scaled.Mul(x.Conj().Mul(h).SumKeep(1)))
		row := adjoint(x)
		fromRight := func(y *lazy.Tensor) *lazy.Tensor {
			return y.Sub(y.Mul(transposed(x)).SumKeep(2).Mul(row.Mul(factor)))
		}
		return []*lazy.Tensor{fromRight(h), fromRight(v)}
	}
	ys := lazy.For(n-2, step, a, v)
	return ys[0].Triu(-1), ys[1]
}

// subdiagonal returns 0 and the elements beside the diagonal, [batch, n].
func subdiagonal(h *lazy.Tensor) *lazy.Tensor {
	return lazy.Concatenate(1, lazy.Zeros(h.Trace(), h.DType(), h.OpenDim(0), 1), h.Diagonal(-1, 1, 2))
}

// deflated makes elements beside the diagonal 0 that rounding has as well.
func deflated(h *lazy.Tensor) *lazy.Tensor {
	n := h.OpenDim(1)
	tr := h.Trace()
	size := taxicab(h.Diagonal(0, 1, 2))
	sum := size.Narrow(1, 0, n-1).Add(size.Narrow(1, 1, n-1))
	norm := taxicab(h).MaxKeep(1, 2).Squeeze(2)
	sum = sum.EqualScalar(0).Where(norm.BroadcastTo(sum.OpenShape()...), sum)
	keep := taxicab(h.Diagonal(-1, 1, 2)).Greater(sum.MulScalar(epsilon(h)))
	keep = lazy.Concatenate(1, lazy.Zeros(tr, lazy.Bool, h.OpenDim(0), 1), keep).Unsqueeze(2)
	below := count(tr, 1, 1, n, 1).Greater(count(tr, 2, 1, 1, n))
	return below.And(keep.Not()).ScalarWhere(0, h)
}

// blockEnd returns, for each matrix, the last row that is not decoupled from the one above; 0 if there is none.
func blockEnd(h *lazy.Tensor) *lazy.Tensor {
	n := h.OpenDim(1)
	return subdiagonal(h).NotEqualScalar(0).WhereScalar(count(h.Trace(), 1, 1, n), 0).Max(1)
}

// blockStart returns the last row up to the given one that is decoupled from the one above.
func blockStart(h, last *lazy.Tensor) *lazy.Tensor {
	n := h.OpenDim(1)
	i := count(h.Trace(), 1, 1, n)
	free := subdiagonal(h).EqualScalar(0).And(i.LessEqual(last.Unsqueeze(1)))
	return free.WhereScalar(i, 0).Max(1)
}

// elementAt returns the element of each matrix in a row and a column, counted from rows and columns; 0 outside.
func elementAt(h, row, column *lazy.Tensor, down, right int) *lazy.Tensor {
	n := h.OpenDim(1)
	at := func(axis int, place *lazy.Tensor, by int) *lazy.Tensor {
		shape := []int{1, 1, 1}
		shape[axis] = n
		return count(h.Trace(), axis, shape...).Equal(place.AddScalar(float64(by)).Reshape(h.OpenDim(0), 1, 1))
	}
	return at(1, row, down).And(at(2, column, right)).WhereScalar(h, 0).Sum(1, 2)
}

// closerEigenvalue returns the eigenvalue of [[a, b], [c, d]] that is closer to d: d - bc/(p ± √(p² + bc)), with
// p = (a-d)/2 and the sign of the larger divisor.
func closerEigenvalue(a, b, c, d *lazy.Tensor) *lazy.Tensor {
	p, bc := a.Sub(d).MulScalar(0.5), b.Mul(c)
	root := p.Mul(p).Add(bc).Sqrt()
	plus, minus := p.Add(root), p.Sub(root)
	divisor := plus.Abs().GreaterEqual(minus.Abs()).Where(plus, minus)
	none := divisor.EqualScalar(0)
	return d.Sub(none.ScalarWhere(0, bc.Div(none.ScalarWhere(1, divisor))))
}

// chase returns the body of a loop over rows k, which rotates rows and columns k and k+1. The first rotation of a
// block is that of a QR factor of the shifted matrix. Each next one moves what that leaves below the subdiagonal on by
// a row. Outside of the block it does nothing.
func chase(first, last, shift *lazy.Tensor) loopBody {
	return func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		h, v := state[0], state[1]
		n := h.OpenDim(1)
		next := k.AddScalar(1)
		upper, lower := rowAt(h, k), rowAt(h, next)
		j := count(tr, 1, 1, n)
		isFirst := first.Equal(k)
		column := isFirst.Where(k.BroadcastTo(first.OpenShape()...), k.SubScalar(1).BroadcastTo(first.OpenShape()...))
		at := j.Equal(column.Unsqueeze(1))
		pick := func(row *lazy.Tensor) *lazy.Tensor { return at.WhereScalar(row.Squeeze(1), 0).Sum(1) }
		a, b := pick(upper), pick(lower)
		a = isFirst.Where(a.Sub(shift), a)
		length := squaresOf(a).Add(squaresOf(b)).Sqrt()
		rests := first.Greater(k).Or(last.LessEqual(k)).Or(length.EqualScalar(0))
		over := rests.ScalarWhere(1, length)
		of := func(x *lazy.Tensor, resting float64) *lazy.Tensor {
			return rests.ScalarWhere(resting, x.Div(over)).Unsqueeze(1).Unsqueeze(2)
		}
		g11, g12, g21, g22 := of(a.Conj(), 1), of(b.Conj(), 0), of(b.Neg(), 0), of(a, 1)
		i, jj := count(tr, 1, 1, n, 1), count(tr, 2, 1, 1, n)
		h = i.Equal(k).Where(g11.Mul(upper).Add(g12.Mul(lower)), i.Equal(next).Where(g21.Mul(upper).Add(g22.Mul(lower)), h))
		// What the rotation makes 0 is 0, for the next one to find nothing else.
		gone := i.Equal(next).And(jj.Equal(k.SubScalar(1))).And(isFirst.Not().Unsqueeze(1).Unsqueeze(2)).And(rests.Not().Unsqueeze(1).Unsqueeze(2))
		h = gone.ScalarWhere(0, h)
		fromRight := func(y *lazy.Tensor) *lazy.Tensor {
			left, right := columnAt(y, k), columnAt(y, next)
			return jj.Equal(k).Where(left.Mul(g11.Conj()).Add(right.Mul(g12.Conj())), jj.Equal(next).Where(left.Mul(g21.Conj()).Add(right.Mul(g22.Conj())), y))
		}
		return []*lazy.Tensor{fromRight(h), fromRight(v)}
	}
}

// triangularVectors returns the eigenvectors of upper triangular t as columns, whose elements are at most 1. It is back
// substitution, from the last row to the first. A divisor that is too small for its digits is replaced.
func triangularVectors(t *lazy.Tensor) *lazy.Tensor {
	n := t.OpenDim(1)
	x := eye(t, n, n)
	if n < 2 {
		return x
	}
	d := t.Diagonal(0, 1, 2)
	least := taxicab(t).MaxKeep(1, 2).MulScalar(epsilon(t))
	least = least.EqualScalar(0).ScalarWhere(1, least)
	step := func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		x := state[0]
		row := k.RSubScalar(float64(n - 2))
		i, j := count(tr, 1, 1, n, 1), count(tr, 2, 1, 1, n)
		right := j.Greater(row)
		sum := right.WhereScalar(rowAt(t, row), 0).MatMul(x)
		gap := d.Unsqueeze(1).Sub(columnAt(d.Unsqueeze(1), row))
		gap = taxicab(gap).Less(least).Where(least.Convert(gap.DType()).BroadcastTo(gap.OpenShape()...), gap)
		found := right.WhereScalar(sum.Div(right.WhereScalar(gap, 1)), 0)
		size := found.Abs()
		by := size.GreaterScalar(1).WhereScalar(size, 1)
		return []*lazy.Tensor{i.Equal(row).And(right).Where(found.BroadcastTo(x.OpenShape()...), x).Div(by)}
	}
	return lazy.For(n-1, step, x)[0]
}

// byRealPart sorts eigenvalues, and their vectors, by the real part; those of one real part by the imaginary part,
// of which the largest is first.
func byRealPart(values, vectors *lazy.Tensor) (_, _ *lazy.Tensor) {
	order := values.Imag().Neg().ArgSort(1)
	order = order.GatherAlong(values.Real().GatherAlong(order, 1).ArgSort(1), 1)
	return values.GatherAlong(order, 1), vectors.GatherAlong(order.Unsqueeze(1).BroadcastTo(vectors.OpenShape()...), 2)
}

// nearlyLargest is from which share of the largest element on another counts as large: rounding must not choose.
const nearlyLargest = 1 - 0x1p-10

// unitColumns returns the columns of x divided by their lengths, with the first element that is nearly the largest
// real and positive.
func unitColumns(x *lazy.Tensor) *lazy.Tensor {
	size := x.Abs()
	x = x.Div(size.Square().SumKeep(1).Sqrt())
	at := size.GreaterEqual(size.MaxKeep(1).MulScalar(nearlyLargest)).Convert(size.DType()).ArgMax(1).Unsqueeze(1)
	phase := count(x.Trace(), 1, 1, x.OpenDim(1), 1).Convert(at.DType()).Equal(at).WhereScalar(x, 0).SumKeep(1).Sign()
	return x.Mul(phase.Conj())
}

// gradEig is V⁻ᴴ (diag(gl) + (Vᴴgv - VᴴV·diag(re Vᴴgv)) / Ē) Vᴴ with E = l[j] - l[i], of which a real matrix takes
// the real part: C. Boeddeker et al. (2017), "On the computation of complex-valued gradients with application to
// statistically optimum beamforming", section 4.6, with what the unit length of vectors adds.
func gradEig(x *lazy.Tensor, y, ct []*lazy.Tensor) []*lazy.Tensor {
	if x.OpenDim(-1) == 0 {
		return []*lazy.Tensor{x.MulScalar(0)}
	}
	l, v, gl, gv := y[0], y[1], ct[0], ct[1]
	turns := adjoint(v).MatMul(gv)
	p := turns.Sub(adjoint(v).MatMul(v.Mul(realPart(turns.Diagonal(0, -2, -1)).Unsqueeze(-2))))
	e := l.Unsqueeze(-2).Sub(l.Unsqueeze(-1))
	equal := e.EqualScalar(0)
	p = p.Tril(-1).Add(p.Triu(1))
	middle := equal.And(p.NotEqualScalar(0)).ScalarWhere(math.NaN(), equal.ScalarWhere(0, p.Div(equal.ScalarWhere(1, e).Conj())))
	middle = middle.Add(gl.DiagEmbed(0, -2, -1))
	g := Solve(adjoint(v), middle.MatMul(adjoint(v)), false)
	if !isComplex(x) {
		g = g.Real()
	}
	if g.DType() != x.DType() {
		g = g.Convert(x.DType())
	}
	return []*lazy.Tensor{g}
}

// realPart returns complex numbers without their imaginary parts.
func realPart(x *lazy.Tensor) *lazy.Tensor { return x.Real().Convert(x.DType()) }
