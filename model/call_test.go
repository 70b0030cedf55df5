package model_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
	"ltc/soa"
)

// Call gives what Bind and Run give, for every number of elements, however views lie, and
// from several goroutines.
func TestCallGivesWhatRunGives(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := network(t, dev)
	for _, backend := range []string{"cpu", "eval"} {
		m := newModel(t, f, backend)
		sizes := []int{1, 7, 64}
		hits, inputs := make([]*soa.Records[hit], len(sizes)), make([]soa.View, len(sizes))
		for i, n := range sizes {
			var in, out *soa.Collection
			hits[i], in, out = columns(t, n, n)
			inputs[i] = in.Tensor(0)
			require.NoError(t, m.Bind(in, out).Run(t.Context(), nil, 0))
		}
		var calls sync.WaitGroup
		results, errs := make([][]soa.View, 3*len(sizes)), make([]error, 3*len(sizes))
		for i := range results {
			calls.Go(func() { results[i], errs[i] = m.Call(t.Context(), inputs[i%len(sizes)]) })
		}
		calls.Wait()
		for i, r := range results {
			n, of := sizes[i%len(sizes)], hits[i%len(sizes)]
			require.NoError(t, errs[i])
			require.Len(t, r, 2)
			require.Equal(t, soa.Slice[float32](view(t, of.Col("Score"))), soa.Slice[float32](r[0]))
			want := soa.Make(types.Of(types.F32, n, 2))
			require.NoError(t, soa.Copy(want, view(t, of.Col("Class"))))
			require.Equal(t, soa.Slice[float32](want), soa.Slice[float32](r[1]))
		}
		none, err := m.Call(t.Context(), soa.Make(types.Of(types.F32, 0, 3)))
		require.NoError(t, err)
		require.Equal(t, types.Of(types.F32, 0, 2), none[1].Type)
	}
}

// Results are the caller's: a call does not write over those of one before it.
func TestResultsOfCallsAreTheCallers(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	m := newModel(t, network(t, dev), "cpu")
	call := func(x float32) soa.View {
		in, err := soa.Borrow([]float32{x, x, x}, types.Of(types.F32, 1, 3))
		require.NoError(t, err)
		results, err := m.Call(nil, in)
		require.NoError(t, err)
		return results[0]
	}
	one := call(1)
	two := call(2)
	require.Equal(t, []float32{3}, soa.Slice[float32](one))
	require.Equal(t, []float32{6}, soa.Slice[float32](two))
}

func TestCallRefuses(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	m := newModel(t, network(t, dev), "cpu")
	released, err := soa.OffHeap(64)
	require.NoError(t, err)
	gone := released.View(types.Of(types.F32, 1, 3))
	released.Release()
	for want, inputs := range map[string][]soa.View{
		"model: call: got 0 inputs, and the program has 1: x f32[?,3]":                                                     nil,
		"model: call: got 2 inputs, and the program has 1: x f32[?,3]":                                                     {{}, {}},
		"model: call: input 0 (\"x\"): want f32[?,3], got no view":                                                         {{}},
		"model: call: input 0 (\"x\"): want f32[?,3], got f32[2,4]":                                                        {soa.Make(types.Of(types.F32, 2, 4))},
		"model: call: input 0 (\"x\"): want f32[?,3], got f32[3]":                                                          {soa.Make(types.Of(types.F32, 3))},
		"want f32[?,3], got f64[2,3]: a model does not convert: declare the tensor as f64, and Convert it in the function": {soa.Make(types.Of(types.F64, 2, 3))},
		"released":                      {gone},
		"want f32[?,3], got f32[2,3,1]": {{Type: types.Of(types.F32, 2, 3, 1)}}, // without strides
	} {
		results, err := m.Call(t.Context(), inputs...)
		require.ErrorContains(t, err, want)
		require.Nil(t, results)
	}
	_, err = new(model.Model).Call(t.Context())
	require.EqualError(t, err, "model: call: the Model is the zero value: make a Model with New")

	text := "func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32> {ltc.name = \"w\", ltc.constant}) -> tensor<2xf32> {\n  %y = stablehlo.add %x, %w : tensor<2xf32>\n  return %y : tensor<2xf32>\n}\n"
	open, err := model.New(t.Context(), backend(t, "eval"), backends.NewModule(text), nil)
	require.NoError(t, err)
	_, err = open.Call(t.Context(), soa.Make(types.Of(types.F32, 2)))
	require.EqualError(t, err, "model: call: got 1 input, and the program has 2: f32[2], w f32[2] (a constant: New got no value for it)")

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = m.Call(cancelled, soa.Make(types.Of(types.F32, 2, 3)))
	require.ErrorIs(t, err, cancelled.Err())
}

// The error of an op in a run begins with the line that recorded it, and that of a size out of its
// bounds names the argument.
func TestErrorsOfSizesNameTheirLine(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := lazy.Func(dev, func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return x.Narrow(0, 0, 5)
	})
	x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.Dim("n", 1, 99))}})
	require.NoError(t, err)
	for _, name := range []string{"cpu", "eval"} {
		m, err := model.New(t.Context(), backend(t, name), backends.NewModule(x.Text), x.Constants)
		require.NoError(t, err)
		_, err = m.Call(t.Context(), soa.Make(types.Of(types.F32, 3)))
		require.Regexp(t, `^model: call: call_test\.go:\d+: shape_assertion: slice: 5 should be at most n, .*n is 3$`, err.Error(), name)
		_, err = m.Call(t.Context(), soa.Make(types.Of(types.F32, 100)))
		require.EqualError(t, err, `model: call: execute: dimension 0 of argument 0 ("x") is 100: the program is for 1 to 99`, name)
	}
	g := lazy.Func(dev, func(_ *lazy.Trace, x, y *lazy.Tensor) *lazy.Tensor { return x.Mul(y.Sum()) })
	x, err = g.Export([]lazy.Input{
		{Name: "x", Type: types.Of(types.F32, lazy.Dim("n", 1, 99))}, {Name: "y", Type: types.Of(types.F32, lazy.Dim("n", 1, 99))},
	})
	require.NoError(t, err)
	for _, name := range []string{"cpu", "eval"} {
		m, err := model.New(t.Context(), backend(t, name), backends.NewModule(x.Text), x.Constants)
		require.NoError(t, err)
		_, err = m.Call(t.Context(), soa.Make(types.Of(types.F32, 3)), soa.Make(types.Of(types.F32, 5)))
		require.EqualError(t, err, `model: call: execute: dimension 0 of argument 1 ("y") is 5, and dimension 0 of argument 0 ("x") 3: they are one size`, name)
	}
}
