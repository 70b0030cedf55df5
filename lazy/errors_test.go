package lazy_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/golden"
	"ltc/internal/trials"
	"ltc/lazy"
	"ltc/soa"
)

// mistakes are calls that must fail: the error is what the tensor holds, or
// what the call returns.
var mistakes = []struct {
	name string
	kind error
	make func(tr *lazy.Trace, w *lazy.Tensor) error // w is a variable f32[2,3]
}{
	{"shape clash in matmul", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return ones(tr, 4, 5).MatMul(w).Err()
	}},
	{"shapes that do not broadcast", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return ones(tr, 2, 4).Add(w).Err()
	}},
	{"dtype clash", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.Ones(tr, lazy.U16, 2, 3).Mul(lazy.Ones(tr, lazy.I32, 2, 3)).Err()
	}},
	{"dtype that the op does not take", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.Ones(tr, lazy.I32, 2).Softmax(0).Err()
	}},
	{"wrong rank", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return ones(tr, 2, 3).Transpose(0).Err()
	}},
	{"wrong axis", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error { return tr.Read(w).Sum(2).Err() }},
	{"wrong axis of a composite", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return tr.Read(w).Softmax(-3).Err()
	}},
	{"slice out of bounds", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return tr.Read(w).Slice([]int{0, 1}, []int{2, 4}, []int{1, 1}).Err()
	}},
	{"reshape to other elements", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error { return tr.Read(w).Reshape(4, -1).Err() }},
	{"error passed on", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		bad := ones(tr, 4, 5).MatMul(w)
		return lazy.Grad(bad.Exp().Sum(), w)[0].Mul(w).Err()
	}},
	{"poisoned root", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return tr.MarkStep(ones(tr, 4, 5).MatMul(w))
	}},
	{"poisoned assignment", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		w.Sub_(ones(tr, 7))
		return tr.MarkStep()
	}},
	{"reading a poisoned tensor", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		_, err := ones(tr, 4, 5).MatMul(w).Value()
		return err
	}},
	{"stale operand", lazy.ErrStale, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 2, 3).Add(w)
		_ = tr.MarkStep()
		return x.Mul(w).Err()
	}},
	{"reading a stale tensor", lazy.ErrStale, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 2, 3).Add(w)
		_ = tr.MarkStep()
		_, err := x.Value()
		return err
	}},
	{"stale root", lazy.ErrStale, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 2, 3).Add(w)
		_ = tr.MarkStep()
		return tr.MarkStep(x)
	}},
	{"two traces assign one variable", lazy.ErrConflict, func(tr *lazy.Trace, w *lazy.Tensor) error {
		other := lazy.NewTrace(tr.Device())
		w.Add_(ones(tr, 2, 3))
		w.Mul_(ones(other, 2, 3))
		if err := other.MarkStep(); err != nil {
			return err
		}
		return tr.MarkStep()
	}},
	{"variable set since the step read it", lazy.ErrConflict, func(tr *lazy.Trace, w *lazy.Tensor) error {
		w.Add_(ones(tr, 2, 3))
		lazy.SetValues(w, make([]float32, 6))
		return tr.MarkStep()
	}},
	{"variable initialized since the step read it", lazy.ErrConflict, func(tr *lazy.Trace, w *lazy.Tensor) error {
		w.Add_(ones(tr, 2, 3))
		w.Init(lazy.Constant(2))
		return tr.MarkStep()
	}},
	{"operand that was released", lazy.ErrReleased, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := lazy.From(tr, []float32{1, 2, 3})
		x.Release()
		return tr.Read(w).Add(x).Exp().Err()
	}},
	{"view of what was released", lazy.ErrReleased, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := lazy.From(tr, []float32{1, 2, 3, 4})
		v := x.Reshape(2, 2)
		x.Release()
		return v.Exp().Err()
	}},
	{"root that was released", lazy.ErrReleased, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := lazy.From(tr, []float32{1})
		x.Release()
		return tr.MarkStep(x)
	}},
	{"reading what was released", lazy.ErrReleased, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := lazy.From(tr, []float32{1})
		x.Release()
		_, err := lazy.ToSlice[float32](x)
		return err
	}},
	{"in-place op on a scalar argument", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return tr.Scalar("rate", 1).Fill_(2).Err()
	}},
	{"nothing to join", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Concatenate(0).Err() }},
	{"nothing to stack", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Stack(0).Err() }},
	{"stack along an axis that is none", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.Stack(3, ones(tr, 2, 3), w).Err()
	}},
	{"stack of two shapes", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Stack(0, ones(tr, 2), w).Err() }},
	{"hstack of two shapes", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.HStack(ones(tr, 3, 3), w).Err() }},
	{"vstack of two shapes", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.VStack(ones(tr, 2), w).Err() }},
	{"dstack of two shapes", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.DStack(ones(tr, 2), w).Err() }},
	{"column stack of two shapes", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.ColumnStack(ones(tr, 3), w).Err() }},
	{"block diagonal of a tensor of three axes", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.BlockDiag(w, ones(tr, 1, 2, 3)).Err()
	}},
	{"meshgrid of a matrix", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Meshgrid(ones(tr, 2), w)[0].Err() }},
	{"tensors that do not broadcast", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.BroadcastTensors(ones(tr, 2), w)[0].Err()
	}},
	{"probabilities that are integers", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.NewRandom(tr.Device(), 1).Multinomial(lazy.Ones(tr, lazy.I32, 2), 1, true).Err()
	}},
	{"more draws than classes", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.NewRandom(tr.Device(), 1).Multinomial(ones(tr, 2), 3, false).Err()
	}},
	{"lengths that are no integers", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return ones(tr, 2).Within(0, 1, "length").Err() }},
	{"lengths within nothing", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.Ones(tr, lazy.I32, 2).Within(1, 0, "length").Err()
	}},
	{"no tensors for hstack", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.HStack().Err() }},
	{"no tensors for vstack", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.VStack().Err() }},
	{"no tensors for dstack", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.DStack().Err() }},
	{"no tensors for column stack", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.ColumnStack().Err() }},
	{"no tensors for a block diagonal", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.BlockDiag().Err() }},
	{"no tensors for a meshgrid", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Meshgrid()[0].Err() }},
	{"no tensors to broadcast", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.BroadcastTensors()[0].Err() }},
	{"no tensors for einsum", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Einsum("i->i").Err() }},
	{"full of no dtype", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Full(tr, 0, 1).Err() }},
	{"full of a complex number of no complex dtype", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.FullComplex(tr, lazy.F32, 1).Err() }},
	{"full of a complex number for a size that cannot be", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.FullComplex(tr, lazy.C64, 1, -2).Err()
	}},
	{"full of the name of a size as a part", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.FullComplex(tr, lazy.C64, complex(float64(some(tr).OpenDim(0)), 0)).Err()
	}},
	{"zeros of no dtype", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Zeros(tr, 0).Err() }},
	{"ones of no dtype", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return lazy.Ones(tr, 0).Err() }},
	{"parts of an axis of open size", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return some(tr).Split(0, 1)[0].Err() }},
	{"parts of given sizes of an axis of open size", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return some(tr).SplitSizes(0, 1)[0].Err() }},
	{"chunks of an axis of open size", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return some(tr).Chunk(0, 2)[0].Err() }},
	{"a number of parts of an axis of open size", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return some(tr).TensorSplit(0, 2)[0].Err() }},
	{"elements of an axis of open size", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return some(tr).Unbind(0)[0].Err() }},
	{"equal elements of an open number", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		values, _, _ := some(tr).UniqueAll()
		return values.Err()
	}},
	{"equal slices of an open number", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		values, _, _ := some(tr).UniqueAlong(0)
		return values.Err()
	}},
	{"tensor of another trace", lazy.ErrPlacement, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return ones(tr, 3).Add(ones(lazy.NewTrace(tr.Device()), 3)).Err()
	}},
	{"tensor of another device", lazy.ErrPlacement, func(tr *lazy.Trace, w *lazy.Tensor) error {
		d, err := lazy.Open("eval")
		if err != nil {
			return err
		}
		return ones(tr, 2).Add(lazy.From(d, []float32{1, 2})).Err()
	}},
	{"no trace", lazy.ErrPlacement, func(tr *lazy.Trace, w *lazy.Tensor) error { return w.Mul(w).Err() }},
	{"nil operand", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return ones(tr, 2).Add(nil).Err() }},
	{"in-place op that changes the shape", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return ones(tr, 2).Add(ones(tr, 2)).Mul_(ones(tr, 3, 2)).Err()
	}},
	{"in-place op on repeated elements", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return ones(tr, 2).BroadcastTo(3, 2).Exp_().Err()
	}},
	{"in-place op on what belongs to the device", lazy.ErrPlacement, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.From(tr.Device(), []float32{1, 2}).Mul_(ones(tr, 2)).Err()
	}},
	{"in-place op on what belongs to another trace", lazy.ErrPlacement, func(tr *lazy.Trace, w *lazy.Tensor) error {
		other := lazy.NewTrace(tr.Device())
		return tr.View(lazy.From(other, []float32{1, 2})).Mul_(ones(tr, 2)).Err()
	}},
	{"in-place op on a variable in no trace", lazy.ErrPlacement, func(tr *lazy.Trace, w *lazy.Tensor) error {
		w.Fill_(1)
		return tr.MarkStep(w)
	}},
	{"in-place op on a stale tensor", lazy.ErrStale, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 2).Add(ones(tr, 2))
		tr.MarkStep()
		return x.Fill_(1).Err()
	}},
	{"view of a stale tensor", lazy.ErrStale, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 2, 2).Add(ones(tr, 2, 2)).Select(0, 1)
		tr.MarkStep()
		return x.Exp().Err()
	}},
	{"assignment of another type", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		w.Assign(ones(tr, 3, 2))
		return tr.MarkStep()
	}},
	{"a variable of an open size", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return tr.Device().Variable("replay", lazy.F32, lazy.Dim("rows", 1, 100), 8).Err()
	}},
	{"gradient of a matrix", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.Grad(ones(tr, 2, 3).Mul(w), w)[0].Err()
	}},
	{"gradient after assignment", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		loss := ones(tr, 2, 3).Mul(w).Sum()
		w.Sub_(ones(tr))
		return lazy.Grad(loss, w)[0].Err()
	}},
	{"host data that does not fill the shape", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.From(tr, []float32{1, 2, 3}, 2, 2).Err()
	}},
	{"huge shape", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return lazy.From(tr, []float32{1}, 1<<40, 1<<40).Err()
	}},
	{"huge broadcast", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return ones(tr, 1, 1).BroadcastTo(1<<40, 1<<40).Err()
	}},
	{"setting what is no scalar argument", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error { return w.Set(1) }},
	{"item of several elements", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		_, err := w.Item()
		return err
	}},
	{"reading as another dtype", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		_, err := lazy.ToSlice[int64](w)
		return err
	}},
	{"labels of another shape", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return tr.Read(w).CrossEntropy(lazy.Ones(tr, lazy.I32, 3)).Err()
	}},
	{"reading an argument while tracing a function", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		var failed error
		f := lazy.Func(tr.Device(), func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
			_, failed = x.Exp().Value()
			return x
		})
		if _, err := f.Call(context.Background(), w); err != nil {
			return err
		}
		return failed
	}},
	{"function called with too many arguments", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		_, err := lazy.Func(tr.Device(), func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x }).Call(context.Background(), w, w)
		return err
	}},
	{"function called with a tensor without value", lazy.ErrPlacement, func(tr *lazy.Trace, w *lazy.Tensor) error {
		_, err := lazy.Func(tr.Device(), func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x }).Call(context.Background(), ones(tr, 2).Exp())
		return err
	}},
	{"a bound of nonzero that is none", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		return tr.Read(w).Nonzero(0).Err()
	}},
	{"rows whose number follows from data, in a loop", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 3)
		return lazy.For(3, func(_ *lazy.Trace, _ *lazy.Tensor, xs []*lazy.Tensor) []*lazy.Tensor {
			return []*lazy.Tensor{xs[0].SelectRows(xs[0].Greater(xs[0]))}
		}, x)[0].Err()
	}},
	{"sizes of two masks in one sum", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 3)
		return x.MaskedSelect(x.Greater(x)).Add(x.MaskedSelect(x.Equal(x))).Err()
	}},
	{"a mask of one column", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 3, 2)
		return x.SelectRows(x.Narrow(1, 0, 1).Greater(x.Narrow(1, 0, 1))).Err()
	}},
	{"a mask of rows for elements", lazy.ErrType, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 3, 2)
		return x.MaskedSelect(x.Select(1, 0).Greater(x.Select(1, 0))).Err()
	}},
	{"the shape of a size that follows from data", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 3)
		y := x.MaskedSelect(x.Greater(x))
		return tr.MarkStep(lazy.Zeros(tr, lazy.F32, y.Shape()...))
	}},
	{"a loop over the name of a size", lazy.ErrUsage, func(tr *lazy.Trace, w *lazy.Tensor) error {
		x := ones(tr, 3)
		n := x.MaskedSelect(x.Greater(x)).OpenDim(0)
		return lazy.For(n, func(tr *lazy.Trace, i *lazy.Tensor, s []*lazy.Tensor) []*lazy.Tensor { return s }, x)[0].Err()
	}},
	{"unknown backend", backends.ErrUnknown, func(tr *lazy.Trace, w *lazy.Tensor) error {
		_, err := lazy.Open("tpu:0")
		return err
	}},
}

// some has an open size, which follows from data.
func some(tr *lazy.Trace) *lazy.Tensor {
	return ones(tr, 3).MaskedSelect(ones(tr, 3).Greater(ones(tr, 3)))
}

func ones(tr *lazy.Trace, dims ...int) *lazy.Tensor { return lazy.Ones(tr, lazy.F32, dims...) }

var lineNumber = regexp.MustCompile(`(errors_test\.go):\d+|\(0x[0-9a-f]+\)`)

// Every mistake is an error that names op, types, rule and place, and leaves
// trace and variables usable.
func TestMistakes(t *testing.T) {
	trials.Sequential(t)
	var all strings.Builder
	for _, m := range mistakes {
		tr := lazy.NewTrace(open(t, "cpu"))
		w := tr.Device().Variable("w", lazy.F32, 2, 3)
		err := m.make(tr, w)
		require.ErrorIs(t, err, m.kind, m.name)
		if m.kind != backends.ErrUnknown {
			require.Contains(t, err.Error(), "errors_test.go:", m.name)
		}
		text := lineNumber.ReplaceAllStringFunc(err.Error(), func(s string) string {
			if strings.HasPrefix(s, "(0x") {
				return "(ADDRESS)"
			}
			return "errors_test.go:LINE"
		})
		fmt.Fprintf(&all, "%s\n\t%s\n", m.name, text)

		tr.MarkStep() // ends the step of the mistake, whether or not it fails
		before := floats(t, w)
		loss := ones(tr, 2, 3).Add(w).Sum()
		w.Add_(ones(tr, 2, 3))
		require.NoError(t, tr.MarkStep(loss), m.name)
		after := floats(t, w)
		for i := range before {
			require.Equal(t, before[i]+1, after[i], m.name)
		}
	}
	golden.Is(t, "testdata/mistakes.txt", all.String())
}

func TestErrorNamesTheCallersLine(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	_, _, line, _ := runtime.Caller(0)
	err := ones(tr, 2).Add(ones(tr, 3)).Exp().Softmax(0).Err() // the line after
	require.Contains(t, err.Error(), fmt.Sprintf("errors_test.go:%d: add(f32[2], f32[3]): ", line+1))

	var op *lazy.OpError
	require.ErrorAs(t, err, &op)
	require.Equal(t, "add", op.Op)
	require.Equal(t, line+1, op.Line)
	require.Equal(t, "add_shapes", op.Label)
}

// A poisoned tensor can be used like any other.
func TestPoisonedTensorIsSafe(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	bad := ones(tr, 2).Add(ones(tr, 3))
	require.Zero(t, bad.Dim(0))
	require.Zero(t, bad.Rank())
	require.Contains(t, bad.String(), "poisoned")
	w := tr.Device().Variable("w", lazy.F32, 2)
	require.Len(t, lazy.Grad(bad, w, w), 2)
	for _, x := range []*lazy.Tensor{
		bad.Reshape(3), bad.Unsqueeze(0), bad.MatMul(w), w.MatMul(bad), bad.OneHot(3, lazy.F32), bad.CrossEntropy(bad),
		bad.LayerNorm(bad, bad, 1), bad.Attention(w, w, lazy.AttentionOptions{}), bad.GELU(), bad.Mean(), bad.BroadcastTo(3), lazy.Concatenate(0, bad, bad),
		bad.Keep(), bad.Assign(bad), w.Assign(bad), tr.Read(bad), bad.Init(lazy.Constant(1)), bad.AddScalar(1),
	} {
		if x != w {
			require.ErrorIs(t, x.Err(), lazy.ErrType)
		}
	}
	require.ErrorIs(t, bad.Backward(), lazy.ErrType)
	require.ErrorIs(t, tr.Read(w).Sum().Backward(bad), lazy.ErrType)
	require.ErrorIs(t, lazy.SetView(bad, soa.View{}).Err(), lazy.ErrType)
	bad.Release()
	require.Error(t, tr.MarkStep(bad))
	require.Error(t, bad.Set(1))
}

func TestNilArguments(t *testing.T) {
	dev := open(t, "cpu")
	tr := lazy.NewTrace(dev)
	x := lazy.From(tr, []float32{1})
	v := dev.Variable("v", lazy.F32)
	_, called := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x }).Call(context.Background(), nil)
	for i, err := range []error{
		x.Add(nil).Err(), x.MatMul(nil).Err(), x.CrossEntropy(nil).Err(), x.LayerNorm(x, nil, 0).Err(), x.Attention(x, nil, lazy.AttentionOptions{}).Err(), x.Greater(nil).Err(),
		lazy.Concatenate(0, x, nil).Err(), lazy.Concatenate(0).Err(), tr.Read(nil).Err(), v.Assign(nil).Err(), v.Init(nil).Err(),
		lazy.Grad(nil, x)[0].Err(), lazy.Grad(x.Sum(), nil)[0].Err(), tr.MarkStep(nil), called,
		lazy.From(nil, []float32{1}).Err(), lazy.FromView(nil, soa.View{}).Err(), lazy.NewScalar(nil, "s", lazy.F32, 1).Err(),
		lazy.Full(nil, lazy.F32, 1).Err(), lazy.Iota(nil, lazy.I32, 0, 3).Err(),
	} {
		require.ErrorIs(t, err, lazy.ErrUsage, "case %d", i)
	}
	for _, none := range []*lazy.Tensor{nil, {}} {
		for i, err := range []error{
			none.Init(lazy.Constant(1)).Err(), lazy.SetValues(none, []float32{1}).Err(), none.Set(1), none.Backward(), none.SetRequiresGrad(true).Err(), lazy.SetView(none, soa.View{}).Err(),
			none.Select(0, 0).Err(), none.Narrow(0, 0, 1).Err(), none.Unsqueeze(0).Err(), none.Diagonal(0, 0, 1).Err(), none.AddScalar(1).Err(),
			none.Softmax(0).Err(), none.GELU().Err(), none.OneHot(2, lazy.F32).Err(), none.Donate().Err(), none.Named("n").Err(),
			none.Fill_(1).Err(), none.To(dev).Err(), none.Clone().Err(),
		} {
			require.ErrorIs(t, err, lazy.ErrUsage, "case %d", i)
		}
		require.Nil(t, none.Device())
		require.Nil(t, none.Trace())
		require.Empty(t, none.Name())
		require.False(t, none.IsVariable())
		none.Keep().Release()
	}
	require.NoError(t, tr.MarkStepContext(nil))
}

// A program that the machine has no memory for is an error of the line that
// wants it. A sum of as many elements needs none, where it is one kernel.
func TestMoreThanTheMachineHas(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		tr := lazy.NewTrace(open(t, name))
		x := ones(tr, 1).BroadcastTo(1<<22, 1<<22) // the line
		_, _, line, _ := runtime.Caller(0)
		err := tr.MarkStep(x.MulScalar(3))
		require.ErrorContains(t, err, fmt.Sprintf("errors_test.go:%d: broadcast(f32[1]): its result f32[4194304,4194304]: not enough memory", line-1))
		require.ErrorIs(t, err, lazy.ErrMemory)
		require.ErrorIs(t, tr.Device().Variable("w", lazy.F32, 1<<45).Err(), lazy.ErrMemory)
	}
}

// SetAll changes all variables or none, and says what is wrong with the first that is no variable.
func TestSetAll(t *testing.T) {
	dev, err := lazy.Open("eval")
	require.NoError(t, err)
	defer dev.Close()
	a, b := dev.Variable("a", lazy.F32, 2), dev.Variable("b", lazy.I64)
	fill := func(i int, dst soa.View) error {
		switch i {
		case 0:
			copy(soa.Slice[float32](dst), []float32{1, 2})
		default:
			soa.Slice[int64](dst)[0] = 3
		}
		return nil
	}
	both := []*lazy.Tensor{a, b}
	require.NoError(t, lazy.SetAll(both, fill))
	requireValues := func() {
		x, err := lazy.ToSlice[float32](a)
		require.NoError(t, err)
		require.Equal(t, []float32{1, 2}, x)
		y, err := lazy.ToSlice[int64](b)
		require.NoError(t, err)
		require.Equal(t, []int64{3}, y)
	}
	requireValues()
	broken := errors.New("broken")
	require.ErrorIs(t, lazy.SetAll(both, func(i int, dst soa.View) error {
		soa.Zero(dst)
		if i == 1 {
			return broken
		}
		return nil
	}), broken)
	requireValues()
	require.ErrorContains(t, lazy.SetAll([]*lazy.Tensor{a, lazy.From(dev, []float32{1})}, fill), "set_all(f32[1]): it is not a variable")
	require.ErrorContains(t, lazy.SetAll([]*lazy.Tensor{nil}, fill), "set_all")
	require.ErrorContains(t, lazy.SetAll(both, nil), "set_all(f32[2], i64[]): fill is nil")
	requireValues()
}
