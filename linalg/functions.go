package linalg

import (
	"fmt"
	"math"
	"slices"

	"ltc/internal/functions"
	"ltc/ir/types"
	"ltc/lazy"
)

var nan = math.NaN()

func checkMatrixRank(x *lazy.Tensor, _ float64) (demand, reason string) {
	return checkMatrix(x, matrixRankMatrix, matrixRankClosed)
}

func computeMatrixRank(x *lazy.Tensor, rtol float64) *lazy.Tensor {
	wide := functions.InF32(x)[0]
	s := SVDVals(wide)
	if s.OpenDim(-1) == 0 {
		return lazy.Zeros(x.Trace(), lazy.I64, batchOf(x, 2)...)
	}
	return s.Greater(least(wide, s, rtol, epsilon(x))).Convert(lazy.I64).Sum(-1)
}

func checkMatrixPower(x *lazy.Tensor, _ int) (demand, reason string) {
	return checkSquare(x, matrixPowerSquare, matrixPowerClosed)
}

// computeMatrixPower multiplies the squares that the bits of n say.
func computeMatrixPower(x *lazy.Tensor, n int) *lazy.Tensor {
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor {
		square, left := t[0], uint(n)
		if n < 0 {
			square, left = computeInv(square), -left
		}
		var y *lazy.Tensor
		for ; left > 0; left >>= 1 {
			if left&1 == 1 && y == nil {
				y = square
			} else if left&1 == 1 {
				y = y.MatMul(square)
			}
			if left > 1 {
				square = square.MatMul(square)
			}
		}
		if y == nil {
			return eye(square, square.OpenDim(-1), square.OpenDim(-1))
		}
		return y
	}, x)
}

func checkMatrixExp(x *lazy.Tensor) (demand, reason string) {
	return checkSquare(x, matrixExpSquare, matrixExpClosed)
}

// padé are the coefficients of the diagonal approximant of order 13: N. Higham (2005), "The scaling and
// squaring method for the matrix exponential revisited", algorithm 2.3.
var padé = []float64{64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1}

// theta is the 1-norm up to which the approximant is exact in f64.
const theta = 5.371920351148152

func computeMatrixExp(x *lazy.Tensor) *lazy.Tensor {
	if x.OpenDim(-1) == 0 {
		return x
	}
	batch := batchOf(x, 2)
	return unstack(functions.WideAll(func(t ...*lazy.Tensor) []*lazy.Tensor {
		x := stack(t[0], 2)
		norm := x.Abs().SumKeep(1).MaxKeep(2)
		// Squarings: none of a matrix with NaNs or infinities.
		times := norm.IsFinite().WhereScalar(norm.DivScalar(theta).Log().DivScalar(math.Ln2).Ceil().MaximumScalar(0), 0)
		x = x.Mul(times.Neg().MulScalar(math.Ln2).Exp())
		n := x.OpenDim(-1)
		one := eye(x, n, n)
		x2 := x.MatMul(x)
		x4 := x2.MatMul(x2)
		x6 := x4.MatMul(x2)
		sum := func(at int) (inner, outer *lazy.Tensor) { // of the powers of one parity
			c := func(i int) float64 { return padé[i+at] / padé[0] }
			inner = x6.MulScalar(c(12)).Add(x4.MulScalar(c(10))).Add(x2.MulScalar(c(8)))
			outer = x6.MulScalar(c(6)).Add(x4.MulScalar(c(4))).Add(x2.MulScalar(c(2))).Add(one.MulScalar(c(0)))
			return inner, outer
		}
		oddInner, oddOuter := sum(1)
		evenInner, evenOuter := sum(0)
		odd := x.MatMul(x6.MatMul(oddInner).Add(oddOuter))
		even := x6.MatMul(evenInner).Add(evenOuter)
		y := solve(even.Sub(odd), even.Add(odd), false)
		steps := times.Convert(lazy.I32)
		last := steps.Max()
		return lazy.While(
			func(_ *lazy.Trace, state []*lazy.Tensor) *lazy.Tensor { return state[1].Less(last) },
			func(_ *lazy.Trace, state []*lazy.Tensor) []*lazy.Tensor {
				y, k := state[0], state[1]
				return []*lazy.Tensor{k.Less(steps).Where(y.MatMul(y), y), k.AddScalar(1)}
			}, y, zero(x.Trace()))[:1]
	}, x)[0], batch)
}

// gradMatrixExp is the corner of exp [xᴴ ct; 0 xᴴ], the derivative of exp at xᴴ in the direction of ct: A.
// Al-Mohy and N. Higham (2009), "Computing the Fréchet derivative of the matrix exponential", equation 1.3.
func gradMatrixExp(x, _, ct *lazy.Tensor) []*lazy.Tensor {
	n := x.OpenDim(-1)
	if n == 0 {
		return []*lazy.Tensor{x.MulScalar(0)}
	}
	t := adjoint(x)
	above := lazy.Concatenate(-1, t, ct)
	below := lazy.Concatenate(-1, t.MulScalar(0), t)
	return []*lazy.Tensor{MatrixExp(lazy.Concatenate(-2, above, below)).Narrow(-2, 0, n).Narrow(-1, n, n)}
}

// MatrixNorm returns a norm of each matrix of the last two axes. For p = 1 it is the largest sum of a
// column's absolute values, for +Inf of a row's, and for 2 the largest singular value. For -1, -Inf and -2
// it is the smallest of these.
func MatrixNorm(x *lazy.Tensor, p float64) *lazy.Tensor { return recordMatrixNormOf(x, kindOf(p)) }

// FrobeniusNorm returns the root of the sum of the squares of each matrix of the last two axes.
func FrobeniusNorm(x *lazy.Tensor) *lazy.Tensor {
	return functions.As("linalg.frobenius_norm", func() *lazy.Tensor { return recordMatrixNormOf(x, kindFrobenius) }, x)
}

// NuclearNorm returns the sum of the singular values of each matrix of the last two axes.
func NuclearNorm(x *lazy.Tensor) *lazy.Tensor {
	return functions.As("linalg.nuclear_norm", func() *lazy.Tensor { return recordMatrixNormOf(x, kindNuclear) }, x)
}

// VectorNorm returns the p-norm of x over the axes, of all elements without axes: it is the method Norm.
func VectorNorm(x *lazy.Tensor, p float64, axes ...int) *lazy.Tensor {
	return functions.As("linalg.vector_norm", func() *lazy.Tensor { return x.Norm(p, axes...) }, x)
}

// Cond returns the condition number of each matrix of the last two axes, its norm times that of its
// inverse, in the norm that MatrixNorm has for p. For p = 2 it is the largest singular value by the
// smallest, for -2 the other way round; any matrix has these.
func Cond(x *lazy.Tensor, p float64) *lazy.Tensor { return recordCondOf(x, kindOf(p)) }

func checkMatrixNormOf(x *lazy.Tensor, kind int) (demand, reason string) {
	if demand, reason = checkMatrix(x, matrixNormOfMatrix, matrixNormOfClosed); demand != "" {
		return demand, reason
	}
	return checkKind(kind, matrixNormOfKind)
}

func checkKind(kind int, d string) (demand, reason string) {
	if kind < -kindRows || kind > kindNuclear {
		return d, "p must be 1, -1, 2, -2, +Inf or -Inf"
	}
	return "", ""
}

func computeMatrixNormOf(x *lazy.Tensor, kind int) *lazy.Tensor {
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor { return matrixNorm(t[0], kind) }, x)
}

func matrixNorm(x *lazy.Tensor, kind int) *lazy.Tensor {
	m, n := rowsAndColumns(x)
	switch {
	case kind == kindFrobenius:
		return x.Norm(2, -2, -1)
	case kind == kindNuclear:
		return SVDVals(x).Sum(-1)
	case kind > 0 && (m == 0 || n == 0):
		return real(x).Sum(-2, -1)
	}
	var sizes *lazy.Tensor
	switch max(kind, -kind) {
	case kindColumns:
		sizes = x.Abs().Sum(-2)
	case kindSpectral:
		sizes = SVDVals(x)
	default:
		sizes = x.Abs().Sum(-1)
	}
	if kind < 0 {
		return sizes.Min(-1)
	}
	return sizes.Max(-1)
}

func checkCondOf(x *lazy.Tensor, kind int) (demand, reason string) {
	if demand, reason = checkMatrix(x, condOfMatrix, condOfClosed); demand != "" {
		return demand, reason
	}
	if m, n := rowsAndColumns(x); m != n && kind != kindSpectral && kind != -kindSpectral {
		return condOfSquare, fmt.Sprintf("the last two dimensions of x differ: %d and %d", m, n)
	}
	return checkKind(kind, condOfKind)
}

func computeCondOf(x *lazy.Tensor, kind int) *lazy.Tensor {
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor { return cond(t[0], kind) }, x)
}

func cond(x *lazy.Tensor, kind int) *lazy.Tensor {
	switch m, n := rowsAndColumns(x); {
	case m == 0 || n == 0:
		return real(x).Sum(-2, -1)
	case kind == kindSpectral || kind == -kindSpectral:
		s := SVDVals(x)
		most, least := s.Max(-1), s.Min(-1)
		if kind < 0 {
			return least.Div(most)
		}
		return most.Div(least)
	}
	lu, _, order := recordLUFactor(x)
	inverse := recordSolveFactored(x, lu.Stop(), order, eye(x, x.OpenDim(-1), x.OpenDim(-1)), false)
	y := matrixNorm(x, kind).Mul(matrixNorm(inverse, kind))
	// The inverse of a singular matrix has NaNs as well as infinities.
	zeros := lu.Diagonal(0, -2, -1).EqualScalar(0).Any(-1)
	return zeros.And(x.IsFinite().All(-2, -1)).ScalarWhere(math.Inf(1), y)
}

// MultiDot returns the product of matrices, in the order that takes the fewest multiplications: T. Cormen
// et al., "Introduction to Algorithms", section 14.2. The first and the last may be vectors.
func MultiDot(xs ...*lazy.Tensor) *lazy.Tensor {
	return functions.As("linalg.multi_dot", func() *lazy.Tensor { return multiDot(xs) }, xs...)
}

func multiDot(xs []*lazy.Tensor) *lazy.Tensor {
	n := len(xs)
	if n == 0 {
		return lazy.Concatenate(0) // the error of nothing to join
	}
	sizes := make([]int, n+1)
	for i, x := range xs {
		sizes[i+1] = x.Dim(-1)
		if x.Rank() > 1 {
			sizes[i] = x.Dim(-2)
		}
	}
	if n > 1 && xs[n-1].Rank() == 1 {
		sizes[n-1], sizes[n] = xs[n-1].Dim(0), 1
	}
	if xs[0].Rank() == 1 {
		sizes[0] = 1
	}
	cost, split := map[[2]int]int{}, map[[2]int]int{}
	for length := 1; length < n; length++ {
		for i := 0; i+length < n; i++ {
			j := i + length
			for k := i; k < j; k++ {
				c := cost[[2]int{i, k}] + cost[[2]int{k + 1, j}] + sizes[i]*sizes[k+1]*sizes[j+1]
				if k == i || c < cost[[2]int{i, j}] {
					cost[[2]int{i, j}], split[[2]int{i, j}] = c, k
				}
			}
		}
	}
	var product func(i, j int) *lazy.Tensor
	product = func(i, j int) *lazy.Tensor {
		if i == j {
			return xs[i]
		}
		k := split[[2]int{i, j}]
		return product(i, k).MatMul(product(k+1, j))
	}
	return product(0, n-1)
}

func checkAddMM(x, y, z *lazy.Tensor, _, _ float64) (demand, reason string) {
	if y.Rank() < 2 || z.Rank() < 1 {
		return addMMInner, fmt.Sprintf("y has rank %d and z rank %d: y must be a matrix, and z a matrix or a vector", y.Rank(), z.Rank())
	}
	m, n := rowsAndColumns(y)
	if rows := z.OpenDim(max(-2, -z.Rank())); n != rows {
		return addMMInner, fmt.Sprintf("inner dimensions of y and z differ: %d and %d", n, rows)
	}
	batch, ok := functions.Batches(2, y, z)
	if !ok {
		return addMMBatch, fmt.Sprintf("batch dimensions %v and %v do not broadcast", batchOf(y, 2), batchOf(z, 2))
	}
	shape := slices.Concat(batch, []int{m})
	if z.Rank() > 1 {
		shape = append(shape, z.OpenDim(-1))
	}
	own := x.OpenShape()
	for i := range own {
		if at := len(shape) - 1 - i; at < 0 || own[len(own)-1-i] != 1 && own[len(own)-1-i] != shape[at] {
			return addMMSum, fmt.Sprintf("x has the shape %v, must broadcast to that of y·z, %v", own, types.Shape(shape))
		}
	}
	return "", ""
}

// computeAddMM multiplies in the dtype of the operands, which tensor cores take, and adds in f32.
func computeAddMM(x, y, z *lazy.Tensor, beta, alpha float64) *lazy.Tensor {
	times := func(t *lazy.Tensor, v float64) *lazy.Tensor {
		if v == 1 {
			return t
		}
		return t.MulScalar(v)
	}
	if alpha == 0 { // as in BLAS
		y = lazy.Zeros(y.Trace(), y.DType(), y.OpenShape()...)
		z = lazy.Zeros(z.Trace(), z.DType(), z.OpenShape()...)
	}
	return functions.Wide(func(t ...*lazy.Tensor) *lazy.Tensor {
		if beta == 0 {
			return times(t[0], alpha)
		}
		return times(t[0], alpha).Add(times(t[1], beta))
	}, y.MatMul(z), x)
}

func checkScaledMM(x, y, scaleX, scaleY, bias *lazy.Tensor, dtype types.DType) (demand, reason string) {
	if !dtype.IsFloat() && !dtype.IsFloat8() {
		return scaledMMFloat, fmt.Sprintf("dtype is %v, must be floating point", dtype)
	}
	if x.Rank() != 2 || y.Rank() != 2 {
		return scaledMMInner, fmt.Sprintf("x has rank %d and y rank %d: both must be matrices", x.Rank(), y.Rank())
	}
	m, k := rowsAndColumns(x)
	rows, n := rowsAndColumns(y)
	if k != rows {
		return scaledMMInner, fmt.Sprintf("inner dimensions of x and y differ: %d and %d", k, rows)
	}
	for i, s := range []*lazy.Tensor{scaleX, scaleY} {
		each := [][]int{{m, 1}, {1, n}}[i]
		if shape := s.OpenShape(); !slices.Equal(shape, each) && slices.ContainsFunc(shape, func(n int) bool { return n != 1 }) {
			return scaledMMScales, fmt.Sprintf("the scale of %s has the shape %v, must have one element or the shape %v", []string{"x", "y"}[i], shape, types.Shape(each))
		}
	}
	if bias != nil && !slices.Equal(bias.OpenShape(), []int{n}) {
		return scaledMMBias, fmt.Sprintf("bias has the shape %v, must have the shape [%d]", bias.OpenShape(), n)
	}
	return "", ""
}

// computeScaledMM has its operands pass through bf16, which is exact for floats of 8 bits: backends
// match that with their bf16 product with f32 sums.
func computeScaledMM(x, y, scaleX, scaleY, bias *lazy.Tensor, dtype types.DType) *lazy.Tensor {
	z := x.Convert(lazy.BF16).Convert(lazy.F32).MatMul(y.Convert(lazy.BF16).Convert(lazy.F32))
	for _, s := range []*lazy.Tensor{scaleX, scaleY} {
		if s.Rank() != 2 { // one element
			s = s.Reshape(1, 1)
		}
		z = z.Mul(s.Convert(lazy.F32))
	}
	if bias != nil {
		z = z.Add(bias.Convert(lazy.F32))
	}
	return z.Convert(dtype)
}

func checkTrace(x *lazy.Tensor) (demand, reason string) { return checkMatrix(x, traceMatrix, "") }

func computeTrace(x *lazy.Tensor) *lazy.Tensor { return x.Diagonal(0, -2, -1).Sum(-1) }

func checkPair(x, y *lazy.Tensor, rank, shapes string) (demand, reason string) {
	if x.Rank() != y.Rank() {
		return rank, fmt.Sprintf("x has rank %d, y rank %d", x.Rank(), y.Rank())
	}
	if reason = functions.CheckBroadcast(x, y); reason != "" {
		return shapes, reason
	}
	return "", ""
}

func checkCross(x, y *lazy.Tensor, axis int) (demand, reason string) {
	if demand, reason = checkPair(x, y, crossRank, crossShapes); demand != "" {
		return demand, reason
	}
	if x.OpenDim(axis) != 3 || y.OpenDim(axis) != 3 {
		return crossThree, fmt.Sprintf("dimensions of axis %d are %v and %v, must be 3", axis, x.OpenDim(axis), y.OpenDim(axis))
	}
	return "", ""
}

func computeCross(x, y *lazy.Tensor, axis int) *lazy.Tensor {
	next := func(t *lazy.Tensor, by int) *lazy.Tensor { return t.Roll([]int{-by}, []int{axis}) }
	return next(x, 1).Mul(next(y, 2)).Sub(next(x, 2).Mul(next(y, 1)))
}

func checkVecDot(x, y *lazy.Tensor, _ int) (demand, reason string) {
	return checkPair(x, y, vecDotRank, vecDotShapes)
}

func computeVecDot(x, y *lazy.Tensor, axis int) *lazy.Tensor { return x.Conj().Mul(y).Sum(axis) }

func checkVander(x *lazy.Tensor, n int) (demand, reason string) {
	if n < 1 {
		return vanderN, fmt.Sprintf("n is %d, must be positive", n)
	}
	return "", ""
}

// computeVander takes a scalar for one row, as PyTorch does.
func computeVander(x *lazy.Tensor, n int) *lazy.Tensor {
	if x.Rank() == 0 {
		x = x.Unsqueeze(0)
	}
	ones := lazy.Ones(x.Trace(), x.DType(), append(batchOf(x, 0), 1)...)
	if n == 1 {
		return ones
	}
	powers := x.Unsqueeze(-1).BroadcastTo(append(batchOf(x, 0), n-1)...).CumProd(-1)
	return lazy.Concatenate(-1, ones, powers)
}

func product(dims []int) int {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return n
}

func isOpen(x *lazy.Tensor) bool {
	for _, d := range x.OpenShape() {
		if d < 0 {
			return true
		}
	}
	return false
}

func checkTensorInv(x *lazy.Tensor, ind int) (demand, reason string) {
	switch {
	case ind < 1 || ind >= x.Rank():
		return tensorInvInd, fmt.Sprintf("ind is %d and the rank of x %d", ind, x.Rank())
	case isOpen(x):
		return tensorInvClosed, "x has an open size"
	case product(x.OpenShape()[:ind]) != product(x.OpenShape()[ind:]):
		return tensorInvSquare, fmt.Sprintf("the products of %v and %v differ", x.OpenShape()[:ind], x.OpenShape()[ind:])
	}
	return "", ""
}

func computeTensorInv(x *lazy.Tensor, ind int) *lazy.Tensor {
	first, rest := x.OpenShape()[:ind], x.OpenShape()[ind:]
	n := product(first)
	return computeInv(x.Reshape(n, n)).Reshape(slices.Concat(rest, first)...)
}

func checkTensorSolve(x, b *lazy.Tensor) (demand, reason string) {
	switch {
	case x.Rank() < b.Rank() || !x.OpenShape()[:b.Rank()].Equal(b.OpenShape()):
		return tensorSolveShapes, fmt.Sprintf("x has the shape %v, must begin with %v", x.OpenShape(), b.OpenShape())
	case isOpen(x):
		return tensorSolveClosed, "x has an open size"
	case product(x.OpenShape()[b.Rank():]) != product(b.OpenShape()):
		return tensorSolveSquare, fmt.Sprintf("the products of %v and %v differ", x.OpenShape()[b.Rank():], b.OpenShape())
	}
	return "", ""
}

func computeTensorSolve(x, b *lazy.Tensor) *lazy.Tensor {
	n := product(b.OpenShape())
	return solve(x.Reshape(n, n), b.Reshape(n, 1), false).Reshape(x.OpenShape()[b.Rank():]...)
}
