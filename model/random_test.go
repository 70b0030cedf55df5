package model_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// grow records random ops on tensors of n rows; rng says which.
func grow(rng *rand.Rand, dev *lazy.Device, weights map[string]*lazy.Tensor, x *lazy.Tensor) []*lazy.Tensor {
	all := []*lazy.Tensor{x}
	weight := func(dims ...int) *lazy.Tensor {
		name := fmt.Sprint(dims)
		if weights[name] == nil {
			weights[name] = dev.Variable(fmt.Sprint("w", dims), types.F32, dims...).Init(lazy.Uniform(-1, 1))
		}
		return weights[name]
	}
	for range 3 + rng.IntN(8) {
		t := all[rng.IntN(len(all))]
		k := t.Dim(1)
		switch rng.IntN(15) {
		case 0:
			t = t.Tanh()
		case 1:
			t = t.MatMul(weight(k, 1+rng.IntN(9)))
		case 2:
			t = t.Add(weight(k)).ReLU()
		case 3:
			t = t.Softmax(-1)
		case 4:
			t = t.Mul(t.Sum(1).Unsqueeze(1))
		case 5:
			t = lazy.Concatenate(1, t, all[rng.IntN(len(all))])
		case 6:
			t = t.Narrow(1, rng.IntN(k), 1)
		case 7:
			t = t.LayerNorm(weight(k), weight(k), 1e-5)
		case 8:
			t = t.Transpose(1, 0).MatMul(t).Tanh().MatMul(weight(k, 3)).Sum(0).Add(t.MatMul(weight(k, 3)))
		case 9:
			t = t.Sub(t.Max(0))
		case 10:
			t = t.Reshape(-1).Sigmoid().Reshape(-1, k)
		case 11:
			// Of equals another one may round to be the largest: where they are, both
			// sides are the same, and elsewhere they differ.
			most := t.Max(1).Unsqueeze(1)
			t = t.GreaterEqual(most).Where(t, most.MulScalar(2).Sub(t))
		case 12:
			t = lazy.Concatenate(0, t, t).GELU().Narrow(0, 0, t.Dim(0))
		case 13:
			t = t.Sub(t.Mean(0)).Tanh()
		case 14:
			t = t.Mul(lazy.Concatenate(0, t, t).Sigmoid().Mean())
		}
		all = append(all, t)
	}
	return all[len(all)-2:]
}

// Programs for all sizes give what the functions give that they were exported
// from, compiled or evaluated.
func TestRandomPrograms(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	compiled := 0
	// Of the first two some sizes have long sums in parts, and others products that nothing
	// is fused with: they are found from sizes close together.
	seeds := []uint64{1201, 1775}
	for seed := range uint64(trials.Soak(40, 2000)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		weights := map[string]*lazy.Tensor{}
		f := lazy.Func(dev, func(tr *lazy.Trace, x []*lazy.Tensor) []*lazy.Tensor {
			return grow(rand.New(rand.NewPCG(seed, 7)), dev, weights, x[0])
		})
		x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 4)}})
		require.NoError(t, err, seed)
		for _, name := range []string{"cpu", "eval"} {
			b, err := backends.Open(name)
			require.NoError(t, err)
			e, err := b.Compile(t.Context(), backends.NewModule(x.Text), backends.Options{})
			require.NoError(t, err, "%d\n%s", seed, x.Text)
			if c, ok := e.(interface{ Compiled() (int, int) }); ok {
				if kernels, evaluated := c.Compiled(); kernels > 0 && evaluated == 0 {
					compiled++
				}
			}
			constants := map[int]soa.View{}
			for i, a := range e.Signature().Args {
				if a.Constant {
					constants[i] = x.Constants[a.Name]
				}
			}
			e, err = e.Bind(t.Context(), constants)
			require.NoError(t, err)
			for _, n := range []int{1, 0, 2, 3, 64, 257} {
				args := make([]soa.View, len(e.Signature().Args))
				data := make([]float32, 4*n)
				for i := range data {
					data[i] = float32((i*31+int(seed))%29)/13 - 1
				}
				for i, a := range e.Signature().Args {
					if a.Name == "x" {
						args[i] = soa.Make(types.Of(types.F32, n, 4))
						copy(soa.Slice[float32](args[i]), data)
					}
				}
				c := &backends.Call{Args: args}
				require.NoError(t, e.Execute(t.Context(), c), "%s %d of %d\n%s", name, seed, n, x.Text)
				want, err := f.CallAll(t.Context(), lazy.From(dev, data, n, 4))
				require.NoError(t, err)
				for j := range want {
					w, err := lazy.ToSlice[float32](want[j])
					require.NoError(t, err)
					got := soa.Slice[float32](c.Results[j])
					require.Equal(t, want[j].Shape(), c.Results[j].Type.Shape)
					for i := range w {
						if w[i] != w[i] {
							require.True(t, got[i] != got[i])
							continue
						}
						require.InDelta(t, w[i], got[i], 2e-3*max(1, float64(w[i]), -float64(w[i])), "%s %d of %d: %d", name, seed, n, i)
					}
				}
			}
		}
	}
	t.Log(compiled, "of", len(seeds), "were one compiled program for all sizes")
	require.Equal(t, len(seeds), compiled)
}
