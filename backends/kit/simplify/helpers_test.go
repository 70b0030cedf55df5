package simplify_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/simplify"
	"ltc/backends/reference/eval"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

// parse reads and verifies a text.
func parse(t testing.TB, name, text string) *mlir.Module {
	t.Helper()
	m, err := stablehlo.Parse(name, text)
	require.NoError(t, err)
	require.NoError(t, verify.Module(m), text)
	return m
}

// simplified runs all passes on a text, each checked, and returns the text that
// comes out, which must read back.
func simplified(t testing.TB, name, text string, o simplify.Options) string {
	t.Helper()
	m := parse(t, name, text)
	o.Check = true
	require.NoError(t, simplify.Run(context.Background(), m, o), text)
	return printed(t, m)
}

// printed prints m and requires that what reads back prints the same.
func printed(t testing.TB, m *mlir.Module) string {
	t.Helper()
	text := mlir.Print(m)
	require.Equal(t, text, mlir.Print(parse(t, "printed", text)))
	return text
}

// folding are the options with the evaluator.
var folding = simplify.Options{Fold: eval.New()}

// run runs a program on the evaluator.
func run(t testing.TB, text string, args []soa.View) []soa.View {
	t.Helper()
	results, err := evaluate(text, args)
	require.NoError(t, err, text)
	return results
}

func evaluate(text string, args []soa.View) ([]soa.View, error) {
	e, err := eval.New().Compile(context.Background(), backends.NewModule(text), backends.Options{})
	if err != nil {
		return nil, err
	}
	c := &backends.Call{Args: args, Results: make([]soa.View, len(e.Signature().Results))}
	for i, r := range e.Signature().Results {
		c.Results[i] = soa.Make(r.Type) // donated arguments keep their values
	}
	return c.Results, e.Execute(context.Background(), c)
}

// special are floats at the edges.
var special = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, 2, math.Inf(1), math.Inf(-1), math.NaN(), 1e-40, -1e-310, 65504, 3.4e38, 1e300, 3, -7.25}

// inputs are arguments for a program: about a quarter of the floats are special
// ones, and integers are small or at the ends of their range.
func inputs(t testing.TB, text string, seed uint64) []soa.View {
	t.Helper()
	m := parse(t, "inputs", text)
	sig, lacking, err := backends.ReadSignature(m)
	require.NoError(t, err)
	require.Empty(t, lacking)
	r := rand.New(rand.NewPCG(seed, 7))
	var args []soa.View
	for _, a := range sig.Args {
		v := soa.Make(a.Type)
		for i := range a.Type.Elements() {
			sample(r, v, i)
		}
		args = append(args, v)
	}
	return args
}

func sample(r *rand.Rand, v soa.View, i int) {
	d := v.Type.DType
	switch {
	case d.IsFloat() && r.IntN(4) == 0:
		samples.Set(v, i, special[r.IntN(len(special))])
	case d.IsFloat():
		samples.Set(v, i, r.NormFloat64()*2)
	case d == types.Bool:
		samples.SetBits(v, i, r.Uint64()&1)
	case r.IntN(8) == 0:
		samples.SetBits(v, i, []uint64{1 << (8*d.Size() - 1), 1<<(8*d.Size()-1) - 1, math.MaxUint64}[r.IntN(3)])
	default:
		samples.Set(v, i, float64(r.IntN(12)-4))
	}
}

// differ says how two results differ by more than the bits of a NaN; "" if they
// do not. A tolerance above 0 is that of samples.Differ.
func differ(got, want []soa.View, tolerance float64) string {
	for k := range want {
		if tolerance > 0 && want[k].Type.DType.IsFloat() {
			if d, err := samples.Differ(got[k], want[k]); err != nil || d.Size > tolerance {
				return fmt.Sprintf("result %d: %+v %v", k, d, err)
			}
			continue
		}
		for i := range want[k].Type.Elements() {
			a, b := samples.Bits(got[k], i), samples.Bits(want[k], i)
			if a != b && !(want[k].Type.DType.IsFloat() && math.IsNaN(samples.Float(got[k], i)) && math.IsNaN(samples.Float(want[k], i))) {
				return fmt.Sprintf("result %d, element %d: got %v (%#x), want %v (%#x)", k, i, samples.Float(got[k], i), a, samples.Float(want[k], i), b)
			}
		}
	}
	return ""
}

// requireSame runs two programs on the same inputs and requires the same
// results.
func requireSame(t testing.TB, before, after string, tolerance float64) {
	t.Helper()
	for seed := range uint64(4) {
		args := inputs(t, before, seed)
		if why := differ(run(t, after, args), run(t, before, args), tolerance); why != "" {
			require.Fail(t, why, "seed %d\nbefore:\n%s\nafter:\n%s", seed, before, after)
		}
	}
}
