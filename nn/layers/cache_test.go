package layers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/types"
	"ltc/lazy"
	"ltc/nn/layers"
	"ltc/nn/module"
)

// Attention of one token after the other with a cache is causal attention of all of them. One program
// serves all places, and copies none of the cache.
func TestKeyValueCache(t *testing.T) {
	const heads, groups, features, places = 4, 2, 8, 16
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	defer dev.Close()
	c := &layers.KeyValueCache{Heads: groups, MaxTokens: places, Features: features}
	require.NoError(t, module.Build(c, dev))
	values := func(seed, n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32((i*7919+seed)%1009)/504.5 - 1
		}
		return x
	}
	step := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
		past := x[3]
		at := past.Size(0).Convert(lazy.I32).SubScalar(1)
		k, v := c.Update(x[1], x[2], at, past.OpenDim(0))
		return []*lazy.Tensor{x[0].Attention(k, v, lazy.AttentionOptions{Causal: true})}
	})
	of := func(heads int) types.Type { return types.Of(lazy.F32, heads, 1, features) }
	require.NoError(t, step.Inputs(lazy.Input{Name: "q", Type: of(heads)}, lazy.Input{Name: "k", Type: of(groups)}, lazy.Input{Name: "v", Type: of(groups)},
		lazy.Input{Name: "past", Type: types.Of(lazy.I32, lazy.Dim("past", 1, places))}))

	const n = 5
	q, k, v := values(1, heads*n*features), values(2, groups*n*features), values(3, groups*n*features)
	tr := lazy.NewTrace(dev)
	all := lazy.From(tr, q, heads, n, features).Attention(lazy.From(tr, k, groups, n, features), lazy.From(tr, v, groups, n, features), lazy.AttentionOptions{Causal: true})
	require.NoError(t, tr.MarkStep(all))
	want, err := lazy.ToSlice[float32](all)
	require.NoError(t, err)
	for at := range n {
		row := func(x []float32, heads int) *lazy.Tensor {
			var rows []float32
			for h := range heads {
				rows = append(rows, x[(h*n+at)*features:][:features]...)
			}
			return lazy.From(dev, rows, heads, 1, features)
		}
		y, err := step.Call(t.Context(), row(q, heads), row(k, groups), row(v, groups), lazy.From(dev, make([]int32, at+1)))
		require.NoError(t, err)
		got, err := lazy.ToSlice[float32](y)
		require.NoError(t, err)
		for h := range heads {
			require.InDeltaSlice(t, want[(h*n+at)*features:][:features], got[h*features:][:features], 1e-5)
		}
	}
	r := step.Report()
	require.Len(t, r.Compiles, 1)
	require.Zero(t, r.CopiedBytes)
	require.ErrorContains(t, module.Build(&layers.KeyValueCache{Heads: 1, Features: 1}, dev), "layers.KeyValueCache.MaxTokens is 0: it must be positive")
}
