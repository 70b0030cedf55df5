package simplify_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/soa"
)

// complexParts are parts at the edges: zeros, the smallest and the largest numbers,
// infinities, NaN, and where a function has poles, zeros or limits.
var complexParts = map[types.DType][]float64{
	types.F32: {0, math.Copysign(0, -1), 1, -1, 0.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -1e-45, 65504, 3.4e38, -3.4e38,
		-7.25, 88, 100, -100, 1e-20, math.Pi, -math.Pi / 2, math.Pi / 2, 0.999999, 1e10, -1e-10, 30, -45},
	types.F64: {0, math.Copysign(0, -1), 1, -1, 0.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), 1e-310, -5e-324, 1e300, 1.7e308, -1e308,
		-7.25, 709, 710, -745, 1e-20, math.Pi, -math.Pi / 2, math.Pi / 2, 0.999999, 1e160, -1e-160, 30, -45},
}

// Functions of complex numbers are off by at most so many units in the last place of the
// larger part: those of f32 are computed in f64. Signs of zeros do not count. Other functions
// of complex<f64> are left to the evaluator.
func TestComplexFunctions(t *testing.T) {
	for _, c := range []struct {
		ops   string
		dtype types.DType
		most  float64
	}{
		{"cosine exponential exponential_minus_one log log_plus_one logistic rsqrt sign sine sqrt tan tanh abs", types.F32, 0.5},
		{"exponential sign sqrt abs", types.F64, 2},
		{"divide", types.F32, 0.5},
		{"divide", types.F64, 2},
	} {
		for _, op := range strings.Fields(c.ops) {
			t.Run(fmt.Sprint(op, " ", c.dtype), func(t *testing.T) {
				for k := range 10 {
					a, b := complexPairs(c.dtype, 1, 0), complexPairs(c.dtype, 7+k, k)
					if op == "abs" {
						requireComplex(t, op, "(%z)", c.dtype, c.most, a, b)
						return
					}
					if op != "divide" {
						requireComplex(t, op, "%z", c.dtype, c.most, a, b)
						return
					}
					requireComplex(t, op, "%z, %w", c.dtype, c.most, a, b)
				}
			})
		}
	}
}

// A power of complex<f32> is as exact where the angle is no large one.
func TestComplexPowers(t *testing.T) {
	var a, b [2][]float64
	for i := range 400 {
		at := []float64{0, 1, -1, 0.5, -2, 3, 1e-3, 10, -7, math.Inf(1)}
		a[0], a[1] = append(a[0], at[i%10]), append(a[1], at[i/10%10])
		b[0], b[1] = append(b[0], []float64{0, 1, -2, 0.5, 3}[i*7%5]), append(b[1], []float64{0, 1, -0.5}[i%3])
	}
	requireComplex(t, "power", "%z, %w", types.F32, 0.5, a, b)
}

// complexPairs returns pairs of parts; for step 1 all of them.
func complexPairs(d types.DType, step, from int) (pairs [2][]float64) {
	all := complexParts[d]
	n := len(all)
	for i := range n * n {
		pairs[0], pairs[1] = append(pairs[0], all[(i*step+from)%n]), append(pairs[1], all[(i/n*step+i/5*from)%n])
	}
	return pairs
}

// requireComplex compares a function before and after it is simplified.
func requireComplex(t *testing.T, op, operands string, d types.DType, most float64, a, b [2][]float64) {
	t.Helper()
	n := len(a[0])
	part, z := fmt.Sprintf("tensor<%dx%s>", n, d), fmt.Sprintf("tensor<%dxcomplex<%s>>", n, d)
	form := fmt.Sprintf("stablehlo.%s %s : %s", op, operands, z)
	take := "%p = stablehlo.real %r : (Z) -> P\n  %q = stablehlo.imag %r : (Z) -> P"
	if op == "abs" {
		form, take = "stablehlo.abs %z : (Z) -> P", "%p = stablehlo.negate %r : P\n  %q = stablehlo.negate %r : P"
	}
	text := strings.NewReplacer("Z", z, "P", part).Replace(`func.func @main(%x: P, %y: P, %u: P, %v: P) -> (P, P) {
  %z = stablehlo.complex %x, %y : Z
  %w = stablehlo.complex %u, %v : Z
  %r = ` + form + "\n  " + take + `
  return %p, %q : P, P
}`)
	var args []soa.View
	for _, list := range [][]float64{a[0], a[1], b[0], b[1]} {
		v := soa.Make(types.Type{DType: d, Shape: types.Shape{n}})
		for i, x := range list {
			if d == types.F32 {
				soa.Slice[float32](v)[i] = float32(x)
			} else {
				soa.Slice[float64](v)[i] = x
			}
		}
		args = append(args, v)
	}
	at := func(v soa.View, i int) float64 {
		if d == types.F32 {
			return float64(soa.Slice[float32](v)[i])
		}
		return soa.Slice[float64](v)[i]
	}
	after := simplified(t, op, text, folding)
	require.NotContains(t, after, "complex", "%s is left", op)
	want, got := run(t, text, args), run(t, after, args)
	for i := range n {
		w, g := [2]float64{at(want[0], i), at(want[1], i)}, [2]float64{at(got[0], i), at(got[1], i)}
		unit := complexUnit(d, w)
		for k := range w {
			same := w[k] == g[k] || w[k] != w[k] && g[k] != g[k]
			require.True(t, same || math.Abs(w[k]-g[k])/most <= unit, "%s %s of (%v, %v), (%v, %v): got %v, want %v", op, d, at(args[0], i), at(args[1], i), at(args[2], i), at(args[3], i), g, w)
		}
	}
}

// complexUnit is a unit in the last place of the larger part. Beside an infinite part any
// number will do.
func complexUnit(d types.DType, z [2]float64) float64 {
	size := max(math.Abs(z[0]), math.Abs(z[1]))
	switch {
	case math.IsInf(z[0], 0) || math.IsInf(z[1], 0):
		return math.MaxFloat64
	case size != size:
		return 0
	case d == types.F32:
		return float64(math.Nextafter32(float32(size), float32(math.Inf(1))) - float32(size))
	}
	return math.Nextafter(size, math.Inf(1)) - size
}
