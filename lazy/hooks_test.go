package lazy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
)

// Hooks see every node that is made, in the trace that they belong to, until
// they are removed.
func TestHooksSeeEveryNodeUntilTheyAreRemoved(t *testing.T) {
	d := open(t, "eval")
	tr := lazy.NewTrace(d)
	x := lazy.From(tr, []float32{1, 2})
	w := d.Variable("w", lazy.F32, 2)
	var seen []lazy.NodeInfo
	var ops []string
	var remove func()
	remove = tr.OnNode(func(n lazy.NodeInfo) {
		seen = append(seen, n)
		ops = append(ops, n.Op)
		if n.Op == "neg" {
			remove() // from within
		}
	})
	calls := 0
	other := tr.OnNode(func(lazy.NodeInfo) { calls++ })

	x.Add(w)
	require.Equal(t, []string{"parameter", "parameter", "add"}, ops)
	require.Equal(t, "f32[2]", seen[2].Type.String())
	require.Len(t, seen[2].Operands, 2)
	require.Contains(t, seen[2].Site, "hooks_test.go:")
	x.Add(w)
	require.Len(t, ops, 3, "a node is made once")
	x.Softmax(0)
	require.Equal(t, "softmax", ops[3])
	lazy.From(lazy.NewTrace(d), []float32{1}).Exp()
	require.Len(t, ops, 4, "nodes of other traces are not seen")
	lazy.Grad(x.Mul(w).Sum(), w)
	require.Contains(t, ops[4:], "broadcast", "gradients are made of nodes, too")
	require.Equal(t, len(ops), calls)

	x.Neg()
	n := len(ops)
	x.Exp()
	require.Len(t, ops, n, "removed")
	require.Equal(t, n+1, calls, "the other goes on")
	remove()
	other()
	other()
	x.Tanh()
	require.Equal(t, n+1, calls)
}

// Bodies of composites are made once a device, and no nodes of the trace.
func TestBodiesOfCompositesAreNoNodesOfTheTrace(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2})
	made := 0
	defer tr.OnNode(func(lazy.NodeInfo) { made++ })()
	y := x
	for range 10 {
		y = y.Add(x).Tanh()
	}
	require.Equal(t, 21, made, "x and 20 ops")
}

// A gradient that is taken within a gradient function leaves the one around it as it is.
func TestGradientsWithinGradientFunctions(t *testing.T) {
	within := map[string]func(tr *lazy.Trace, w *lazy.Tensor){
		"Grad": func(tr *lazy.Trace, w *lazy.Tensor) { lazy.Grad(tr.Read(w).Exp().Sum(), w) },
		"VJP":  func(tr *lazy.Trace, w *lazy.Tensor) { lazy.VJP(tr.Read(w).Exp(), tr.Read(w), w) },
	}
	for name, f := range within {
		for _, custom := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				d := open(t, "eval")
				w := d.Variable("w", lazy.F64, 2)
				lazy.SetValues(w, []float64{3, -1})
				tr := lazy.NewTrace(d)
				x := lazy.From(tr, []float64{1, 10})
				y := x.Mul(w)
				if custom {
					y = lazy.CustomGrad([]*lazy.Tensor{y}, func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0].MulScalar(1)} },
						func(_, _, ct []*lazy.Tensor) []*lazy.Tensor { f(tr, w); return ct })[0]
				} else {
					y.OnGrad(func(*lazy.Tensor) *lazy.Tensor { f(tr, w); return nil })
				}
				g := lazy.Grad(y.Mul(w).Sum(), w)[0]
				got, err := lazy.ToSlice[float64](g)
				require.NoError(t, err)
				require.Equal(t, []float64{6, -20}, got)
			})
		}
	}
}

// What ends a step in a gradient function is an error there, and the gradient goes on.
func TestStepsDoNotEndWithinGradientFunctions(t *testing.T) {
	const rule = "a step cannot end within a gradient function"
	for name, f := range map[string]func(tr *lazy.Trace, g *lazy.Tensor) error{
		"mark_step": func(tr *lazy.Trace, _ *lazy.Tensor) error { return tr.MarkStep() },
		"value":     func(_ *lazy.Trace, g *lazy.Tensor) error { _, err := lazy.ToSlice[float64](g); return err },
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, "eval")
			w := lazy.SetValues(d.Variable("w", lazy.F64, 2), []float64{3, -1})
			tr := lazy.NewTrace(d)
			y := lazy.From(tr, []float64{1, 10}).Mul(w)
			var err error
			y.OnGrad(func(g *lazy.Tensor) *lazy.Tensor { err = f(tr, g); return nil })
			g := lazy.Grad(y.Mul(w).Sum(), w)[0]
			require.ErrorContains(t, err, rule)
			require.ErrorContains(t, err, "hooks_test.go:")
			got, err := lazy.ToSlice[float64](g)
			require.NoError(t, err)
			require.Equal(t, []float64{6, -20}, got)
			if name == "mark_step" {
				require.ErrorContains(t, tr.MarkStep(), rule)
			}
		})
	}
}

// A gradient function that takes a gradient through itself, or panics, is an error of the gradient that names its line.
func TestMistakesOfGradientFunctions(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float64{1, 10})
	custom := func(backward func(x, y, ct []*lazy.Tensor) []*lazy.Tensor) *lazy.Tensor {
		return lazy.CustomGrad([]*lazy.Tensor{x}, func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0].Exp()} }, backward)[0]
	}
	hooked := func(f func(y *lazy.Tensor)) *lazy.Tensor {
		y := x.MulScalar(3).Exp()
		y.OnGrad(func(*lazy.Tensor) *lazy.Tensor { f(y); return nil })
		return y
	}
	through := custom(func(x, y, ct []*lazy.Tensor) []*lazy.Tensor { return lazy.VJP(y[0], ct[0], x[0]) })
	again := hooked(func(y *lazy.Tensor) { panic(lazy.Grad(y.Sum(), x)[0].Err()) })
	for _, c := range []struct {
		y   *lazy.Tensor
		why string
	}{
		{through, "gradient functions nest deeper than 8"},
		{again, "gradient functions nest deeper than 8"},
		{custom(func(_, _, _ []*lazy.Tensor) []*lazy.Tensor { panic("oh") }), "panicked at "},
		{x.Log().MulScalar(2), ""},
	} {
		err := lazy.Grad(c.y.Sum(), x)[0].Err()
		if c.why == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, c.why)
		require.ErrorContains(t, err, "hooks_test.go:")
	}
	failing := x.MulScalar(7)
	failing.OnGrad(func(*lazy.Tensor) *lazy.Tensor { panic("oh") })
	require.ErrorContains(t, lazy.Grad(failing.Sum(), x)[0].Err(), "panicked at ")
}

// Scopes end with the scope around them and with the body they are opened in; a second end does nothing.
func TestScopesEndWithWhatIsAround(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2}, 1, 2)
	outer, inner := tr.Autocast(lazy.BF16), tr.Autocast(lazy.F16)
	outer()
	inner()
	require.Equal(t, lazy.F32, x.MatMul(x.Transpose(1, 0)).DType())
	third := tr.Autocast(lazy.BF16)
	outer()
	inner()
	require.Equal(t, lazy.BF16, x.MatMul(x.Transpose(1, 0)).DType())
	third()

	var end func()
	lazy.Scan(func(tr *lazy.Trace, carry, _ []*lazy.Tensor) (next, ys []*lazy.Tensor) {
		end = tr.NoGrad()
		tr.Autocast(lazy.F16)
		return []*lazy.Tensor{carry[0].MulScalar(2)}, nil
	}, []*lazy.Tensor{x}, []*lazy.Tensor{lazy.From(tr, []float32{1, 2})}, lazy.ScanOptions{})
	end()
	require.Equal(t, lazy.F32, x.MatMul(x.Transpose(1, 0)).DType())
	require.NotNil(t, lazy.GradOrNil(x.Exp().Sum(), x)[0])
}

// A body that ends a scope from outside makes the step fail with both lines, and the scope goes on.
func TestScopesOfOutsideEndOutside(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := lazy.From(tr, []float32{1, 2}, 1, 2)
	for op, open := range map[string]func() func(){"no_grad": tr.NoGrad, "autocast": func() func() { return tr.Autocast(lazy.BF16) }} {
		end := open() // the line that the error names
		y := lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			end()
			return []*lazy.Tensor{s[0].AddScalar(1)}
		}, x)[0]
		require.NoError(t, y.Err())
		if op == "autocast" {
			require.Equal(t, lazy.BF16, x.MatMul(x.Transpose(1, 0)).DType())
		} else {
			require.Nil(t, lazy.GradOrNil(x.Exp().Sum(), x)[0])
		}
		end()
		require.Regexp(t, `hooks_test\.go:\d+: `+op+`\(\): the scope that was opened at hooks_test\.go:\d+ is ended in the body of the for at hooks_test\.go:\d+: end it outside, or open another in the body$`, tr.MarkStep(y).Error())
	}
}

// What has no gradient is an error that says why.
func TestMistakesOfBackwardAndOnGrad(t *testing.T) {
	d := open(t, "eval")
	w := lazy.SetValues(d.Variable("w", lazy.F32, 2), []float32{3, -1})
	tr := lazy.NewTrace(d)
	end := tr.NoGrad()
	loss := tr.Read(w).Exp().Sum()
	end()
	require.ErrorContains(t, loss.Backward(), "recorded in a scope of NoGrad, or by Stop, at hooks_test.go:")
	require.NoError(t, tr.Read(w).Exp().Sum().Backward())

	x := lazy.From(tr, []float32{1, 2})
	y := lazy.CustomGrad([]*lazy.Tensor{x}, func(x []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{x[0].Exp()} },
		func(_, _, ct []*lazy.Tensor) []*lazy.Tensor { return []*lazy.Tensor{ct[0].Convert(lazy.BF16)} })[0]
	require.ErrorContains(t, lazy.Grad(y.Sum(), x)[0].Err(), "in a scope of Autocast products are narrower")
	_, ys := lazy.Scan(func(_ *lazy.Trace, c, _ []*lazy.Tensor) (next, ys []*lazy.Tensor) {
		return []*lazy.Tensor{c[0].Convert(lazy.BF16)}, []*lazy.Tensor{c[0]}
	}, []*lazy.Tensor{x}, []*lazy.Tensor{x}, lazy.ScanOptions{})
	require.ErrorContains(t, ys[0].Err(), "in a scope of Autocast products are narrower")

	lazy.From(tr, []int32{1}).OnGrad(func(g *lazy.Tensor) *lazy.Tensor { return g })
	require.ErrorContains(t, tr.MarkStep(), "there is no gradient with respect to a tensor of i32")
}
