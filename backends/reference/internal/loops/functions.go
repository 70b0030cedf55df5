package loops

import (
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

// realFunctions are those of StableHLO and CHLO.
var realFunctions = map[mlir.Code]realFunction{
	stablehlo.CHLOAcos:            {scalarmath.Acos, math.Acos},
	stablehlo.CHLOAcosh:           {scalarmath.Acosh, math.Acosh},
	stablehlo.CHLOAsin:            {scalarmath.Asin, math.Asin},
	stablehlo.CHLOAsinh:           {scalarmath.Asinh, nil},
	stablehlo.CHLOAtan:            {scalarmath.Atan, math.Atan},
	stablehlo.CHLOAtanh:           {scalarmath.Atanh, nil},
	stablehlo.CHLOBesselI1e:       {scalarmath.BesselI1e, nil},
	stablehlo.Cbrt:                {f64: math.Cbrt},
	stablehlo.Ceil:                {f64: math.Ceil},
	stablehlo.CHLOCosh:            {scalarmath.Cosh, scalarmath.Cosh32},
	stablehlo.Cosine:              {scalarmath.Cos, math.Cos},
	stablehlo.CHLODigamma:         {scalarmath.Digamma, nil},
	stablehlo.CHLOErf:             {f64: math.Erf},
	stablehlo.CHLOErfInv:          {scalarmath.ErfInv, math.Erfinv},
	stablehlo.CHLOErfc:            {scalarmath.Erfc, math.Erfc},
	stablehlo.Exponential:         {scalarmath.Exp, math.Exp},
	stablehlo.ExponentialMinusOne: {f64: math.Expm1},
	stablehlo.Floor:               {f64: math.Floor},
	stablehlo.CHLOLgamma:          {scalarmath.Lgamma, nil},
	stablehlo.Log:                 {f64: scalarmath.Log},
	stablehlo.LogPlusOne:          {scalarmath.Log1p, math.Log1p},
	stablehlo.Logistic:            {scalarmath.Logistic, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }},
	stablehlo.RoundNearestAfz:     {f64: math.Round},
	stablehlo.RoundNearestEven:    {f64: math.RoundToEven},
	stablehlo.Rsqrt:               {scalarmath.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }},
	stablehlo.Sign:                {f64: scalarmath.Sign},
	stablehlo.Sine:                {scalarmath.Sin, math.Sin},
	stablehlo.CHLOSinh:            {scalarmath.Sinh, scalarmath.Sinh32},
	stablehlo.CHLOTan:             {scalarmath.Tan, math.Tan},
	stablehlo.Tan:                 {scalarmath.Tan, math.Tan},
	stablehlo.Tanh:                {scalarmath.Tanh, math.Tanh},
}

// IsFunction reports whether an op is a function of real numbers.
func IsFunction(op mlir.Code) bool {
	_, ok := realFunctions[op]
	return ok
}
