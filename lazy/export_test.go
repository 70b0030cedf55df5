package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// An exported function is one program for all sizes, with its variables as
// constants.
func TestExportOpen(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	w := dev.Variable("w", types.F32, 3, 5).Init(lazy.Uniform(-1, 1))
	b := dev.Variable("b", types.F32, 5).Init(lazy.Uniform(-1, 1))
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return x.MatMul(w).Add(b).GELU().Softmax(-1).Mul(x.Sum(1).Unsqueeze(1))
	})
	x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 3)}}, "y")
	require.NoError(t, err)
	t.Log(x.Text)
	for _, name := range []string{"cpu", "eval"} {
		be, err := backends.Open(name)
		require.NoError(t, err)
		e, err := be.Compile(t.Context(), backends.NewModule(x.Text), backends.Options{})
		require.NoError(t, err)
		constants := map[int]soa.View{}
		for i, a := range e.Signature().Args {
			if a.Constant {
				constants[i] = x.Constants[a.Name]
			}
		}
		e, err = e.Bind(t.Context(), constants)
		require.NoError(t, err)
		for _, n := range []int{1, 2, 7, 300} {
			data := make([]float32, n*3)
			for i := range data {
				data[i] = float32(i%17)/7 - 1
			}
			args := make([]soa.View, len(e.Signature().Args))
			for i, a := range e.Signature().Args {
				if a.Name == "x" {
					args[i], err = soa.Strided(data, types.Of(types.F32, n, 3), 0, []int{3, 1})
					require.NoError(t, err)
				}
			}
			c := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), c))
			got := soa.Slice[float32](c.Results[0])
			want, err := f.Call(t.Context(), lazy.From(dev, data, n, 3))
			require.NoError(t, err)
			values, err := lazy.ToSlice[float32](want)
			require.NoError(t, err)
			require.InDeltaSlice(t, values, got, 1e-5)
		}
	}
}
