package linalg

import (
	"slices"

	"ltc/lazy"
)

// realGeneral returns the eigenvalues and eigenvectors of real a[batch, n, n] for n above 1. Complex ones are pairs of
// conjugates, bit by bit: the blocks of two rows of the real Schur form say which belong together.
func realGeneral(a *lazy.Tensor) (values, vectors *lazy.Tensor) {
	t, v := realSchur(a)
	b := blocksOf(t)
	t, v = b.triangular(t, v)
	vectors = v.MatMul(triangularVectors(t))
	// Before what rounds: a fused kernel may round the same operation in two ways.
	vectors = unitColumns(b.isPair.Unsqueeze(1).Where(ahead(vectors, 2).Conj(), vectors))
	isReal := b.values.Imag().EqualScalar(0).Unsqueeze(1)
	return b.values, isReal.Where(realPart(vectors), vectors)
}

// realSchur returns T, zero below blocks of one and two rows on its diagonal, and the orthogonal V with a = V·T·Vᵀ. It is
// the QR algorithm with double shifts: Golub and Van Loan, "Matrix Computations", section 7.5.
func realSchur(a *lazy.Tensor) (t, v *lazy.Tensor) {
	h, v := hessenberg(a)
	if a.OpenDim(1) < 3 {
		return h, v
	}
	return sweepBlocks(h, v, largeBlockEnd, func(h, first, last, tries *lazy.Tensor) loopBody {
		sum, product := doubleShift(h, last, tries)
		return chaseReal(first, last, sum, product)
	})
}

// ahead returns x moved by one place along an axis, with zeros at the first place.
func ahead(x *lazy.Tensor, axis int) *lazy.Tensor {
	shape := slices.Clone([]int(x.OpenShape()))
	shape[axis] = 1
	return lazy.Concatenate(axis, lazy.Zeros(x.Trace(), x.DType(), shape...), x.Narrow(axis, 0, x.OpenDim(axis)-1))
}

// back returns x[batch, n] moved by one place the other way, and zeros at the last place.
func back(x *lazy.Tensor) *lazy.Tensor {
	n := x.OpenDim(1)
	return lazy.Concatenate(1, x.Narrow(1, 1, n-1), lazy.Zeros(x.Trace(), x.DType(), x.OpenDim(0), 1))
}

// largeBlockEnd returns, for each matrix, the last row of a block of at least three rows; 0 if there is none.
func largeBlockEnd(h *lazy.Tensor) *lazy.Tensor {
	coupled := subdiagonal(h).NotEqualScalar(0)
	return coupled.And(ahead(coupled, 1)).WhereScalar(count(h.Trace(), 1, 1, h.OpenDim(1)), 0).Max(1)
}

// doubleShift returns the sum and the product of the two shifts of a sweep. They are the eigenvalues of the last two
// rows of the block, or twice the closer one if these are real. Each tenth try has the shifts of LAPACK's dlahqr.
func doubleShift(h, last, tries *lazy.Tensor) (sum, product *lazy.Tensor) {
	a, b, c, d := elementAt(h, last, last, -1, -1), elementAt(h, last, last, -1, 0), elementAt(h, last, last, 0, -1), elementAt(h, last, last, 0, 0)
	_, _, near, isPair := blockRoots(a, b, c, d)
	sum = isPair.Where(a.Add(d), near.MulScalar(2))
	product = isPair.Where(a.Mul(d).Sub(b.Mul(c)), near.Square())
	size := c.Abs().Add(elementAt(h, last, last, -1, -2).Abs())
	other := size.MulScalar(0.75).Add(d)
	stuck := isStuck(tries)
	return stuck.Where(other.MulScalar(2), sum), stuck.Where(other.Square().Add(size.Square().MulScalar(0.4375)), product)
}

// chaseReal returns the body of a loop over rows k, which reflects rows and columns k to k+2, those within the block.
// The first reflection of a block is that of a QR factor of the matrix with both shifts. Each next one moves what that
// leaves below the subdiagonal on by a row. Outside of the block it does nothing.
func chaseReal(first, last, sum, product *lazy.Tensor) loopBody {
	return func(tr *lazy.Trace, k *lazy.Tensor, state []*lazy.Tensor) []*lazy.Tensor {
		h, v := state[0], state[1]
		n := h.OpenDim(1)
		i, j := count(tr, 1, 1, n, 1), count(tr, 2, 1, 1, n)
		each := func(x *lazy.Tensor) *lazy.Tensor { return x.Reshape(h.OpenDim(0), 1, 1) }
		isFirst, end := each(first.Equal(k)), each(last)
		before := j.Equal(k.SubScalar(1))
		x := before.WhereScalar(h, 0).SumKeep(2)
		x = isFirst.Where(shiftedColumn(h, first, sum, product), x)
		x = i.GreaterEqual(k).And(i.LessEqual(k.AddScalar(2))).And(i.LessEqual(end)).WhereScalar(x, 0)
		most := x.Abs().MaxKeep(1)
		rests := each(first.Greater(k)).Or(end.LessEqual(k)).Or(most.EqualScalar(0))
		x = x.Div(rests.ScalarWhere(1, most))
		alpha, length := rowAt(x, k), x.Square().SumKeep(1).Sqrt()
		x = x.Add(i.Equal(k).WhereScalar(alpha.LessScalar(0).Where(length.Neg(), length), 0))
		squares := x.Square().SumKeep(1)
		scaled := x.Mul(rests.ScalarWhere(0, rests.ScalarWhere(1, squares).Reciprocal().MulScalar(2)))
		row, scaledRow := transposed(x), transposed(scaled)
		h = h.Sub(scaled.Mul(x.Mul(h).SumKeep(1)))
		// What the reflection makes 0 is 0, for the next one to find nothing else.
		gone := before.And(i.Greater(k)).And(i.LessEqual(k.AddScalar(2))).And(isFirst.Or(rests).Not())
		h = gone.ScalarWhere(0, h)
		fromRight := func(y *lazy.Tensor) *lazy.Tensor { return y.Sub(y.Mul(row).SumKeep(2).Mul(scaledRow)) }
		return []*lazy.Tensor{fromRight(h), fromRight(v)}
	}
}

// shiftedColumn returns the first column of h² - sum·h + product in a block that begins at a row.
func shiftedColumn(h, first, sum, product *lazy.Tensor) *lazy.Tensor {
	of := func(down, right int) *lazy.Tensor { return elementAt(h, first, first, down, right) }
	a, b, c, d := of(0, 0), of(0, 1), of(1, 0), of(1, 1)
	rows := []*lazy.Tensor{a.Mul(a.Sub(sum)).Add(product).Add(b.Mul(c)), c.Mul(a.Add(d).Sub(sum)), c.Mul(of(2, 1))}
	i := count(h.Trace(), 1, 1, h.OpenDim(1), 1)
	var column *lazy.Tensor
	for down, x := range rows {
		at := i.Equal(first.AddScalar(float64(down)).Reshape(h.OpenDim(0), 1, 1))
		part := at.WhereScalar(x.Reshape(h.OpenDim(0), 1, 1), 0)
		if column == nil {
			column = part
		} else {
			column = column.Add(part)
		}
	}
	return column
}

// blockRoots solves [[a, b], [c, d]] as LAPACK's dlanv2 does. With p = (a-d)/2 and z = p ± √(p² + bc), which has the
// sign of p, the eigenvalues are d+z and near = d - bc/z. Where p² + bc is negative they are d + p ± i·root instead, a
// pair of conjugates, and the first less d has the real part p.
func blockRoots(a, b, c, d *lazy.Tensor) (first, root, near, isPair *lazy.Tensor) {
	p, bc := a.Sub(d).MulScalar(0.5), b.Mul(c)
	square := p.Square().Add(bc)
	root, isPair = square.Abs().Sqrt(), square.LessScalar(0)
	z := p.Add(p.LessScalar(0).Where(root.Neg(), root))
	none := z.EqualScalar(0)
	near = d.Sub(none.ScalarWhere(0, bc.Div(none.ScalarWhere(1, z))))
	return isPair.Where(p, z), root, near, isPair
}

// blocks are those of a real Schur form. All but values have what is of a block of two rows in the second of them.
type blocks struct {
	values   *lazy.Tensor // the eigenvalues
	isSecond *lazy.Tensor // whether the row is the second of a block
	isPair   *lazy.Tensor // whether it is that of a pair of conjugates
	c, s     *lazy.Tensor // the rotation that makes the block triangular
}

// blocksOf returns the blocks of t.
func blocksOf(t *lazy.Tensor) *blocks {
	d, c := t.Diagonal(0, 1, 2), subdiagonal(t)
	tr, batch := t.Trace(), t.OpenDim(0)
	b := lazy.Concatenate(1, lazy.Zeros(tr, t.DType(), batch, 1), t.Diagonal(1, 1, 2))
	re, root, near, isPair := blockRoots(ahead(d, 1), b, c, d)
	isSecond := c.NotEqualScalar(0)
	isPair = isPair.And(isSecond)
	imaginary := isPair.WhereScalar(root, 0)
	one := lazy.Complex(d.Add(re), imaginary)
	two := isPair.Where(one.Conj(), near.Convert(one.DType()))
	isFirst := back(isSecond)
	values := isSecond.Where(two, isFirst.Where(back(one), d.Convert(one.DType())))
	length := re.Square().Add(imaginary.Square()).Add(c.Square()).Sqrt()
	length = isSecond.WhereScalar(length, 1)
	over := func(x *lazy.Tensor) *lazy.Tensor { return isSecond.WhereScalar(x.Div(length), 0) }
	return &blocks{values, isSecond, isPair, lazy.Complex(over(re), over(imaginary)), over(c)}
}

// triangular returns complex T and V with the blocks of real ones rotated: to the eigenvector of the first eigenvalue,
// and what is orthogonal to it.
func (b *blocks) triangular(t, v *lazy.Tensor) (_, _ *lazy.Tensor) {
	d := b.c.DType()
	n := t.OpenDim(1)
	diagonal := b.isSecond.Where(b.c, back(b.isSecond).WhereScalar(back(b.c).Conj(), 1))
	s := b.s.Narrow(1, 1, n-1).Convert(d)
	g := diagonal.DiagEmbed(0, 1, 2).Add(s.DiagEmbed(1, 1, 2)).Sub(s.DiagEmbed(-1, 1, 2))
	gH := adjoint(g)
	t = g.MatMul(t.Convert(d)).MatMul(gH)
	return t.Triu(1).Add(b.values.DiagEmbed(0, 1, 2)), v.Convert(d).MatMul(gH)
}
