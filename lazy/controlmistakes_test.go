package lazy_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/golden"
	"ltc/lazy"
)

// controlMistakes are mistakes in control flow: the error is that of the tensor, or of the call.
var controlMistakes = []struct {
	name string
	kind error
	make func(tr *lazy.Trace, x, w *lazy.Tensor) error // x is f32[3], w a variable f32[3]
}{
	{"branches of two types", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.If(x.Sum().GreaterScalar(0),
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x.Exp()} },
			func(*lazy.Trace) []*lazy.Tensor {
				return tensors{x.Exp().
					Sum()}
			})[0].Err()
	}},
	{"branches of two dtypes, one from outside", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Case(x.ArgMax(0),
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x, x} },
			func(*lazy.Trace) []*lazy.Tensor { return tensors{w, x.Convert(lazy.F64)} })[1].Err()
	}},
	{"branches with other numbers of results", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.If(x.Sum().GreaterScalar(0), func(*lazy.Trace) []*lazy.Tensor { return tensors{x, x} }, func(*lazy.Trace) []*lazy.Tensor { return tensors{x} })[1].Err()
	}},
	{"a branch without results", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.If(x.Sum().GreaterScalar(0), func(*lazy.Trace) []*lazy.Tensor { return nil }, nil)[0].Err()
	}},
	{"a branch that is nil", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.If(x.Sum().GreaterScalar(0), func(*lazy.Trace) []*lazy.Tensor { return tensors{x} }, nil)[0].Err()
	}},
	{"a result that is nil", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Map(func(*lazy.Trace, []*lazy.Tensor) []*lazy.Tensor { return tensors{x, nil} }, x)[1].Err()
	}},
	{"pred that is no bool", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.If(x, func(*lazy.Trace) []*lazy.Tensor { return tensors{x} }, nil)[0].Err()
	}},
	{"index that is no integer", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Case(x.Sum(), func(*lazy.Trace) []*lazy.Tensor { return tensors{x} })[0].Err()
	}},
	{"no branches", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error { return lazy.Case(x.ArgMax(0))[0].Err() }},
	{"condition that is no bool", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Less(w) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor { return s }, x)[0].Err()
	}},
	{"state of another type", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(3, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0], s[1].Mul(s[1]).Mean()}
		}, x, x)[1].Err()
	}},
	{"state that is lost", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		carry, _ := lazy.Scan(func(_ *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) { return c[:1], xs }, tensors{x, x}, tensors{x}, lazy.ScanOptions{})
		return carry[1].Err()
	}},
	{"rows of other numbers", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Map(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return xs }, x,
			x.Narrow(0, 0, 2))[0].Err()
	}},
	{"no rows", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		_, ys := lazy.Scan(func(_ *lazy.Trace, c, xs []*lazy.Tensor) (next, ys []*lazy.Tensor) { return c, c }, tensors{x}, nil, lazy.ScanOptions{})
		return ys[0].Err()
	}},
	{"gradient through a while", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		y := lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Sum().LessScalar(9) },
			func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Add(w)} }, x)[0]
		return lazy.Grad(y.Sum(), w)[0].Err()
	}},
	{"gradient of what is outside in a closure", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		y := x.Exp().Sum()
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return lazy.Grad(y, s[0]) }, x)[0].Err()
	}},
	{"assignment in a closure", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		lazy.If(x.Sum().GreaterScalar(0),
			func(*lazy.Trace) []*lazy.Tensor { w.Add_(x); return tensors{x} },
			func(*lazy.Trace) []*lazy.Tensor { return tensors{x} })
		return tr.MarkStep()
	}},
	{"write to a tensor from outside", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		h := x.Exp()
		lazy.For(2, func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			h.Narrow(0, 1, 1).Mul_(s[0].Narrow(0, 0, 1))
			return s
		}, x)
		return tr.MarkStep()
	}},
	{"MarkStep in a closure", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) (err error) {
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			err = tr.MarkStep(s[0])
			return s
		}, x)
		return err
	}},
	{"reading in a closure", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) (err error) {
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			_, err = i.Item()
			return s
		}, x)
		return err
	}},
	{"reading what is outside in a closure", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) (err error) {
		y := x.Exp()
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			_, err = y.Value()
			return s
		}, x)
		return err
	}},
	{"Discard in a closure", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { tr.Discard(); return s }, x)
		return tr.MarkStep()
	}},
	{"Keep in a closure", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { i.Keep(); return s }, x)
		return tr.MarkStep()
	}},
	{"closure that panics", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return s[:i.Dim(0)+2] }, x)[0].Err()
	}},
	{"closure with a bad op", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].MatMul(x.Unsqueeze(0).Unsqueeze(0))}
		}, x)[0].Err()
	}},
	{"tensor of a closure that has returned", lazy.ErrStale, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		var iteration *lazy.Tensor
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { iteration = i; return s }, x)
		return iteration.AddScalar(1).Err()
	}},
	{"root of a closure that has returned", lazy.ErrStale, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		var y *lazy.Tensor
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { y = s[0].Exp(); return s }, x)
		return tr.MarkStep(y)
	}},
	{"view of a tensor of a closure that has returned", lazy.ErrStale, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		var y *lazy.Tensor
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			y = s[0].Exp().Narrow(0, 0, 2)
			return s
		}, x)
		return y.Exp().Err()
	}},
	{"tensor of the other closure", lazy.ErrStale, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		var y *lazy.Tensor
		return lazy.If(x.Sum().GreaterScalar(0),
			func(*lazy.Trace) []*lazy.Tensor { y = x.Exp(); return tensors{y} },
			func(*lazy.Trace) []*lazy.Tensor { return tensors{y} })[0].Err()
	}},
	{"tensor of another trace", lazy.ErrPlacement, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		y := ones(lazy.NewTrace(tr.Device()), 3).Exp()
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Add(y)} }, x)[0].Err()
	}},
	{"tensor of another device", lazy.ErrPlacement, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		other, err := lazy.Open("eval")
		if err != nil {
			return err
		}
		y := ones(lazy.NewTrace(other), 3)
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Add(y)} }, x)[0].Err()
	}},
	{"no trace", lazy.ErrPlacement, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return s }, w)[0].Err()
	}},
	{"no state", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return s })[0].Err()
	}},
	{"bound that is no integer", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(x, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return s }, x)[0].Err()
	}},
	{"too many iterations", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(1<<40, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return s }, x)[0].Err()
	}},
	{"function called in a closure", lazy.ErrPlacement, func(tr *lazy.Trace, x, w *lazy.Tensor) (err error) {
		f := lazy.Func(tr.Device(), func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Exp() })
		lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			_, err = f.Call(context.Background(), s[0])
			return s
		}, x)
		return err
	}},
	{"state released in a closure", lazy.ErrReleased, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		x = lazy.From(tr, []float32{1, 2, 3})
		return lazy.For(2, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { x.Release(); return s }, x)[0].Err()
	}},
	{"vmap of a function that is nil", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(nil, tensors{x}, lazy.VmapOptions{})[0].Err()
	}},
	{"vmap of no tensors", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, nil, lazy.VmapOptions{})[0].Err()
	}},
	{"vmap of a scalar", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{x, x.Sum()}, lazy.VmapOptions{})[0].Err()
	}},
	{"vmap along an axis that there is not", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{x}, lazy.VmapOptions{In: []int{-2}})[0].Err()
	}},
	{"vmap with axes of other numbers", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{x, x}, lazy.VmapOptions{In: []int{0}})[0].Err()
	}},
	{"vmap without examples", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{x}, lazy.VmapOptions{In: []int{lazy.Unbatched}})[0].Err()
	}},
	{"vmap of other numbers of examples", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{x,
			x.Narrow(0, 0, 2)}, lazy.VmapOptions{})[0].Err()
	}},
	{"vmap with results of other numbers", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{x}, lazy.VmapOptions{Out: []int{0, 0}})[0].Err()
	}},
	{"vmap with results along an axis that there is not", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{x}, lazy.VmapOptions{Out: []int{1}})[0].Err()
	}},
	{"vmap with a result that is not the same for all", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
			return tensors{xs[0].Exp()}
		}, tensors{x}, lazy.VmapOptions{Out: []int{lazy.Unbatched}})[0].Err()
	}},
	{"vmap without results", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(func(*lazy.Trace, []*lazy.Tensor) []*lazy.Tensor { return nil }, tensors{x}, lazy.VmapOptions{})[0].Err()
	}},
	{"vmap with a result that is nil", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return tensors{xs[0], nil} }, tensors{x}, lazy.VmapOptions{})[1].Err()
	}},
	{"vmap of a function that panics", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
			return xs[:len(xs)+1]
		}, tensors{x}, lazy.VmapOptions{})[0].Err()
	}},
	{"vmap of a function with a bad op", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor {
			return tensors{xs[0].MatMul(w)}
		}, tensors{x}, lazy.VmapOptions{})[0].Err()
	}},
	{"MarkStep in a vmap", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) (err error) {
		lazy.Vmap(func(tr *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { err = tr.MarkStep(xs...); return xs }, tensors{x}, lazy.VmapOptions{})
		return err
	}},
	{"assignment in a vmap", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { w.Add_(xs[0]); return xs }, tensors{x}, lazy.VmapOptions{})
		return tr.MarkStep()
	}},
	{"tensor of one example of a vmap", lazy.ErrStale, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		var one *lazy.Tensor
		lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { one = xs[0]; return xs }, tensors{x}, lazy.VmapOptions{})
		return one.Exp().Err()
	}},
	{"gradient of what is outside in a vmap", lazy.ErrUsage, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		y := x.Exp().Sum()
		return lazy.Vmap(func(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return lazy.Grad(y, xs[0]) }, tensors{x}, lazy.VmapOptions{})[0].Err()
	}},
	{"vmap without a trace", lazy.ErrPlacement, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.Vmap(identity, tensors{w}, lazy.VmapOptions{})[0].Err()
	}},
	{"for of a number that is a tensor and a state of another number", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(lazy.Const(tr, lazy.I32, 3), func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0], s[0]} }, x)[0].Err()
	}},
	{"for of a number that is a tensor and a state of another type", lazy.ErrType, func(tr *lazy.Trace, x, w *lazy.Tensor) error {
		return lazy.For(lazy.Const(tr, lazy.I32, 3), func(_ *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0], s[1].Sum()} }, x, w)[0].Err()
	}},
}

func identity(_ *lazy.Trace, xs []*lazy.Tensor) []*lazy.Tensor { return xs }

// A mistake in control flow names all the lines that it is about, and the trace goes on.
func TestControlMistakes(t *testing.T) {
	var all strings.Builder
	for _, m := range controlMistakes {
		tr := lazy.NewTrace(open(t, "cpu"))
		w := tr.Device().Variable("w", lazy.F32, 3)
		err := m.make(tr, ones(tr, 3), w)
		require.ErrorIs(t, err, m.kind, m.name)
		require.Contains(t, err.Error(), "controlmistakes_test.go:", m.name)
		fmt.Fprintf(&all, "%s\n\t%v\n", m.name, err)

		tr.MarkStep() // ends the step of the mistake, whether or not it fails
		y := lazy.For(2, func(_ *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			return tensors{s[0].Add(w).AddScalar(1)}
		}, ones(tr, 3))[0]
		w.Add_(y)
		require.NoError(t, tr.MarkStep(y), m.name)
		require.Equal(t, []float32{3, 3, 3}, floats(t, w), m.name)
	}
	golden.Is(t, "testdata/controlmistakes.txt", regexp.MustCompile(`\berrors_test.go:\d+`).ReplaceAllString(all.String(), "errors_test.go:LINE"))
}

// A closure's panic goes on where the device is strict; the trace can be used afterwards.
func TestStrictPanicInAClosure(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu", lazy.Strict()))
	x := ones(tr, 3)
	require.PanicsWithValue(t, "mine", func() {
		lazy.For(2, func(*lazy.Trace, *lazy.Tensor, []*lazy.Tensor) []*lazy.Tensor { panic("mine") }, x)
	})
	y := x.AddScalar(1)
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{2, 2, 2}, floats(t, y))
}

// A loop without end ends with the context of its step.
func TestEndlessWhile(t *testing.T) {
	for _, backend := range []string{"eval", "cpu"} {
		dev := open(t, backend)
		tr := lazy.NewTrace(dev)
		loop := func(from float32) *lazy.Tensor {
			x := lazy.From(tr, []float32{from, from, from})
			return lazy.While(func(_ *lazy.Trace, s []*lazy.Tensor) *lazy.Tensor { return s[0].Sum().GreaterScalar(0) },
				func(_ *lazy.Trace, s []*lazy.Tensor) []*lazy.Tensor { return tensors{s[0].Sin().Abs().AddScalar(1)} }, x)[0]
		}
		require.NoError(t, tr.MarkStep(loop(-1)), backend) // compiled: the deadline is that of the run
		y := loop(1)
		ctx, cancel := context.WithTimeout(context.Background(), time.Second/2)
		defer cancel()
		err := tr.MarkStepContext(ctx, y)
		if err == nil {
			err = tr.Wait(context.Background())
		}
		require.ErrorIs(t, err, context.DeadlineExceeded, backend)
		require.Regexp(t, `controlmistakes_test\.go:\d+: stablehlo\.\w+: `, err.Error(), "%s: of the loop, or within it", backend)
		z := ones(tr, 3).AddScalar(1)
		require.NoError(t, tr.MarkStep(z), backend)
		require.Equal(t, []float32{2, 2, 2}, floats(t, z), backend)
	}
}

// A call that a closure must not make fails the step around it, also if its error is ignored.
func TestClosureCallsFailTheStep(t *testing.T) {
	for op, call := range map[string]func(tr *lazy.Trace, x *lazy.Tensor){
		"mark_step": func(tr *lazy.Trace, x *lazy.Tensor) { tr.MarkStep(x) },
		"warmup":    func(tr *lazy.Trace, x *lazy.Tensor) { tr.Warmup(x) },
	} {
		tr := lazy.NewTrace(open(t, "cpu"))
		w := tr.Device().Variable("w", lazy.F32, 3)
		y := lazy.For(2, func(tr *lazy.Trace, _ *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor {
			call(tr, s[0])
			return tensors{s[0].AddScalar(1)}
		}, ones(tr, 3))[0]
		w.Add_(y)
		err := tr.MarkStep(y)
		require.ErrorIs(t, err, lazy.ErrUsage, op)
		require.ErrorContains(t, err, op+"(f32[3]): it is called in the body of the for at ", op)
		require.NoError(t, tr.MarkStep(tr.Read(w)), op)
		require.Equal(t, []float32{0, 0, 0}, floats(t, w), op)
	}
}
