package reference

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/tiles"
	"ltc/ir/types"
	"ltc/mlir"
	"ltc/soa"
	"ltc/stablehlo"
)

const countdown = `func.func @main(%n: tensor<i32>, %x: tensor<8xf32>) -> (tensor<8xf32> {ltc.name = "y"}, tensor<8xf32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<8xf32>
   cond {
    %c = stablehlo.compare GT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.subtract %i, %one : tensor<i32>
    %w = stablehlo.tanh %v : tensor<8xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<8xf32>
  }
  %p = stablehlo.compare GT, %n, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %b = "stablehlo.if"(%p) ({
    %e = stablehlo.exponential %x : tensor<8xf32>
    stablehlo.return %e : tensor<8xf32>
  }, {
    %f = stablehlo.negate %x : tensor<8xf32>
    stablehlo.return %f : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  %s = "stablehlo.sort"(%b) ({
  ^bb0(%k: tensor<f32>, %l: tensor<f32>):
    %lt = stablehlo.compare LT, %k, %l : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %lt : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %r#1, %s : tensor<8xf32>, tensor<8xf32>
}
`

// profiled compiles the program by the interpreter of kernels.
func profiled(t *testing.T, profile bool) *compiled {
	o := backends.Options{Profile: profile}
	p, err := backends.Load(t.Context(), backends.NewModule(countdown), o)
	require.NoError(t, err)
	e, err := compileKernels(t.Context(), p, o, []kernel.Compiler{tiles.Compiler{}})
	require.NoError(t, err)
	return e.(*compiled)
}

func profiledCall(n int32) *backends.Call {
	turns, x := soa.Make(types.Of(types.I32)), soa.Make(types.Of(types.F32, 8))
	soa.Slice[int32](turns)[0] = n
	return &backends.Call{Args: []soa.View{turns, x}}
}

// Steps of loops and branches are counted with the ops of the text that they
// were made for.
func TestProfile(t *testing.T) {
	e := profiled(t, true)
	var _ backends.Profiler = e
	for range 2 {
		require.NoError(t, e.Execute(t.Context(), profiledCall(5)))
	}
	steps := e.Profile()
	m, err := stablehlo.Parse("m.mlir", countdown)
	require.NoError(t, err)
	names := map[int]string{}
	m.Walk(func(op *mlir.Op) bool { names[op.Ordinal] = strings.TrimPrefix(op.Name(), "stablehlo."); return true })
	backends.LocateProfile(steps, e.Signature(), func(op int) string { return names[op] })

	type row struct {
		depth    int
		what, at string
		runs     int64
		kernel   bool
		flops    float64
		bytes    float64
	}
	var rows []row
	for _, s := range steps {
		if s.Runs > 0 {
			require.Positive(t, s.Least)
			require.GreaterOrEqual(t, s.Total, s.Least)
		}
		rows = append(rows, row{s.Depth, s.What, s.Place, s.Runs, s.Kernel, s.Flops, s.Bytes})
	}
	require.Equal(t, []row{
		{0, "while", "while → y", 2, false, 0, 0},
		{1, "compare", "compare", 12, true, 0, 9},
		{1, "subtract", "subtract", 10, true, 0, 12},
		{1, "tanh", "tanh", 10, true, 8, 64},
		{0, "compare", "compare", 2, true, 0, 5},
		{0, "branch", "if", 2, false, 0, 0},
		{1, "exponential", "exponential", 2, true, 8, 64},
		{1, "negate", "negate", 0, true, 8, 64},
		{0, "sort", "sort", 2, true, 0, 64},
	}, rows)
}

// A program that nobody measures has no times, and a run of it allocates what it
// did.
func TestNotProfiled(t *testing.T) {
	e := profiled(t, false)
	require.NoError(t, e.Execute(t.Context(), profiledCall(1)))
	require.Nil(t, e.Times)
	require.Nil(t, e.Profile())
}
