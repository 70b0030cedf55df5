package vector_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/test/accuracy"
	"ltc/internal/test/golden"
	"ltc/internal/trials"
	"ltc/ir/types"
)

//go:generate go test -run=^TestAccuracy$ . -update

// soaking measures all f32s and many more f64s.
var soaking = trials.Soaking()

// how says how they are computed.
var how = map[string]string{
	"exponential":           "2ⁿ·eʳ, with AVX-512 n in sixteenths and 16 powers in a register; a polynomial of r",
	"exponential_minus_one": "2ⁿ·((1-2⁻ⁿ) + (eʳ-1)), added with what is rounded off",
	"log":                   "k·ln 2 + ln m; for f32, but for SSE2, 16 values of 1/m and ln m in registers; else m-1 over m+1 in a series",
	"log_plus_one":          "the logarithm of 1+x with what that sum lacks",
	"tanh":                  "with AVX-512 one of 16 polynomials, which the bits of 1+\\|x\\| choose, with the coefficients in registers; else p/(p+2) with p = e²ˣ-1",
	"logistic":              "1/(1+e⁻ˣ) or eˣ/(1+eˣ), with what exponential, sum and quotient lack",
	"erf":                   "one of 16 polynomials, around multiples of 33/128, for f64 of 25/64; f32, but for AVX-512, 1 - e^-p with a polynomial p",
	"sqrt":                  "an instruction",
	"rsqrt":                 "1 over the square root",
	"cbrt":                  "a polynomial, then Halley's method; f32 by way of f64",
	"sine":                  "x - n·π/2 in twice the precision, from 2²⁰ on by the bits of 2/π that count; f32 with fused products, from 2¹³ on by way of f64",
	"cosine":                "as sine",
	"tan":                   "sine over cosine, as theirs; f32 by way of f64",
	"power":                 "e^(y·ln x), logarithm and product in twice the precision, with 128 values of 1/m and ln m in memory; f32 by way of f64",
	"atan2":                 "arctan of eighths in memory and a polynomial of what is left; f32 by way of f64",
}

// TestAccuracy measures how far the functions are from what they should be, and
// compares docs/math.md with it.
func TestAccuracy(t *testing.T) {
	got := map[string][2]map[vector.Level]float64{}
	levels := runnable(t)
	step, n := uint64(1021), 1500
	switch {
	case soaking:
		step, n = 1, accuracy.Batch
	case !golden.Update():
		n = trials.Of(n)
		if trials.Few() {
			step = 10007
		}
	}
	for _, f := range accuracy.Functions {
		got[f.Name] = [2]map[vector.Level]float64{{}, {}}
		var runs []accuracy.Runner
		for _, l := range levels {
			m := vector.NewModule(machine(l))
			op, known := kernel.ParseOp(f.Name)
			require.True(t, known, f.Name)
			for _, d := range []types.DType{types.F32, types.F64} {
				operands := []types.DType{d, d}[:1]
				if f.Binary {
					operands = []types.DType{d, d}
				}
				kernelOf(m, d.String(), m.Machine.Lanes(d), operands, d, func(b *vector.Builder, v []vector.Value) vector.Value {
					r, err := b.Op(op, d, v...)
					require.NoError(t, err)
					return r
				})
			}
			im := load(t, m)
			runs = append(runs, func(d types.DType, x, y, z []byte) error {
				if f.Binary {
					call(t, im, d.String(), len(z)/d.Size(), x, y, z)
				} else {
					call(t, im, d.String(), len(z)/d.Size(), x, z)
				}
				return nil
			})
		}
		singles, err := f.Measure32(step, runs...)
		require.NoError(t, err)
		for i, w := range singles {
			assert.LessOrEqual(t, w.Off, most(f, levels[i], f.Most32), "%s of f32 on %v at %v", f.Name, levels[i], w.At)
			got[f.Name][0][levels[i]] = w.Off
		}
		doubles, err := f.Measure64(n, runs...)
		require.NoError(t, err)
		for i, w := range doubles {
			assert.LessOrEqual(t, w.Off, most(f, levels[i], f.Most64), "%s of f64 on %v at %v", f.Name, levels[i], w.At)
			got[f.Name][1][levels[i]] = w.Off
		}
	}
	document(t, got)
}

// most returns how far a function may be off at a level: a quotient of rounded parts,
// as tanh is without AVX-512, further than others.
func most(f accuracy.Function, l vector.Level, usual float64) float64 {
	if f.Name == "tanh" && l != vector.AVX512 && l != vector.AVX512BF16 {
		return 2.5
	}
	return usual
}

// document compares the page with what was measured; a level that did not run has
// figures of 0.
func document(t *testing.T, got map[string][2]map[vector.Level]float64) {
	var s strings.Builder
	s.WriteString(head)
	all := []vector.Level{vector.AVX512, vector.AVX2, vector.SSE2}
	for _, f := range accuracy.Functions {
		fmt.Fprintf(&s, "| `%s` |", f.Name)
		for k := range 2 {
			for _, l := range all {
				fmt.Fprintf(&s, " %s |", accuracy.Figure(got[f.Name][k][l]))
			}
		}
		fmt.Fprintf(&s, " %s |\n", how[f.Name])
	}
	accuracy.CPU.Document(t, "../../../../docs/math.md", s.String(), soaking)
}

const head = `# Math functions of the compiled CPU backend

The bound is 1.5 units in the last place from the exact result; 2 for erf of f32 and for the tangent of f64; 2.5 for tanh without AVX-512. The columns have no bounds: they have the largest error of a sample, by the instructions that code is compiled for, and other operands are further off. For f32 the sample is 1 in 1021 of all numbers, subnormal ones and both infinities among them, or a million random pairs. For f64 it is 1,500 random operands where the function is interesting, against 160 bits. ` + "`LTC_SOAK=1`" + ` takes every f32. A test fails beyond the bound, or beyond the page's figure for the sample. Functions are of real numbers: those of complex ones are composed of them, and have no bound here.

f16 and bf16 are computed as f32 and rounded. Infinities, NaN, zeros of both signs and what overflows are as for the evaluator; results are rounded to subnormal numbers, not flushed. Matrix products of bf16 by AVX512-BF16 are an exception: their instruction takes subnormal numbers as 0, which times an infinity is NaN. ` + "`LTC_CPU_LEVEL=avx512`" + ` does without it. Large transposed convolutions are another: they skip the zeros between the elements of their images, which StableHLO multiplies, also by infinities of the kernel to NaN. A function gives the same bits for a number wherever it stands, in a vector or alone.

Coefficients come from ` + "`backends/kit/approx/gen`" + `: least relative deviation, found by weighted least squares on big floats and rounded one after the other.

| function | largest sampled: f32 AVX-512 | AVX2 | SSE2 | f64 AVX-512 | AVX2 | SSE2 | how |
|---|---|---|---|---|---|---|---|
`
