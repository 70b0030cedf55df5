package calls

import (
	"ltc/ir/ops"
	"ltc/lazy"
	"ltc/linalg"
)

// matrices has the functions of package linalg that have no rows of their names.
var matrices = []Op{
	ofMatrix("LUFactor", "lu_factors", "returns L and U in one matrix, and the rows that were swapped.", func(c *Call) []*lazy.Tensor { return several(linalg.LUFactor(c.X[0])) }, "lu", "pivots"),
	ofMatrix("LU", "lu", "returns P, L and U with x = P·L·U.", func(c *Call) []*lazy.Tensor { return several(linalg.LU(c.X[0])) }, "p", "l", "u"),
	ofMatrix("SlogDet", "sign_and_logdet", "returns the sign of the determinant, and the logarithm of its absolute value.", func(c *Call) []*lazy.Tensor { return several(linalg.SlogDet(c.X[0])) }, "sign", "logabs"),
	ofMatrix("FrobeniusNorm", "frobenius_norm", "returns the root of the sum of squares.", func(c *Call) []*lazy.Tensor { return one(linalg.FrobeniusNorm(c.X[0])) }),
	ofMatrix("NuclearNorm", "nuclear_norm", "returns the sum of the singular values.", func(c *Call) []*lazy.Tensor { return one(linalg.NuclearNorm(c.X[0])) }),
	{Op: &ops.Op{Package: "linalg", Name: "VectorNorm", Doc: "returns the p-norm over the axes.", Operands: operands("x"), Attrs: []ops.Attr{{Name: "p", Kind: ops.Real}, {Name: "axes", Kind: ops.Axes}}}, Static: true,
		call: func(c *Call) []*lazy.Tensor { return one(linalg.VectorNorm(c.X[0], c.Real("p"), c.Ints("axes")...)) }},
	{Op: &ops.Op{Package: "linalg", Name: "MultiDot", Doc: "returns the product of matrices.", Operands: []ops.Operand{{Name: "x", Variadic: true}}}, Static: true,
		call: func(c *Call) []*lazy.Tensor { return one(linalg.MultiDot(c.X...)) }},
	withOrder(ofMatrix("MatrixNorm", "norm_of_matrices", "returns a norm of each matrix.", func(c *Call) []*lazy.Tensor { return one(linalg.MatrixNorm(c.X[0], c.Real("p"))) })),
	withOrder(ofMatrix("Cond", "condition", "returns the condition number of each matrix.", func(c *Call) []*lazy.Tensor { return one(linalg.Cond(c.X[0], c.Real("p"))) })),
}

// ofMatrix is a function of matrices.
func ofMatrix(name, text, doc string, call func(c *Call) []*lazy.Tensor, results ...string) Op {
	return Op{Op: &ops.Op{Package: "linalg", Name: name, Text: text, Doc: doc, Operands: operands("x"), Results: results}, Static: true, call: call}
}

// withOrder has the order p of a norm.
func withOrder(o Op) Op {
	o.Attrs = []ops.Attr{{Name: "p", Kind: ops.Real}}
	return o
}
