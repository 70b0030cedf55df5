package reference

import (
	"unsafe"

	"ltc/mlir"
	"ltc/stablehlo"
)

// Complex numbers lie in memory as Go's do: real part, imaginary part.

type complexNumber interface{ complex64 | complex128 }

// complexUnary computes in complex128 and rounds.
func complexUnary[C complexNumber](op mlir.Code) func(o, a []C) {
	f := complexFunctions[op]
	if f == nil {
		return nil
	}
	return each1(func(x C) C { return C(f(complex128(x))) })
}

// complexFunctions are accurate to less than a unit in the last place of each
// part; see complexmath.go.
var complexFunctions = map[mlir.Code]func(complex128) complex128{
	stablehlo.Cbrt:                cbrtComplex,
	stablehlo.Cosine:              cosComplex,
	stablehlo.Exponential:         expComplex,
	stablehlo.ExponentialMinusOne: expm1Complex,
	stablehlo.Log:                 logComplex,
	stablehlo.LogPlusOne:          log1pComplex,
	stablehlo.Logistic:            logisticComplex,
	stablehlo.Negate:              func(z complex128) complex128 { return -z },
	stablehlo.Rsqrt:               rsqrtComplex,
	stablehlo.Sign:                signComplex,
	stablehlo.Sine:                sinComplex,
	stablehlo.Sqrt:                sqrtComplex,
	stablehlo.Tan:                 tanComplex,
	stablehlo.Tanh:                tanhComplex,
}

func complexBinary[C complexNumber](op mlir.Code) func(o, a, b []C) {
	switch op {
	case stablehlo.Add:
		return each2(func(a, b C) C { return a + b })
	case stablehlo.Subtract:
		return each2(func(a, b C) C { return a - b })
	case stablehlo.Multiply:
		return each2(func(a, b C) C { return C(multiplyComplex(complex128(a), complex128(b))) })
	case stablehlo.Divide:
		return each2(func(a, b C) C { return C(divideComplex(complex128(a), complex128(b))) })
	case stablehlo.Power:
		return each2(func(a, b C) C { return C(powerComplex(complex128(a), complex128(b))) })
	case stablehlo.Atan2:
		return each2(func(a, b C) C { return C(atan2Complex(complex128(a), complex128(b))) })
	case stablehlo.Maximum:
		return each2(func(a, b C) C { return pickComplex(a, b, "GE") })
	case stablehlo.Minimum:
		return each2(func(a, b C) C { return pickComplex(a, b, "LE") })
	}
	return nil
}

// multiplyComplex rounds the products before their sum, on every machine.
func multiplyComplex(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// pickComplex returns a if it compares as direction says to b, else b; but an
// operand with a NaN in it, the first of two such.
func pickComplex[C complexNumber](a, b C, direction string) C {
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
func compareComplex[C complexNumber](direction string) func(o []uint8, a, b []C) {
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
func convertComplex(from, to dtype) kernel1 {
	switch {
	case from.isComplex() && to.isComplex():
		return func(o, a unsafe.Pointer, n int) { convertKernel(from.part(), to.part())(o, a, 2*n) }
	case to.isComplex():
		k, size := convertKernel(from, to.part()), to.part().size()
		if from == to.part() {
			k = copyKernel(size)
		}
		return func(o, a unsafe.Pointer, n int) {
			for i := n - 1; i >= 0; i-- { // o may be a's memory where they are of one size
				part, im := unsafe.Add(o, 2*i*size), unsafe.Add(o, (2*i+1)*size)
				k(part, unsafe.Add(a, i*from.size()), 1)
				clear(unsafe.Slice((*byte)(im), size))
			}
		}
	}
	k := convertKernel(from.part(), to)
	if from.part() == to {
		k = copyKernel(to.size())
	}
	return func(o, a unsafe.Pointer, n int) {
		for i := range n {
			k(unsafe.Add(o, i*to.size()), unsafe.Add(a, i*from.size()), 1)
		}
	}
}

// copyKernel copies elements of size bytes.
func copyKernel(size int) kernel1 {
	return func(o, a unsafe.Pointer, n int) { copyBytes(o, a, n*size) }
}
