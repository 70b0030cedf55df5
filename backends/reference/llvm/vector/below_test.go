package vector_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// The exponential of what is not positive is that of any number, to the bit: of all f16
// and bf16, of one f32 in 1021, of all in long runs, and of f64s.
func TestExpBelow(t *testing.T) {
	dtypes := []types.DType{types.F16, types.BF16, types.F32, types.F64}
	ops := map[string]func(b *vector.Builder, x vector.Value) (vector.Value, error){
		"any":   func(b *vector.Builder, x vector.Value) (vector.Value, error) { return b.Unary(kernel.Exponential, x) },
		"below": (*vector.Builder).ExpBelow,
	}
	each(t, func(m *vector.Module) {
		for name, op := range ops {
			for _, d := range dtypes {
				kernelOf(m, name+d.String(), m.Machine.Lanes(d), []types.DType{d}, d, func(b *vector.Builder, v []vector.Value) vector.Value {
					r, err := op(b, v[0])
					require.NoError(t, err)
					return r
				})
			}
		}
	}, func(t *testing.T, im *native.Image, _ vector.Machine) {
		for _, d := range dtypes {
			const n = 1 << 16
			in, want, got := make([]byte, n*d.Size()), make([]byte, n*d.Size()), make([]byte, n*d.Size())
			next := notPositive(d)
			for count := fill(d, in, next); count > 0; count = fill(d, in, next) {
				call(t, im, "any"+d.String(), count, in, want)
				call(t, im, "below"+d.String(), count, in, got)
				if bytes.Equal(want, got) {
					continue
				}
				for i := range count {
					require.Zero(t, apart(d, at(d, got, i), at(d, want, i)), "e^%v of %v: %v, want %v",
						number(d, in, i), d, number(d, got, i), number(d, want, i))
				}
			}
		}
	})
}

// fill writes what next gives, and returns how many numbers that were.
func fill(d types.DType, b []byte, next func() (uint64, bool)) int {
	for n := range len(b) / d.Size() {
		bits, ok := next()
		if !ok {
			return n
		}
		for k := range d.Size() {
			b[n*d.Size()+k] = byte(bits >> (8 * k))
		}
	}
	return len(b) / d.Size()
}

// notPositive returns a function that gives the bits of numbers that are not more than 0,
// and of NaNs, one after the other.
func notPositive(d types.DType) func() (uint64, bool) {
	sign, step := uint64(1)<<(8*d.Size()-1), uint64(1)
	switch {
	case d == types.F64:
		return notPositive64()
	case d == types.F32 && !soaking:
		step = 1021
	}
	first := []uint64{0, floatBits(d, math.NaN()) &^ sign} // which have no sign
	at := uint64(0)
	return func() (uint64, bool) {
		if len(first) > 0 {
			bits := first[0]
			first = first[1:]
			return bits, true
		}
		bits := sign | at
		at += step
		return bits, at-step < sign
	}
}

func notPositive64() func() (uint64, bool) {
	rng, left := rand.New(rand.NewPCG(6, 4)), trials.Of(1<<18)
	return func() (uint64, bool) {
		left--
		x := -math.Ldexp(1+rng.Float64(), -30+rng.IntN(41))
		switch left & 3 {
		case 0: // subnormal results
			x = -708 - 40*rng.Float64()
		case 1: // any bits
			x = math.Float64frombits(rng.Uint64() | 1<<63)
		}
		return math.Float64bits(x), left >= 0
	}
}
