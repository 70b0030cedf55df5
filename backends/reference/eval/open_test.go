package eval

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/soa"
)

const openSum = `func.func public @main(%x: tensor<?x2xf32>, %y: tensor<?xf32, #stablehlo.bounds<3>> {ltc.constant}) -> (tensor<?x2xf32>, tensor<?x2xf32>) {
  %0 = "stablehlo.get_dimension_size"(%y) {dimension = 0 : i64} : (tensor<?xf32, #stablehlo.bounds<3>>) -> tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.constant dense<2> : tensor<1xi32>
  %3 = stablehlo.concatenate %1, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %4 = "stablehlo.dynamic_broadcast_in_dim"(%y, %3) {broadcast_dimensions = array<i64: 0>} : (tensor<?xf32, #stablehlo.bounds<3>>, tensor<2xi32>) -> tensor<?x2xf32>
  %5 = stablehlo.add %x, %4 : tensor<?x2xf32>
  return %5, %x : tensor<?x2xf32>, tensor<?x2xf32>
}`

// Arguments bring the sizes that the text leaves open, call by call.
func TestOpenArguments(t *testing.T) {
	e := compile(t, openSum)
	require.Equal(t, types.Shape{backends.AnySize, 2}, e.Signature().Args[0].Type.Shape)
	require.Equal(t, types.Shape{backends.AnySize, 2}, e.Signature().Results[0].Type.Shape)
	for range 2 {
		for n := range 4 {
			x, y, want := make([]float32, 2*n), make([]float32, n), make([]float32, 2*n)
			for i := range want {
				x[i], y[i/2] = float32(i), float32(10*(i/2))
				want[i] = x[i] + y[i/2]
			}
			c := &backends.Call{Args: []soa.View{vec(t, x, n, 2), vec(t, y, n)}}
			require.NoError(t, e.Execute(context.Background(), c))
			require.Equal(t, types.Of(types.F32, n, 2), c.Results[0].Type)
			require.Equal(t, want, soa.Slice[float32](c.Results[0]))
			require.Equal(t, x, soa.Slice[float32](c.Results[1]))
		}
	}
}

func TestOpenMemory(t *testing.T) {
	x, y := vec(t, []float32{1, 2, 3, 4}, 2, 2), vec(t, []float32{10, 20}, 2)
	e, err := compile(t, openSum).Bind(context.Background(), map[int]soa.View{1: y})
	require.NoError(t, err)
	// The second result is x; the first goes where x is.
	c := &backends.Call{Args: []soa.View{x, {}}, Results: []soa.View{x, vec(t, make([]float32, 4), 2, 2)}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []float32{11, 12, 23, 24}, soa.Slice[float32](c.Results[0]))
	require.Equal(t, []float32{1, 2, 3, 4}, soa.Slice[float32](c.Results[1]))

	given := vec(t, make([]float32, 6), 3, 2)
	c = &backends.Call{Args: []soa.View{x, {}}, Results: []soa.View{{}, given}}
	require.ErrorContains(t, e.Execute(context.Background(), c), "result 1 has shape [2,2], the memory given for it [3,2]")
	require.Equal(t, make([]float32, 6), soa.Slice[float32](given))
}

// Runs of one executable share what they have prepared.
func TestOpenAtOnce(t *testing.T) {
	e := compile(t, openSum)
	var wait sync.WaitGroup
	errs, results := make([]error, 8), make([][]float32, 8)
	for i := range errs {
		c := &backends.Call{Args: []soa.View{vec(t, make([]float32, 2*(i%4)), i%4, 2), vec(t, []float32{1, 2, 3}[:i%4], i%4)}}
		wait.Go(func() {
			if errs[i] = e.Execute(context.Background(), c); errs[i] == nil {
				results[i] = soa.Slice[float32](c.Results[0])
			}
		})
	}
	wait.Wait()
	for i, err := range errs {
		require.NoError(t, err)
		require.Equal(t, []float32{1, 1, 2, 2, 3, 3}[:2*(i%4)], results[i])
	}
}

func TestOpenErrors(t *testing.T) {
	x := vec(t, []float32{1, 2, 3, 4}, 2, 2)
	e := compile(t, openSum)
	for _, c := range []struct {
		args []soa.View
		want string
	}{
		{[]soa.View{x, vec(t, make([]float32, 4), 4)}, "execute: dimension 0 of argument 1 is 4: the program is for 0 to 3"},
		{[]soa.View{vec(t, make([]float32, 4), 4), x}, "execute: argument 0: want f32[?,2], got f32[4]"},
		{[]soa.View{x, vec(t, make([]float32, 3), 3)}, "op 6: module.mlir:7:8: error: stablehlo.add: operands are tensor<2x2xf32> and tensor<3x2xf32> but the result is tensor<?x2xf32>: shapes differ (add_c1)"},
	} {
		require.ErrorContains(t, e.Execute(context.Background(), &backends.Call{Args: c.args}), c.want)
	}
}

// Values that break an op's rules are errors of the run, in functions of
// either kind.
func TestDynamicErrors(t *testing.T) {
	const text = `func.func public @main(%n: tensor<2xi32>) -> tensor<2x2xi32> {
  %0 = stablehlo.constant dense<7> : tensor<4xi32>
  %1 = "stablehlo.dynamic_reshape"(%0, %n) : (tensor<4xi32>, tensor<2xi32>) -> RESULT
  %2 = stablehlo.constant dense<2> : tensor<2xi32>
  %3 = "stablehlo.dynamic_reshape"(%1, %2) : (RESULT, tensor<2xi32>) -> tensor<2x2xi32>
  return %3 : tensor<2x2xi32>
}`
	for _, c := range []struct {
		result string
		n      []int32
		want   string
	}{
		{"tensor<2x2xi32>", []int32{2, 2}, ""},
		{"tensor<2x2xi32>", []int32{4, 1}, "the values say shape [4 1], the result is tensor<2x2xi32>"},
		{"tensor<?x?xi32>", []int32{4, 1}, ""},
		{"tensor<?x?xi32>", []int32{4, 2}, "tensor<4xi32> has 4 elements but tensor<4x2xi32> has 8 (reshape_c2)"},
		{"tensor<?x?xi32>", []int32{-4, -1}, "a shape of [-4 -1] for tensor<?x?xi32>"},
		{"tensor<?x?xi32>", []int32{1 << 30, 1 << 30}, "tensor<4xi32> has 4 elements but tensor<1073741824x1073741824xi32> has 1152921504606846976 (reshape_c2)"},
		{"tensor<?x1xi32>", []int32{2, 2}, "a shape of [2 2] for tensor<?x1xi32>"},
	} {
		n, err := soa.Borrow(c.n, types.Of(types.I32, 2))
		require.NoError(t, err)
		call := &backends.Call{Args: []soa.View{n}}
		err = compile(t, strings.ReplaceAll(text, "RESULT", c.result)).Execute(context.Background(), call)
		if c.want == "" {
			require.NoError(t, err, c.result)
			require.Equal(t, []int32{7, 7, 7, 7}, soa.Slice[int32](call.Results[0]))
			continue
		}
		require.ErrorContains(t, err, c.want, c.result)
		var run *backends.RunError
		require.ErrorAs(t, err, &run)
		require.Contains(t, []int{2, 4}, run.Op)
	}
}

// What the evaluator lacks of an open function is told before it runs.
func TestOpenUnsupported(t *testing.T) {
	err := compileError(`func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "test.op"(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @g(%0) : (tensor<?xf32>) -> tensor<?xf32>
  %2 = stablehlo.custom_call @ltc.none(%1) : (tensor<?xf32>) -> tensor<?xf32>
  return %2 : tensor<?xf32>
}
func.func private @g(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}`)
	require.ErrorContains(t, err, "cannot run 2 of the program's ops")
	require.ErrorContains(t, err, "m.mlir:6:8: test.op: not an op of this backend")
	require.ErrorContains(t, err, `m.mlir:8:8: stablehlo.custom_call: no host function "ltc.none" is registered`)
	err = compileError(`func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = call @main(%x) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}`)
	require.ErrorContains(t, err, "m.mlir:2:8: error: func.call: @main calls itself, by way of @main")
}

// An op whose operands do not tell its result's shape says so.
func TestOpenResult(t *testing.T) {
	e := compile(t, `func.func public @main(%x: tensor<?xf32>) -> tensor<?x2xf32, #stablehlo.bounds<3, ?>> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<?xf32>) -> tensor<?x2xf32, #stablehlo.bounds<3, ?>>
  return %0 : tensor<?x2xf32, #stablehlo.bounds<3, ?>>
}`)
	err := e.Execute(context.Background(), &backends.Call{Args: []soa.View{vec(t, []float32{1}, 1)}})
	require.ErrorContains(t, err, "the operands do not tell the shape of the result")
}

func TestOpenCancelled(t *testing.T) {
	e := compile(t, `func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = stablehlo.while(%v = %x) : tensor<?xf32> cond {
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %v : tensor<?xf32>
  }
  return %0 : tensor<?xf32>
}`)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	err := e.Execute(ctx, &backends.Call{Args: []soa.View{vec(t, []float32{1}, 1)}})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A region may hand on less than its op's type says: sizes that turn out to be
// others than those declared are an error before anything relies on them.
func TestOpenSizesDeclared(t *testing.T) {
	const text = `func.func public @main(%p: tensor<i1>, %n: tensor<1xi32>) -> tensor<3xi32> {
  %0 = call @f(%p, %n) : (tensor<i1>, tensor<1xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}
func.func private @f(%p: tensor<i1>, %n: tensor<1xi32>) -> tensor<3xi32> {
  %0 = "stablehlo.dynamic_iota"(%n) {iota_dimension = 0 : i64} : (tensor<1xi32>) -> tensor<?xi32>
  %1 = stablehlo.constant dense<7> : tensor<3xi32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  OP
  return %2#0 : tensor<3xi32>
}`
	ops := map[string]string{
		"if":   `%2:1 = "stablehlo.if"(%p) ({ stablehlo.return %0 : tensor<?xi32> }, { stablehlo.return %1 : tensor<3xi32> }) : (tensor<i1>) -> tensor<3xi32>`,
		"case": `%2:1 = "stablehlo.case"(%i) ({ stablehlo.return %0 : tensor<?xi32> }) : (tensor<i32>) -> tensor<3xi32>`,
		"while": `%2:2 = "stablehlo.while"(%1, %p) ({
  ^bb0(%a: tensor<3xi32>, %q: tensor<i1>):
    stablehlo.return %q : tensor<i1>
  }, {
  ^bb0(%a: tensor<3xi32>, %q: tensor<i1>):
    %c = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %0, %c : tensor<?xi32>, tensor<i1>
  }) : (tensor<3xi32>, tensor<i1>) -> (tensor<3xi32>, tensor<i1>)`,
	}
	for name, op := range ops {
		t.Run(name, func(t *testing.T) {
			e := compile(t, strings.Replace(text, "OP", op, 1))
			for _, n := range []int32{3, 2, 1 << 20} {
				p, err := soa.Borrow([]bool{true}, types.Of(types.Bool))
				require.NoError(t, err)
				size, err := soa.Borrow([]int32{n}, types.Of(types.I32, 1))
				require.NoError(t, err)
				c := &backends.Call{Args: []soa.View{p, size}}
				err = e.Execute(context.Background(), c)
				if n == 3 {
					require.NoError(t, err)
					require.Equal(t, []int32{0, 1, 2}, soa.Slice[int32](c.Results[0]))
					continue
				}
				require.ErrorContains(t, err, fmt.Sprintf("0 gets a shape of [%d] for tensor<3xi32>", n))
			}
		})
	}
}

// Draws in the turns of a loop differ, in an open function as in others.
func TestOpenDraws(t *testing.T) {
	e := compile(t, `func.func public @main(%x: tensor<?xf64>) -> (tensor<?xf64>, tensor<f64>, tensor<f64>) {
  %a = stablehlo.constant dense<0.0> : tensor<f64>
  %b = stablehlo.constant dense<1.0> : tensor<f64>
  %s = stablehlo.constant dense<> : tensor<0xi64>
  %t = stablehlo.constant dense<true> : tensor<i1>
  %u = stablehlo.constant dense<false> : tensor<i1>
  %r:4 = "stablehlo.while"(%a, %a, %t, %t) ({
  ^bb0(%last: tensor<f64>, %older: tensor<f64>, %more: tensor<i1>, %next: tensor<i1>):
    stablehlo.return %more : tensor<i1>
  }, {
  ^bb0(%last: tensor<f64>, %older: tensor<f64>, %more: tensor<i1>, %next: tensor<i1>):
    %d = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f64>, tensor<f64>, tensor<0xi64>) -> tensor<f64>
    stablehlo.return %d, %last, %next, %u : tensor<f64>, tensor<f64>, tensor<i1>, tensor<i1>
  }) : (tensor<f64>, tensor<f64>, tensor<i1>, tensor<i1>) -> (tensor<f64>, tensor<f64>, tensor<i1>, tensor<i1>)
  return %x, %r#0, %r#1 : tensor<?xf64>, tensor<f64>, tensor<f64>
}`)
	x, err := soa.Borrow([]float64{1}, types.Of(types.F64, 1))
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{x}}
	require.NoError(t, e.Execute(context.Background(), c))
	last, older := soa.Slice[float64](c.Results[1])[0], soa.Slice[float64](c.Results[2])[0]
	require.NotZero(t, older)
	require.NotEqual(t, older, last)
}

// Groups of processes can be the axes of a mesh that the module names.
func TestOpenResultsOfMeshes(t *testing.T) {
	e := compile(t, `func.func private @mesh() attributes {stablehlo.mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 1>]>}
func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}`)
	out := []soa.View{{}}
	x := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{vec(t, x, 2, 4)}, Results: out}))
	require.Equal(t, x, soa.Slice[float32](out[0]))
}

// Paddings that are no pairs are an error of the run, whether the result is open or not.
func TestPaddingsThatAreNoPairs(t *testing.T) {
	for _, result := range []string{"?", "3"} {
		e := compile(t, strings.ReplaceAll(`func.func @main(%x: tensor<?xf32>, %v: tensor<f32>, %one: tensor<1xi32>, %p: tensor<?x?xi32>) -> tensor<RESULTxf32> {
  %r = stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %v, %one, %one, %one, %one, %p) {called_computations = [@add]} : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<?x?xi32>) -> tensor<RESULTxf32>
  return %r : tensor<RESULTxf32>
}
func.func private @add(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %s = stablehlo.add %x, %y : tensor<f32>
  return %s : tensor<f32>
}`, "RESULT", result))
		one := soa.Make(types.Of(types.I32, 1))
		soa.Slice[int32](one)[0] = 1
		for n := range 4 {
			args := []soa.View{vec(t, []float32{1, 2, 3}, 3), vec(t, []float32{0}), one, soa.Make(types.Of(types.I32, 1, n))}
			err := e.Execute(t.Context(), &backends.Call{Args: args, Results: []soa.View{{}}})
			if n == 2 {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, "module.mlir:2:", "%d paddings", n)
		}
	}
}

// A dimension is set to no more than it can have.
func TestDimensionsAreSetToWhatTheyCanHave(t *testing.T) {
	e := compile(t, `func.func @main(%a: tensor<4xf32>, %n: tensor<i32>) -> tensor<?xf32> {
  %0 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<4xf32>, tensor<i32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}`)
	for _, n := range []int32{-1, 0, 3, 4, 5, 2_000_000_000} {
		size := soa.Make(types.Of(types.I32))
		soa.Slice[int32](size)[0] = n
		out := []soa.View{{}}
		err := e.Execute(t.Context(), &backends.Call{Args: []soa.View{vec(t, []float32{1, 2, 3, 4}, 4), size}, Results: out})
		if n < 0 || n > 4 {
			require.ErrorContains(t, err, fmt.Sprintf("the size %d of dimension 0 is not in [0, 4]", n))
			continue
		}
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2, 3, 4}[:n], soa.Slice[float32](out[0]))
	}
}

// The number of bits of a number of two bits is one of two bits.
func TestBitsOfTwoBitsWrap(t *testing.T) {
	e := compile(t, `func.func @main(%a: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %x = stablehlo.convert %a : (tensor<1xi8>) -> tensor<1xi2>
  %r = stablehlo.popcnt %x : tensor<1xi2>
  %0 = stablehlo.convert %r : (tensor<1xi2>) -> tensor<1xi8>
  %y = stablehlo.not %x : tensor<1xi2>
  %z = stablehlo.count_leading_zeros %y : tensor<1xi2>
  %1 = stablehlo.convert %z : (tensor<1xi2>) -> tensor<1xi8>
  return %0, %1 : tensor<1xi8>, tensor<1xi8>
}`)
	x, out := soa.Make(types.Of(types.I8, 1)), []soa.View{{}, {}}
	soa.Slice[int8](x)[0] = -1
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{x}, Results: out}))
	require.Equal(t, []int8{-2}, soa.Slice[int8](out[0]))
	require.Equal(t, []int8{-2}, soa.Slice[int8](out[1]))
}

// An argument of which a program asks for the sizes alone is not copied: one element may stand for more than
// memory holds.
func TestArgumentsOfSizesAlone(t *testing.T) {
	e := compile(t, `func.func @main(%x: tensor<?x?xi1>) -> tensor<i32> {
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xi1>) -> tensor<i32>
  return %0 : tensor<i32>
}`)
	v, err := soa.Strided(make([]bool, 1), types.Of(types.Bool, 1<<25, 1<<25), 0, []int{0, 0})
	require.NoError(t, err)
	c := &backends.Call{Args: []soa.View{v}}
	require.NoError(t, e.Execute(context.Background(), c))
	require.Equal(t, []int32{1 << 25}, soa.Slice[int32](c.Results[0]))
}
