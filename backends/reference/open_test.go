package reference

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/internal/loops"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// openPrograms leave the first size of their arguments open.
var openPrograms = map[string]string{
	"mlp": `
module attributes {ltc.dims = {n = [0, 100000]}} {
  func.func public @main(%x: tensor<?x3xf32> {ltc.dim = ["n", ""]}, %w: tensor<3x5xf32> {ltc.constant}, %b: tensor<5xf32> {ltc.constant}) -> tensor<?x5xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %c5 = stablehlo.constant dense<5> : tensor<1xi32>
    %shape = stablehlo.concatenate %n1, %c5, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x5xf32>) -> tensor<?x5xf32>
    %1 = stablehlo.dynamic_broadcast_in_dim %b, %shape, dims = [1] : (tensor<5xf32>, tensor<2xi32>) -> tensor<?x5xf32>
    %2 = stablehlo.add %0, %1 : tensor<?x5xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.dynamic_broadcast_in_dim %zero, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x5xf32>
    %4 = stablehlo.maximum %2, %3 : tensor<?x5xf32>
    return %4 : tensor<?x5xf32>
  }
}`,
	"softmax of rows, and their sums": `
func.func public @main(%x: tensor<?x7xf32>) -> (tensor<?x7xf32>, tensor<7xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x7xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c7 = stablehlo.constant dense<7> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %c7, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<?x7xf32>, tensor<f32>) -> tensor<?xf32>
  %mb = stablehlo.dynamic_broadcast_in_dim %m, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x7xf32>
  %d = stablehlo.subtract %x, %mb : tensor<?x7xf32>
  %e = stablehlo.exponential %d : tensor<?x7xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x7xf32>, tensor<f32>) -> tensor<?xf32>
  %sb = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x7xf32>
  %y = stablehlo.divide %e, %sb : tensor<?x7xf32>
  %t = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x7xf32>, tensor<f32>) -> tensor<7xf32>
  return %y, %t : tensor<?x7xf32>, tensor<7xf32>
}`,
}

// One compile runs every size as kernels, with what the evaluator gives.
func TestOneProgramForAllSizes(t *testing.T) {
	for name, text := range openPrograms {
		t.Run(name, func(t *testing.T) {
			allSizes(t, text, 20000)
		})
	}
}

// Ops that are no kernels run by the evaluator, for all sizes, and the others are
// compiled all the same.
func TestEvaluatedStepsOfAllSizes(t *testing.T) {
	const text = `
func.func public @main(%x: tensor<?x1x6x6xf32>, %w: tensor<2x1x3x3xf32> {ltc.constant}) -> (tensor<?x2x2x2xf32>, tensor<?x2xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %f8 = stablehlo.convert %x : (tensor<?x1x6x6xf32>) -> tensor<?x1x6x6xf8E5M2FNUZ>
  %q = stablehlo.convert %f8 : (tensor<?x1x6x6xf8E5M2FNUZ>) -> tensor<?x1x6x6xf32>
  %t = stablehlo.tanh %q : tensor<?x1x6x6xf32>
  %c = stablehlo.convolution(%t, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x1x6x6xf32>, tensor<2x1x3x3xf32>) -> tensor<?x2x4x4xf32>
  %p = "stablehlo.reduce_window"(%c, %low) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>} : (tensor<?x2x4x4xf32>, tensor<f32>) -> tensor<?x2x2x2xf32>
  %e = stablehlo.exponential %p : tensor<?x2x2x2xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<?x2x2x2xf32>, tensor<f32>) -> tensor<?x2xf32>
  return %e, %s : tensor<?x2x2x2xf32>, tensor<?x2xf32>
}`
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &openExecutable{}, e)
	kernels, evaluated := e.(*openExecutable).Compiled()
	require.Positive(t, kernels)
	require.Positive(t, evaluated)
	for _, n := range []int{1, 7, 0, 3, 300, 2} {
		args := argsOf(e.Signature(), n, uint64(n))
		b, err := e.Bind(t.Context(), map[int]soa.View{1: args[1]})
		require.NoError(t, err)
		a, c := &backends.Call{Args: args}, &backends.Call{Args: args}
		require.NoError(t, want.Execute(t.Context(), a))
		for _, e := range []backends.Executable{e, b} {
			c.Results = nil
			require.NoError(t, e.Execute(t.Context(), c))
			for j := range a.Results {
				near(t, a.Results[j], c.Results[j], n)
			}
		}
	}
}

// openBranches are programs of all sizes with loops and branches.
var openBranches = map[string]string{
	"a loop over rows": `
func.func public @main(%x: tensor<?x3xf32>, %w: tensor<3x3xf32> {ltc.constant}) -> (tensor<?x3xf32>, tensor<i32>) {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %r:2 = stablehlo.while(%k = %i, %h = %x) : tensor<i32>, tensor<?x3xf32> cond {
    %p = stablehlo.compare LT, %k, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %k, %one : tensor<i32>
    %d = stablehlo.dot_general %h, %w, contracting_dims = [1] x [0] : (tensor<?x3xf32>, tensor<3x3xf32>) -> tensor<?x3xf32>
    %t = stablehlo.tanh %d : tensor<?x3xf32>
    %s = stablehlo.add %t, %x : tensor<?x3xf32>
    stablehlo.return %n, %s : tensor<i32>, tensor<?x3xf32>
  }
  return %r#1, %r#0 : tensor<?x3xf32>, tensor<i32>
}`,
	"as many turns as there are elements, of twice as many": `
func.func public @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<f32>) {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %xx = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %r:3 = stablehlo.while(%k = %i, %h = %xx, %sum = %zero) : tensor<i32>, tensor<?xf32>, tensor<f32> cond {
    %n = stablehlo.get_dimension_size %h, dim = 0 : (tensor<?xf32>) -> tensor<i32>
    %p = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q = stablehlo.compare LT, %k, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = stablehlo.and %p, %q : tensor<i1>
    stablehlo.return %both : tensor<i1>
  } do {
    %n = stablehlo.add %k, %one : tensor<i32>
    %d = stablehlo.sine %h : tensor<?xf32>
    %s = stablehlo.reduce(%d init: %sum) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %n, %d, %s : tensor<i32>, tensor<?xf32>, tensor<f32>
  }
  return %r#1, %r#2 : tensor<?xf32>, tensor<f32>
}`,
	"a branch that only its result has the size of": `
func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  %p = stablehlo.compare GT, %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %r = "stablehlo.if"(%p) ({
    %e = stablehlo.exponential %s : tensor<f32>
    %a = stablehlo.dynamic_broadcast_in_dim %e, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    stablehlo.return %a : tensor<?xf32>
  }, {
    %a = stablehlo.dynamic_broadcast_in_dim %s, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
    stablehlo.return %a : tensor<?xf32>
  }) : (tensor<i1>) -> tensor<?xf32>
  %y = stablehlo.add %r, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}`,
	"a branch within a loop": `
func.func public @main(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %i = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %r:2 = stablehlo.while(%k = %i, %h = %x) : tensor<i32>, tensor<?x2xf32> cond {
    %p = stablehlo.compare LT, %k, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %n = stablehlo.add %k, %one : tensor<i32>
    %b = "stablehlo.case"(%k) ({
      %s = stablehlo.sine %h : tensor<?x2xf32>
      stablehlo.return %s : tensor<?x2xf32>
    }, {
      %s = stablehlo.reverse %h, dims = [0] : tensor<?x2xf32>
      stablehlo.return %s : tensor<?x2xf32>
    }, {
      %s = stablehlo.add %h, %x : tensor<?x2xf32>
      stablehlo.return %s : tensor<?x2xf32>
    }) : (tensor<i32>) -> tensor<?x2xf32>
    stablehlo.return %n, %b : tensor<i32>, tensor<?x2xf32>
  }
  return %r#1 : tensor<?x2xf32>
}`,
}

// Loops and branches are one compile for all sizes, as everything else: none of
// their ops is left to the evaluator, and runs of other sizes compile nothing.
func TestBranchesOfAllSizes(t *testing.T) {
	for name, text := range openBranches {
		t.Run(name, func(t *testing.T) {
			e := allSizes(t, text, 10000)
			require.NotEmpty(t, regionsOf(e.Program()))
			for _, step := range e.Regions {
				for _, r := range step {
					require.IsType(t, &openExecutable{}, r)
				}
			}
		})
	}
}

// allSizes compiles a text, none of which may be left to the evaluator, and requires
// that it computes what the evaluator does, for many sizes and the given one.
func allSizes(t *testing.T, text string, many int) *openExecutable {
	t.Helper()
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	x, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &openExecutable{}, x, "one program for all sizes")
	e := x.(*openExecutable)
	kernels, evaluated := e.Compiled()
	t.Log(kernels, "kernels")
	require.Zero(t, evaluated)
	want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	for _, n := range []int{1, 2, 0, 3, 5, 17, 64, 100, 251, 1000, 4093, 7, many, 1} {
		args := argsOf(e.Signature(), n, uint64(n))
		a, b := &backends.Call{Args: args}, &backends.Call{Args: args}
		require.NoError(t, want.Execute(t.Context(), a))
		require.NoError(t, e.Execute(t.Context(), b), "%d elements", n)
		for j := range a.Results {
			near(t, a.Results[j], b.Results[j], n)
		}
	}
	return e
}

// cumulative is a program of all sizes that sums up rows to each of them, with what JAX
// exports for it.
const cumulative = `
func.func public @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  %before = stablehlo.subtract %n1, %one : tensor<1xi32>
  %window = stablehlo.concatenate %n1, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %sides = stablehlo.concatenate LOW, HIGH, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %row = stablehlo.reshape %sides : (tensor<2xi32>) -> tensor<1x2xi32>
  %other = stablehlo.constant dense<0> : tensor<1x2xi32>
  %padding = stablehlo.concatenate %row, %other, dim = 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %zero, %window, %ones, %ones, %ones, %padding) {called_computations = [@add]} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2x2xi32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
func.func private @add(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %s = stablehlo.add %x, %y : tensor<f32>
  return %s : tensor<f32>
}`

// Windows that have all rows up to one, or from one on, are scans for all sizes. Those of no
// rows have no size that the rule of windows allows.
func TestScansOfAllSizes(t *testing.T) {
	for name, sides := range map[string][]string{"up to a row": {"LOW", "%before", "HIGH", "%none"}, "from a row on": {"LOW", "%none", "HIGH", "%before"}} {
		t.Run(name, func(t *testing.T) {
			text := strings.NewReplacer(sides...).Replace(cumulative)
			var all [2]backends.Executable
			for i, name := range []string{"cpu", "eval"} {
				b, err := backends.Open(name)
				require.NoError(t, err)
				all[i], err = b.Compile(t.Context(), backends.NewModule(text), backends.Options{})
				require.NoError(t, err)
			}
			require.IsType(t, &openExecutable{}, all[0], "one program for all sizes")
			e := all[0].(*openExecutable)
			require.True(t, slices.ContainsFunc(e.Program().Kernels, (*kernel.Kernel).Scans), "%v", e.Program())
			sizes := []int{2, 1, 3, 0, 5, 17, 64, 100, 7, 251, 1025, 8}
			if trials.Race { // the evaluator adds up as many elements for each element: its time is that of squares
				sizes = sizes[:9]
			}
			for _, n := range sizes {
				args := argsOf(e.Signature(), n, uint64(n))
				c, want := &backends.Call{Args: args}, &backends.Call{Args: args}
				err, errEval := all[0].Execute(t.Context(), c), all[1].Execute(t.Context(), want)
				if n == 0 {
					require.ErrorContains(t, err, "reduce_window_c5")
					require.ErrorContains(t, errEval, "reduce_window_c5")
					continue
				}
				require.NoError(t, err)
				require.NoError(t, errEval)
				near(t, want.Results[0], c.Results[0], n)
			}
		})
	}
}

// Rows at computed places, which end where the open dimension does, are kernels for
// all sizes: how far places reach is an argument. There are none of no rows.
func TestPlacesOfAllSizes(t *testing.T) {
	const text = `
func.func public @main(%x: tensor<?x3xf32>, %f: tensor<5x1xf32>, %u: tensor<1x3xf32>) -> (tensor<5x3xf32>, tensor<1x3xf32>, tensor<?x3xf32>) {
  %many = stablehlo.constant dense<1200.0> : tensor<5x1xf32>
  %g = stablehlo.multiply %f, %many : tensor<5x1xf32>
  %i = stablehlo.convert %g : (tensor<5x1xf32>) -> tensor<5x1xi32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<?x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  %j = stablehlo.slice %i [2:3, 0:1] : (tensor<5x1xi32>) -> tensor<1x1xi32>
  %k = stablehlo.reshape %j : (tensor<1x1xi32>) -> tensor<i32>
  %at = stablehlo.convert %k : (tensor<i32>) -> tensor<ui64>
  %z = stablehlo.constant dense<0> : tensor<ui64>
  %1 = stablehlo.dynamic_slice %x, %at, %z, sizes = [1, 3] : (tensor<?x3xf32>, tensor<ui64>, tensor<ui64>) -> tensor<1x3xf32>
  %2 = stablehlo.dynamic_update_slice %x, %u, %at, %z : (tensor<?x3xf32>, tensor<1x3xf32>, tensor<ui64>, tensor<ui64>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<5x3xf32>, tensor<1x3xf32>, tensor<?x3xf32>
}`
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &openExecutable{}, e, "one program for all sizes")
	_, evaluated := e.(*openExecutable).Compiled()
	require.Zero(t, evaluated)
	want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	for _, n := range []int{1, 2, 700, 3, 251, 5000} {
		for seed := range uint64(8) {
			args := argsOf(e.Signature(), n, seed)
			a, b := &backends.Call{Args: args}, &backends.Call{Args: args}
			require.NoError(t, want.Execute(t.Context(), a))
			require.NoError(t, e.Execute(t.Context(), b), "%d rows", n)
			for j := range a.Results {
				near(t, a.Results[j], b.Results[j], n)
			}
		}
	}
	none := &backends.Call{Args: argsOf(e.Signature(), 0, 1)}
	require.Error(t, want.Execute(t.Context(), none))
	require.Error(t, e.Execute(t.Context(), none))
}

// regionsOf returns the programs of loops and branches of a program.
func regionsOf(p *plan.Program) []*plan.Program {
	var all []*plan.Program
	p.Each(func(s *plan.Step) { all = append(all, s.Regions()...) })
	return all
}

// What a run gives stays as it is when runs of other sizes follow.
func TestResultsOfSizesAreTheCallers(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(openPrograms["mlp"]), backends.Options{})
	require.NoError(t, err)
	c := &backends.Call{Args: argsOf(e.Signature(), 9, 1)}
	require.NoError(t, e.Execute(t.Context(), c))
	first := slices.Clone(soa.Slice[float32](c.Results[0]))
	for _, n := range []int{3, 90} {
		require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: argsOf(e.Signature(), n, 2)}))
		require.Equal(t, types.Of(types.F32, 9, 5), c.Results[0].Type)
		require.Equal(t, first, soa.Slice[float32](c.Results[0]))
	}
	c.Results = []soa.View{soa.Make(types.Of(types.F32, 8, 5))}
	require.ErrorContains(t, e.Execute(t.Context(), c), "result 0: want f32[9,5], got f32[8,5]")
}

// argsOf returns random arguments whose open dimensions are n.
func argsOf(sig *backends.Signature, n int, seed uint64) []soa.View {
	rng := rand.New(rand.NewPCG(seed, 1))
	var args []soa.View
	for _, a := range sig.Args {
		shape := types.Shape{}
		for _, d := range a.Type.Shape {
			if d == backends.AnySize {
				d = n
			}
			shape = append(shape, d)
		}
		v := soa.Make(types.Type{DType: a.Type.DType, Shape: shape})
		for i := range soa.Slice[float32](v) {
			soa.Slice[float32](v)[i] = rng.Float32()*2 - 1
		}
		args = append(args, v)
	}
	return args
}

// What a program computes of a size it computes as it runs. A shape that is no
// multiple of the size and a rest is not known from some sizes; what it reads must
// be there for the largest.
func TestWhatFollowsFromASize(t *testing.T) {
	trials.Sequential(t)
	const rows = `%s
func.func public @main(%%x: tensor<?xf32>%s, %%y: tensor<50000xf32>) -> tensor<?xf32> {
  %%n = stablehlo.get_dimension_size %%x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %%to = stablehlo.reshape %%n : (tensor<i32>) -> tensor<1xi32>
  %%from = stablehlo.constant dense<0> : tensor<1xi32>
  %%step = stablehlo.constant dense<1> : tensor<1xi32>
  %%r = stablehlo.real_dynamic_slice %%y, %%from, %%to, %%step : (tensor<50000xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return %%r : tensor<?xf32>
}%s`
	for name, test := range map[string]struct {
		text string
		one  bool
		most int // size that it can be run for
	}{
		"a size compared with a number": {`
func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %k = stablehlo.constant dense<20000> : tensor<i32>
  %p = stablehlo.compare LT, %n, %k : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %y = stablehlo.negate %x : tensor<?xf32>
  %r = stablehlo.select %p, %x, %y : (tensor<i1>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}`, true, 1 << 20},
		"a size divided by a number": {`
func.func public @main(%x: tensor<?xf32>) -> tensor<f32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %k = stablehlo.constant dense<20000> : tensor<i32>
  %p = stablehlo.divide %n, %k : tensor<i32>
  %r = stablehlo.convert %p : (tensor<i32>) -> tensor<f32>
  return %r : tensor<f32>
}`, true, 1 << 20},
		"whether a size is 0": {`
func.func public @main(%x: tensor<?xf32>) -> tensor<i1> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %p = stablehlo.convert %n : (tensor<i32>) -> tensor<i1>
  return %p : tensor<i1>
}`, true, 1 << 20},
		"a size of 8 bits": {`
func.func public @main(%x: tensor<?xf32>) -> tensor<i32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %b = stablehlo.convert %n : (tensor<i32>) -> tensor<ui8>
  %k = stablehlo.constant dense<128> : tensor<ui8>
  %m = stablehlo.multiply %b, %k : tensor<ui8>
  %r = stablehlo.convert %m : (tensor<ui8>) -> tensor<i32>
  return %r : tensor<i32>
}`, true, 1 << 20},
		"a mean, and a shape besides": {`
func.func public @main(%x: tensor<?x3xf32>) -> (tensor<3xf32>, tensor<?x3xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %shape = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  %f = stablehlo.convert %n : (tensor<i32>) -> tensor<f32>
  %fb = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %m = stablehlo.divide %s, %fb : tensor<3xf32>
  %mb = stablehlo.dynamic_broadcast_in_dim %m, %shape, dims = [1] : (tensor<3xf32>, tensor<2xi32>) -> tensor<?x3xf32>
  %d = stablehlo.subtract %x, %mb : tensor<?x3xf32>
  return %m, %d : tensor<3xf32>, tensor<?x3xf32>
}`, true, 1 << 20},
		"the sizes of two values that follow from one": {`
func.func public @main(%x: tensor<?xf32>) -> (tensor<i32>, tensor<i32>) {
  %y = stablehlo.concatenate %x, %x, dim = 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %d = stablehlo.remainder %m, %n : tensor<i32>
  %p = stablehlo.multiply %m, %n : tensor<i32>
  return %d, %p : tensor<i32>, tensor<i32>
}`, true, 1 << 20},
		"a shape that is at most a number": {`
func.func public @main(%x: tensor<?xf32>) -> tensor<?xi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %k = stablehlo.constant dense<20000> : tensor<i32>
  %m = stablehlo.minimum %n, %k : tensor<i32>
  %shape = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %r = stablehlo.dynamic_broadcast_in_dim %n, %shape, dims = [] : (tensor<i32>, tensor<1xi32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}`, true, 1 << 20},
		"a part as long as an argument":                      {fmt.Sprintf(rows, "", "", ""), true, 50000},
		"a part as long as an argument that is short enough": {fmt.Sprintf(rows, "module attributes {ltc.dims = {n = [0, 50000]}} {", ` {ltc.dim = ["n"]}`, "\n}"), true, 50000},
	} {
		t.Run(name, func(t *testing.T) {
			cpu, err := backends.Open("cpu")
			require.NoError(t, err)
			e, err := cpu.Compile(t.Context(), backends.NewModule(test.text), backends.Options{})
			require.NoError(t, err)
			_, one := e.(*openExecutable)
			require.Equal(t, test.one, one)
			want, err := eval.New().Compile(t.Context(), backends.NewModule(test.text), backends.Options{})
			require.NoError(t, err)
			for _, n := range []int{1, 100, 20000, 0, 30000, 50000, 50001} {
				args := argsOf(e.Signature(), n, uint64(n))
				a, b := &backends.Call{Args: args}, &backends.Call{Args: args}
				errEval, err := want.Execute(t.Context(), a), e.Execute(t.Context(), b)
				if n > test.most {
					require.Error(t, errEval)
					require.Error(t, err)
					continue
				}
				require.NoError(t, errEval)
				require.NoError(t, err)
				for j := range a.Results {
					near(t, a.Results[j], b.Results[j], n)
				}
			}
		})
	}
}

// Steps of a program for all sizes are measured in runs of all of them together. What a run computes is
// known if all runs had the same sizes.
func TestProfileOfAllSizes(t *testing.T) {
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(openPrograms["mlp"]), backends.Options{Profile: true})
	require.NoError(t, err)
	profile := func(elements ...int) []backends.StepProfile {
		for _, n := range elements {
			require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: argsOf(e.Signature(), n, 1)}))
		}
		return e.(backends.Profiler).Profile()
	}
	fixed, err := cpu.Compile(t.Context(), backends.NewModule(strings.ReplaceAll(openPrograms["mlp"], "?", "300")), backends.Options{Profile: true})
	require.NoError(t, err)
	want, got := fixed.(backends.Profiler).Profile(), profile(300, 300)
	require.Len(t, got, 1)
	require.Positive(t, got[0].Flops)
	require.Equal(t, []any{want[0].What, want[0].Flops, want[0].Bytes}, []any{got[0].What, got[0].Flops, got[0].Bytes})
	rows := profile(1, 50)
	require.Len(t, rows, 1)
	require.EqualValues(t, 4, rows[0].Runs)
	require.Zero(t, rows[0].Flops)
	require.Zero(t, rows[0].Bytes)
	require.Positive(t, rows[0].Least)
	require.Contains(t, rows[0].What, "of 256 elements")
}

// How long a run takes is known to the element, also of programs for some elements at least,
// whose steps would have fewer than none of one.
func TestLongRunsOfSizes(t *testing.T) {
	const text = `
module attributes {ltc.dims = {n = [5, 100000000]}} {
  func.func public @main(%x: tensor<?x8xf32> {ltc.dim = ["n", ""]}) -> tensor<?x8xf32> {
    %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %c8 = stablehlo.constant dense<8> : tensor<1xi32>
    %to = stablehlo.concatenate %n1, %c8, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %from = stablehlo.constant dense<[4, 0]> : tensor<2xi32>
    %one = stablehlo.constant dense<1> : tensor<2xi32>
    %0 = stablehlo.real_dynamic_slice %x, %from, %to, %one : (tensor<?x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
    %1 = stablehlo.exponential %0 : tensor<?x8xf32>
    return %1 : tensor<?x8xf32>
  }
}`
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &openExecutable{}, e)
	s, n := e.(*openExecutable), loops.LongWork/8
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	long := func(n int) bool { return !s.Dense().Direct(ctx, []int64{int64(n)}) }
	require.Equal(t, []bool{false, false, true, true}, []bool{long(5), long(n), long(n + 5), long(2 * n)})
}

// near requires two views to be the same, floats nearly so: sums may be added up in
// another order.
func near(t *testing.T, want, got soa.View, about ...any) {
	require.Equal(t, want.Type, got.Type)
	if want.Type.DType != types.F32 {
		require.Equal(t, elementsOf(want), elementsOf(got), about...)
		return
	}
	x, y := soa.Slice[float32](want), soa.Slice[float32](got)
	for i := range x {
		if x[i] == x[i] || y[i] == y[i] {
			require.InDelta(t, x[i], y[i], 1e-4*max(1, math.Abs(float64(x[i]))), about...)
		}
	}
}

func elementsOf(v soa.View) any {
	switch v.Type.DType {
	case types.Bool:
		return soa.Slice[bool](v)
	case types.I32:
		return soa.Slice[int32](v)
	}
	return soa.Slice[float32](v)
}
