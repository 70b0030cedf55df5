package loops

import (
	"unsafe"

	"ltc/backends/reference/internal/scalarmath"
	"ltc/mlir"
	"ltc/stablehlo"
)

// Complex numbers lie in memory as Go's do: real part, imaginary part.

// ComplexNumber is a complex type of Go.
type ComplexNumber interface{ complex64 | complex128 }

// complexUnary computes in complex128 and rounds.
func complexUnary[C ComplexNumber](op mlir.Code) func(o, a []C) {
	f := complexFunctions[op]
	if f == nil {
		return nil
	}
	return each1(func(x C) C { return C(f(complex128(x))) })
}

// complexFunctions are accurate to less than a unit in the last place of each
// part; see package scalarmath.
var complexFunctions = map[mlir.Code]func(complex128) complex128{
	stablehlo.Cbrt:                scalarmath.CbrtComplex,
	stablehlo.Cosine:              scalarmath.CosComplex,
	stablehlo.Exponential:         scalarmath.ExpComplex,
	stablehlo.ExponentialMinusOne: scalarmath.Expm1Complex,
	stablehlo.Log:                 scalarmath.LogComplex,
	stablehlo.LogPlusOne:          scalarmath.Log1pComplex,
	stablehlo.Logistic:            scalarmath.LogisticComplex,
	stablehlo.Negate:              func(z complex128) complex128 { return -z },
	stablehlo.Rsqrt:               scalarmath.RsqrtComplex,
	stablehlo.Sign:                scalarmath.SignComplex,
	stablehlo.Sine:                scalarmath.SinComplex,
	stablehlo.Sqrt:                scalarmath.SqrtComplex,
	stablehlo.Tan:                 scalarmath.TanComplex,
	stablehlo.Tanh:                scalarmath.TanhComplex,
}

func complexBinary[C ComplexNumber](op mlir.Code) func(o, a, b []C) {
	switch op {
	case stablehlo.Add:
		return each2(func(a, b C) C { return a + b })
	case stablehlo.Subtract:
		return each2(func(a, b C) C { return a - b })
	case stablehlo.Multiply:
		return each2(func(a, b C) C { return C(scalarmath.MultiplyComplex(complex128(a), complex128(b))) })
	case stablehlo.Divide:
		return each2(func(a, b C) C { return C(scalarmath.DivideComplex(complex128(a), complex128(b))) })
	case stablehlo.Power:
		return each2(func(a, b C) C { return C(scalarmath.PowerComplex(complex128(a), complex128(b))) })
	case stablehlo.Atan2:
		return each2(func(a, b C) C { return C(scalarmath.Atan2Complex(complex128(a), complex128(b))) })
	case stablehlo.Maximum:
		return each2(func(a, b C) C { return pickComplex(a, b, "GE") })
	case stablehlo.Minimum:
		return each2(func(a, b C) C { return pickComplex(a, b, "LE") })
	}
	return nil
}

// pickComplex returns a if it compares as direction says to b, else b; but an
// operand with a NaN in it, the first of two such.
func pickComplex[C ComplexNumber](a, b C, direction string) C {
	if a != a {
		return a
	}
	if b == b && ordered(direction, complex128(a), complex128(b)) {
		return a
	}
	return b
}

// compareComplex compares the real parts and, where they are equal, the
// imaginary ones.
func compareComplex[C ComplexNumber](direction string) func(o []uint8, a, b []C) {
	return func(o []uint8, a, b []C) {
		a, b = a[:len(o)], b[:len(o)]
		for i := range o {
			o[i] = bit(ordered(direction, complex128(a[i]), complex128(b[i])))
		}
	}
}

func ordered(direction string, a, b complex128) bool {
	x, y := real(a), real(b)
	if x == y {
		x, y = imag(a), imag(b)
	}
	switch direction {
	case "EQ":
		return a == b
	case "NE":
		return a != b
	case "GE":
		return x >= y
	case "GT":
		return x > y
	case "LE":
		return x <= y
	}
	return x < y
}

// convertComplex drops imaginary parts, or makes them 0.
func convertComplex(from, to DType) Loop1 {
	switch {
	case from.IsComplex() && to.IsComplex():
		return func(o, a unsafe.Pointer, n int) { Convert(from.Part(), to.Part())(o, a, 2*n) }
	case to.IsComplex():
		k, size := Convert(from, to.Part()), to.Part().Size()
		return func(o, a unsafe.Pointer, n int) {
			for i := n - 1; i >= 0; i-- { // o may be a's memory where they are of one size
				part, im := unsafe.Add(o, 2*i*size), unsafe.Add(o, (2*i+1)*size)
				k(part, unsafe.Add(a, i*from.Size()), 1)
				clear(unsafe.Slice((*byte)(im), size))
			}
		}
	}
	k := Convert(from.Part(), to)
	return func(o, a unsafe.Pointer, n int) {
		for i := range n {
			k(unsafe.Add(o, i*to.Size()), unsafe.Add(a, i*from.Size()), 1)
		}
	}
}
