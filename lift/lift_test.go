package lift_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/internal/samples"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir"
	"ltc/ir/types"
	"ltc/lift"
	"ltc/lower"
	"ltc/shapeinfer"
	"ltc/soa"
)

// again returns the text of what has been lifted from a text, and the values of the arguments
// that constants have become.
func again(f *lift.Function) (text string, constants []soa.View, err error) {
	b := ir.NewBuilder(shapeinfer.Infer)
	args := make([]*ir.Node, len(f.In))
	for i, t := range f.In {
		args[i] = b.Parameter(t, "", nil)
	}
	in := args
	results, err := f.Record(b, args, func(t types.Type, data []byte) (*ir.Node, error) {
		buffer := soa.New(len(data))
		copy(buffer.Bytes(), data)
		constants = append(constants, buffer.View(t))
		in = append(in, b.Parameter(t, "", nil))
		return in[len(in)-1], nil
	})
	if err != nil {
		return "", nil, err
	}
	g := &ir.Graph{Name: "lifted"}
	b.Capture(g, in, results, nil)
	return lower.Text(g, false), constants, nil
}

func run(t *testing.T, text string, args []soa.View) []soa.View {
	b, err := backends.Open("eval")
	require.NoError(t, err)
	exe, err := b.Compile(context.Background(), backends.NewModule(text), backends.Options{Name: "random.mlir"})
	require.NoError(t, err, text)
	call := &backends.Call{Args: args}
	require.NoError(t, exe.Execute(context.Background(), call))
	return call.Results
}

// What random programs are lifted to gives the bits of the programs. Those with an op that
// lazy tensors do not have are an error, which says so.
func TestRandomPrograms(t *testing.T) {
	for name, c := range map[string]struct {
		generate func(r *rand.Rand) string
		least    float64 // the part of the programs that is lifted
	}{
		"random":      {func(r *rand.Rand) string { return programs.Random(r, 12) }, 0.7},
		"odd":         {func(r *rand.Rand) string { return programs.Odd(r, 8).Text }, 0.4},
		"updates":     {func(r *rand.Rand) string { return programs.Updates(r, 8) }, 0.7},
		"convolution": {func(r *rand.Rand) string { return programs.Convolution(r, false) }, 1},
		"recurrent":   {programs.Recurrent, 1},
		"network":     {programs.Network, 1},
	} {
		t.Run(name, func(t *testing.T) {
			n, lifted := trials.Of(trials.Soak(60, 2000)), 0
			for seed := range n {
				text := c.generate(rand.New(rand.NewPCG(uint64(seed), 7)))
				f, err := lift.Read("random.mlir", text)
				if err != nil {
					require.Regexp(t, `^random.mlir:\d+:\d+: stablehlo\.\w+: `, err.Error(), text)
					continue
				}
				lifted++
				other, constants, err := again(f)
				require.NoError(t, err)
				want, got := run(t, text, inputs(t, f, seed)), run(t, other, slices.Concat(inputs(t, f, seed), constants))
				require.Len(t, got, len(want))
				for i := range want {
					if turned.MatchString(text) {
						requireClose(t, got[i], want[i], text)
						continue
					}
					requireSame(t, got[i], want[i], "seed %d, result %d of\n%s\nlifted to\n%s", seed, i, text, other)
				}
			}
			require.GreaterOrEqual(t, float64(lifted), c.least*float64(n))
		})
	}
}

// inputs returns arguments of a function; programs may write those that they are given.
func inputs(t *testing.T, f *lift.Function, seed int) []soa.View {
	var args []soa.View
	for i, typ := range f.In {
		v, err := samples.Make(typ, fmt.Sprintf("rand:%d", seed+i))
		require.NoError(t, err)
		args = append(args, v)
	}
	return args
}

var turned = regexp.MustCompile(`reverse = \[[^\]]*true`)

// requireClose allows for sums in another order: those of a kernel that is turned around first.
func requireClose(t *testing.T, got, want soa.View, text string) {
	d, err := samples.Differ(got, want)
	require.NoError(t, err)
	require.LessOrEqual(t, d.Size, 1e-5, text)
}

// requireSame holds every element to the same bits; NaNs are equal.
func requireSame(t *testing.T, got, want soa.View, format string, args ...any) {
	require.True(t, got.Type.Equal(want.Type))
	for i := range want.Type.Elements() {
		a, b := samples.Bits(got, i), samples.Bits(want, i)
		if a != b && !(want.Type.DType.IsFloat() && math.IsNaN(samples.Float(got, i)) && math.IsNaN(samples.Float(want, i))) {
			t.Fatalf("element %d is %x, not %x: "+format, append([]any{i, a, b}, args...)...)
		}
	}
}

// A region that is a sum for small numbers alone is no sum.
func TestSaturatingSumIsRefused(t *testing.T) {
	const text = `func.func @main(%x: tensor<4xTYPE>) -> tensor<TYPE> {
  %zero = stablehlo.constant dense<0> : tensor<TYPE>
  %y = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<4xTYPE>, tensor<TYPE>) -> tensor<TYPE>
    reducer(%a: tensor<TYPE>, %b: tensor<TYPE>) {
      %sum = stablehlo.add %a, %b : tensor<TYPE>
      %most = stablehlo.constant dense<100> : tensor<TYPE>
      %z = stablehlo.minimum %sum, %most : tensor<TYPE>
      stablehlo.return RESULT : tensor<TYPE>
    }
  return %y : tensor<TYPE>
}`
	for result, want := range map[string]string{"%sum": "", "%z": "x.mlir:3:8: stablehlo.reduce: its region is no sum, product, maximum or minimum, nor and or or of bool"} {
		_, err := lift.Read("x.mlir", strings.NewReplacer("TYPE", "i32", "RESULT", result).Replace(text))
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}
