package chlo

import (
	"ltc/mlir"
	"ltc/stablehlo"
)

// opRow says what stands for an op.
type opRow struct {
	lower rule
	// real and complex are those of a function of one argument, on elements of f32 or f64
	// and on their complex numbers; nil where it is not for such.
	real, complex func(x val) val
	// of is the op that a broadcasting op is once its operands have one shape.
	of mlir.Code
}

func function(real, complex func(x val) val) opRow {
	return opRow{lower: unary(real, complex), real: real, complex: complex}
}

func broadcasting(of mlir.Code) opRow { return opRow{lower: lowerBroadcast, of: of} }

// opTable has the row of each op, by code. It is filled by init because the rules of some
// ops use those of others.
var opTable []opRow

func init() {
	opTable = stablehlo.CHLOTable[opRow](opRows{})
	opTable[stablehlo.DynamicTopK] = opRow{lower: lowerDynamicTopK}
	opTable[stablehlo.DynamicApproxTopK] = opRow{lower: lowerApproxTopK}
}

// opRows are the rows of CHLO's ops.
type opRows struct{}

func (opRows) Acos() opRow           { return function(acos, complexAcos) }
func (opRows) Acosh() opRow          { return function(acosh, complexAcosh) }
func (opRows) Asin() opRow           { return function(asin, complexAsin) }
func (opRows) AsinAcosKernel() opRow { return function(nil, asinAcosKernel) }
func (opRows) Asinh() opRow          { return function(asinh, complexAsinh) }
func (opRows) Atan() opRow {
	return function(func(x val) val { return x.atan2(x.num(1)) }, complexAtan)
}
func (opRows) Atanh() opRow              { return function(atanh, complexAtanh) }
func (opRows) BesselI1e() opRow          { return function(besselI1e, nil) }
func (opRows) BroadcastAdd() opRow       { return broadcasting(stablehlo.Add) }
func (opRows) BroadcastAnd() opRow       { return broadcasting(stablehlo.And) }
func (opRows) BroadcastAtan2() opRow     { return broadcasting(stablehlo.Atan2) }
func (opRows) BroadcastCompare() opRow   { return broadcasting(stablehlo.Compare) }
func (opRows) BroadcastComplex() opRow   { return broadcasting(stablehlo.Complex) }
func (opRows) BroadcastDivide() opRow    { return broadcasting(stablehlo.Divide) }
func (opRows) BroadcastMaximum() opRow   { return broadcasting(stablehlo.Maximum) }
func (opRows) BroadcastMinimum() opRow   { return broadcasting(stablehlo.Minimum) }
func (opRows) BroadcastMultiply() opRow  { return broadcasting(stablehlo.Multiply) }
func (opRows) BroadcastNextAfter() opRow { return broadcasting(stablehlo.CHLONextAfter) }
func (opRows) BroadcastOr() opRow        { return broadcasting(stablehlo.Or) }
func (opRows) BroadcastPolygamma() opRow { return broadcasting(stablehlo.CHLOPolygamma) }
func (opRows) BroadcastPower() opRow     { return broadcasting(stablehlo.Power) }
func (opRows) BroadcastRemainder() opRow { return broadcasting(stablehlo.Remainder) }
func (opRows) BroadcastSelect() opRow    { return broadcasting(stablehlo.Select) }
func (opRows) BroadcastShiftLeft() opRow { return broadcasting(stablehlo.ShiftLeft) }
func (opRows) BroadcastShiftRightArithmetic() opRow {
	return broadcasting(stablehlo.ShiftRightArithmetic)
}
func (opRows) BroadcastShiftRightLogical() opRow { return broadcasting(stablehlo.ShiftRightLogical) }
func (opRows) BroadcastSubtract() opRow          { return broadcasting(stablehlo.Subtract) }
func (opRows) BroadcastXor() opRow               { return broadcasting(stablehlo.Xor) }
func (opRows) BroadcastZeta() opRow              { return broadcasting(stablehlo.CHLOZeta) }
func (opRows) Conj() opRow {
	return function(func(x val) val { return x }, func(z val) val { return z.real().complex(z.imag().neg()) })
}
func (opRows) Constant() opRow     { return opRow{lower: lowerConstant} }
func (opRows) ConstantLike() opRow { return opRow{lower: lowerConstantLike} }
func (opRows) Cosh() opRow         { return function(cosh, complexCosh) }
func (opRows) Digamma() opRow      { return function(digamma, nil) }
func (opRows) Erf() opRow          { return function(erf, nil) }
func (opRows) ErfInv() opRow       { return function(erfInv, nil) }
func (opRows) Erfc() opRow         { return function(erfc, nil) }
func (opRows) IsInf() opRow {
	return opRow{lower: predicate(func(x val) val { return x.abs().cmp("EQ", x.inf()) })}
}
func (opRows) IsNegInf() opRow {
	return opRow{lower: predicate(func(x val) val { return x.cmp("EQ", x.inf().neg()) })}
}
func (opRows) IsPosInf() opRow {
	return opRow{lower: predicate(func(x val) val { return x.cmp("EQ", x.inf()) })}
}
func (opRows) Lgamma() opRow    { return function(lgamma, nil) }
func (opRows) Mulhi() opRow     { return opRow{lower: lowerMulhi} }
func (opRows) NextAfter() opRow { return opRow{lower: lowerNextAfter} }
func (opRows) Polygamma() opRow { return opRow{lower: binary(polygamma)} }
func (opRows) RaggedDot() opRow { return opRow{lower: lowerRaggedDot} }
func (opRows) Scan() opRow      { return opRow{lower: lowerScan} }
func (opRows) Sinh() opRow      { return function(sinh, complexSinh) }
func (opRows) Square() opRow    { return function(func(x val) val { return x.mul(x) }, complexSquare) }
func (opRows) Tan() opRow       { return function(val.tan, val.tan) }
func (opRows) TopK() opRow      { return opRow{lower: lowerTopK} }
func (opRows) Zeta() opRow      { return opRow{lower: binary(zeta)} }
