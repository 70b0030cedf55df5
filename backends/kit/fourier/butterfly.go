package fourier

import (
	"math"

	"ltc/backends/kit/kernel"
	"ltc/ir/types"
)

// Complex is a complex value of a stage, as its parts. A part that is [kernel.None] is 0.
type Complex struct{ Re, Im kernel.ID }

// Arithmetic writes instructions on complex values whose parts are of one type.
type Arithmetic struct {
	*kernel.Builder
	DType types.DType
}

func (a Arithmetic) constant(x float64) kernel.ID {
	if a.DType == types.F32 {
		return a.F32(float32(x))
	}
	return a.Bits(a.DType, math.Float64bits(x))
}

func (a Arithmetic) plus(x, y kernel.ID) kernel.ID {
	switch {
	case x == kernel.None:
		return y
	case y == kernel.None:
		return x
	}
	return a.Op(kernel.Add, a.DType, x, y)
}

func (a Arithmetic) minus(x, y kernel.ID) kernel.ID {
	switch {
	case x == kernel.None:
		return a.negate(y)
	case y == kernel.None:
		return x
	}
	return a.Op(kernel.Subtract, a.DType, x, y)
}

func (a Arithmetic) times(x, y kernel.ID) kernel.ID {
	if x == kernel.None || y == kernel.None {
		return kernel.None
	}
	return a.Op(kernel.Multiply, a.DType, x, y)
}

func (a Arithmetic) negate(x kernel.ID) kernel.ID {
	if x == kernel.None {
		return x
	}
	return a.Op(kernel.Negate, a.DType, x)
}

// Whole returns x with the parts that are 0 as values.
func (a Arithmetic) Whole(x Complex) Complex {
	for _, part := range []*kernel.ID{&x.Re, &x.Im} {
		if *part == kernel.None {
			*part = a.Bits(a.DType, 0)
		}
	}
	return x
}

// Add returns x + y.
func (a Arithmetic) Add(x, y Complex) Complex { return Complex{a.plus(x.Re, y.Re), a.plus(x.Im, y.Im)} }

// Sub returns x - y.
func (a Arithmetic) Sub(x, y Complex) Complex {
	return Complex{a.minus(x.Re, y.Re), a.minus(x.Im, y.Im)}
}

// Times returns x·y.
func (a Arithmetic) Times(x, y Complex) Complex {
	return Complex{
		a.minus(a.times(x.Re, y.Re), a.times(x.Im, y.Im)),
		a.plus(a.times(x.Re, y.Im), a.times(x.Im, y.Re)),
	}
}

// Scale returns x times a real number.
func (a Arithmetic) Scale(x Complex, by float64) Complex {
	c := a.constant(by)
	return Complex{a.times(x.Re, c), a.times(x.Im, c)}
}

// Conjugate returns the conjugate of x.
func (a Arithmetic) Conjugate(x Complex) Complex { return Complex{x.Re, a.negate(x.Im)} }

// addTurned returns x + iy, or x - iy if back is set.
func (a Arithmetic) addTurned(x, y Complex, back bool) Complex {
	if back {
		return Complex{a.plus(x.Re, y.Im), a.minus(x.Im, y.Re)}
	}
	return Complex{a.minus(x.Re, y.Im), a.plus(x.Im, y.Re)}
}

// rotate returns x·exp(2πik/n).
func (a Arithmetic) rotate(x Complex, k, n int) Complex {
	k = ((k % n) + n) % n
	switch {
	case k == 0:
		return x
	case 2*k == n:
		return Complex{a.negate(x.Re), a.negate(x.Im)}
	case 4*k == n:
		return Complex{a.negate(x.Im), x.Re}
	case 4*k == 3*n:
		return Complex{x.Im, a.negate(x.Re)}
	}
	re, im := Root(k, n)
	if 8*k%n == 0 {
		r := a.constant(math.Sqrt2 / 2)
		sum, difference := a.plus(x.Re, x.Im), a.minus(x.Re, x.Im)
		switch 8 * k / n {
		case 1: // (1+i)/√2
			return Complex{a.times(difference, r), a.times(sum, r)}
		case 7: // (1-i)/√2
			return Complex{a.times(sum, r), a.times(a.minus(x.Im, x.Re), r)}
		case 3: // (-1+i)/√2
			s := a.constant(-math.Sqrt2 / 2)
			return Complex{a.times(sum, s), a.times(difference, r)}
		default: // (-1-i)/√2
			s := a.constant(-math.Sqrt2 / 2)
			return Complex{a.times(a.minus(x.Im, x.Re), r), a.times(sum, s)}
		}
	}
	return a.Times(x, Complex{a.constant(re), a.constant(im)})
}

// Root returns exp(2πik/n) for 0 <= k < n; quarters of a turn are exact.
func Root(k, n int) (re, im float64) {
	quarter := 4 * k / n
	sin, cos := math.Sincos(math.Pi / 2 * float64(4*k-quarter*n) / float64(n))
	switch quarter {
	case 0:
		return cos, sin
	case 1:
		return -sin, cos
	case 2:
		return -cos, -sin
	}
	return sin, -cos
}

// transform returns the discrete Fourier transform of a few values, without a factor:
// element k is Σ x[j]·exp(s·2πijk/n), with s = -1, or 1 for the inverse.
func (a Arithmetic) transform(x []Complex, inverse bool) []Complex {
	switch n := len(x); n {
	case 1:
		return x
	case 2:
		return []Complex{a.Add(x[0], x[1]), a.Sub(x[0], x[1])}
	case 4:
		even, odd := a.Add(x[0], x[2]), a.Add(x[1], x[3])
		low, high := a.Sub(x[0], x[2]), a.Sub(x[1], x[3])
		return []Complex{a.Add(even, odd), a.addTurned(low, high, !inverse), a.Sub(even, odd), a.addTurned(low, high, inverse)}
	default:
		if r := inner(n); r > 1 {
			return a.composite(x, r, inverse)
		}
	}
	return a.odd(x, inverse)
}

// inner returns the factor by which a transform of few values is divided; 1 if its length is
// a prime.
func inner(n int) int {
	if n%4 == 0 && n > 4 {
		return 4
	}
	for p := 2; p*p <= n; p++ {
		if n%p == 0 {
			return p
		}
	}
	return 1
}

// composite divides a transform of length r·m into m of length r, and r of length m.
func (a Arithmetic) composite(x []Complex, r int, inverse bool) []Complex {
	n, m := len(x), len(x)/r
	sign := -1
	if inverse {
		sign = 1
	}
	columns := make([][]Complex, r)
	for p := range m {
		part := make([]Complex, r)
		for j := range part {
			part[j] = x[p+m*j]
		}
		for k, y := range a.transform(part, inverse) {
			columns[k] = append(columns[k], a.rotate(y, sign*p*k, n))
		}
	}
	out := make([]Complex, n)
	for k, c := range columns {
		for l, y := range a.transform(c, inverse) {
			out[k+r*l] = y
		}
	}
	return out
}

// odd is a transform of odd length by its definition. The elements j and n-j are added and
// subtracted first: their factors are conjugates.
func (a Arithmetic) odd(x []Complex, inverse bool) []Complex {
	n := len(x)
	half := n / 2
	sums, differences := make([]Complex, half), make([]Complex, half)
	first := x[0]
	for j := range half {
		sums[j], differences[j] = a.Add(x[j+1], x[n-1-j]), a.Sub(x[j+1], x[n-1-j])
		first = a.Add(first, sums[j])
	}
	out := make([]Complex, n)
	out[0] = first
	for k := 1; k <= half; k++ {
		even, turned := x[0], Complex{}
		for j := range half {
			re, im := Root((j+1)*k%n, n)
			s, d := a.Scale(sums[j], re), a.Scale(differences[j], im)
			if even = a.Add(even, s); j == 0 {
				turned = d
			} else {
				turned = a.Add(turned, d)
			}
		}
		out[k], out[n-k] = a.addTurned(even, turned, !inverse), a.addTurned(even, turned, inverse)
	}
	return out
}
