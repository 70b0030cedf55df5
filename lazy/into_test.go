package lazy_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/ltctest"
	"ltc/soa"
)

// Results land in slices and views of any layout, what is around them stays as it is, and other
// memory in later steps compiles nothing.
func TestInto(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			tr := lazy.NewTrace(d)
			for i := range 4 {
				k := float32(i)
				x := lazy.From(tr, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
				y := x.MulScalar(2).AddScalar(float64(i))
				flat := make([]float32, 6)
				rows := []float32{9, 9, 9, 9, 9, 9, 9, 9, 9, 9}
				strided, err := soa.Strided(rows, types.Of(types.F32, 2, 3), 1, []int{5, 1})
				require.NoError(t, err)
				turned := make([]float32, 6)
				columns, err := soa.Strided(turned, types.Of(types.F32, 2, 3), 0, []int{1, 2})
				require.NoError(t, err)
				require.Same(t, y, lazy.Into(y, flat))
				require.Same(t, y, y.IntoView(strided))
				y.IntoView(columns)
				sum := make([]float32, 1)
				lazy.Into(y.Sum(), sum)
				same := make([]float32, 6)
				lazy.Into(x, same)
				part := make([]float32, 2)
				lazy.Into(y.Select(1, 1), part)
				none := y.Narrow(0, 0, 0)
				lazy.Into(none, []float32(nil))
				if i%2 == 0 {
					require.NoError(t, tr.MarkStep())
				} else {
					require.NoError(t, tr.MarkStep(y))
				}
				require.NoError(t, tr.Wait(t.Context()))
				require.Equal(t, []float32{2 + k, 4 + k, 6 + k, 8 + k, 10 + k, 12 + k}, flat)
				require.Equal(t, []float32{9, 2 + k, 4 + k, 6 + k, 9, 9, 8 + k, 10 + k, 12 + k, 9}, rows)
				require.Equal(t, []float32{2 + k, 8 + k, 4 + k, 10 + k, 6 + k, 12 + k}, turned)
				require.Equal(t, []float32{42 + 6*k}, sum)
				require.Equal(t, []float32{1, 2, 3, 4, 5, 6}, same)
				require.Equal(t, []float32{4 + k, 10 + k}, part)
				if i%2 == 1 {
					clear(flat)
					require.Equal(t, []float32{2 + k, 4 + k, 6 + k, 8 + k, 10 + k, 12 + k}, floats(t, y), "a root has a value of its own")
				}
			}
			require.EqualValues(t, 3, tr.Report().Compiled, "without a root and with one, and once for the number that varies")
		})
	}
}

// All dtypes go into slices of their Go types.
func TestIntoEveryDType(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	into(t, tr, []bool{true, false})
	into(t, tr, []uint8{1, 255})
	into(t, tr, []uint16{1, 2})
	into(t, tr, []uint32{1, 2})
	into(t, tr, []uint64{1, math.MaxUint64})
	into(t, tr, []int8{-1, 2})
	into(t, tr, []int16{-1, 2})
	into(t, tr, []int32{-1, 2})
	into(t, tr, []int64{-1, math.MinInt64})
	into(t, tr, []float32{-1, 2})
	into(t, tr, []float64{-1, 2})
	into(t, tr, []types.Float16{1, 2})
	into(t, tr, []types.BFloat16{1, 2})
}

func into[T soa.Element](t *testing.T, tr *lazy.Trace, x []T) {
	t.Helper()
	dst := make([]T, len(x))
	lazy.Into(lazy.From(tr, x).Reverse(0), dst)
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Equal(t, []T{x[1], x[0]}, dst)
}

// Each mistake is an error of the step with the line of Into; dst is as it was.
func TestIntoErrors(t *testing.T) {
	d := open(t, "cpu")
	dst := []float32{7, 7, 7, 7}
	shape := types.Of(types.F32, 2, 2)
	view := func(offset int, strides ...int) soa.View {
		v, err := soa.Strided(dst, shape, offset, strides)
		require.NoError(t, err)
		return v
	}
	for _, c := range []struct {
		why string
		do  func(tr *lazy.Trace, x *lazy.Tensor)
	}{
		{"into(f32[2,2]): the slice has 3 elements, but f32[2,2] has 4", func(tr *lazy.Trace, x *lazy.Tensor) { lazy.Into(x, dst[:3]) }},
		{"into(f32[2,2]): its elements are f32, and the slice's are f64; convert it with Convert", func(tr *lazy.Trace, x *lazy.Tensor) { lazy.Into(x, make([]float64, 4)) }},
		{"into_view(f32[2,2]): the view is the zero View", func(tr *lazy.Trace, x *lazy.Tensor) { x.IntoView(soa.View{}) }},
		{"into_view(f32[2,2]): it is f32[2,2], and the view is of i32[2,2]", func(tr *lazy.Trace, x *lazy.Tensor) { x.IntoView(soa.Make(types.Of(types.I32, 2, 2))) }},
		{"into_view(f32[2,2]): f32[2,2] with strides [4 1] reaches outside of its memory", func(tr *lazy.Trace, x *lazy.Tensor) {
			v := view(0, 2, 1)
			v.Strides = []int{4, 1}
			x.IntoView(v)
		}},
		{"into_view(f32[2,2]): some elements of f32[2,2] strides [1 1] are one in memory and cannot be written", func(tr *lazy.Trace, x *lazy.Tensor) { x.IntoView(view(0, 1, 1)) }},
		{"into_view(f32[2,2]): the view is read only", func(tr *lazy.Trace, x *lazy.Tensor) { x.IntoView(view(0, 2, 1).AsReadOnly()) }},
		{"into_view(f32[2,2]): the step writes f32[2,2] to memory that it also writes f32[2,2] to, at into_test.go:", func(tr *lazy.Trace, x *lazy.Tensor) {
			lazy.Into(x, dst)
			x.Exp().IntoView(view(0, 1, 2))
		}},
		{"into(f32[2,2]): the step writes f32[2,2] to memory in which it also reads f32[4], at into_test.go:", func(tr *lazy.Trace, x *lazy.Tensor) {
			lazy.Into(x.Add(lazy.Borrow(tr, dst).Reshape(2, 2)), dst)
		}},
		{"share(f32[4]): the step writes f32[4] to memory that it also writes f32[2,2] to, at into_test.go:", func(tr *lazy.Trace, x *lazy.Tensor) {
			lazy.Share(tr, dst).Fill_(1)
			lazy.Into(x, dst)
		}},
		{"matmul(f32[2,2], f32[3])", func(tr *lazy.Trace, x *lazy.Tensor) { lazy.Into(x.MatMul(lazy.From(tr, dst[:3])), dst) }},
		{"into(f32[masked_select]): sizes of its shape are known only when the step has run", func(tr *lazy.Trace, x *lazy.Tensor) {
			lazy.Into(x.MaskedSelect(x.Greater(x)), dst)
		}},
	} {
		tr := lazy.NewTrace(d)
		c.do(tr, lazy.From(tr, []float32{1, 2, 3, 4}, 2, 2).AddScalar(1))
		err := tr.MarkStep()
		if !strings.Contains(errText(err), c.why) {
			t.Errorf("got %v\nwant %s", err, c.why)
		}
	}
	require.Equal(t, []float32{7, 7, 7, 7}, dst)
}

func errText(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()
}

// Results go to the channels of one image in one step, and others are read from there.
func TestIntoChannels(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	const rows, columns, channels = 3, 4, 3
	image := make([]float32, rows*columns*channels)
	channel := func(i int) soa.View {
		v, err := soa.Strided(image, types.Of(types.F32, rows, columns), i, []int{columns * channels, channels})
		require.NoError(t, err)
		return v
	}
	for i := range image {
		image[i] = float32(i)
	}
	x := lazy.FromView(tr, channel(2))
	x.AddScalar(1).IntoView(channel(0))
	x.MulScalar(2).IntoView(channel(1))
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	for i := 2; i < len(image); i += channels {
		require.Equal(t, []float32{float32(i) + 1, float32(i) * 2, float32(i)}, image[i-2:i+1])
	}
	x.AddScalar(1).IntoView(channel(2))
	require.ErrorContains(t, tr.MarkStep(), "the step writes f32[3,4] to memory in which it also reads f32[3,4]")
}

// A tensor that is in no trace, or of another one, is refused.
func TestIntoNeedsATrace(t *testing.T) {
	d := open(t, "cpu")
	w := d.Variable("w", lazy.F32, 2)
	dst := make([]float32, 2)
	require.ErrorContains(t, lazy.Into(w, dst).Err(), "give what Trace.Read of it returns")
	tr := lazy.NewTrace(d)
	require.ErrorContains(t, tr.MarkStep(tr.Read(w).MulScalar(2)), "it belongs to no trace", "the variable tells, once")
	tr = lazy.NewTrace(d)
	w.Assign(tr.Read(w).AddScalar(3))
	lazy.Into(tr.Read(w), dst)
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Equal(t, []float32{3, 3}, dst)

	f := lazy.Func(d, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return lazy.Into(x.MulScalar(2), dst) })
	_, err := f.Call(t.Context(), lazy.From(d, []float32{1, 2}))
	require.ErrorContains(t, err, "it is called in a function that is being traced, which runs later and often: return the tensor")
	require.Equal(t, []float32{3, 3}, dst)
}

// What went into a slice alone has no value after the step; the error says where it is.
func TestIntoIsNoRoot(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	x := lazy.From(tr, []float32{1, 2}).Exp()
	v := x.Narrow(0, 0, 1)
	lazy.Into(x, make([]float32, 2))
	lazy.Into(v, make([]float32, 1))
	require.NoError(t, tr.MarkStep())
	_, err := x.Value()
	require.ErrorIs(t, err, lazy.ErrStale)
	require.ErrorContains(t, err, "its value was not kept: its elements are in the memory given to Into at into_test.go:")
	require.ErrorContains(t, x.Neg().Err(), ": its elements are in the memory given to Into at into_test.go:")
	require.ErrorContains(t, v.Neg().Err(), ": its elements are in the memory given to Into at into_test.go:")
}

// Nothing keeps a slice of Into once Wait has returned, after failures and discards either.
func TestIntoIsNotRetained(t *testing.T) {
	for _, name := range []string{"eval", "cpu", "flaky"} {
		d := open(t, name)
		tr := lazy.NewTrace(d)
		var kept []weak.Pointer[[1024]float32]
		step := func(end func()) {
			mem := new([1024]float32)
			kept = append(kept, weak.Make(mem))
			lazy.Into(lazy.From(tr, make([]float32, 1024)).AddScalar(1), mem[:])
			end()
			require.NoError(t, tr.Wait(t.Context()))
			runtime.KeepAlive(mem)
		}
		step(func() { require.NoError(t, tr.MarkStep()) })
		step(func() { tr.Discard() })
		step(func() {
			if name == "flaky" {
				theFlaky.failures.Store(1)
				require.ErrorIs(t, cmpErr(tr.MarkStep(), tr.Wait(t.Context())), errFlaky)
			}
		})
		step(func() { require.NoError(t, tr.MarkStep()) })
		for range 3 {
			runtime.GC()
		}
		for i, p := range kept {
			require.Nil(t, p.Value(), "%s, slice %d", name, i)
		}
		runtime.KeepAlive(tr)
	}
}

func cmpErr(a, b error) error { return errors.Join(a, b) }

// A failed step leaves the memory as it was.
func TestIntoOfAFailedStep(t *testing.T) {
	tr := lazy.NewTrace(open(t, "flaky"))
	dst, mem := []float32{7, 7}, []float32{1, 2}
	x := lazy.Share(tr, mem)
	x.Mul_(lazy.Const(tr, lazy.F32, 2))
	lazy.Into(x.Neg(), dst)
	theFlaky.failures.Store(1)
	require.ErrorIs(t, cmpErr(tr.MarkStep(), tr.Wait(t.Context())), errFlaky)
	require.Equal(t, []float32{7, 7}, dst)
	require.Equal(t, []float32{1, 2}, mem)
	require.Equal(t, []float32{1, 2}, floats(t, x))
	x.Mul_(lazy.Const(tr, lazy.F32, 3))
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Equal(t, []float32{3, 6}, mem)
}

// In-place ops on memory of Share write it, also through views, step after step; the host
// writes it in between.
func TestShare(t *testing.T) {
	for _, name := range []string{"eval", "cpu", "flaky"} {
		t.Run(name, func(t *testing.T) {
			d := open(t, name)
			tr := lazy.NewTrace(d)
			mem := []float32{1, 2, 3, 4}
			x := lazy.Share(tr, mem, 2, 2)
			first := x.Clone()
			x.Mul_(lazy.Const(tr, lazy.F32, 10))
			x.Select(0, 1).Fill_(5)
			require.NoError(t, tr.MarkStep(first, x))
			require.NoError(t, tr.Wait(t.Context()))
			require.Equal(t, []float32{10, 20, 5, 5}, mem)
			require.Equal(t, []float32{1, 2, 3, 4}, floats(t, first), "a clone has the elements of before")
			require.Equal(t, mem, floats(t, x))
			v := value(t, x)
			require.False(t, v.ReadOnly())
			require.Same(t, &mem[0], &soa.Slice[float32](v)[0])

			mem[0] = 100
			y := x.AddScalar(1)
			require.NoError(t, tr.MarkStep(y))
			require.Equal(t, []float32{101, 21, 6, 6}, floats(t, y), "a step reads what the host has written")

			x.Add_(lazy.Const(tr, lazy.F32, 1))
			require.Equal(t, []float32{101, 21, 6, 6}, floats(t, x), "read in the midst of the step")
			x.Add_(lazy.Const(tr, lazy.F32, 1))
			z := tr.Read(x)
			require.NoError(t, tr.MarkStep(z))
			require.NoError(t, tr.Wait(t.Context()))
			require.Equal(t, []float32{102, 22, 7, 7}, mem)
			x.Copy_(x)
			require.NoError(t, tr.MarkStep())
			for range 8 { // many steps under way
				x.Add_(lazy.Const(tr, lazy.F32, 1))
				require.NoError(t, tr.MarkStep())
			}
			require.Equal(t, []float32{102, 22, 7, 7}, floats(t, z), "a root has memory of its own")
			require.Equal(t, []float32{110, 30, 15, 15}, floats(t, x))
			require.Equal(t, []float32{110, 30, 15, 15}, mem)
			x.Assign(tr.Read(z))
			tr.Discard()
			require.Equal(t, []float32{110, 30, 15, 15}, floats(t, x))
			x.Copy_(z)
			require.NoError(t, tr.MarkStep())
			require.NoError(t, tr.Wait(t.Context()))
			require.Equal(t, []float32{102, 22, 7, 7}, mem, "what is written does not depend on what was there")
			x.Mul_(lazy.Const(tr, lazy.F32, 0))
			require.Error(t, tr.MarkStep(x.MatMul(lazy.From(tr, mem))))
			require.Equal(t, []float32{102, 22, 7, 7}, floats(t, x))
			require.ErrorContains(t, x.Donate().Err(), "its memory is not its own but a scalar argument's or the caller's")
		})
	}
}

// A root that reads memory of Share while a step that writes it is under way has what that one
// writes.
func TestShareUnderWay(t *testing.T) {
	d, g := openGated(t)
	tr := lazy.NewTrace(d)
	mem := make([]float32, bigSize)
	x := lazy.Share(tr, mem)
	x.Add_(lazy.Const(tr, lazy.F32, 1))
	require.NoError(t, tr.MarkStep())
	go func() { g.let <- nil }()
	y := tr.Read(x)
	require.NoError(t, tr.MarkStep(y))
	require.NoError(t, tr.Wait(t.Context()))
	require.EqualValues(t, 1, floats(t, y)[0])
	x.Add_(lazy.Const(tr, lazy.F32, 1))
	require.NoError(t, tr.MarkStep())
	g.let <- errFlaky
	require.ErrorIs(t, tr.Wait(t.Context()), errFlaky)
	require.EqualValues(t, 1, floats(t, x)[0], "it is what it was before the step that failed")
	require.EqualValues(t, 1, mem[0])
}

// Only what was borrowed by Share is written.
func TestBorrowIsNotWritten(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	mem := []float32{1, 2}
	x := lazy.Borrow(tr, mem)
	x.Add_(lazy.Const(tr, lazy.F32, 1))
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Equal(t, []float32{1, 2}, mem)
	require.Equal(t, []float32{2, 3}, floats(t, x))
}

// Share of a view writes its elements and nothing else.
func TestShareView(t *testing.T) {
	tr := lazy.NewTrace(open(t, "cpu"))
	mem := []float32{1, 2, 3, 4, 5, 6}
	v, err := soa.Strided(mem, types.Of(types.F32, 3), 1, []int{2})
	require.NoError(t, err)
	lazy.ShareView(tr, v).Neg_()
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Equal(t, []float32{1, -2, 3, -4, 5, -6}, mem)

	require.ErrorContains(t, lazy.ShareView(tr, soa.View{}).Err(), "share_view(): the view is the zero View")
	require.ErrorContains(t, lazy.ShareView(tr, v.AsReadOnly()).Err(), "share_view(): the memory is read only: FromView reads it")
	v.Strides = []int{0}
	require.ErrorContains(t, lazy.ShareView(tr, v).Err(), "share_view(): some elements of f32[3] strides [0] are one in memory")
	v.Strides = []int{2}
	next, err := soa.Strided(mem, types.Of(types.F32, 3), 1, []int{2})
	require.NoError(t, err)
	twice, err := soa.NewTable(1, v, next)
	require.NoError(t, err)
	require.ErrorContains(t, lazy.ShareView(tr, twice).Err(), "share_view(): some elements of f32[3,2] strides [2 0] table along axis 1 are one in memory")
	lazy.Ones(tr, lazy.F32, 3, 2).IntoView(twice)
	require.ErrorContains(t, tr.MarkStep(), "into_view(f32[3,2]): some elements of f32[3,2] strides [2 0] table along axis 1 are one in memory")
	require.ErrorContains(t, lazy.Share(nil, mem).Err(), "share(): it needs a trace or an open device, not nil")
	require.ErrorContains(t, lazy.Share(tr, mem, 5).Err(), "share(): the slice has 6 elements, but f32[5] has 5")
}

// A function cannot write memory that it shares: it says so when it is traced.
func TestNoShareInAFunction(t *testing.T) {
	d := open(t, "cpu")
	mem := []float32{1, 2}
	f := lazy.Func(d, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor {
		lazy.Share(tr, mem).Add_(x)
		return x.Neg()
	})
	_, err := f.Call(t.Context(), lazy.From(d, []float32{1, 2}))
	require.ErrorIs(t, err, lazy.ErrUsage)
	require.ErrorContains(t, err, "share(f32[2]): it is called in a function that is being traced, which does not write the memory")
	require.Equal(t, []float32{1, 2}, mem)
}

// Value says whether its view may be written.
func TestValueIsReadOnly(t *testing.T) {
	d := open(t, "cpu")
	tr := lazy.NewTrace(d)
	w := d.Variable("w", lazy.F32, 2)
	x := lazy.From(tr, []float32{1, 2})
	y := x.Neg()
	mem := lazy.Share(tr, []float32{1, 2})
	require.NoError(t, tr.MarkStep(y))
	for _, t0 := range []*lazy.Tensor{w, x, y, x.Narrow(0, 0, 1), lazy.Borrow(tr, []float32{1})} {
		v := value(t, t0)
		require.True(t, v.ReadOnly())
		require.ErrorIs(t, soa.Copy(v, soa.Make(v.Type)), soa.ErrReadOnly)
		require.Equal(t, soa.Slice[float32](v), floats(t, t0))
		require.Equal(t, floats(t, t0), floats(t, lazy.FromView(tr, v)), "others read it")
	}
	for _, t0 := range []*lazy.Tensor{mem, mem.Narrow(0, 1, 1)} {
		v := value(t, t0)
		require.False(t, v.ReadOnly())
	}
}

// Reads after Wait, and after reading a root, are ordered behind the writes of the step: this
// runs under the race detector.
func TestIntoIsOrdered(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		d := open(t, name)
		tr := lazy.NewTrace(d)
		dst, mem := make([]float32, bigSize), make([]float32, bigSize)
		x := lazy.Share(tr, mem)
		for i := range 10 {
			x.Add_(lazy.Const(tr, lazy.F32, 1))
			lazy.Into(x.AddScalar(1), dst)
			switch i % 3 {
			case 0:
				require.NoError(t, tr.MarkStep())
				require.NoError(t, tr.Wait(t.Context()))
			case 1:
				s := x.Sum()
				require.NoError(t, tr.MarkStep(s))
				_, err := s.Item()
				require.NoError(t, err)
			default:
				done := make(chan float32)
				tr.AfterStep(func(error) { done <- dst[0] })
				go func() { _ = tr.MarkStep() }()
				require.EqualValues(t, i+2, <-done)
				require.NoError(t, tr.Wait(context.Background()))
			}
			require.EqualValues(t, i+2, dst[len(dst)-1])
			require.EqualValues(t, i+1, mem[0])
			dst[len(dst)-1] = -1
		}
	}
}

// The backend cpu writes slices, strided views and columns in place, as it reads them; the
// evaluator copies layouts that are not dense, once.
func TestIntoCopiesNothing(t *testing.T) {
	type Hit struct{ X, Y, Score float32 }
	const n = 1000
	for _, c := range []struct {
		backend string
		dense   int64
		columns int64
	}{{"cpu", ltctest.None, ltctest.None}, {"eval", ltctest.None, 4 * 4 * n}} {
		tr := lazy.NewTrace(open(t, c.backend))
		hits := soa.Of[Hit](n)
		x, y := columnOf(t, hits.Col("X")), columnOf(t, hits.Col("Y"))
		step := func(end func(score *lazy.Tensor)) func() {
			return func() {
				px, py := lazy.ShareView(tr, x), lazy.FromView(tr, y)
				px.Add_(py)
				end(px.Mul(py))
				require.NoError(t, tr.MarkStep())
				require.NoError(t, tr.Wait(t.Context()))
			}
		}
		dst := make([]float32, n)
		dense := step(func(score *lazy.Tensor) { lazy.Into(score, dst) })
		table, err := soa.NewTable(1, columnOf(t, hits.Col("Score")), columnOf(t, hits.Col("X")))
		require.NoError(t, err)
		columns := func() {
			both := lazy.FromView(tr, y).Reshape(n, 1).BroadcastTo(n, 2).AddScalar(1)
			both.IntoView(table)
			require.NoError(t, tr.MarkStep())
			require.NoError(t, tr.Wait(t.Context()))
		}
		for i := range n {
			hits.At(i).Store(Hit{X: float32(i), Y: 2})
		}
		dense()
		columns()
		for i := range n {
			hits.At(i).Store(Hit{X: float32(i), Y: 2})
		}
		t.Run(c.backend, func(t *testing.T) {
			ltctest.Budget{CopiedBytes: c.dense}.Check(t, tr, dense)
			require.Equal(t, Hit{X: 9, Y: 2}, hits.At(7).Load())
			require.EqualValues(t, 18, dst[7])
			ltctest.Budget{CopiedBytes: c.columns}.Check(t, tr, columns)
			require.Equal(t, Hit{X: 3, Y: 2, Score: 3}, hits.At(7).Load())
		})
	}
}

func columnOf(t *testing.T, c soa.Column) soa.View {
	t.Helper()
	v, err := c.View()
	require.NoError(t, err)
	return v
}

// Steps of other traces, calls and copies that read memory of Share, and steps that write it, run
// in the order in which they were begun.
func TestShareIsOrderedWithOtherReaders(t *testing.T) {
	d, g := openGated(t)
	a, b := lazy.NewTrace(d), lazy.NewTrace(d)
	mem := make([]float32, bigSize)
	x := lazy.Share(a, mem)
	waits := func() {
		t.Helper()
		select {
		case <-g.began:
			t.Error("a run has begun while another uses the memory")
		case <-time.After(5 * time.Millisecond):
		}
	}
	let := func(err error) { t.Helper(); <-g.began; waits(); g.let <- err }
	write := func() {
		t.Helper()
		x.Add_(lazy.Const(a, lazy.F32, 1))
		require.NoError(t, a.MarkStep())
	}

	y := b.Read(x).AddScalar(10)
	require.NoError(t, b.MarkStep(y))
	write()
	let(nil)
	let(nil)
	require.Equal(t, []float32{10, 10}, ends(t, y), "the step that reads was first")
	require.NoError(t, a.Wait(t.Context()))
	require.Equal(t, []float32{1, 1}, []float32{mem[0], mem[bigSize-1]})

	y = b.Read(x).AddScalar(10) // recorded before the step that writes is marked
	write()
	require.NoError(t, b.MarkStep(y))
	write()
	let(nil)
	let(nil)
	let(nil)
	require.Equal(t, []float32{12, 12}, ends(t, y), "the first step that writes was before")
	require.NoError(t, a.Wait(t.Context()))
	require.Equal(t, []float32{3, 3}, ends(t, x))

	write()
	past := b.Read(lazy.FromView(b, soa.Make(types.Of(types.F32, bigSize)))).Add(b.Read(x))
	require.NoError(t, b.MarkStep(past))
	let(errFlaky)
	require.ErrorIs(t, b.Wait(t.Context()), errFlaky, "its operand has no value")
	require.ErrorIs(t, a.Wait(t.Context()), errFlaky)
	require.Equal(t, []float32{3, 3}, ends(t, x))

	z := b.Read(x) // a root that is a copy
	write()
	done := make(chan error)
	go func() { done <- b.MarkStep(z) }()
	let(nil)
	require.NoError(t, <-done)
	require.Equal(t, []float32{4, 4}, ends(t, z))

	f := lazy.Func(d, func(tr *lazy.Trace, y *lazy.Tensor) *lazy.Tensor { return tr.Read(x).Add(y) })
	call := func() {
		y, err := f.Call(t.Context(), lazy.From(d, make([]float32, bigSize)))
		if err == nil {
			z = y
		}
		done <- err
	}
	go call()
	<-g.began
	write()
	waits()
	g.let <- nil
	require.NoError(t, <-done)
	require.Equal(t, []float32{4, 4}, ends(t, z))
	go call() // behind the step that was marked
	let(nil)
	let(nil)
	require.NoError(t, <-done)
	require.Equal(t, []float32{5, 5}, ends(t, z))

	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, b.MarkStep(b.Read(x).AddScalar(10))) // it runs
	x.Add_(lazy.Const(a, lazy.F32, 1))
	require.NoError(t, a.MarkStepContext(ctx))
	cancel()
	require.ErrorIs(t, a.Wait(t.Context()), context.Canceled)
	write()
	let(nil)
	let(nil)
	require.Equal(t, []float32{6, 6}, ends(t, x), "the step behind the one that was cancelled waited, too")

	write()
	copied := x.To(open(t, "eval"), lazy.Async())
	write()
	let(nil)
	let(nil)
	require.Equal(t, []float32{7, 7}, ends(t, copied))
	require.NoError(t, a.Wait(t.Context()))
	require.Equal(t, []float32{8, 8}, []float32{mem[0], mem[bigSize-1]})
}

// Steps that write memory through one tensor of Share wait for those that use it through another one.
func TestSharesOfOneMemoryAreOrdered(t *testing.T) {
	d, g := openGated(t)
	a, b := lazy.NewTrace(d), lazy.NewTrace(d)
	mem := make([]float32, bigSize+1)
	for name, views := range map[string][2][]float32{
		"one slice":   {mem[:bigSize], mem[:bigSize]},
		"overlapping": {mem[:bigSize], mem[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			x, y := lazy.Share(a, views[0]), lazy.Share(b, views[1])
			x.Add_(lazy.Const(a, lazy.F32, 1))
			require.NoError(t, a.MarkStep())
			<-g.began
			y.Mul_(lazy.Const(b, lazy.F32, 2))
			require.NoError(t, b.MarkStep())
			select {
			case <-g.began:
				t.Error("a run has begun while another uses the memory")
			case <-time.After(5 * time.Millisecond):
			}
			x.Add_(lazy.Const(a, lazy.F32, 1))
			require.NoError(t, a.MarkStep())
			g.let <- nil
			<-g.began
			g.let <- nil
			<-g.began
			g.let <- nil
			require.NoError(t, a.Wait(t.Context()))
			require.NoError(t, b.Wait(t.Context()))
			require.EqualValues(t, 3, mem[1], "(0 + 1)·2 + 1")
			clear(mem)
		})
	}
}

// ends returns the first and the last element of x.
func ends(t *testing.T, x *lazy.Tensor) []float32 {
	t.Helper()
	all := floats(t, x)
	return []float32{all[0], all[len(all)-1]}
}

// Goroutines that call a function and steps of another trace read memory of Share while steps
// write it: each finds one step's elements. This runs under the race detector.
func TestShareIsReadByOthers(t *testing.T) {
	for _, name := range []string{"eval", "cpu"} {
		for _, options := range [][]lazy.Option{nil, {lazy.Threads(1)}} {
			d := open(t, name, options...)
			a, b := lazy.NewTrace(d), lazy.NewTrace(d)
			x := lazy.Share(a, make([]float32, bigSize))
			f := lazy.Func(d, func(tr *lazy.Trace, y *lazy.Tensor) *lazy.Tensor { return tr.Read(x).Add(y) })
			zero := lazy.Zeros(b, lazy.F32, bigSize)
			require.NoError(t, b.MarkStep(zero))
			_, err := f.Call(t.Context(), zero)
			require.NoError(t, err)
			n := 3 + trials.Of(20)
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() {
					last := float32(0)
					for range n {
						y, err := f.Call(t.Context(), zero)
						if err != nil {
							t.Error(err)
							return
						}
						all := soa.Slice[float32](value(t, y))
						if low, high := slices.Min(all), slices.Max(all); low != high || low < last {
							t.Errorf("%s: a call read from %v to %v after %v", name, low, high, last)
						}
						last = all[0]
					}
				})
			}
			for i := range n {
				y := b.Read(x).Add(zero)
				x.Add_(lazy.Const(a, lazy.F32, 1))
				require.NoError(t, a.MarkStep())
				require.NoError(t, b.MarkStep(y))
				require.Equal(t, []float32{float32(i + 1), float32(i + 1)}, ends(t, y))
			}
			wg.Wait()
		}
	}
}

// A call of Share does not look at the elements of every other tensor of Share: many calls would take a
// time that grows with the square of their number.
func TestManyShares(t *testing.T) {
	tr := lazy.NewTrace(open(t, "eval"))
	mem := make([]float32, 20_000)
	all := make(tensors, len(mem))
	begin := time.Now()
	for i := range mem {
		all[i] = lazy.Share(tr, mem[i:i+1])
	}
	require.Less(t, time.Since(begin), 10*time.Second)
	all[0].Add_(lazy.Const(tr, lazy.F32, 1))
	require.NoError(t, tr.MarkStep())
	require.NoError(t, tr.Wait(t.Context()))
	require.Equal(t, []float32{1, 0}, mem[:2])
}
