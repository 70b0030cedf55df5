package mlir

// Verify checks the structure of the module.
func Verify(m *Module) error { return nil }

type verifier struct{}
type elemRule func(Type) bool

func isAny(Type) bool                          { return true }
func isFloat(Type) bool                        { return true }
func isInteger(Type) bool                      { return true }
func isIntegral(Type) bool                     { return true }
func isNumber(Type) bool                       { return true }
func floatOrComplex(Type) bool                 { return true }
func verifySame(elemRule) func(*verifier, *Op) { return nil }

var verifyAbs, verifyConvert, verifyIsFinite, verifyBitcast, verifyClamp, verifySelect, verifyCompare, verifyConstant, verifyIota, verifyBroadcastInDim, verifyReshape, verifyTranspose, verifyReverse, verifySlice, verifyDynamicSlice, verifyDynamicUpdateSlice, verifyConcatenate, verifyPad, verifyReduce, verifyDotGeneral, verifyGather, verifyComposite, verifyFunc, verifyCall func(*verifier, *Op)
