package ptx_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/internal/test/accuracy"
	"ltc/internal/test/golden"
	"ltc/internal/test/ptxas"
	"ltc/internal/test/ptxsim"
	"ltc/internal/trials"
	"ltc/ir/types"
)

//go:generate go test -run=^TestAccuracy$ . -update

// function returns what runs an entry that computes a function in the interpreter.
func function(t *testing.T, f accuracy.Function) accuracy.Runner {
	t.Helper()
	entries := map[types.DType]func(x, y, z []byte) error{}
	for _, d := range []types.DType{types.F32, types.F64} {
		text2, arg := "", ""
		if f.Binary {
			text2, arg = " %%y = load y[i]\n", ", %%y"
		}
		k, err := kernel.Parse(fmt.Sprintf("kernel k(x: %[1]v[n0] strides [1], y: %[1]v[n0] strides [1], out z: %[1]v[n0] strides [1]) {\n for i < n0\n stage {\n %%x = load x[i]\n"+
			text2+" %%z = %[2]s %%x"+arg+" : %[1]v\n store z[i], %%z\n }\n}", d, f.Name))
		require.NoError(t, err)
		module, s, err := text(k)
		require.NoError(t, err)
		require.NoError(t, ptxas.Name(fmt.Sprintf("math/%s/%v", f.Name, d), module))
		m, err := ptxsim.Parse(module)
		require.NoError(t, err)
		e, err := m.Entry("k")
		require.NoError(t, err)
		entries[d] = func(x, y, z []byte) error {
			n := int64(len(x) / d.Size())
			l, err := s.Launch([]int64{n})
			if err != nil {
				return err
			}
			var memory ptxsim.Memory
			args := []uint64{memory.Alloc(x), memory.Alloc(y), memory.Alloc(z), uint64(n)}
			_, err = e.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: args})
			return err
		}
	}
	return func(d types.DType, x, y, z []byte) error { return entries[d](x, y, z) }
}

// TestAccuracy measures how far the functions are from what they should be, and
// compares docs/math.md with it.
func TestAccuracy(t *testing.T) {
	step, n := uint64(65521), 1500
	switch {
	case trials.Soaking():
		step, n = 1021, accuracy.Batch
	case !golden.Update():
		n = trials.Of(n)
	}
	var page strings.Builder
	page.WriteString(head)
	for _, f := range accuracy.Functions {
		run := function(t, f)
		single, err := f.Measure32(step, run)
		require.NoError(t, err)
		assert.LessOrEqual(t, single[0].Off, f.Most32, "%s of f32 at %v", f.Name, single[0].At)
		double, err := f.Measure64(n, run)
		require.NoError(t, err)
		assert.LessOrEqual(t, double[0].Off, f.Most64, "%s of f64 at %v", f.Name, double[0].At)
		fmt.Fprintf(&page, "| `%s` | %s | %s | %s |\n", f.Name, accuracy.Figure(single[0].Off), accuracy.Figure(double[0].Off), how[f.Name])
	}
	page.WriteString(tail)
	accuracy.GPU.Document(t, "../../../docs/math.md", page.String(), trials.Soaking())
}

// how says how functions are computed.
var how = map[string]string{
	"exponential":           "2ⁿ·eʳ, a polynomial of r",
	"exponential_minus_one": "2ⁿ·((1-2⁻ⁿ) + (eʳ-1)), added with what is rounded off",
	"log":                   "k·ln 2 + ln m; m-1 over m+1 in a series",
	"log_plus_one":          "the logarithm of 1+x with what that sum lacks",
	"tanh":                  "p/(p+2) with p = e²ˣ-1",
	"logistic":              "1/(1+e⁻ˣ) or eˣ/(1+eˣ), with what exponential, sum and quotient lack",
	"erf":                   "f32: a polynomial below 1, e to the power of one above; f64: one of 16 polynomials, in memory",
	"sqrt":                  "an instruction",
	"rsqrt":                 "1 over the square root",
	"cbrt":                  "a polynomial, then Halley's method; f32 by way of f64",
	"sine":                  "x - n·π/2 in twice the precision, from 2²⁰ on by the bits of 2/π that count; f32 from 2¹³ on by way of f64",
	"cosine":                "as sine",
	"tan":                   "sine over cosine; f32 by way of f64",
	"power":                 "e^(y·ln x), logarithm and product in twice the precision, with 128 values of 1/m and ln m in memory; f32 by way of f64",
	"atan2":                 "arctan of eighths in memory and a polynomial of what is left; f32 by way of f64",
}

const tail = `
f16 and bf16 are computed as f32 and rounded, but for the exponential. A shorter exponential serves where the result is rounded to bf16 or f16: at once, or after products, quotients and sums of what is not negative, as in a softmax. It is of 12 or 13 instructions instead of 19, and has 17 or 19 of the 24 bits. Of all bf16 it is the nearest number that there is; of f16 that is so but for 4 of 65,536, whose neighbour it is (2 by way of f32). The rounded exponential of an f32 is up to 0.502 units off in bf16, and 0.501 in f16; rounding alone takes 0.5. So 1 in 1,500 and 1 in 6,000 are the neighbour of the nearest number. A quotient by what is one for a row is rounded three times there, instead of once. Powers of 2 are bit patterns and products, no approximate instructions: all bits are the interpreter's.
`

const head = `
# Math functions of the CUDA backend

As above, of the PTX that kernels become, in its interpreter, which rounds as a GPU does: no instruction is approximate. For f32: 1 in 65,521 of all numbers, or 65,536 random pairs; for f64 as above. The functions are the expansions that CPUs have, but for tanh and the error function of f32: GPUs wait for memory, so they take a more exact way. ` + "`make ptxas`" + ` says how many registers each takes.

| function | largest sampled: f32 | f64 | how |
|---|---|---|---|
`
