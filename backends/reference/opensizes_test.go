package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

// openSizes are programs of which some sizes that a run brings break a rule: all elements
// are 1, and sizes that are values are i32s.
var openSizes = map[string]struct {
	text   string
	args   [][]int  // the shapes of a run that ends well
	breaks [][]int  // and of one that does not
	values [2]int32 // in either run, what an argument of i32s holds
	want   string   // the error
}{
	"rows of top_k": {
		text: `func.func @main(%x: tensor<?x5xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<?x5xf32> -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2x3xi32>
}`,
		args: [][]int{{2, 5}}, breaks: [][]int{{3, 5}},
		want: "module.mlir:2:10: error: chlo.top_k: the result is tensor<2x3xf32>, but its shape should be [3, 3]",
	},
	"elements of top_k": {
		text: `func.func @main(%x: tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi32>) {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<?xf32> -> (tensor<3xf32>, tensor<3xi32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xi32>
}`,
		args: [][]int{{4}}, breaks: [][]int{{2}},
		want: "module.mlir:2:10: error: chlo.top_k: the operand is tensor<2xf32>, but its last dimension should have at least k = 3",
	},
	"rows of dynamic_approx_top_k": {
		text: `func.func private @gt(%a: tensor<f32>, %b: tensor<f32>) -> tensor<i1> {
  %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0 : tensor<i1>
}
func.func @main(%x: tensor<?x5xf32>, %k: tensor<i32>) -> tensor<2x3xf32> {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.custom_call @stablehlo.dynamic_approx_top_k(%x, %low, %k) {called_computations = [@gt], mhlo.backend_config = {reduction_dim = 1 : i64, recall_target = 0.95 : f32, reduction_input_size_override = -1 : i64, top_k = 3 : i64, aggregate_to_topk = true}} : (tensor<?x5xf32>, tensor<f32>, tensor<i32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}`,
		args: [][]int{{2, 5}, {}}, breaks: [][]int{{3, 5}, {}}, values: [2]int32{3, 3},
		want: "the result is tensor<2x3xf32>, but its shape should be [3, 3]",
	},
	"a sum of two that are repeated": {
		text: `func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<4xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`,
		args: [][]int{{1}, {4}}, breaks: [][]int{{1}, {1}},
		want: "module.mlir:2:8: error: chlo.broadcast_add: the result is tensor<4xf32>, but no operand has more than 1 in dimension 0",
	},
	"a sum of two sizes": {
		text: `func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = chlo.broadcast_add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}`,
		args: [][]int{{4}, {1}}, breaks: [][]int{{4}, {3}},
		want: "module.mlir:2:8: error: chlo.broadcast_add: operand 1 is tensor<3xf32>, but another has 4 in dimension 0 of the result",
	},
	"the bound of a function": {
		text: `func.func @main(%x: tensor<?xf32>) -> tensor<?xf32, #stablehlo.bounds<3>> {
  %0 = chlo.square %x : tensor<?xf32> -> tensor<?xf32, #stablehlo.bounds<3>>
  return %0 : tensor<?xf32, #stablehlo.bounds<3>>
}`,
		args: [][]int{{3}}, breaks: [][]int{{4}},
		want: "module.mlir:2:8: error: chlo.square: operand 0 is tensor<4xf32> but the result is tensor<?xf32, #stablehlo.bounds<3>>",
	},
	"the size of a function": {
		text: `func.func @main(%x: tensor<?xf32>) -> tensor<3xf32> {
  %0 = chlo.erf %x : tensor<?xf32> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}`,
		args: [][]int{{3}}, breaks: [][]int{{4}},
		want: "module.mlir:2:8: error: chlo.erf: operand 0 is tensor<4xf32> but the result is tensor<3xf32>",
	},
	"a size of none": {
		text: `func.func @main(%n: tensor<1xi32>) -> tensor<0xi32> {
  %0 = "stablehlo.dynamic_iota"(%n) {iota_dimension = 0 : i64} : (tensor<1xi32>) -> tensor<0xi32>
  return %0 : tensor<0xi32>
}`,
		args: [][]int{{1}}, breaks: [][]int{{1}}, values: [2]int32{0, 5},
		want: "op 1: the values say shape [5], the result is tensor<0xi32>",
	},
	"a result that nobody uses": {
		text: `func.func @main(%n: tensor<1xi32>) -> tensor<1xi32> {
  %0 = "stablehlo.dynamic_iota"(%n) {iota_dimension = 0 : i64} : (tensor<1xi32>) -> tensor<2xi32>
  return %n : tensor<1xi32>
}`,
		args: [][]int{{1}}, breaks: [][]int{{1}}, values: [2]int32{2, 5},
		want: "op 1: the values say shape [5], the result is tensor<2xi32>",
	},
	"more than there is memory": {
		text: `func.func @main(%n: tensor<2xi32>) -> tensor<?x?xi32> {
  %0 = "stablehlo.dynamic_iota"(%n) {iota_dimension = 0 : i64} : (tensor<2xi32>) -> tensor<?x?xi32>
  return %0 : tensor<?x?xi32>
}`,
		args: [][]int{{2}}, breaks: [][]int{{2}}, values: [2]int32{3, 1 << 30},
		want: soa.ErrMemory.Error(),
	},
	"a state": {
		text: `func.func @main(%x: tensor<?xi64>) -> (tensor<?xui64>, tensor<3xui32>) {
  %s = stablehlo.bitcast_convert %x : (tensor<?xi64>) -> tensor<?xui64>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = PHILOX : (tensor<?xui64>) -> (tensor<?xui64>, tensor<3xui32>)
  return %0, %1 : tensor<?xui64>, tensor<3xui32>
}`,
		args: [][]int{{2}}, breaks: [][]int{{4}},
		want: "module.mlir:3:12: error: stablehlo.rng_bit_generator: the state is tensor<4xui64>, but PHILOX takes 2 or 3 numbers (rng_bit_generator_c2)",
	},
}

// Sizes that a run brings and that break the rule of an op are the run's error, which names
// the op, its line and the sizes: no row is left out and none repeated.
func TestSizesOfRunsKeepTheRules(t *testing.T) {
	for name, p := range openSizes {
		for _, backend := range []string{"eval", "cpu"} {
			t.Run(name+"/"+backend, func(t *testing.T) {
				b, err := backends.Open(backend)
				require.NoError(t, err)
				e, err := b.Compile(t.Context(), backends.NewModule(p.text), backends.Options{})
				require.NoError(t, err)
				run := func(shapes [][]int, value int32) error {
					c := &backends.Call{}
					for i, a := range e.Signature().Args {
						v := soa.Make(types.Of(a.Type.DType, shapes[i]...))
						switch a.Type.DType {
						case types.F32:
							setAll(soa.Slice[float32](v), 1)
						case types.I32:
							setAll(soa.Slice[int32](v), value)
						}
						c.Args = append(c.Args, v)
					}
					return e.Execute(t.Context(), c)
				}
				require.NoError(t, run(p.args, p.values[0]))
				err = run(p.breaks, p.values[1])
				require.ErrorContains(t, err, p.want)
				require.ErrorAs(t, err, new(*backends.RunError))
			})
		}
	}
}

func setAll[T any](s []T, x T) {
	for i := range s {
		s[i] = x
	}
}

// Bounds of arguments' types are bounds of their sizes, and those of one size are all its bounds. The
// program is compiled once, for all sizes within them.
func TestBoundsOfTypes(t *testing.T) {
	const text = `func.func @main(%x: tensor<?x3xf32, #stablehlo.bounds<8, ?>>, %y: tensor<?x3xf32, #stablehlo.bounds<6, ?>>, %z: tensor<?xf32>) -> (tensor<3xf32>, tensor<?x3xf32, #stablehlo.bounds<7, ?>>, tensor<?xf32, #stablehlo.bounds<5>>) {
  %0 = stablehlo.add %x, %y : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xf32, #stablehlo.bounds<6, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<7, ?>>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32, #stablehlo.bounds<7, ?>>, tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.negate %z : (tensor<?xf32>) -> tensor<?xf32, #stablehlo.bounds<5>>
  return %1, %0, %2 : tensor<3xf32>, tensor<?x3xf32, #stablehlo.bounds<7, ?>>, tensor<?xf32, #stablehlo.bounds<5>>
}`
	for _, backend := range []string{"eval", "cpu"} {
		t.Run(backend, func(t *testing.T) {
			b, err := backends.Open(backend)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: backend == "cpu"})
			require.NoError(t, err)
			run := func(m, n, k int) (*backends.Call, error) {
				c := &backends.Call{Args: []soa.View{soa.Make(types.Of(types.F32, m, 3)), soa.Make(types.Of(types.F32, n, 3)), soa.Make(types.Of(types.F32, k))}}
				setAll(soa.Slice[float32](c.Args[0]), 1)
				setAll(soa.Slice[float32](c.Args[1]), 2)
				return c, e.Execute(t.Context(), c)
			}
			for n := range 7 {
				c, err := run(n, n, 6-max(n, 1))
				require.NoError(t, err)
				require.Equal(t, []float32{float32(3 * n), float32(3 * n), float32(3 * n)}, soa.Slice[float32](c.Results[0]))
				require.Equal(t, types.Shape{n, 3}, c.Results[1].Type.Shape)
			}
			_, err = run(7, 7, 1)
			require.ErrorContains(t, err, "dimension 0 of argument 1 is 7: the program is for 0 to 6")
			_, err = run(4, 5, 1)
			require.ErrorContains(t, err, "operands are tensor<4x3xf32> and tensor<5x3xf32>")
			_, err = run(4, 4, 6)
			require.ErrorContains(t, err, "stablehlo.negate: operand 0 is tensor<6xf32> but the result is tensor<?xf32, #stablehlo.bounds<5>> (negate_c1)")
		})
	}
}
