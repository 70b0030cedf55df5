package lazy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/ops"
	"ltc/ir/types"
	"ltc/lazy"
)

// steps is a loop of n iterations on one tensor.
func steps(n int, x *lazy.Tensor, f func(s *lazy.Tensor) *lazy.Tensor) *lazy.Tensor {
	return lazy.For(n, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{f(s[0])} }, x)[0]
}

// Gradients of gradients go through loops and branches.
func TestSecondGradientsOfLoops(t *testing.T) {
	for _, o := range []lazy.ScanOptions{{}, {Checkpoint: true}} {
		tr := lazy.NewTrace(open(t, "eval"))
		x, rows := lazy.From(tr, []float64{0.3, -0.6}), lazy.From(tr, []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, 3, 2)
		iteration := func(s, row *lazy.Tensor) *lazy.Tensor { return s.Mul(s).Mul(row).Sin().Add(x) }
		scanned, _ := lazy.Scan(func(_ *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			next = lazy.If(xs[0].Sum().GreaterScalar(0.5), func(*lazy.Trace) []*lazy.Tensor { return tensors{iteration(c[0], xs[0])} },
				func(*lazy.Trace) []*lazy.Tensor { return tensors{iteration(c[0], xs[0]).Neg()} })
			return next, nil
		}, tensors{x}, tensors{rows}, o)
		plain := x
		for i := range 3 {
			plain = iteration(plain, rows.Select(0, i))
			if i == 0 {
				plain = plain.Neg()
			}
		}
		var all tensors
		for _, y := range (tensors{scanned[0], plain}) {
			first := lazy.Grad(y.Mul(y).Sum(), x, rows)
			all = append(append(all, first...), lazy.Grad(first[0].Mul(x).Sum().Add(first[1].Sin().Sum()), x, rows)...)
		}
		require.NoError(t, tr.MarkStep(all...))
		for i := range 4 {
			requireNear(t, all[4+i], all[i], 1e-12)
		}
	}
}

// A value that was read in the midst of the step still has gradients through the loop.
func TestGradientThroughAReadLoop(t *testing.T) {
	dev := open(t, "cpu", lazy.ImplicitSyncs(lazy.AllowSyncs))
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F64, 2).Init(lazy.Constant(0.5))
	y := steps(3, tr.Read(w), func(s *lazy.Tensor) *lazy.Tensor { return s.Mul(w).Add(w).Sin() })
	before, err := lazy.ToSlice[float64](y)
	require.NoError(t, err)
	g := lazy.Grad(y.Mul(y).Sum(), w)[0]
	plain := tr.Read(w)
	for range 3 {
		plain = plain.Mul(w).Add(w).Sin()
	}
	want := lazy.Grad(plain.Mul(plain).Sum(), w)[0]
	require.NoError(t, tr.MarkStep(g, want, plain))
	requireNear(t, want, g, 1e-12)
	after, err := lazy.ToSlice[float64](plain)
	require.NoError(t, err)
	require.InDeltaSlice(t, after, before, 1e-12)
}

// Composites within closures have the gradients of their own: the definition's would be zero.
func TestOwnGradientsInClosures(t *testing.T) {
	double := lazy.Define(lazy.Composite{Name: "test.control_double", Doc: "returns 2x.", Operands: []ops.Operand{{Name: "x", Is: ops.Float}}},
		func(x []*lazy.Tensor, _ lazy.Attrs) *lazy.Tensor { return x[0].Stop().MulScalar(2) },
		func(_ []*lazy.Tensor, _, ct *lazy.Tensor, _ lazy.Attrs) []*lazy.Tensor {
			return tensors{steps(2, ct, func(s *lazy.Tensor) *lazy.Tensor { return s.MulScalar(3) })}
		})
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float64{1, 2})
	y := lazy.If(x.Sum().GreaterScalar(0), func(*lazy.Trace) []*lazy.Tensor {
		return tensors{steps(2, x, func(s *lazy.Tensor) *lazy.Tensor { return double.Call(nil, s) })}
	}, func(*lazy.Trace) []*lazy.Tensor { return tensors{x} })[0]
	g := lazy.Grad(y.Sum(), x)[0]
	require.NoError(t, tr.MarkStep(y, g))
	got, err := lazy.ToSlice[float64](y)
	require.NoError(t, err)
	require.Equal(t, []float64{4, 8}, got)
	got, err = lazy.ToSlice[float64](g)
	require.NoError(t, err)
	require.Equal(t, []float64{81, 81}, got)
}

// Loops of no iterations give their init, and no rows; their gradients are those of init.
func TestLoopsOfNoIterations(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, backend))
		x := lazy.From(tr, []float64{1, 2})
		never := steps(-3, x, (*lazy.Tensor).Exp)
		carry, ys := lazy.Scan(func(_ *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			return tensors{c[0].Mul(xs[0].Sum())}, tensors{c[0].Exp(), xs[0]}
		}, tensors{x}, tensors{lazy.Zeros(tr, lazy.F64, 0, 3)}, lazy.ScanOptions{})
		n := lazy.Full(tr, lazy.I8, -1)
		bound := lazy.For(n, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Exp()} }, x)[0]
		g := lazy.Grad(carry[0].Mul(never).Sum().Add(ys[0].Sum()), x)[0]
		require.NoError(t, tr.MarkStep(never, carry[0], ys[0], ys[1], bound, g))
		require.Equal(t, "f64[0,2]", ys[0].Type().String())
		require.Equal(t, "f64[0,3]", ys[1].Type().String())
		for _, y := range (tensors{never, carry[0], bound}) {
			requireNear(t, x, y, 0)
		}
		requireNear(t, x.MulScalar(2), g, 0)
	}
}

// Variables, scalar arguments, host data of the device and of closures, and numbers that vary are
// taken from outside; what varies compiles nothing.
func TestWhatClosuresTake(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	w := dev.Variable("w", lazy.F32, 2).Init(lazy.Constant(1))
	lr := tr.Scalar("lr", 1)
	shared := lazy.From(dev, []float32{1, 2})
	for step := range 6 {
		require.NoError(t, lr.Set(float64(step)))
		x := lazy.From(tr, []float32{0, float32(step)})
		y := lazy.If(x.Sum().GreaterScalar(2), func(tr *lazy.Trace) []*lazy.Tensor {
			return tensors{steps(2, x, func(s *lazy.Tensor) *lazy.Tensor {
				here := lazy.From(tr, []float32{float32(step), 1})
				return s.Add(w).Mul(lr).Add(shared).Add(here).AddScalar(float64(step))
			})}
		}, func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Neg()} })[0]
		w.Add_(y)
		before := floats(t, w)
		require.NoError(t, tr.MarkStep(y))
		s, n := []float32{0, float32(step)}, float32(step)
		if step > 2 {
			for range 2 {
				s = []float32{(s[0]+before[0])*n + 1 + n + n, (s[1]+before[1])*n + 2 + 1 + n}
			}
		} else {
			s = []float32{-s[0], -s[1]}
		}
		require.Equal(t, s, floats(t, y))
		require.Equal(t, []float32{before[0] + s[0], before[1] + s[1]}, floats(t, w))
	}
	require.LessOrEqual(t, tr.Report().Compiled, int64(3), "the third value of a number makes it an argument: %v", tr.Report())
}

// Live roots, hooks and scopes work beside closures: what these record is no root.
func TestClosuresBesideLiveRoots(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	tr.LiveRoots(true)
	var made []string
	defer tr.OnNode(func(n lazy.NodeInfo) { made = append(made, n.Op) })()
	x := ones(tr, 2)
	var inside *lazy.Tensor
	end := tr.Scope("outer")
	y := steps(3, x, func(s *lazy.Tensor) *lazy.Tensor {
		tr.Scope("iteration") // left open: it ends with the closure
		inside = s.Exp()
		return s.AddScalar(1)
	})
	z := y.MulScalar(2)
	end()
	require.NoError(t, tr.MarkStep())
	require.Equal(t, []float32{8, 8}, floats(t, z))
	require.ErrorIs(t, inside.Add(inside).Err(), lazy.ErrStale)
	require.Contains(t, made, "scan")
	require.NotContains(t, made, "exp")
}

// Text has the regions with their lines and scopes.
func TestTextOfLoops(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	x := ones(tr, 2)
	y := steps(3, x, func(s *lazy.Tensor) *lazy.Tensor {
		defer tr.Scope("iteration")()
		return s.Tanh()
	})
	text, err := tr.Dump(lazy.FormatIR, y)
	require.NoError(t, err)
	require.Contains(t, text, "scan %")
	require.Contains(t, text, `loc("iteration.0"("loop_test.go":`)
	require.NoError(t, tr.MarkStep(y))
	require.Contains(t, tr.StableHLO(), "stablehlo.while")
}

// A step that records other closures is another program; the report says the op that differs.
func TestOtherClosuresCompile(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	for step := range 8 {
		x := ones(tr, 2)
		y := steps(2, x, func(s *lazy.Tensor) *lazy.Tensor {
			if step%2 == 0 {
				return s.Sin()
			}
			return s.Cos()
		})
		require.NoError(t, tr.MarkStep(y))
	}
	r := tr.Report()
	require.Equal(t, int64(2), r.Compiled, "%v", r)
	require.Contains(t, fmt.Sprint(r), "loop_test.go:")
}

// An exported function has its control flow.
func TestExportOfLoops(t *testing.T) {
	dev := open(t, "cpu")
	w := dev.Variable("w", lazy.F32, 2).Init(lazy.Constant(2))
	f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		return lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Sum().LessScalar(100) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Mul(w)} }, x)[0]
	})
	tr := lazy.NewTrace(dev)
	x := ones(tr, 2)
	require.NoError(t, tr.MarkStep(x))
	y, err := f.Call(t.Context(), x)
	require.NoError(t, err)
	require.Equal(t, []float32{64, 64}, floats(t, y))
	e, err := f.Export([]lazy.Input{{Name: "x", Type: x.Type()}})
	require.NoError(t, err)
	require.True(t, strings.Contains(e.Text, "stablehlo.while"))
}

// A loop writes rows of a variable that the step assigns, in the variable's memory.
func TestLoopsWriteVariables(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	cache := dev.Variable("cache", lazy.F32, 1024, 256) // 1 MiB
	for step := range 3 {
		start := tr.Scalar("start", float64(100*step)).Convert(lazy.I32)
		next := lazy.For(100, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			at, zero := i.Add(start), lazy.Const(tr, lazy.I32, 0)
			before := s[0].DynamicSlice([]int{1, 256}, at, zero) // row 0 is 0
			return tensors{s[0].DynamicUpdateSlice(before.AddScalar(1), at.AddScalar(1), zero)}
		}, tr.Read(cache))[0]
		cache.Assign(next)
		require.NoError(t, tr.MarkStep())
	}
	got := floats(t, cache)
	for row := range 1024 {
		want := float32(row)
		if row > 300 {
			want = 0
		}
		require.Equal(t, []float32{want, want}, []float32{got[256*row], got[256*row+255]})
	}
	require.Zero(t, tr.Report().DonationCopies, "%v", tr.Report())
}

// So do loops in loops, as over the layers of a network for each token.
func TestNestedLoopsWriteVariables(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	cache := dev.Variable("cache", lazy.F32, 3, 16, 8)
	next := lazy.For(4, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
		return lazy.For(3, func(tr *lazy.Trace, layer *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			zero := lazy.Const(tr, lazy.I32, 0)
			row := lazy.Full(tr, lazy.F32, 1, 1, 1, 8).Mul(i.Convert(lazy.F32)).Add(layer.Convert(lazy.F32).MulScalar(10))
			return tensors{s[0].DynamicUpdateSlice(row, layer.Convert(lazy.I32), i.Convert(lazy.I32), zero)}
		}, s...)
	}, tr.Read(cache))[0]
	cache.Assign(next)
	require.NoError(t, tr.MarkStep())
	for i, x := range floats(t, cache) {
		layer, at := i/(16*8), i/8%16
		if at < 4 {
			require.Equal(t, float32(at+10*layer), x)
		} else {
			require.Zero(t, x)
		}
	}
	require.Zero(t, tr.Report().CopiedBytes)
}

// The loop whose results a gradient needs saves for it, too: the program has one forward and one
// backward. What is saved are the carries and the results of nonlinear ops, or with checkpoints
// the carries alone. The backward loop stacks the gradient of the product, for that of w.
func TestGradientsRunLoopsOnce(t *testing.T) {
	for _, c := range []struct {
		o          lazy.ScanOptions
		rows, back int // stacked by the forward loop, and by the backward one
	}{{lazy.ScanOptions{}, 3, 1}, {lazy.ScanOptions{Checkpoint: true}, 2, 0}} { // one of rows is ys
		tr := lazy.NewTrace(open(t, "cpu"))
		w := tr.Device().Variable("w", lazy.F32, 4, 4).Init(lazy.Constant(0.1))
		carry, ys := lazy.Scan(func(_ *lazy.Trace, s, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) {
			n := s[0].MatMul(w).Add(xs[0]).Tanh().Sin()
			return tensors{n}, tensors{n}
		}, tensors{ones(tr, 2, 4)}, tensors{ones(tr, 7, 2, 4)}, c.o)
		loss := carry[0].Sum().Add(ys[0].Sum())
		require.NoError(t, tr.MarkStep(loss, lazy.Grad(loss, w)[0]))
		text := tr.StableHLO()
		loops := strings.Split(text, "stablehlo.while(")
		require.Len(t, loops, 3, text)
		forward, backward := loops[1], loops[2]
		require.Equal(t, c.rows, strings.Count(forward, "stablehlo.dynamic_update_slice"), forward)
		require.Equal(t, 1, strings.Count(forward, "stablehlo.sine"))
		require.Equal(t, c.back, strings.Count(backward, "stablehlo.dynamic_update_slice"), backward)
	}
}

// A Checkpoint within a loop has its gradient: a loop saves its operands alone.
func TestCheckpointInALoop(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x, y := lazy.From(tr, []float64{0.3, -0.6}), lazy.From(tr, []float64{0.5, 0.25})
	block := func(s *lazy.Tensor) *lazy.Tensor { return s.Mul(y).Sin().Exp().Tanh() }
	got := steps(3, x, func(s *lazy.Tensor) *lazy.Tensor {
		return lazy.Checkpoint(s, block)
	})
	want := block(block(block(x)))
	all := append(lazy.Grad(got.Mul(got).Sum(), x, y), lazy.Grad(want.Mul(want).Sum(), x, y)...)
	require.NoError(t, tr.MarkStep(append(all, got, want)...))
	requireNear(t, want, got, 1e-12)
	requireNear(t, all[2], all[0], 1e-12)
	requireNear(t, all[3], all[1], 1e-12)
}

// An index of any integer dtype chooses a branch, however many there are.
func TestIndicesOfCases(t *testing.T) {
	trials.Sequential(t)
	for _, backend := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, backend))
		for _, n := range []int{1, 3, 130, 300} {
			branches := make([]func(*lazy.Trace) []*lazy.Tensor, n)
			for i := range branches {
				branches[i] = func(tr *lazy.Trace) []*lazy.Tensor { return tensors{lazy.Const(tr, lazy.F64, float64(i))} }
			}
			for _, c := range []struct {
				d       types.DType
				indices []float64
			}{{lazy.U8, []float64{0, 2, 129, 255}}, {lazy.I8, []float64{-1, 1, 127}}, {lazy.U16, []float64{2, 299, 40000}}, {lazy.I32, []float64{-7, 2, 299}},
				{lazy.U32, []float64{1, 1 << 31}}, {lazy.I64, []float64{-1 << 33, 2, 1 << 33}}, {lazy.U64, []float64{128, 1 << 63}}} {
				if n > 3 && c.d.Size() > 2 && c.d != lazy.I32 { // three branches show the same
					continue
				}
				var all tensors
				var want []float64
				for _, index := range c.indices {
					all = append(all, lazy.Case(lazy.Full(tr, c.d, index), branches...)[0])
					if index < 0 || index >= float64(n) {
						index = float64(n - 1)
					}
					want = append(want, index)
				}
				require.NoError(t, tr.MarkStep(all...))
				for i, y := range all {
					require.Equal(t, want[i], y.Float(), "%v of %d branches by %v", c.indices[i], n, c.d)
				}
			}
		}
	}
}
