package loops

import (
	"maps"
	"math"

	"ltc/backends/reference/internal/scalarmath"
	"ltc/mlir"
	"ltc/stablehlo"
)

// realFunction is a function on elements of f64, and of smaller floats, which are
// computed in f64 and rounded.
type realFunction struct {
	f64 func(float64) float64
	// f32 is a faster one whose result, rounded to f32, is as good; nil for f64.
	f32 func(float64) float64
}

// small returns the function for elements smaller than f64.
func (f realFunction) small() func(float64) float64 {
	if f.f32 != nil {
		return f.f32
	}
	return f.f64
}

// functions has those of the dialect's rows that are functions.
type functions struct{}

func (functions) Cbrt() realFunction                { return realFunction{f64: math.Cbrt} }
func (functions) Cosine() realFunction              { return realFunction{scalarmath.Cos, math.Cos} }
func (functions) Exponential() realFunction         { return realFunction{scalarmath.Exp, math.Exp} }
func (functions) ExponentialMinusOne() realFunction { return realFunction{f64: math.Expm1} }
func (functions) Log() realFunction                 { return realFunction{f64: scalarmath.Log} }
func (functions) LogPlusOne() realFunction          { return realFunction{scalarmath.Log1p, math.Log1p} }
func (functions) Logistic() realFunction {
	return realFunction{scalarmath.Logistic, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }}
}
func (functions) Rsqrt() realFunction {
	return realFunction{scalarmath.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }}
}
func (functions) Sine() realFunction { return realFunction{scalarmath.Sin, math.Sin} }
func (functions) Sqrt() realFunction { return realFunction{f64: math.Sqrt} }
func (functions) Tan() realFunction  { return realFunction{scalarmath.Tan, math.Tan} }
func (functions) Tanh() realFunction { return realFunction{scalarmath.Tanh, math.Tanh} }

// realFunctions are those of StableHLO and CHLO.
var realFunctions = func() map[mlir.Code]realFunction {
	all := maps.Clone(otherFunctions)
	for code, f := range stablehlo.FunctionTable[realFunction](functions{}) {
		if f.f64 != nil {
			all[mlir.Code(code)] = f
		}
	}
	return all
}()

// otherFunctions are those of CHLO, and ops that round.
var otherFunctions = map[mlir.Code]realFunction{
	stablehlo.CHLOAcos:         {scalarmath.Acos, math.Acos},
	stablehlo.CHLOAcosh:        {scalarmath.Acosh, math.Acosh},
	stablehlo.CHLOAsin:         {scalarmath.Asin, math.Asin},
	stablehlo.CHLOAsinh:        {scalarmath.Asinh, nil},
	stablehlo.CHLOAtan:         {scalarmath.Atan, math.Atan},
	stablehlo.CHLOAtanh:        {scalarmath.Atanh, nil},
	stablehlo.CHLOBesselI1e:    {scalarmath.BesselI1e, nil},
	stablehlo.Ceil:             {f64: math.Ceil},
	stablehlo.CHLOCosh:         {scalarmath.Cosh, scalarmath.Cosh32},
	stablehlo.CHLODigamma:      {scalarmath.Digamma, nil},
	stablehlo.CHLOErf:          {f64: math.Erf},
	stablehlo.CHLOErfInv:       {scalarmath.ErfInv, math.Erfinv},
	stablehlo.CHLOErfc:         {scalarmath.Erfc, math.Erfc},
	stablehlo.Floor:            {f64: math.Floor},
	stablehlo.CHLOLgamma:       {scalarmath.Lgamma, nil},
	stablehlo.RoundNearestAfz:  {f64: math.Round},
	stablehlo.RoundNearestEven: {f64: math.RoundToEven},
	stablehlo.Sign:             {f64: scalarmath.Sign},
	stablehlo.CHLOSinh:         {scalarmath.Sinh, scalarmath.Sinh32},
	stablehlo.CHLOTan:          {scalarmath.Tan, math.Tan},
}

// IsFunction reports whether an op is a function of real numbers.
func IsFunction(op mlir.Code) bool {
	_, ok := realFunctions[op]
	return ok
}
