package layers_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn"
	"ltc/nn/layers"
	"ltc/nn/module"
)

// One token after the other, with a cache, has the results of all at once; places matter where queries and keys turn. A
// group of keys is what as many equal heads of keys are.
func TestGroupedQueryAttention(t *testing.T) {
	const n, features, places = 5, 16, 8
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	l := &layers.GroupedQueryAttention{Features: features, Heads: 4, KVHeads: 2, Rotary: &nn.RotaryOptions{}, MaxTokens: places}
	require.NoError(t, module.Build(l, dev))
	require.Equal(t, []string{"cache.keys", "cache.values", "k_proj.weight", "o_proj.weight", "q_proj.weight", "v_proj.weight"}, slices.Sorted(maps.Keys(maps.Collect(module.State(l)))))
	data := make([]float32, n*features)
	for i := range data {
		data[i] = float32((i*7919)%1009)/504.5 - 1
	}
	tr := lazy.NewTrace(dev)
	read := func(y *lazy.Tensor) []float32 {
		require.NoError(t, tr.MarkStep(y))
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		return got
	}
	x := lazy.From(tr, data, n, features)
	want := read(l.Forward(x))
	require.InDeltaSlice(t, want, read(l.Forward(x.Unsqueeze(0))), 1e-5)

	step := lazy.Func(dev, func(_ *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		return []*lazy.Tensor{l.Next(x[0], x[1].Reshape(), places)}
	})
	require.NoError(t, step.Inputs(lazy.Input{Name: "x", Type: types.Of(lazy.F32, 1, features)}, lazy.Input{Name: "at", Type: types.Of(lazy.I32, 1)}))
	for at := range n {
		y, err := step.Call(t.Context(), lazy.From(dev, data[at*features:][:features], 1, features), lazy.From(dev, []int32{int32(at)}))
		require.NoError(t, err)
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		require.InDeltaSlice(t, want[at*features:][:features], got, 1e-5)
	}
	require.Len(t, step.Report().Compiles, 1)

	// Each row of keys twice, for as many heads as queries have.
	all := &layers.GroupedQueryAttention{Features: features, Heads: 4, Rotary: &nn.RotaryOptions{}}
	require.NoError(t, module.Build(all, dev))
	rows := func(p *layers.Linear) []float32 { return read(tr.Read(p.Weight).AddScalar(0)) }
	twice := func(p *layers.Linear) []float32 {
		w, out := rows(p), []float32(nil)
		for group := range slices.Chunk(w, 4*features) {
			out = append(append(out, group...), group...)
		}
		return out
	}
	lazy.SetValues(all.QProj.Weight, rows(&l.QProj))
	lazy.SetValues(all.OProj.Weight, rows(&l.OProj))
	lazy.SetValues(all.KProj.Weight, twice(&l.KProj))
	lazy.SetValues(all.VProj.Weight, twice(&l.VProj))
	require.InDeltaSlice(t, want, read(all.Forward(x)), 1e-5)
	all.Rotary = nil
	require.NotEqual(t, want, read(all.Forward(x)))

	require.ErrorContains(t, l.Forward(lazy.Ones(tr, lazy.F32, features)).Err(), "x is f32[16], must be [n, Features] or [batch, n, Features]")
	require.ErrorContains(t, l.Next(lazy.Ones(tr, lazy.F32, 1, 1, features), lazy.Const(tr, lazy.I32, 0), places).Err(), "x is f32[1,1,16], must be [n, Features]")
	_, err = lazy.ToSlice[float32](l.Next(lazy.Ones(tr, lazy.F32, 2, features), lazy.Const(tr, lazy.I32, places-1), places))
	require.ErrorContains(t, err, "the position is 8, must be from 0 to 7")
	at, row := lazy.Const(tr, lazy.I32, 0), lazy.Ones(tr, lazy.F32, 1, features)
	require.ErrorContains(t, l.Cache.Attention(row, row.Unsqueeze(0), row, at, places, nil).Err(), "queries, keys and values must be [n, features], found f32[1,1,16]")
	require.ErrorContains(t, all.Next(lazy.Ones(tr, lazy.F32, 1, features), lazy.Const(tr, lazy.I32, 0), places).Err(), "layers.GroupedQueryAttention.MaxTokens is 0: set it to call Next")
	require.ErrorContains(t, module.Build(&layers.GroupedQueryAttention{Features: 8, Heads: 4, KVHeads: 3}, dev), "layers.GroupedQueryAttention.Heads is 4: it must divide Features, 8, and be a multiple of KVHeads, 3")
}
