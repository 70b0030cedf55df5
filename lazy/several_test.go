package lazy_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/ir/ops"
	"ltc/lazy"
)

// Ops with several results are one node, of which each result is a tensor as any
// other, however the program runs.
func TestSeveralResults(t *testing.T) {
	for name, c := range map[string]struct {
		backend string
		opts    []lazy.Option
	}{
		"eval":      {"eval", nil},
		"cpu":       {"cpu", nil},
		"op by op":  {"cpu", []lazy.Option{lazy.OpByOp()}},
		"nans":      {"eval", []lazy.Option{lazy.CheckNaNs(true)}},
		"async off": {"cpu", []lazy.Option{lazy.Threads(1)}},
	} {
		t.Run(name, func(t *testing.T) {
			dev := open(t, c.backend, c.opts...)
			tr := lazy.NewTrace(dev)
			w := dev.Variable("w", lazy.F32, 2, 3).Init(lazy.Constant(0))
			for step := range 3 { // the second follows the first
				third := float32(2 + 2*step)
				x := lazy.From(tr, []float32{3, 1, third, -1, 5, 0}, 2, 3)
				values, indices := x.Sort(1, false)
				top, at := values.Mul(values).TopK(2, 1)
				_, unused := x.TopK(1, 0)
				_ = unused
				w.Assign(values) // takes over the variable's memory
				require.NoError(t, tr.MarkStep(indices, top, at))
				least, most := min(third, 3), max(third, 3)
				require.Equal(t, []float32{1, least, most, -1, 0, 5}, floats(t, w))
				require.Equal(t, []float32{most * most, least * least, 25, 1}, floats(t, top))
				got, err := lazy.ToSlice[int64](at)
				require.NoError(t, err)
				require.Equal(t, []int64{2, 1, 2, 0}, got)
			}
			require.Equal(t, int64(1), tr.Report().Compiled)
		})
	}
}

// A step reads one result in its midst and goes on with the others.
func TestReadingOneOfSeveralResults(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 3).Init(lazy.Constant(2))
	x := tr.Read(w).Mul(lazy.From(tr, []float32{3, 1, 2}))
	values, indices := x.Sort(0, true)
	require.Equal(t, []float32{6, 4, 2}, floats(t, values))
	loss := values.Mul(indices.Convert(lazy.F32)).Sum() // 0·6 + 2·4 + 1·2
	g := lazy.Grad(loss, w)[0]
	require.NoError(t, tr.MarkStep(loss, g))
	require.Equal(t, 10.0, loss.Float())
	require.Equal(t, []float32{0, 1, 4}, floats(t, g))
}

// What observes ops sees each result.
func TestObservingSeveralResults(t *testing.T) {
	var seen []lazy.OpRun
	dev := open(t, "eval", lazy.ObserveOps(func(r lazy.OpRun) { seen = append(seen, r) }))
	tr := lazy.NewTrace(dev)
	_, at := lazy.From(tr, []float32{3, 1, 2}).TopK(2, 0)
	next := at.AddScalar(1)
	require.NoError(t, tr.MarkStep(next))
	var all []string
	for _, r := range seen {
		all = append(all, r.Node.Op+" "+r.Node.Type.String()+" "+string(rune('0'+r.Output)))
	}
	require.Subset(t, all, []string{"top_k f32[2] 0", "top_k i64[2] 1", "add i64[2] 0"})
	require.False(t, slices.ContainsFunc(seen, func(r lazy.OpRun) bool { return r.Node.Op == "result" }))
}

// A NaN is found in the result that has it.
func TestNaNsOfSeveralResults(t *testing.T) {
	both := lazy.DefineAll(lazy.Composite{Name: "test.roots", Operands: []ops.Operand{{Name: "x", Is: ops.Float}}, Results: []string{"square", "root"}},
		func(x []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
			return []*lazy.Tensor{x[0].Mul(x[0]), x[0].Sqrt()}
		}, nil)
	tr := lazy.NewTrace(open(t, "eval", lazy.CheckNaNs(true)))
	y := both.CallAll(nil, lazy.From(tr, []float32{4, -1}))
	err := tr.MarkStep(y[0].Add(y[1]))
	require.ErrorIs(t, err, lazy.ErrNaN)
	require.ErrorContains(t, err, "test.roots")
	require.ErrorContains(t, err, "several_test.go")
}

// A composite of a user's with two results: the gradient of its body, and one of its
// own that gets zeros for a result that nothing depends on and nothing for integers.
func TestDefineAll(t *testing.T) {
	row := func(name string) lazy.Composite {
		return lazy.Composite{Name: name, Doc: "returns the mean of x, the variance, and how many there are.",
			Operands: []ops.Operand{{Name: "x", Is: ops.Float}}, Results: []string{"mean", "variance", "count"}}
	}
	body := func(x []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
		mean := x[0].Mean()
		d := x[0].Sub(mean)
		return []*lazy.Tensor{mean, d.Mul(d).Mean(), lazy.Full(x[0].Trace(), lazy.I32, float64(x[0].Type().Elements()))}
	}
	gradients := 0
	own := lazy.DefineAll(row("test.moments_own"), body, func(x, y, ct []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
		gradients++
		require.Len(t, ct, 3)
		require.Nil(t, ct[2])
		n := float64(x[0].Type().Elements())
		return []*lazy.Tensor{ct[0].MulScalar(1 / n).Add(x[0].Sub(y[0]).Mul(ct[1]).MulScalar(2 / n))}
	})
	plain := lazy.DefineAll(row("test.moments"), body, nil)
	require.Contains(t, plain.Doc(), "Results: `mean`, `variance`, `count`.")
	for name, loss := range map[string]func(y []*lazy.Tensor) *lazy.Tensor{
		"both":     func(y []*lazy.Tensor) *lazy.Tensor { return y[0].Mul(y[1]).Mul(y[2].Convert(lazy.F64)) },
		"mean":     func(y []*lazy.Tensor) *lazy.Tensor { return y[0].Sin() },
		"variance": func(y []*lazy.Tensor) *lazy.Tensor { return y[1].Sqrt() },
	} {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, "cpu"))
			x := lazy.From(tr, []float64{1, 2, 4, 9})
			var grads []*lazy.Tensor
			for _, y := range [][]*lazy.Tensor{body([]*lazy.Tensor{x}, nil), plain.CallAll(nil, x), own.CallAll(nil, x)} {
				grads = append(grads, lazy.Grad(loss(y), x)[0])
			}
			require.NoError(t, tr.MarkStep(grads...))
			want, err := lazy.ToSlice[float64](grads[0])
			require.NoError(t, err)
			for _, g := range grads[1:] {
				got, err := lazy.ToSlice[float64](g)
				require.NoError(t, err)
				require.InDeltaSlice(t, want, got, 1e-12)
			}
		})
	}
	require.Equal(t, 3, gradients)
	f := lazy.Func(open(t, "cpu"), func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return plain.Call(nil, x) })
	y, err := f.Call(context.Background(), lazy.From(open(t, "cpu"), []float64{1, 3}))
	require.Error(t, err, "of another device")
	require.Nil(t, y)
}

// The results of a bad call are as many, all poisoned.
func TestBadCallsOfSeveralResults(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2})
	values, indices := x.TopK(3, 0)
	require.ErrorContains(t, values.Err(), "several_test.go:")
	require.ErrorContains(t, values.Err(), "top_k(f32[2]): k is 3, axis 0 has 2 elements (top_k_c3)")
	require.Equal(t, values.Err(), indices.Err())
	values, indices = x.Sort(2, true)
	require.ErrorContains(t, values.Err(), "sort(f32[2]): axis 2 is out of range: a tensor of shape [2] has axis 0 alone (sort_c2)")
	require.Equal(t, values.Err(), indices.Err())
	two := lazy.DefineAll(lazy.Composite{Name: "test.two", Operands: []ops.Operand{{Name: "x"}}, Results: []string{"a", "b"}},
		func(x []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor { return x }, nil)
	ys := two.CallAll(nil, x)
	require.Len(t, ys, 2)
	require.ErrorContains(t, ys[1].Err(), "in its definition, the number of results is 1, must be 2: a, b")
	require.Len(t, two.CallAll(lazy.Attrs{"no": 1}, x), 2)
	twice := lazy.DefineAll(lazy.Composite{Name: "test.twice", Operands: []ops.Operand{{Name: "x"}}, Results: []string{"a", "a"}},
		func(x []*lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor { return append(x, x[0]) }, nil)
	require.ErrorContains(t, twice.Call(nil, x).Err(), "result 1 must have a name of its own")
	require.NoError(t, tr.MarkStep(x.Add(x)))
}

// The reason of a compile for another k names the composite.
func TestReasonOfSeveralResults(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	for k := range 2 {
		v, _ := lazy.From(tr, []float32{3, 1, 2}).TopK(k+1, 0)
		require.NoError(t, tr.MarkStep(v))
	}
	require.Regexp(t, `several_test.go:\d+: ltc.top_k \(f32\[2\], i64\[2\]\) with k = 2, was k = 1; attributes are part of the program`, tr.Report().Compiles[1].Reason)
}
