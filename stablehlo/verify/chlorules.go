package verify

// chloRules has the rule of each op of CHLO.
type chloRules struct{}

func (chloRules) AsinAcosKernel() rule     { return verifyChloSame(kComplex) }
func (chloRules) Acos() rule               { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Acosh() rule              { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Asin() rule               { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Asinh() rule              { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Atan() rule               { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Atanh() rule              { return verifyChloSame(kFloat | kComplex) }
func (chloRules) BesselI1e() rule          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) BroadcastAdd() rule       { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastAnd() rule       { return verifyChloBroadcast(kBool|kInt, sameElem) }
func (chloRules) BroadcastAtan2() rule     { return verifyChloBroadcast(kFloat|kComplex, sameElem) }
func (chloRules) BroadcastCompare() rule   { return verifyChloBroadcast(kTensor, boolean) }
func (chloRules) BroadcastComplex() rule   { return verifyChloBroadcast(kFloat, complexOf) }
func (chloRules) BroadcastDivide() rule    { return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem) }
func (chloRules) BroadcastMaximum() rule   { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastMinimum() rule   { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastMultiply() rule  { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastNextAfter() rule { return verifyChloBroadcast(kFloat, sameElem) }
func (chloRules) BroadcastOr() rule        { return verifyChloBroadcast(kBool|kInt, sameElem) }
func (chloRules) BroadcastPolygamma() rule { return verifyChloBroadcast(kFloat, sameElem) }
func (chloRules) BroadcastPower() rule     { return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem) }
func (chloRules) BroadcastRemainder() rule {
	return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem)
}
func (chloRules) BroadcastSelect() rule               { return verifyChloBroadcast(kTensor, sameElem) }
func (chloRules) BroadcastShiftLeft() rule            { return verifyChloBroadcast(kInt, sameElem) }
func (chloRules) BroadcastShiftRightArithmetic() rule { return verifyChloBroadcast(kInt, sameElem) }
func (chloRules) BroadcastShiftRightLogical() rule    { return verifyChloBroadcast(kInt, sameElem) }
func (chloRules) BroadcastSubtract() rule             { return verifyChloBroadcast(kInt|kFloat|kComplex, sameElem) }
func (chloRules) BroadcastXor() rule                  { return verifyChloBroadcast(kBool|kInt, sameElem) }
func (chloRules) BroadcastZeta() rule                 { return verifyChloBroadcast(kFloat, sameElem) }
func (chloRules) Conj() rule                          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Constant() rule                      { return verifyConstant }
func (chloRules) ConstantLike() rule                  { return verifyConstantLike }
func (chloRules) Cosh() rule                          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Digamma() rule                       { return verifyChloSame(kFloat) }
func (chloRules) Erf() rule                           { return verifyChloSame(kFloat) }
func (chloRules) ErfInv() rule                        { return verifyChloSame(kFloat) }
func (chloRules) Erfc() rule                          { return verifyChloSame(kFloat) }
func (chloRules) IsInf() rule                         { return verifyChloPredicate }
func (chloRules) IsNegInf() rule                      { return verifyChloPredicate }
func (chloRules) IsPosInf() rule                      { return verifyChloPredicate }
func (chloRules) Lgamma() rule                        { return verifyChloSame(kFloat) }
func (chloRules) Mulhi() rule                         { return verifyChloSame(kInt) }
func (chloRules) NextAfter() rule                     { return verifyChloSame(kFloat) }
func (chloRules) Polygamma() rule                     { return verifyChloSame(kFloat) }
func (chloRules) RaggedDot() rule                     { return verifyRaggedDot }
func (chloRules) Scan() rule                          { return verifyScan }
func (chloRules) Sinh() rule                          { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Square() rule                        { return verifyChloSame(kFloat | kComplex) }
func (chloRules) Tan() rule                           { return verifyChloSame(kFloat | kComplex) }
func (chloRules) TopK() rule                          { return verifyTopK }
func (chloRules) Zeta() rule                          { return verifyChloSame(kFloat) }
