package model_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// heads is attention whose scores have an open size times a number: heads × length.
func heads(t *testing.T) *lazy.Exported {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		n := x.Type().Shape[0]
		q := x.Reshape(n, 4, 8).Transpose(1, 0, 2)
		s := q.MatMul(q.Transpose(0, 2, 1)).Softmax(-1) // [4, n, n]
		return s.Reshape(lazy.SizeMul(4, n), n).MatMul(x)
	})
	x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 32)}}, "y")
	require.NoError(t, err)
	return x
}

// logged returns a logger, and what it has logged by line.
func logged() (*slog.Logger, func() []string) {
	var b bytes.Buffer
	l := slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	return l, func() []string { return strings.Split(strings.TrimSpace(b.String()), "\n") }
}

// otherSizes is a program that needs the product of two sizes to be that of two others.
const otherSizes = `func.func @main(%x: tensor<?x?xf32> {ltc.name = "x"}, %like: tensor<?x?xf32> {ltc.name = "like"}) -> (tensor<?x?xf32> {ltc.name = "y"}) {
  %0 = "stablehlo.get_dimension_size"(%like) {dimension = 0 : i64} : (tensor<?x?xf32>) -> tensor<i32>
  %1 = "stablehlo.get_dimension_size"(%like) {dimension = 1 : i64} : (tensor<?x?xf32>) -> tensor<i32>
  %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_reshape %x, %4 : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %5 : tensor<?x?xf32>
}`

func TestModelsLeftToTheEvaluatorAreWarnedOfOnce(t *testing.T) {
	for name, open := range map[string]string{"cpu": "cpu", "cuda": "cudasim"} {
		b := backend(t, open)
		l, lines := logged()
		m, err := model.New(t.Context(), b, backends.NewModule(otherSizes), nil, model.Logger(l), model.Name("net.mlir"))
		require.NoError(t, err)
		for n := range 3 {
			in, out := soa.NewCollection(n+1), soa.NewCollection(n+1)
			for _, name := range []string{"x", "like"} {
				require.NoError(t, in.Add(name, soa.ViewColumn(name, soa.Make(types.Of(types.F32, n+1, 2)))))
			}
			require.NoError(t, out.Add("y", soa.ViewColumn("y", soa.Make(types.Of(types.F32, n+1, 2)))))
			require.NoError(t, m.Bind(in, out).Run(t.Context(), nil, 0))
		}
		require.Len(t, lines(), 1, "%s: %v", name, lines())
		require.Regexp(t, `level=WARN msg="a whole program runs uncompiled, by the evaluator" backend=`+name+` program=net.mlir at=net.mlir:7 because="stablehlo.dynamic_reshape: arg0.dim0\*arg0.dim1 should be arg1.dim0\*arg1.dim1`, lines()[0])

		_, err = model.New(t.Context(), b, backends.NewModule(otherSizes), nil, model.Logger(l), model.Name("net.mlir"), model.Compiled())
		require.ErrorIs(t, err, backends.ErrFallback)
		require.Regexp(t, `^model: net.mlir:7: backend `+name+` leaves the whole program to the evaluator, many times slower: `, err.Error())
		require.Len(t, lines(), 1)
	}
}

// Sizes that are products of an open one, such as those of attention, and kernels that compute
// with a size are compiled.
func TestSizesThatAreNoMultiplesAreCompiled(t *testing.T) {
	const reverse = `func.func @main(%x: tensor<?xf32> {ltc.dim = ["n"]}) -> tensor<?xf32> {
  %0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %2 = stablehlo.dynamic_iota %1, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %3 = stablehlo.multiply %2, %x : tensor<?xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<?xf32>
  return %4 : tensor<?xf32>
}`
	x := heads(t)
	for _, name := range []string{"cpu", "cudasim"} {
		_, err := model.New(t.Context(), backend(t, name), backends.NewModule(x.Text), x.Constants, model.Compiled())
		require.NoError(t, err, name)
		_, err = model.New(t.Context(), backend(t, name), backends.NewModule(reverse), nil, model.Compiled())
		require.NoError(t, err, name)
	}
}

func TestStepsLeftToTheEvaluatorAreWarnedOf(t *testing.T) {
	const program = `func.func @main(%x: tensor<4x4xf16>, %p: tensor<i1>) -> (tensor<4x4xf16>, tensor<4xf32>) {
  %0 = "stablehlo.cholesky"(%x) {lower = true} : (tensor<4x4xf16>) -> tensor<4x4xf16> loc("net.go":7:1)
  %1 = "stablehlo.if"(%p) ({
    %2 = "stablehlo.cholesky"(%0) {lower = true} : (tensor<4x4xf16>) -> tensor<4x4xf16>
    stablehlo.return %2 : tensor<4x4xf16>
  }, {
    stablehlo.return %x : tensor<4x4xf16>
  }) : (tensor<i1>) -> tensor<4x4xf16>
  %3 = stablehlo.slice %1 [0:1, 0:4] : (tensor<4x4xf16>) -> tensor<1x4xf16>
  %4 = stablehlo.reshape %3 : (tensor<1x4xf16>) -> tensor<4xf16>
  %w = stablehlo.convert %4 : (tensor<4xf16>) -> tensor<4xf32>
  %s = stablehlo.constant dense<4> : tensor<1xi64>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %5 = stablehlo.rng %one, %one, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %6 = stablehlo.rng %one, %one, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<4xf32>
  %7 = stablehlo.multiply %5, %w : tensor<4xf32>
  %8 = stablehlo.add %6, %7 : tensor<4xf32>
  return %1, %8 : tensor<4x4xf16>, tensor<4xf32>
}`
	for name, open := range map[string]string{"cpu": "cpu", "cuda": "cudasim"} {
		l, lines := logged()
		_, err := model.New(t.Context(), backend(t, open), backends.NewModule(program), nil, model.Logger(l), model.Name("net.mlir"))
		require.NoError(t, err)
		require.Len(t, lines(), 1, "%s: %v", name, lines())
		require.Regexp(t, `msg="ops of a program run uncompiled, by the evaluator" backend=`+name+` program=net.mlir at=net.go:7 ops=4 op=stablehlo.cholesky because="an element of the result depends on those before it, so that no axis is parallel but the batch's; a target that has code for it runs it as a step of its own: cpu has for f32 and f64" others="stablehlo.cholesky at net.mlir:4, stablehlo.rng at net.mlir:14, stablehlo.rng at net.mlir:15" do=`, lines()[0])

		_, err = model.New(t.Context(), backend(t, open), backends.NewModule(program), nil, model.Compiled(), model.Name("net.mlir"))
		left, ok := errors.AsType[*backends.FallbackError](err)
		require.True(t, ok)
		require.Len(t, left.Ops, 4)
	}
}

// What a function of the host does, or messages, is the host's anyway.
func TestFunctionsOfTheHostAreNoFallback(t *testing.T) {
	require.NoError(t, backends.RegisterHost("fallback.twice", func(_ context.Context, c *backends.HostCall) error { return soa.Copy(c.Results[0], c.Args[0]) }))
	const program = `func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.custom_call"(%x) {call_target_name = "fallback.twice"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}`
	_, err := model.New(t.Context(), backend(t, "cpu"), backends.NewModule(program), nil, model.Compiled())
	require.NoError(t, err)
}

// The evaluator itself warns of nothing, and compiles nothing.
func TestEvaluatorDoesNotCompile(t *testing.T) {
	x := heads(t)
	l, lines := logged()
	_, err := model.New(t.Context(), backend(t, "eval"), backends.NewModule(x.Text), x.Constants, model.Logger(l))
	require.NoError(t, err)
	require.Equal(t, []string{""}, lines())
	_, err = model.New(t.Context(), backend(t, "eval"), backends.NewModule(x.Text), x.Constants, model.Compiled())
	require.ErrorIs(t, err, backends.ErrFallback)
}

func backend(t *testing.T, name string) backends.Backend {
	t.Helper()
	b, err := backends.Open(name)
	require.NoError(t, err)
	return b
}
