package reference

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/eval"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// symbolPrograms leave batch and seq open.
var symbolPrograms = map[string]string{
	// Attention of one head, with a projection of all positions of the batch at once.
	"attention": `
module attributes {ltc.dims = {batch = [0, 64], seq = [0, 4096]}} {
  func.func public @main(%x: tensor<?x?x8xf32> {ltc.dim = ["batch", "seq", ""]}, %w: tensor<8x12xf32> {ltc.constant}) -> tensor<?x?x4xf32> {
    %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x8xf32>) -> tensor<i32>
    %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x8xf32>) -> tensor<i32>
    %bs = stablehlo.multiply %b, %s : tensor<i32>
    %b1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>
    %s1 = stablehlo.reshape %s : (tensor<i32>) -> tensor<1xi32>
    %bs1 = stablehlo.reshape %bs : (tensor<i32>) -> tensor<1xi32>
    %c8 = stablehlo.constant dense<8> : tensor<1xi32>
    %c3 = stablehlo.constant dense<3> : tensor<1xi32>
    %c4 = stablehlo.constant dense<4> : tensor<1xi32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %flat = stablehlo.concatenate %bs1, %c8, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %heads = stablehlo.concatenate %b1, %s1, %c3, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %rows = stablehlo.concatenate %b1, %s1, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %square = stablehlo.concatenate %b1, %s1, %s1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
    %xf = stablehlo.dynamic_reshape %x, %flat : (tensor<?x?x8xf32>, tensor<2xi32>) -> tensor<?x8xf32>
    %p = stablehlo.dot_general %xf, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x12xf32>) -> tensor<?x12xf32>
    %h = stablehlo.dynamic_reshape %p, %heads : (tensor<?x12xf32>, tensor<4xi32>) -> tensor<?x?x3x4xf32>
    %i0 = stablehlo.constant dense<0> : tensor<i32>
    %i1 = stablehlo.constant dense<1> : tensor<i32>
    %i2 = stablehlo.constant dense<2> : tensor<i32>
    %z4 = stablehlo.constant dense<0> : tensor<4xi32>
    %z1 = stablehlo.constant dense<0> : tensor<1xi32>
    %t1 = stablehlo.constant dense<2> : tensor<1xi32>
    %part = stablehlo.concatenate %b1, %s1, %one, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %from1 = stablehlo.concatenate %z1, %z1, %one, %z1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %to1 = stablehlo.concatenate %b1, %s1, %t1, %c4, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %from2 = stablehlo.concatenate %z1, %z1, %t1, %z1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<4xi32>
    %ones = stablehlo.constant dense<1> : tensor<4xi32>
    %q4 = stablehlo.real_dynamic_slice %h, %z4, %part, %ones : (tensor<?x?x3x4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<?x?x1x4xf32>
    %k4 = stablehlo.real_dynamic_slice %h, %from1, %to1, %ones : (tensor<?x?x3x4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<?x?x1x4xf32>
    %v4 = stablehlo.real_dynamic_slice %h, %from2, %heads, %ones : (tensor<?x?x3x4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<?x?x1x4xf32>
    %q = stablehlo.dynamic_reshape %q4, %rows : (tensor<?x?x1x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
    %k = stablehlo.dynamic_reshape %k4, %rows : (tensor<?x?x1x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
    %v = stablehlo.dynamic_reshape %v4, %rows : (tensor<?x?x1x4xf32>, tensor<3xi32>) -> tensor<?x?x4xf32>
    %a = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x?xf32>
    %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<?x?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
    %mb = stablehlo.dynamic_broadcast_in_dim %m, %square, dims = [0, 1] : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
    %d = stablehlo.subtract %a, %mb : tensor<?x?x?xf32>
    %e = stablehlo.exponential %d : tensor<?x?x?xf32>
    %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<?x?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
    %sb = stablehlo.dynamic_broadcast_in_dim %sum, %square, dims = [0, 1] : (tensor<?x?xf32>, tensor<3xi32>) -> tensor<?x?x?xf32>
    %y = stablehlo.divide %e, %sb : tensor<?x?x?xf32>
    %r = stablehlo.dot_general %y, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x?x?xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
    return %r : tensor<?x?x4xf32>
  }
}`,
	// Sizes that are no lines: the mean of all elements, and windows two apart along seq.
	"mean and windows": `
module attributes {ltc.dims = {batch = [0, 64], seq = [0, 100000]}} {
  func.func public @main(%x: tensor<?x?xf32> {ltc.dim = ["batch", "seq"]}) -> (tensor<f32>, tensor<?x?xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %b = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
    %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
    %n = stablehlo.multiply %b, %s : tensor<i32>
    %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
    %all = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
    %mean = stablehlo.divide %all, %f : tensor<f32>
    %w = "stablehlo.reduce_window"(%x, %zero) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %r = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %r : tensor<f32>
    }) {window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
    %t = stablehlo.tanh %w : tensor<?x?xf32>
    return %mean, %t : tensor<f32>, tensor<?x?xf32>
  }
}`,
	// The dimensions of a product are sizes that follow from two others.
	"product of concatenations": `
func.func public @main(%x: tensor<?x3xf32>, %y: tensor<?x3xf32>) -> tensor<?x?xf32> {
  %c = stablehlo.concatenate %x, %y, %x, dim = 0 : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %r = stablehlo.reverse %c, dims = [0] : tensor<?x3xf32>
  %p = stablehlo.dot_general %c, %r, contracting_dims = [1] x [1] : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}`,
	// Two sizes without a name that have to be one.
	"sum of two": `
func.func public @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.add %x, %y : tensor<?x?xf32>
  %1 = stablehlo.exponential %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}`,
}

// One compile runs all values of two sizes.
func TestOneProgramForTwoSizes(t *testing.T) {
	for name, text := range symbolPrograms {
		t.Run(name, func(t *testing.T) {
			cpu, err := backends.Open("cpu")
			require.NoError(t, err)
			e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: true})
			require.NoError(t, err)
			require.IsType(t, &openExecutable{}, e, "one program for all sizes")
			want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			for _, n := range [][2]int{{1, 1}, {2, 5}, {5, 2}, {0, 3}, {3, 0}, {0, 0}, {1, 700}, {33, 1}, {7, 64}, {2, 5}} {
				args := argsOfTwo(e.Signature(), n, name == "product of concatenations")
				a, b := &backends.Call{Args: args}, &backends.Call{Args: args}
				require.NoError(t, want.Execute(t.Context(), a), n)
				require.NoError(t, e.Execute(t.Context(), b), n)
				for j := range a.Results {
					near(t, a.Results[j], b.Results[j], n)
				}
			}
		})
	}
}

// argsOfTwo returns arguments whose first open dimension is n[0], and whose next one is n[1]; of
// one argument after the other with turns set.
func argsOfTwo(s *backends.Signature, n [2]int, turns bool) []soa.View {
	var args []soa.View
	for i, a := range s.Args {
		shape, next := make([]int, len(a.Type.Shape)), 0
		if turns {
			next = i % 2
		}
		for d, size := range a.Type.Shape {
			if shape[d] = size; size == backends.AnySize {
				shape[d] = n[next%2]
				next++
			}
		}
		v := soa.Make(types.Of(a.Type.DType, shape...))
		for k, x := 0, soa.Slice[float32](v); k < len(x); k++ {
			x[k] = float32((k*7+i*3)%11)/8 - 0.5
		}
		args = append(args, v)
	}
	return args
}

// Sizes that have to be one, and are not, are an error that says so, and so are sizes beyond the
// bounds.
func TestErrorsOfTwoSizes(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	run := func(text string, shapes ...[]int) error {
		e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: true})
		require.NoError(t, err)
		c := &backends.Call{}
		for _, s := range shapes {
			c.Args = append(c.Args, soa.Make(types.Of(types.F32, s...)))
		}
		return e.Execute(t.Context(), c)
	}
	sum := symbolPrograms["sum of two"]
	require.NoError(t, run(sum, []int{2, 3}, []int{2, 3}))
	require.ErrorContains(t, run(sum, []int{2, 3}, []int{2, 4}), "stablehlo.add")
	require.EqualError(t, run(symbolPrograms["mean and windows"], []int{65, 3}),
		"execute: dimension 0 of argument 0 is 65: the program is for 0 to 64")
	const named = `
func.func public @main(%x: tensor<?xf32> {ltc.dim = ["n"]}, %y: tensor<?x?xf32> {ltc.dim = ["m", "n"]}) -> tensor<?x?xf32> {
  %0 = stablehlo.tanh %y : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}`
	require.EqualError(t, run(named, []int{4}, []int{2, 3}), "execute: dimension 1 of argument 1 is 3, and dimension 0 of argument 0 4: they are one size")
	const fixed = `
func.func public @main(%x: tensor<?xf32> {ltc.dim = ["n"]}, %y: tensor<2x4xf32> {ltc.dim = ["", "n"]}) -> tensor<?xf32> {
  %0 = stablehlo.tanh %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}`
	for _, name := range []string{"cpu", "eval"} {
		b, err := backends.Open(name)
		require.NoError(t, err)
		e, err := b.Compile(t.Context(), backends.NewModule(fixed), backends.Options{})
		require.NoError(t, err)
		for n, want := range map[int]string{0: "is 0: the program is for 4 to 4", 3: "is 3: the program is for 4 to 4", 4: "", 5: "is 5: the program is for 4 to 4"} {
			err := e.Execute(t.Context(), &backends.Call{Args: []soa.View{soa.Make(types.Of(types.F32, n)), soa.Make(types.Of(types.F32, 2, 4))}})
			if want == "" {
				require.NoError(t, err)
				continue
			}
			require.EqualError(t, err, "execute: dimension 0 of argument 0 "+want, name)
		}
	}
}

// A run of sizes that the one before had allocates nothing but its results, and neither does a run
// of other sizes, but where it takes more memory.
func TestTwoSizesAllocateNothing(t *testing.T) {
	trials.Sequential(t) // pools forget at random under the race detector
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(symbolPrograms["mean and windows"]), backends.Options{Threads: 1})
	require.NoError(t, err)
	var calls []*backends.Call
	for _, n := range [][2]int{{9, 50}, {3, 8}, {4, 20}} {
		c := &backends.Call{Args: argsOfTwo(e.Signature(), n, false)}
		require.NoError(t, e.Execute(t.Context(), c))
		calls = append(calls, c)
	}
	require.Zero(t, trials.Allocs(20, func() {
		for _, c := range calls { // also in the run before those that are counted
			if err := e.Execute(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}))
}

// Numbers that a reshape makes dimensions of are those of its operand in their order, or the evaluator
// runs the call: with the numbers in another order, too, and with others of the same product.
func TestNumbersThatAreDimensions(t *testing.T) {
	const text = `func.func public @main(%m: tensor<i64>, %n: tensor<i64>, %x: tensor<?x?x3xf32>) -> tensor<?x?xf32> {
  %three = stablehlo.constant dense<3> : tensor<i64>
  %k = stablehlo.multiply %n, %three : tensor<i64>
  %0 = stablehlo.reshape %m : (tensor<i64>) -> tensor<1xi64>
  %1 = stablehlo.reshape %k : (tensor<i64>) -> tensor<1xi64>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %3 = stablehlo.dynamic_reshape %x, %2 : (tensor<?x?x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}`
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: true})
	require.NoError(t, err)
	for _, c := range []struct{ m, n, rows, columns int }{
		{4, 6, 4, 6}, {6, 4, 4, 6}, {2, 12, 4, 6}, {5, 7, 5, 7}, {1, 1, 1, 1}, {4, 5, 4, 6},
	} {
		m, n, x := soa.Make(types.Of(types.I64)), soa.Make(types.Of(types.I64)), soa.Make(types.Of(types.F32, c.rows, c.columns, 3))
		soa.Slice[int64](m)[0], soa.Slice[int64](n)[0] = int64(c.m), int64(c.n)
		for i, s := 0, soa.Slice[float32](x); i < len(s); i++ {
			s[i] = float32(i)
		}
		call := &backends.Call{Args: []soa.View{m, n, x}}
		err := e.Execute(t.Context(), call)
		if c.m*c.n != c.rows*c.columns {
			require.ErrorContains(t, err, "stablehlo.dynamic_reshape", "%v", c)
			continue
		}
		require.NoError(t, err, "%v", c)
		require.Equal(t, types.Of(types.F32, c.m, 3*c.n), call.Results[0].Type)
		require.Equal(t, soa.Slice[float32](x), soa.Slice[float32](call.Results[0]))
	}
}
