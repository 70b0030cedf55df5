package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// An exported function is one program for all sizes, with its variables as
// constants.
func TestExportOpen(t *testing.T) {
	trials.Sequential(t)
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

// What cannot be one program for all sizes is an error that says why, with the
// line where there is one.
func TestExportErrors(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	w := dev.Variable("w", types.F32, 4)
	rows := lazy.From(dev, make([]float32, 251*4), 251, 4)
	in := []lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 4)}}
	one := func(f func(x *lazy.Tensor) *lazy.Tensor) *lazy.Function {
		return lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return f(x) })
	}
	same := one(func(x *lazy.Tensor) *lazy.Tensor { return x.Tanh() })
	for name, c := range map[string]struct {
		f       *lazy.Function
		in      []lazy.Input
		outputs []string
		want    string
	}{
		"no name":          {same, []lazy.Input{{Type: in[0].Type}}, nil, `input 0 has the name ""`},
		"no type":          {same, []lazy.Input{{Name: "x"}}, nil, `input "x" has no Type, such as types.Of(types.F32, lazy.AnySize, 2)`},
		"a name twice":     {same, []lazy.Input{in[0], in[0]}, nil, `input 1 has the name "x"`},
		"a bad op":         {one(func(x *lazy.Tensor) *lazy.Tensor { return x.MatMul(x) }), in, nil, "matmul(f32[n,4], f32[n,4]): inner dimensions differ: 4 and n (matmul_c4)"},
		"names of results": {same, in, []string{"y", "z"}, "2 names for 1 result"},
		"a result twice":   {same, in, []string{"y", "y"}, `result 1 has the name "y", which must be there and its own`},
		"few elements":     {one(func(x *lazy.Tensor) *lazy.Tensor { return pick(x.Dim(0) > 9, x.Tanh(), x.Exp()) }), in, nil, "export_test.go:91: for a number the function records another program than for a size that is open: tanh f32[4093,4], was exp f32[4093,4]"},
		"the last few": {one(func(x *lazy.Tensor) *lazy.Tensor {
			return x.Narrow(0, max(x.Dim(0)-9, 0), min(x.Dim(0), 9)).Sum(0).Add(x)
		}), in, nil, "pass sizes on as they are, and compute with them by SizeAdd, SizeMul and Size"},
		"a scalar": {lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.Mul(tr.Scalar("k", float64(x.Dim(0)%1000)))
		}), in, nil,
			`the constant "k" has other values for a number than for a size that is open: compute it from Size`},
		"an assignment":  {one(func(x *lazy.Tensor) *lazy.Tensor { w.Assign(x.Sum(0)); return x }), in, nil, `the function assigns "w"`},
		"other ops":      {one(func(x *lazy.Tensor) *lazy.Tensor { return pick(x.Dim(0) > 1000, x.Tanh(), x.Exp()) }), in, nil, "tanh f32[4093,4], was exp f32[4093,4]"},
		"other operands": {one(func(x *lazy.Tensor) *lazy.Tensor { return pick(x.Dim(0) > 1000, x.Sub(w), w.Sub(x)) }), in, nil, "with 4093 for n"},
		"other elements": {one(func(x *lazy.Tensor) *lazy.Tensor { return x.Convert(pickType(x.Dim(0) > 1000)) }), in, nil, "for a number"},
		"a square": {one(func(x *lazy.Tensor) *lazy.Tensor {
			return x.Sum(1).Reshape(1, -1).BroadcastTo(x.Dim(0)*x.Dim(0), x.Dim(0))
		}), in, nil, "is no size: compute with sizes that are open by SizeAdd, SizeSub, SizeMul and SizeDiv"},
		"a constant":       {one(func(x *lazy.Tensor) *lazy.Tensor { return x.MulScalar(1 / float64(1+x.Dim(0)%1000)) }), in, nil, "the constant 0.010638298, was"},
		"a name":           {one(func(x *lazy.Tensor) *lazy.Tensor { return x.MulScalar(1 / float64(x.Dim(0))) }), in, nil, "is computed from the name of a size that is open, which is no number: compute with Size(i)"},
		"rows of a tensor": {one(func(x *lazy.Tensor) *lazy.Tensor { return x.Add(rows.Narrow(0, 0, min(x.Dim(0), 251))) }), in, nil, "shapes do not broadcast"},
		"a constant's size": {one(func(x *lazy.Tensor) *lazy.Tensor {
			return x.Add(lazy.From(dev, make([]float32, x.Dim(0)*4), x.Dim(0), 4))
		}), in, nil, "the function panics for sizes that are open: runtime error: makeslice: len out of range"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := c.f.Export(c.in, c.outputs...)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func pick(first bool, a, b *lazy.Tensor) *lazy.Tensor {
	if first {
		return a
	}
	return b
}

func pickType(first bool) types.DType {
	if first {
		return types.F64
	}
	return types.F32
}

// What needs some elements is exported: with fewer its ops are errors of a run.
func TestExportNeedsElements(t *testing.T) {
	dev, err := lazy.Open("cpu")
	require.NoError(t, err)
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Sub(x.Narrow(0, 0, 20).Sum(0)) })
	_, err = f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.AnySize, 4)}})
	require.NoError(t, err)
}

// Two sizes are open: products of both, sizes as numbers, attention, means and views.
func TestExportSeveralSizes(t *testing.T) {
	trials.Sequential(t)
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	const heads, features = 2, 8
	w := dev.Variable("w", types.F32, features, features).Init(lazy.Uniform(-1, 1))
	for name, fn := range map[string]func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor{
		"flattened": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			batch, seq := x.Dim(0), x.Dim(1)
			return x.Reshape(-1, features).MatMul(w).Reshape(batch, seq, heads, features/heads).Transpose(0, 2, 1, 3)
		},
		"attention": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			q := x.Reshape(x.Dim(0), x.Dim(1), heads, features/heads).Transpose(0, 2, 1, 3)
			return q.Attention(q, q, lazy.AttentionOptions{Causal: true})
		},
		"means": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.Sub(x.MeanKeep(1)).Mul(x.MeanKeep()).Softmax(1)
		},
		"sizes as numbers": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return x.Mul(x.Size(1).Mul(x.Size(0)).Convert(types.F32)).Add(x.Size(2).Convert(types.F32))
		},
		"the last half": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			half := lazy.SizeDiv(x.Dim(1), 2)
			return x.Narrow(1, lazy.SizeSub(x.Dim(1), half), half).Sum(0)
		},
		"outer": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			rows := x.Sum(2)
			return rows.Unsqueeze(2).Mul(rows.Unsqueeze(1)).Reshape(x.Dim(0), lazy.SizeMul(x.Dim(1), x.Dim(1)))
		},
		"joined": func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return lazy.Concatenate(1, x, lazy.Ones(tr, types.F32, x.Dim(0), 3, features), x).PadZeros([2]int{1, 2}, [2]int{0, 0})
		},
		"gradient": func(_ *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			return lazy.Grad(x.MatMul(w).Tanh().Mean(1).Mul(x.Narrow(1, 0, 1).Squeeze(1)).Sum(), x)[0]
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := lazy.Func(dev, fn)
			x, err := f.Export([]lazy.Input{{Name: "x", Type: types.Of(types.F32, lazy.Dim("batch", 1, 64), lazy.Dim("seq", 2, 512), features)}}, "y")
			require.NoError(t, err)
			require.Contains(t, x.Text, `ltc.dims = {batch = [1, 64], seq = [2, 512]}`)
			for _, backend := range []string{"eval", "cpu"} {
				be, err := backends.Open(backend)
				require.NoError(t, err)
				e, err := be.Compile(t.Context(), backends.NewModule(x.Text), backends.Options{})
				require.NoError(t, err)
				for _, shape := range [][]int{{1, 2, features}, {3, 5, features}, {2, 64, features}} {
					data := make([]float32, shape[0]*shape[1]*features)
					for i := range data {
						data[i] = float32(i%17)/7 - 1
					}
					args := make([]soa.View, len(e.Signature().Args))
					for i, a := range e.Signature().Args {
						if a.Name == "x" {
							args[i], err = soa.Borrow(data, types.Of(types.F32, shape...))
							require.NoError(t, err)
						} else {
							args[i] = x.Constants[a.Name]
						}
					}
					c := &backends.Call{Args: args}
					require.NoError(t, e.Execute(t.Context(), c))
					want, err := f.Call(t.Context(), lazy.From(dev, data, shape...))
					require.NoError(t, err)
					values, err := lazy.ToSlice[float32](want)
					require.NoError(t, err)
					require.Equal(t, want.Shape(), c.Results[0].Type.Shape)
					require.InDeltaSlice(t, values, soa.Slice[float32](c.Results[0]), 1e-5, "%s %v", backend, shape)
				}
			}
		})
	}
}
