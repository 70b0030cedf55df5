package ops

import "slices"

var (
	upperAttr     = Attr{"upper", Flag}
	squareX       = Demand{"square", "x has at least rank 2, and its last two dimensions are equal"}
	matrixX       = Demand{"matrix", "x has at least rank 2"}
	closedX       = Demand{"closed", "the last two dimensions of x are no open sizes"}
	batchesAgree  = Demand{"batch", "the dimensions before the last two broadcast"}
	finiteRTol    = Demand{"rtol", "rtol is finite"}
	xAndB         = []Operand{{Name: "x", Is: FloatOrComplex}, {Name: "b", Is: FloatOrComplex, Like: "x"}}
	factoredX     = []Operand{{Name: "x", Is: FloatOrComplex}, {Name: "lu", Is: FloatOrComplex, Like: "x"}, {Name: "pivots", Is: Integer}}
	closedSquares = []Demand{squareX, closedX}
)

// linalgRows are the composites of package linalg. The order is that of docs/reference/ops
// within a family; nothing else depends on it.
var linalgRows = slices.Concat(decompositionRows, solutionRows, matrixRows)

var decompositionRows = []Op{
	{Name: "Cholesky", Family: LinearAlgebra, Doc: "returns for each matrix of the last two axes the lower triangular L with x = L·Lᵀ, or if upper the U with x = Uᵀ·U: it is the method Cholesky. Of complex numbers the transposes are conjugates.",
		Operands: one(FloatOrComplex), Attrs: []Attr{upperAttr}, Where: []Demand{squareX}, Traits: Inline},
	{Name: "LUFactor", Text: "lu_factor", Family: LinearAlgebra, Doc: "returns L, without its diagonal of ones, below U, in one matrix, with P·x = L·U for each matrix of the last two axes. Row i was swapped with row pivots[i], from 1, one after the other; it was row order[i], from 0. The pivot is the first largest element of its column, of complex numbers by the sum of the absolute values of the parts, as in LAPACK. A singular matrix has zeros on the diagonal of U.",
		Operands: one(FloatOrComplex), Results: []string{"lu", "pivots", "order"}, Where: []Demand{matrixX, closedX}, Traits: Internal | OwnGradient},
	{Name: "QR", Text: "qr", Family: LinearAlgebra, Doc: "returns Q, whose columns are orthonormal, and the upper triangular R with x = Q·R, for each matrix of the last two axes. Q has as many columns as x has rows if complete, else as many as the smaller dimension. The diagonal of R is real. There is no gradient of a complete Q of a matrix with more rows than columns.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"complete", Flag}}, Results: []string{"q", "r"}, Where: []Demand{matrixX, closedX}, Traits: OwnGradient},
	{Name: "Reflect", Text: "geqrf", Family: LinearAlgebra, Doc: "returns the reflectors I - tau·v·vᵀ of QR, of complex numbers I - tau·v·vᴴ, and their tau. The vectors v stand below the diagonal, on which they have a 1 that is not written; R is on and above it. Q is HouseholderProduct of both.",
		Operands: one(FloatOrComplex), Results: []string{"reflectors", "tau"}, Where: []Demand{matrixX, closedX}},
	{Name: "HouseholderProduct", Family: LinearAlgebra, Doc: "returns the first columns, as many as x has, of the product of the reflectors I - tau·v·vᵀ, for each matrix of the last two axes. v is a column of x below its diagonal, where it counts as 1.",
		Operands: []Operand{{Name: "x", Is: FloatOrComplex}, {Name: "tau", Is: FloatOrComplex, Like: "x"}}, Where: []Demand{{"tall", "x has at least rank 2, and no more columns than rows"}, {"tau", "tau has the dimensions of x before the last two, and then no more elements than x has columns"}, closedX}, Traits: Inline},
	{Name: "Eigh", Text: "eigh", Family: LinearAlgebra, Doc: "returns the eigenvalues, rising, and the eigenvectors as columns, of each symmetric or Hermitian matrix of the last two axes. The lower triangle of x is read, or the upper, and no imaginary part of the diagonal. The gradient is symmetric, or Hermitian; it is NaN where it asks for the eigenvectors of equal eigenvalues, which are not determined.",
		Operands: one(FloatOrComplex), Attrs: []Attr{upperAttr}, Results: []string{"values", "vectors"}, Where: closedSquares, Traits: OwnGradient},
	{Name: "EigvalsH", Text: "eigvalsh", Family: LinearAlgebra, Doc: "returns the eigenvalues of Eigh.",
		Operands: one(FloatOrComplex), Attrs: []Attr{upperAttr}, Where: closedSquares, Traits: Inline},
	{Name: "Eig", Text: "eig", Family: LinearAlgebra, Doc: "returns the complex eigenvalues, rising by the real part, and the eigenvectors as columns of length 1, whose largest element is real and positive, of each square matrix of the last two axes. They are c64, or c128 of f64 and c128. Those of a real matrix are real, or pairs of conjugates, the one with the positive imaginary part first. The gradient is that of functions which do not depend on the phases of the vectors. It is NaN where it asks for the vectors of equal eigenvalues, and not finite where a matrix has fewer vectors than rows.",
		Operands: one(FloatOrComplex), Results: []string{"values", "vectors"}, Where: closedSquares, Traits: OwnGradient},
	{Name: "Eigvals", Text: "eigvals", Family: LinearAlgebra, Doc: "returns the eigenvalues of Eig.",
		Operands: one(FloatOrComplex), Where: closedSquares, Traits: Inline},
	{Name: "SVD", Text: "svd", Family: LinearAlgebra, Doc: "returns U, whose columns are orthonormal, the singular values s, falling, and Vᵀ with orthonormal rows, with x = U·diag(s)·Vᵀ, of complex numbers Vᴴ, for each matrix of the last two axes. U and V are square if full. The gradient is that of functions which do not depend on the signs or phases of the vectors. It is NaN where it asks for the vectors of equal singular values, which are not determined. Those that full adds have none.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"full", Flag}}, Results: []string{"u", "s", "vt"}, Where: []Demand{matrixX, closedX}, Traits: OwnGradient},
	{Name: "SVDVals", Text: "svdvals", Family: LinearAlgebra, Doc: "returns the singular values of each matrix of the last two axes, falling.",
		Operands: one(FloatOrComplex), Where: []Demand{matrixX, closedX}, Traits: Inline},
}

var solutionRows = []Op{
	{Name: "SolveTriangular", Family: LinearAlgebra, Doc: "returns the solution y of x·y = b for triangular matrices x of the last two axes, or of y·x = b if right: TriangularSolve of axes before those that broadcast.",
		Operands: xAndB, Attrs: []Attr{upperAttr, {"right", Flag}, {"unit", Flag}},
		Where: []Demand{squareX, {"inner", "b has at least rank 2, and as many rows as x, or columns if right"}, batchesAgree}, Traits: Inline},
	{Name: "CholeskySolve", Family: LinearAlgebra, Doc: "returns the solution y of a·y = b, for the matrices a = x·xᵀ, or a = xᵀ·x if upper, of complex numbers with xᴴ, whose factors Cholesky gives.",
		Operands: xAndB, Attrs: []Attr{upperAttr}, Where: []Demand{squareX, {"inner", "b has at least rank 2, and as many rows as x"}, batchesAgree}, Traits: Inline},
	{Name: "CholeskyInverse", Family: LinearAlgebra, Doc: "returns the inverse of x·xᵀ, or of xᵀ·x if upper, of complex numbers with xᴴ, for each matrix of the last two axes.",
		Operands: one(FloatOrComplex), Attrs: []Attr{upperAttr}, Where: closedSquares, Traits: Inline},
	{Name: "SolveFactored", Family: LinearAlgebra, Doc: "returns the solution y of x·y = b, or xᵀ·y = b if transpose, where lu and order are those of LUFactor of x.",
		Operands: []Operand{{Name: "x", Is: FloatOrComplex}, {Name: "lu", Is: FloatOrComplex, Like: "x"}, {Name: "order", Is: Integer}, {Name: "b", Is: FloatOrComplex, Like: "x"}}, Attrs: []Attr{{"transpose", Flag}}, Traits: Internal | OwnGradient},
	{Name: "Solve", Family: LinearAlgebra, Doc: "returns the solution y of x·y = b for each matrix of the last two axes of x, or of y·x = b if right. b is a vector if it has one axis, or the shape of x without its last axis. A singular x gives infinities or NaNs.",
		Operands: xAndB, Attrs: []Attr{{"right", Flag}}, Where: []Demand{squareX, closedX, {"inner", "b has as many rows as x, or columns if right"}, batchesAgree}, Traits: Inline},
	{Name: "LUSolve", Text: "lu_solve", Family: LinearAlgebra, Doc: "returns the solution y of a·y = b, where x and pivots are LUFactor of a.",
		Operands: []Operand{{Name: "x", Is: FloatOrComplex}, {Name: "pivots", Is: Integer}, {Name: "b", Is: FloatOrComplex, Like: "x"}}, Where: []Demand{squareX, {"pivots", "pivots have the shape of x without its last axis"}, {"inner", "b has the rank of x, its dimensions before the last two and as many rows"}, closedX}, Traits: Inline},
	{Name: "Inv", Family: LinearAlgebra, Doc: "returns the inverse of each matrix of the last two axes. That of a singular matrix has infinities or NaNs.",
		Operands: one(FloatOrComplex), Where: closedSquares, Traits: Inline},
	{Name: "LstSq", Text: "lstsq", Family: LinearAlgebra, Doc: "returns the y for which |x·y - b| is least, for each matrix of the last two axes; if x has fewer rows than columns, the least y with x·y = b. x has full rank: where it has not, numbers without a meaning come out, or infinities and NaNs, and PInv gives the solution.",
		Operands: xAndB, Where: []Demand{matrixX, closedX, {"inner", "b has at least rank 2, and as many rows as x"}, batchesAgree}, Traits: Inline},
	{Name: "PInv", Text: "pinv", Family: LinearAlgebra, Doc: "returns the pseudo-inverse of each matrix of the last two axes. Singular values of at most rtol times the largest count as 0; a negative rtol stands for the larger dimension times the distance of 1 to the next number.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"rtol", Real}}, Where: []Demand{finiteRTol, matrixX, closedX}, Traits: OwnGradient},
}

var matrixRows = []Op{
	{Name: "DetFactored", Family: MatrixFunctions, Doc: "returns Det of x, where lu, pivots and order are those of LUFactor of x.",
		Operands: append(slices.Clone(factoredX), Operand{Name: "order", Is: Integer}), Traits: Internal | OwnGradient},
	{Name: "SlogDetFactored", Text: "slogdet", Family: MatrixFunctions, Doc: "returns the sign of the determinant of x and the logarithm of its absolute value, where lu, pivots and order are those of LUFactor of x. That of a complex determinant has the modulus 1.",
		Operands: append(slices.Clone(factoredX), Operand{Name: "order", Is: Integer}), Results: []string{"sign", "logabs"}, Where: closedSquares, Traits: Internal | OwnGradient},
	{Name: "Det", Family: MatrixFunctions, Doc: "returns the determinant of each matrix of the last two axes.",
		Operands: one(FloatOrComplex), Where: closedSquares, Traits: Inline},
	{Name: "LogDet", Text: "logdet", Family: MatrixFunctions, Doc: "returns the logarithm of the determinant of each matrix of the last two axes: NaN of a real one below 0.",
		Operands: one(FloatOrComplex), Where: closedSquares, Traits: Inline},
	{Name: "MatrixRank", Family: MatrixFunctions, Doc: "returns how many singular values of each matrix of the last two axes are above rtol times the largest, as i64; a negative rtol is that of PInv.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"rtol", Real}}, Where: []Demand{finiteRTol, matrixX, closedX}, Traits: Inline},
	{Name: "MatrixPower", Family: MatrixFunctions, Doc: "returns the product of n times each matrix of the last two axes; of -n times its inverse if n is negative.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"n", Int}}, Where: closedSquares, Traits: Inline},
	{Name: "MatrixExp", Family: MatrixFunctions, Doc: "returns e to the power of each matrix of the last two axes, the sum of xⁿ/n!.",
		Operands: one(FloatOrComplex), Where: closedSquares, Traits: OwnGradient},
	{Name: "MatrixNormOf", Text: "matrix_norm", Family: MatrixFunctions, Doc: "returns a norm of each matrix of the last two axes: FrobeniusNorm of kind 0, NuclearNorm of kind 4, and else MatrixNorm. Kinds 1, -1, 2 and -2 are its p; 3 and -3 stand for infinite ones.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"kind", Int}}, Where: []Demand{matrixX, closedX, {"kind", "the norm is one of those of matrices: of 1, -1, 2, -2 and the infinities, the Frobenius and the nuclear norm"}}, Traits: Internal | Inline},
	{Name: "CondOf", Text: "cond", Family: MatrixFunctions, Doc: "returns the condition number of each matrix of the last two axes: its norm times that of its inverse, in the norm of a kind of MatrixNormOf.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"kind", Int}}, Where: []Demand{matrixX, closedX, {"square", "the last two dimensions of x are equal, unless the norm is that of 2 or -2"}, {"kind", "the norm is one of those of matrices: of 1, -1, 2, -2 and the infinities, the Frobenius and the nuclear norm"}}, Traits: Internal | Inline},
	{Name: "AddMM", Text: "addmm", Family: MatrixFunctions, Doc: "returns beta·x + alpha·y·z, where y·z is MatMul and x broadcasts to it: torch.addmm, addmv and baddbmm. Where beta is 0, x is not read, and where alpha is 0, y and z are not: their NaNs and infinities do not count.",
		Operands: []Operand{{Name: "x", Is: FloatOrComplex}, {Name: "y", Is: FloatOrComplex, Like: "x"}, {Name: "z", Is: FloatOrComplex, Like: "x"}}, Attrs: []Attr{{"beta", Real}, {"alpha", Real}},
		Where: []Demand{{"beta", "beta is finite"}, {"alpha", "alpha is finite"}, {"inner", "y has at least rank 2, z at least rank 1, and y as many columns as z rows"}, {"batch", "the dimensions of y and z before the last two broadcast"}, {"sum", "x broadcasts to the shape of y·z"}}, Traits: Inline},
	{Name: "ScaledMM", Text: "scaled_mm", Family: MatrixFunctions, Doc: "returns (x·y)·scaleX·scaleY + bias in the given dtype: torch._scaled_mm and torch.nn.functional.scaled_mm. The sums of the product, the scales and the bias are of f32, and are rounded once. A scale is one number; that of x can also be a column, one number for each row of x, and that of y a row, one for each column of y.",
		Operands: []Operand{{Name: "x", Is: Float8}, {Name: "y", Is: Float8}, {Name: "scaleX", Is: Float}, {Name: "scaleY", Is: Float}, {Name: "bias", Is: Float, Optional: true}}, Attrs: []Attr{{"dtype", DType}},
		Where: []Demand{{"dtype", "dtype is valid"}, {"float", "dtype is floating point"}, {"inner", "x and y are matrices, and x has as many columns as y rows"}, {"scales", "a scale has one element, or the shape [m,1] of x and [1,n] of y"}, {"bias", "bias has the shape [n], n columns of y"}}, Traits: Inline},
	{Name: "Trace", Family: MatrixFunctions, Doc: "returns the sum of the diagonal of each matrix of the last two axes.",
		Operands: one(NumberOrComplex), Where: []Demand{matrixX}, Traits: Inline},
	{Name: "Cross", Family: MatrixFunctions, Doc: "returns the cross products of x and y, whose three coordinates stand along the axis.",
		Operands: []Operand{{Name: "x", Is: NumberOrComplex}, {Name: "y", Like: "x"}}, Attrs: alongAxis, Where: []Demand{axisOfX[0], {"rank", "x and y have one rank"}, {"three", "the dimension of the axis is 3"}, {"shapes", "the shapes broadcast"}}, Traits: Inline},
	{Name: "VecDot", Family: MatrixFunctions, Doc: "returns the sums along the axis of the products of x, of complex numbers its conjugate, and y.",
		Operands: []Operand{{Name: "x", Is: NumberOrComplex}, {Name: "y", Like: "x"}}, Attrs: alongAxis, Where: []Demand{axisOfX[0], {"rank", "x and y have one rank"}, {"shapes", "the shapes broadcast"}}, Traits: Inline},
	{Name: "Vander", Family: MatrixFunctions, Doc: "returns the powers 0, 1, … of x, as many as n says, along a new last axis. A scalar is one row.",
		Operands: one(NumberOrComplex), Attrs: []Attr{{"n", Int}}, Where: []Demand{{"n", "n is positive"}}, Traits: Inline},
	{Name: "TensorInv", Text: "tensorinv", Family: MatrixFunctions, Doc: "returns the inverse of x as a map from tensors of its last axes to those of its first ind axes, as torch.linalg.tensorinv does. The product of the first ind dimensions is that of the others.",
		Operands: one(FloatOrComplex), Attrs: []Attr{{"ind", Int}}, Where: []Demand{{"ind", "ind is positive and less than the rank of x"}, {"square", "the product of the first ind dimensions is that of the others"}, {"closed", "no dimension of x is an open size"}}, Traits: Inline},
	{Name: "TensorSolve", Text: "tensorsolve", Family: MatrixFunctions, Doc: "returns the y whose products with x, summed over its last axes, are b. The first dimensions of x are those of b, and the product of the others is that of these.",
		Operands: xAndB, Where: []Demand{{"shapes", "x begins with the dimensions of b"}, {"square", "the product of the other dimensions of x is that of b"}, {"closed", "no dimension of x is an open size"}}, Traits: Inline},
}
