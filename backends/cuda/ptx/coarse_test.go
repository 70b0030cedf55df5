package ptx_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/ir/types"
)

// short is what the text of an exponential has that is not exact to all bits of f32:
// 1/(2 ln 2).
const short = "0f3F38AA3B"

// halfOf returns the nearest number of a type of 2 bytes as bits, and halfAt what bits
// are.
func halfOf(d types.DType, x float64) uint64 {
	if d == types.F16 {
		return uint64(types.ToFloat16(x))
	}
	return uint64(types.ToBFloat16(x))
}

func halfAt(d types.DType, b uint64) float64 {
	if d == types.F16 {
		return float64(types.Float16(b).Float32())
	}
	return float64(types.BFloat16(b).Float32())
}

// exponentials runs e^x of numbers of a type, rounded to another; it returns bits.
func exponentials(t *testing.T, from, to types.DType, x []uint64) []uint64 {
	t.Helper()
	k, err := kernel.Parse(fmt.Sprintf("kernel k(x: %v[n0] strides [1], out y: %v[n0] strides [1]) {\n for i < n0\n stage {\n %%x = load x[i]\n %%e = exponential %%x : %v\n %%y = convert %%e : %v\n store y[i], %%y\n }\n}", from, to, from, to))
	require.NoError(t, err)
	module, _, err := text(k)
	require.NoError(t, err)
	require.Contains(t, module, short)
	run, err := runner(t, k, 1<<20)
	require.NoError(t, err)
	m := kerneltest.NewMemory(k, []int64{int64(len(x))}, kerneltest.Dense, 0x5A)
	m.Set(0, x)
	m, err = m.Run(run)
	require.NoError(t, err)
	return m.Get(1)
}

// Of all bf16, and of all f16, e^x is the nearest number that there is, but for a few
// f16 whose neighbour it is: docs/math.md says how many.
func TestExponentialsOfHalves(t *testing.T) {
	for d, most := range map[types.DType]int{types.BF16: 0, types.F16: 4} {
		x := make([]uint64, 1<<16)
		for i := range x {
			x[i] = uint64(i)
		}
		wrong := 0
		for i, got := range exponentials(t, d, d, x) {
			exact := math.Exp(halfAt(d, x[i]))
			switch want := halfOf(d, exact); {
			case exact != exact:
				require.True(t, math.IsNaN(halfAt(d, got)), "%v %#x", d, i)
			case got != want:
				require.InDelta(t, want, got, 1, "%v: e^%v", d, halfAt(d, x[i]))
				wrong++
			}
		}
		require.LessOrEqual(t, wrong, most, d)
		t.Logf("%v: %d are not the nearest", d, wrong)
	}
}

// What an f32's exponential is rounded to is off by hardly more than rounding takes.
func TestExponentialsRounded(t *testing.T) {
	special := []float64{math.Inf(1), math.Inf(-1), math.NaN(), 0, math.Copysign(0, -1), 1e30, -1e30, 88.9, -104, 0x1p-149}
	for d, c := range map[types.DType]struct{ least, most, off, wrong float64 }{types.BF16: {-105, 89, 0.502, 1.0 / 1500}, types.F16: {-18, 12, 0.501, 1.0 / 6000}} {
		r := rand.New(rand.NewPCG(5, 6))
		x := make([]uint64, 1<<15)
		for i := range x {
			v := c.least + r.Float64()*(c.most-c.least)
			if i < len(special) {
				v = special[i]
			}
			x[i] = uint64(math.Float32bits(float32(v)))
		}
		wrong, worst := 0, 0.0
		for i, bits := range exponentials(t, types.F32, d, x) {
			exact := math.Exp(float64(math.Float32frombits(uint32(x[i]))))
			want, got := halfOf(d, exact), halfAt(d, bits)
			if math.IsNaN(exact) || bits == want {
				require.Equal(t, math.IsNaN(exact), math.IsNaN(got))
				continue
			}
			wrong++
			worst = math.Max(worst, math.Abs(got-exact)/math.Abs(halfAt(d, max(want, bits))-halfAt(d, min(want, bits))))
		}
		t.Logf("%v: %d of %d are not the nearest, and up to %.4f units off", d, wrong, len(x), worst)
		require.LessOrEqual(t, worst, c.off, d)
		require.LessOrEqual(t, float64(wrong)/float64(len(x)), c.wrong, d)
	}
}

// An exponential has fewer bits only where what is made of it is rounded to fewer, by
// ops that keep an error as small as it is.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		name, tail string
		short      bool
	}{
		{"of bf16", "%z = multiply %e, %x : f32\n %w = convert %z : bf16\n store y[i, j], %w", true},
		{"of f16, too", "%z = divide %x, %e : f32\n %w = convert %z : f16\n %v = convert %w : bf16\n store y[i, j], %v", true},
		{"1 + e^x", "%one = constant 1.0 : f32\n %z = add %one, %e : f32\n %w = convert %z : bf16\n store y[i, j], %w", true},
		{"e^x - 1", "%one = constant 1.0 : f32\n %z = subtract %e, %one : f32\n %w = convert %z : bf16\n store y[i, j], %w", false},
		{"-1 + e^x", "%one = constant -1.0 : f32\n %z = add %one, %e : f32\n %w = convert %z : bf16\n store y[i, j], %w", false},
		{"x + e^x", "%z = add %x, %e : f32\n %w = convert %z : bf16\n store y[i, j], %w", false},
		{"its logarithm", "%z = log %e : f32\n %w = convert %z : bf16\n store y[i, j], %w", false},
		{"where it is 1", "%one = constant 1.0 : f32\n %p = compare_eq %e, %one : bool\n %z = select %p, %x, %x : f32\n %w = convert %z : bf16\n store y[i, j], %w", false},
		{"also stored", "%w = convert %e : bf16\n store y[i, j], %w\n store s[i, j], %e", false},
		{"also summed", "%w = convert %e : bf16\n store y[i, j], %w\n %t = reduce add %e\n }\n stage {\n store r[i], %t", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := kernel.Parse("kernel k(x: f32[n0, n1] strides [*, 1], out y: bf16[n0, n1] strides [*, 1], out s: f32[n0, n1] strides [*, 1], out r: f32[n0] strides [1]) {\n for i < n0\n stage j < n1 {\n %x = load x[i, j]\n %e = exponential %x : f32\n " + c.tail + "\n }\n}")
			require.NoError(t, err)
			module, _, err := text(k)
			require.NoError(t, err)
			require.Equal(t, c.short, strings.Contains(module, short))
		})
	}
}

// Quotients by what is one for a row are those of all divisors: small, large, 0,
// infinite and none.
func TestQuotientsOfRows(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x: f32[n0, n1] strides [*, 1], out y: bf16[n0, n1] strides [*, 1]) {
  for i < n0
  stage j < n1 {
    %x = load x[i, j]
    %m = reduce maximum %x
  }
  stage j < n1 {
    %a = load x[i, j]
    %q = divide %a, %m : f32
    %y = convert %q : bf16
    store y[i, j], %y
  }
}`)
	require.NoError(t, err)
	module, _, err := text(k)
	require.NoError(t, err)
	require.NotContains(t, module, "div.rn.f32")
	run, err := runner(t, k, 1<<20)
	require.NoError(t, err)
	greatest := []float64{3, 0x1p-149, 0x3p-140, 0x1.8p-127, 0x1p-126, 0, 0x1.8p127, math.MaxFloat32, math.Inf(1), math.NaN(), -5, -0x1p-130, math.Inf(-1)}
	const n = 40
	m := kerneltest.NewMemory(k, []int64{int64(len(greatest)), n}, kerneltest.Dense, 0x5A)
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]uint64, 0, len(greatest)*n)
	for _, g := range greatest {
		for j := range n {
			v := g
			if j > 0 {
				v = min(g, g*(1+4*r.Float64())*(1-2*float64(r.IntN(2))))
			}
			x = append(x, uint64(math.Float32bits(float32(v))))
		}
	}
	m.Set(0, x)
	want, err := m.Run(evaluate)
	require.NoError(t, err)
	got, err := m.Run(run)
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 0x1p-7}))
}
