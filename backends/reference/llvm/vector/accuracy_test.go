package vector_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/vector"
	"ltc/internal/bigfloat"
	"ltc/internal/golden"
	"ltc/internal/trials"
	"ltc/ir/types"
)

//go:generate go test -run=^TestAccuracy$ . -update

// soaking measures all f32s and many more f64s.
var soaking = trials.Soaking()

// function is a math function with what it should give.
type function struct {
	name string
	real func(x, y float64) float64       // for f32
	big  func(x, y *big.Float) *big.Float // for f64, of x that are in its domain
	// most is how many units it may be off by, for f32 and f64.
	most32, most64 float64
	// sample returns f64 operands at which it is interesting.
	sample func(r *rand.Rand) (x, y float64)
	binary bool
	how    string
}

func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func oneBig(f func(*big.Float) *big.Float) func(x, y *big.Float) *big.Float {
	return func(x, _ *big.Float) *big.Float { return f(x) }
}

func num(x float64) *big.Float { return new(big.Float).SetPrec(160).SetFloat64(x) }

func quo(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(160).Quo(x, y) }

func sum(x, y *big.Float) *big.Float { return new(big.Float).SetPrec(160).Add(x, y) }

// sized returns numbers of sizes around 2^(from…to), of both signs or positive.
func sized(from, to int, positive bool) func(r *rand.Rand) (x, y float64) {
	return func(r *rand.Rand) (float64, float64) {
		x := math.Ldexp(1+r.Float64(), from+r.IntN(to-from))
		if !positive && r.IntN(2) == 0 {
			x = -x
		}
		return x, 0
	}
}

var functions = []function{
	{name: "exponential", real: one(math.Exp), big: oneBig(bigfloat.Exp), most32: 1.5, most64: 1.5, sample: sized(-30, 10, false),
		how: "2ⁿ·eʳ, with AVX-512 n in sixteenths and 16 powers in a register; a polynomial of r"},
	{name: "exponential_minus_one", real: one(math.Expm1), big: oneBig(bigfloat.Expm1), most32: 1.5, most64: 1.5, sample: sized(-60, 9, false),
		how: "2ⁿ·((1-2⁻ⁿ) + (eʳ-1)), added with what is rounded off"},
	{name: "log", real: one(math.Log), big: oneBig(bigfloat.Log), most32: 1.5, most64: 1.5, sample: around1(1022),
		how: "k·ln 2 + ln m; for f32, but for SSE2, 16 values of 1/m and ln m in registers; else m-1 over m+1 in a series"},
	{name: "log_plus_one", real: one(math.Log1p), big: oneBig(bigfloat.Log1p), most32: 1.5, most64: 1.5, sample: above(-1, sized(-60, 60, false)),
		how: "the logarithm of 1+x with what that sum lacks"},
	{name: "tanh", real: one(math.Tanh), big: oneBig(bigfloat.Tanh), most32: 2.5, most64: 2.5, sample: sized(-40, 6, false),
		how: "one of 16 polynomials, which the bits of 1+\\|x\\| choose; with AVX-512, and for f32 with AVX2 and NEON, the coefficients are in registers"},
	{name: "logistic", real: one(func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }), big: oneBig(func(x *big.Float) *big.Float {
		e := bigfloat.Exp(new(big.Float).Neg(x))
		return quo(num(1), sum(e, num(1)))
	}), most32: 1.5, most64: 1.5, sample: sized(-40, 9, false), how: "1/(1+e⁻ˣ) or eˣ/(1+eˣ), with what exponential, sum and quotient lack"},
	{name: "erf", real: one(math.Erf), big: oneBig(func(x *big.Float) *big.Float {
		if f, _ := x.Float64(); math.Abs(f) > 8 {
			return num(math.Copysign(1, f))
		}
		return bigfloat.Erf(x)
	}), most32: 2.5, most64: 2.5, sample: sized(-40, 4, false), how: "one of 16 polynomials, around multiples of 33/128, for f64 of 25/64"},
	{name: "sqrt", real: one(math.Sqrt), big: oneBig(func(x *big.Float) *big.Float { return new(big.Float).Sqrt(x) }), most32: 0.5, most64: 0.5, sample: sized(-1000, 1000, true),
		how: "an instruction"},
	{name: "rsqrt", real: one(func(x float64) float64 { return 1 / math.Sqrt(x) }), big: oneBig(func(x *big.Float) *big.Float {
		return quo(num(1), new(big.Float).Sqrt(x))
	}), most32: 1.5, most64: 1.5, sample: sized(-1000, 1000, true), how: "1 over the square root"},
	{name: "cbrt", real: one(math.Cbrt), big: oneBig(func(x *big.Float) *big.Float {
		if x.Sign() < 0 {
			y := bigfloat.Cbrt(new(big.Float).Neg(x))
			return y.Neg(y)
		}
		return bigfloat.Cbrt(x)
	}), most32: 1.5, most64: 1.5, sample: sized(-1000, 1000, false), how: "a polynomial, then Halley's method; f32 by way of f64"},
	{name: "sine", real: one(math.Sin), big: oneBig(func(x *big.Float) *big.Float { s, _ := bigfloat.SinCos(x); return s }), most32: 1.5, most64: 1.5, sample: angles,
		how: "x - n·π/2 in twice the precision, from 2²⁰ on by the bits of 2/π that count; f32 with fused products, from 2¹³ on by way of f64"},
	{name: "cosine", real: one(math.Cos), big: oneBig(func(x *big.Float) *big.Float { _, c := bigfloat.SinCos(x); return c }), most32: 1.5, most64: 1.5, sample: angles,
		how: "as sine"},
	{name: "tan", real: one(math.Tan), big: oneBig(func(x *big.Float) *big.Float { s, c := bigfloat.SinCos(x); return quo(s, c) }), most32: 1.5, most64: 2.5, sample: angles,
		how: "sine over cosine, as theirs; f32 by way of f64"},
	{name: "power", real: math.Pow, big: func(x, y *big.Float) *big.Float {
		l := bigfloat.Log(x)
		return bigfloat.Exp(l.Mul(l, y))
	}, most32: 1.5, most64: 1.5, sample: powers, binary: true, how: "e^(y·ln x), logarithm and product in twice the precision, with 128 values of 1/m and ln m in memory; f32 by way of f64"},
	{name: "atan2", real: math.Atan2, big: bigAtan2, most32: 1.5, most64: 1.5, sample: directionsOf, binary: true,
		how: "arctan of eighths in memory and a polynomial of what is left; f32 by way of f64"},
}

func around1(e int) func(r *rand.Rand) (x, y float64) {
	wide, near := sized(-e, e, true), sized(-50, -1, false)
	return func(r *rand.Rand) (float64, float64) {
		if r.IntN(2) == 0 {
			return wide(r)
		}
		x, _ := near(r)
		return 1 + x, 0
	}
}

func above(least float64, f func(r *rand.Rand) (x, y float64)) func(r *rand.Rand) (x, y float64) {
	return func(r *rand.Rand) (float64, float64) {
		for {
			if x, y := f(r); x > least {
				return x, y
			}
		}
	}
}

// angles has small and huge ones, and those next to multiples of π/2.
func angles(r *rand.Rand) (float64, float64) {
	switch r.IntN(4) {
	case 0:
		return sized(-30, 1023, false)(r)
	case 1:
		n := float64(r.IntN(1 << 22))
		return n * (math.Pi / 2), 0
	}
	return sized(-20, 24, false)(r)
}

func powers(r *rand.Rand) (float64, float64) {
	x, _ := around1(200)(r)
	if l := math.Log(x); l != 0 {
		return x, 700 / l * (2*r.Float64() - 1)
	}
	return x, r.NormFloat64()
}

func directionsOf(r *rand.Rand) (float64, float64) {
	y, _ := sized(-30, 30, false)(r)
	if r.IntN(8) == 0 {
		y, _ = sized(-1020, 1020, false)(r)
	}
	x, _ := sized(-3, 3, false)(r)
	return y, y * x
}

func bigAtan2(y, x *big.Float) *big.Float {
	a := bigfloat.Atan(quo(new(big.Float).Abs(y), new(big.Float).Abs(x)))
	if x.Sign() < 0 {
		a.Sub(bigfloat.Pi(200), a)
	}
	if y.Sign() < 0 {
		a.Neg(a)
	}
	return a
}

// units returns how far got is from want, in units in the last place of f32.
func units(got float32, want float64) float64 {
	w := float32(want)
	switch {
	case got != got || want != want:
		if got != got && want != want {
			return 0
		}
		return math.Inf(1)
	case math.IsInf(float64(w), 0) || want == 0:
		if math.Float32bits(got) == math.Float32bits(w) {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(got)-want) / math.Ldexp(1, max(e-24, -149))
}

// unitsBig is units for f64.
func unitsBig(got float64, want *big.Float) float64 {
	if w, _ := want.Float64(); math.IsInf(w, 0) || math.IsInf(got, 0) || got != got {
		if w == got {
			return 0
		}
		return math.Inf(1)
	}
	d := new(big.Float).SetPrec(160).Sub(num(got), want)
	f, _ := d.SetMantExp(d, -max(want.MantExp(nil)-53, -1074)).Float64()
	return math.Abs(f)
}

const batch = 1 << 16

// TestAccuracy measures how far the functions are from what they should be, and
// compares docs/math.md with it.
func TestAccuracy(t *testing.T) {
	got := map[string][2]map[vector.Level]float64{}
	levels := runnable(t)
	for _, f := range functions {
		got[f.name] = [2]map[vector.Level]float64{{}, {}}
		var runs []runner
		for _, l := range levels {
			m := vector.NewModule(machine(l))
			for _, d := range []types.DType{types.F32, types.F64} {
				operands := []types.DType{d, d}[:1]
				if f.binary {
					operands = []types.DType{d, d}
				}
				kernel(m, d.String(), m.Machine.Lanes(d), operands, d, func(b *vector.Builder, v []vector.Value) vector.Value {
					r, err := b.Unary(f.name, v[0])
					if f.binary {
						r, err = b.Binary(f.name, v[0], v[1])
					}
					require.NoError(t, err)
					return r
				})
			}
			im := load(t, m)
			runs = append(runs, func(d types.DType, x, y, z []byte) {
				if f.binary {
					call(t, im, d.String(), batch, x, y, z)
				} else {
					call(t, im, d.String(), batch, x, z)
				}
			})
		}
		for i, w := range f.measure32(runs) {
			assert.LessOrEqual(t, w.off, f.most32, "%s of f32 on %v at %v", f.name, levels[i], w.at)
			got[f.name][0][levels[i]] = w.off
		}
		for i, w := range f.measure64(runs) {
			assert.LessOrEqual(t, w.off, f.most64, "%s of f64 on %v at %v", f.name, levels[i], w.at)
			got[f.name][1][levels[i]] = w.off
		}
	}
	document(t, levels, got)
}

// runner computes a batch of elements of a dtype.
type runner func(d types.DType, x, y, z []byte)

// worst is the largest error, and where: operands and result.
type worst struct {
	off float64
	at  [3]float64
}

func (w *worst) add(off, x, y, z float64) {
	if off > w.off {
		*w = worst{off, [3]float64{x, y, z}}
	}
}

// measure32 takes 1 in 1021 of all f32s, or each of them; of pairs as many random
// ones as 16 batches have.
func (f function) measure32(runs []runner) []worst {
	all := make([]worst, len(runs))
	x, y, z := make([]float32, batch), make([]float32, batch), make([]float32, batch)
	want := make([]float64, batch)
	flush := func() {
		for i := range x {
			want[i] = f.real(float64(x[i]), float64(y[i]))
		}
		for k, run := range runs {
			run(types.F32, bytesOf(x), bytesOf(y), bytesOf(z))
			for i := range x {
				all[k].add(units(z[i], want[i]), float64(x[i]), float64(y[i]), float64(z[i]))
			}
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	if f.binary {
		for range 16 {
			for i := range x {
				a, b := f.sample(r)
				x[i], y[i] = float32(a), float32(b)
			}
			flush()
		}
		return all
	}
	step := uint64(1021)
	switch {
	case soaking:
		step = 1
	case trials.Few() && !golden.Update():
		step = 10007
	}
	n := 0
	for bits := uint64(0); bits < 1<<32; bits += step {
		x[n] = math.Float32frombits(uint32(bits))
		if n++; n == batch {
			flush()
			n = 0
		}
	}
	for i := n; i < batch; i++ { // those from 0 on and from -0 on
		x[i] = math.Float32frombits(uint32(i-n)<<31 | uint32(i-n)>>1)
	}
	flush()
	return all
}

// measure64 takes random f64s of a function's domain.
func (f function) measure64(runs []runner) []worst {
	all := make([]worst, len(runs))
	x, y, z := make([]float64, batch), make([]float64, batch), make([]float64, batch)
	r := rand.New(rand.NewPCG(5, 6))
	for i := range x {
		x[i], y[i] = f.sample(r)
	}
	n := 1500
	switch {
	case soaking:
		n = batch
	case !golden.Update():
		n = trials.Of(n)
	}
	want := make([]*big.Float, n)
	for i := range want {
		want[i] = f.big(num(x[i]), num(y[i]))
	}
	for k, run := range runs {
		run(types.F64, bytesOf(x), bytesOf(y), bytesOf(z))
		for i := range want {
			all[k].add(unitsBig(z[i], want[i]), x[i], y[i], z[i])
		}
	}
	return all
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

const page = "../../../../docs/math.md"

var cell = regexp.MustCompile(`\d\.\d\d`)

// document compares the page with what was measured: what it says is what was, or
// more where fewer numbers were taken; a level that did not run is not looked at.
func document(t *testing.T, levels []vector.Level, got map[string][2]map[vector.Level]float64) {
	var s strings.Builder
	s.WriteString(head)
	all := []vector.Level{vector.AVX512, vector.AVX2, vector.SSE2}
	up := func(v float64) string { return fmt.Sprintf("%.2f", math.Ceil(v*100)/100) }
	for _, f := range functions {
		fmt.Fprintf(&s, "| `%s` |", f.name)
		for k := range 2 {
			for _, l := range all {
				fmt.Fprintf(&s, " %s |", up(got[f.name][k][l]))
			}
		}
		fmt.Fprintf(&s, " %s |\n", f.how)
	}
	if golden.Update() {
		require.Len(t, levels, len(all), "this machine does not run all levels")
		require.NoError(t, os.WriteFile(page, []byte(s.String()), 0o666))
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, cell.ReplaceAllString(s.String(), "…"), cell.ReplaceAllString(string(text), "…"), "run go generate")
	rows := strings.Split(string(text), "\n| `")[1:]
	for i, f := range functions {
		said := cell.FindAllString(rows[i], 6)
		for k := range 2 {
			for j, l := range all {
				if off, ran := got[f.name][k][l]; ran {
					v, err := strconv.ParseFloat(said[3*k+j], 64)
					require.NoError(t, err)
					if !soaking {
						require.LessOrEqual(t, off, v, "%s on %v: run go generate", f.name, l)
					}
				}
			}
		}
	}
}

const head = `<!-- Written by go generate ./backends/reference/llvm/vector. -->
# Math functions of the compiled CPU backend

How far results are from the exact ones, at most, in units in the last place, by the instructions that code is compiled for. For f32: 1 in 1021 of all numbers, subnormal ones and both infinities among them, or a million random pairs; for f64: 1,500 random operands where the function is interesting, against 160 bits. ` + "`LTC_SOAK=1`" + ` takes every f32. What is asked for is 1.5 units, 2.5 for erf and tanh and for the tangent of f64; a test fails beyond that, or beyond what stands here.

f16 and bf16 are computed as f32 and rounded. Infinities, NaN, zeros of both signs and what overflows are as for the evaluator; results are rounded to subnormal numbers, not flushed. A function gives the same bits for a number wherever it stands, in a vector or alone.

Coefficients come from ` + "`backends/reference/llvm/vector/gen`" + `: least relative deviation, found by weighted least squares on big floats and rounded one after the other.

| function | f32 AVX-512 | AVX2 | SSE2 | f64 AVX-512 | AVX2 | SSE2 | how |
|---|---|---|---|---|---|---|---|
`
