package lazy_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// stack returns tensors along a new first axis.
func stack(xs []*lazy.Tensor) *lazy.Tensor {
	rows := make(tensors, len(xs))
	for i, x := range xs {
		rows[i] = x.Unsqueeze(0)
	}
	return lazy.Concatenate(0, rows...)
}

// productsInLoops counts the matrix products in the loops of the last program, and those outside.
func productsInLoops(text string) (in, out int) {
	within := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.Contains(line, "stablehlo.while("):
			within = true
		case strings.HasPrefix(line, "    }") && !strings.HasPrefix(line, "    } do"):
			within = false
		case strings.Contains(line, "stablehlo.dot_general") && within:
			in++
		case strings.Contains(line, "stablehlo.dot_general"):
			out++
		}
	}
	return in, out
}

// differing returns a tensor of numbers that differ, by step and from those of another step.
func differing(tr *lazy.Trace, step float64, dims ...int) *lazy.Tensor {
	n := 1
	for _, d := range dims {
		n *= d
	}
	return lazy.Iota(tr, lazy.F64, 0, n).MulScalar(step).Sin().Reshape(dims...)
}

// Products of rows by a matrix from outside are computed before the loop, and sums of products
// after it. Results and gradients are those of the iterations written out.
func TestProductsOfRowsAreOutsideOfLoops(t *testing.T) {
	const n, batch, size = 5, 2, 3
	for _, c := range []struct {
		name    string
		o       lazy.ScanOptions
		f       func(w, v, h, x *lazy.Tensor) *lazy.Tensor
		in, out int // with the gradients of w and v
	}{
		// In the loops there are h·v, and the product of its gradient by v. Outside are x·w and the
		// gradients of w and v.
		{"product", lazy.ScanOptions{}, func(w, v, h, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w).Add(h.MatMul(v)).Tanh() }, 2, 3},
		{"reverse", lazy.ScanOptions{Reverse: true}, func(w, v, h, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w).Add(h.MatMul(v)).Tanh() }, 2, 3},
		{"transposed", lazy.ScanOptions{}, func(w, v, h, x *lazy.Tensor) *lazy.Tensor {
			return x.MatMul(w.Transpose()).Add(h.MatMul(v.Transpose())).Tanh()
		}, 2, 3},
		// The gradient of w is of both products.
		{"the same", lazy.ScanOptions{}, func(w, v, h, x *lazy.Tensor) *lazy.Tensor {
			return x.MatMul(w.Transpose()).Add(h.MatMul(w.Transpose())).Add(v.Sum()).Tanh()
		}, 2, 3},
		// Two products have the gradient of v.
		{"twice", lazy.ScanOptions{}, func(w, v, h, x *lazy.Tensor) *lazy.Tensor {
			return x.MatMul(w).Add(h.MatMul(v)).Tanh().MatMul(v).Tanh()
		}, 4, 4},
		// Rows take memory: with checkpoints all is in the loops, where it is computed again.
		{"checkpoint", lazy.ScanOptions{Checkpoint: true}, func(w, v, h, x *lazy.Tensor) *lazy.Tensor { return x.MatMul(w).Add(h.MatMul(v)).Tanh() }, 7, 0},
	} {
		for _, backend := range []string{"eval", "cpu"} {
			t.Run(c.name+"/"+backend, func(t *testing.T) {
				tr := lazy.NewTrace(open(t, backend))
				w, v := differing(tr, 0.3, size, size), differing(tr, 0.7, size, size)
				xs, h := differing(tr, 0.4, n, batch, size), differing(tr, 0.6, batch, size)
				last, rows := lazy.Scan(func(_ *lazy.Trace, s, x []*lazy.Tensor) (next, ys []*lazy.Tensor) {
					y := c.f(w, v, s[0], x[0])
					return tensors{y}, tensors{y}
				}, tensors{h}, tensors{xs}, c.o)
				want, all := h, make(tensors, n)
				for i := range n {
					if c.o.Reverse {
						i = n - 1 - i
					}
					want = c.f(w, v, want, xs.Select(0, i))
					all[i] = want
				}
				got := append(lazy.Grad(last[0].Sum().Add(rows[0].Mul(rows[0]).Sum()), w, v, xs, h), last[0], rows[0])
				expected := append(lazy.Grad(want.Sum().Add(stack(all).Mul(stack(all)).Sum()), w, v, xs, h), want, stack(all))
				require.NoError(t, tr.MarkStep(slices.Concat(got, expected)...))
				for i := range got {
					requireNear(t, expected[i], got[i], 1e-12)
				}

				tr = lazy.NewTrace(open(t, "null"))
				w, v, xs, h = differing(tr, 0.3, size, size), differing(tr, 0.7, size, size), differing(tr, 0.4, n, batch, size), differing(tr, 0.6, batch, size)
				_, rows = lazy.Scan(func(_ *lazy.Trace, s, x []*lazy.Tensor) (next, ys []*lazy.Tensor) {
					y := c.f(w, v, s[0], x[0])
					return tensors{y}, tensors{y}
				}, tensors{h}, tensors{xs}, c.o)
				require.NoError(t, tr.MarkStep(lazy.Grad(rows[0].Sum(), w, v)...))
				in, out := productsInLoops(tr.StableHLO())
				require.Equal(t, []int{c.in, c.out}, []int{in, out}, tr.StableHLO())
			})
		}
	}
}

// A product stays in the loop where its rows would take much memory, or save no time.
func TestProductsThatStayInLoops(t *testing.T) {
	for _, c := range []struct {
		name                  string
		rows, features, width int
		in, out               int
	}{
		{"few rows", 2, 8, 32, 0, 1},
		{"wide", 2, 8, 64, 1, 0},                                          // its rows are eight times as long as those of x
		{"many rows", 128, 8, 8, 1, 0},                                    // it takes as long in the loop
		{"a matrix that a core's cache keeps", 8, 64, 64, 1, 0},           // the same
		{"a matrix that a core's cache does not keep", 8, 512, 513, 0, 1}, // 2 MiB
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := lazy.NewTrace(open(t, "null"))
			w := lazy.Zeros(tr, lazy.F64, c.features, c.width)
			last, _ := lazy.Scan(func(_ *lazy.Trace, s, x []*lazy.Tensor) (next, ys []*lazy.Tensor) {
				return tensors{s[0].Maximum(x[0].MatMul(w))}, nil
			}, tensors{lazy.Zeros(tr, lazy.F64, c.rows, c.width)}, tensors{lazy.Zeros(tr, lazy.F64, 7, c.rows, c.features)}, lazy.ScanOptions{})
			require.NoError(t, tr.MarkStep(last...))
			in, out := productsInLoops(tr.StableHLO())
			require.Equal(t, []int{c.in, c.out}, []int{in, out}, tr.StableHLO())
		})
	}
	// A loop that has no rows takes memory for none.
	tr := lazy.NewTrace(open(t, "null"))
	sum := lazy.For(1000, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
		x := s[0].Sin()
		return tensors{x, s[1].Add(x.MatMul(x))}
	}, ones(tr, 4, 4), lazy.Zeros(tr, lazy.F32, 4, 4))
	require.NoError(t, tr.MarkStep(sum...))
	in, out := productsInLoops(tr.StableHLO())
	require.Equal(t, []int{1, 0}, []int{in, out}, tr.StableHLO())
}

// A network that Scan runs along a sequence of any length is one program, with its gradients.
func TestScanOfAnyLength(t *testing.T) {
	const batch, size = 2, 3
	cell := func(tr *lazy.Trace, in []*lazy.Tensor) []*lazy.Tensor {
		xs, wx, wh := in[0], in[1], in[2]
		_, ys := lazy.Scan(func(_ *lazy.Trace, s, x []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			h := x[0].MatMul(wx).Add(s[0].MatMul(wh)).Tanh()
			return tensors{h}, tensors{h}
		}, tensors{lazy.Zeros(tr, lazy.F64, batch, size)}, tensors{xs}, lazy.ScanOptions{})
		return append(lazy.Grad(ys[0].Mul(ys[0]).Mean(), xs, wx, wh), ys[0])
	}
	matrix := types.Of(lazy.F64, size, size)
	exported, err := lazy.Func(open(t, "null"), cell).Export([]lazy.Input{
		{Name: "xs", Type: types.Of(lazy.F64, lazy.Dim("steps", 1, 512), batch, size)}, {Name: "wx", Type: matrix}, {Name: "wh", Type: matrix},
	}, "dxs", "dwx", "dwh", "ys")
	require.NoError(t, err)
	in, out := productsInLoops(exported.Text)
	require.Equal(t, []int{2, 4}, []int{in, out}, "in the loops are h·wh and its gradient by h")

	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	run, err := cpu.Compile(t.Context(), backends.NewModule(exported.Text), backends.Options{})
	require.NoError(t, err)
	_, evaluated := run.(interface {
		Compiled() (kernels, evaluated int)
	}).Compiled()
	_ = evaluated
	for _, steps := range []int{1, 2, 7, 128, 512} {
		tr := lazy.NewTrace(open(t, "eval"))
		args := tensors{differing(tr, 0.3, steps, batch, size), differing(tr, 0.4, size, size), differing(tr, 0.7, size, size)}
		want := cell(tr, args)
		require.NoError(t, tr.MarkStep(slices.Concat(args, want)...))
		call := backends.Call{}
		for _, x := range args {
			v, err := x.Value()
			require.NoError(t, err)
			call.Args = append(call.Args, v)
		}
		require.NoError(t, run.Execute(t.Context(), &call))
		for i, w := range want {
			v, err := w.Value()
			require.NoError(t, err)
			require.InDeltaSlice(t, soa.Slice[float64](v), soa.Slice[float64](call.Results[i]), 1e-9, "result %d of %d steps", i, steps)
		}
	}
}
