package calls

import "ltc/linalg"

// matrices has the functions of package linalg that have no rows of their names.
var matrices = []Op{
	of(linalg.LUFactor, "x", "returns L and U in one matrix, and the rows that were swapped.", "lu", "pivots").spelt("lu_factor"),
	of(linalg.LU, "x", "returns P, L and U with x = P·L·U.", "p", "l", "u").spelt("lu"),
	of(linalg.SlogDet, "x", "returns the sign of the determinant, and the logarithm of its absolute value.", "sign", "logabs").spelt("slogdet"),
	of(linalg.FrobeniusNorm, "x", "returns the root of the sum of squares."),
	of(linalg.NuclearNorm, "x", "returns the sum of the singular values."),
	of(linalg.VectorNorm, "x p axes", "returns the p-norm over the axes."),
	of(linalg.MultiDot, "x", "returns the product of matrices."),
	of(linalg.MatrixNorm, "x p", "returns a norm of each matrix."),
	of(linalg.Cond, "x p", "returns the condition number of each matrix."),
}
