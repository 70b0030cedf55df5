package lazy_test

import (
	"context"
	"errors"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// A device string is a backend's name and the number of one of its devices.
func TestDeviceStringsNameBackendAndNumber(t *testing.T) {
	for _, name := range []string{"eval", "eval:0", "cpu:0", "null"} {
		d := open(t, name)
		require.Equal(t, name, d.Name())
		require.Equal(t, name, d.String())
		require.NotEmpty(t, d.Devices())
		require.Equal(t, d, lazy.From(d, []float32{1}).Device())
	}
	_, err := lazy.Open("eval:1")
	require.EqualError(t, err, `open backend "eval:1": no device "1": the only one is 0`)
	_, err = lazy.Open("eval:")
	require.EqualError(t, err, `open backend "eval:": there is no device after the colon`)
	_, err = lazy.Open("tpu:0")
	require.ErrorIs(t, err, backends.ErrUnknown)
	require.ErrorContains(t, err, `unknown backend "tpu": registered are backendtest, cpu, eval, `)
	require.ErrorContains(t, err, `open one of these, or import the package of the backend`)
}

// The default: without a number the first device; without anything, cpu.
func TestDefaultDeviceIsTheFirst(t *testing.T) {
	defer lazy.SetDefault(lazy.SetDefault(nil))
	t.Setenv("LTC_DEVICE", "")
	d, err := lazy.Default()
	require.NoError(t, err)
	require.Equal(t, "cpu", d.Name())
	again, err := lazy.Default()
	require.NoError(t, err)
	require.Same(t, d, again)

	lazy.SetDefault(nil)
	t.Setenv("LTC_DEVICE", "eval:0")
	d, err = lazy.Default()
	require.NoError(t, err)
	require.Equal(t, "eval:0", d.Name())

	lazy.SetDefault(nil)
	t.Setenv("LTC_DEVICE", "tpu")
	_, err = lazy.Default()
	require.ErrorIs(t, err, backends.ErrUnknown)
	require.ErrorContains(t, err, "default device: ")

	mine := open(t, "null")
	require.Nil(t, lazy.SetDefault(mine))
	d, err = lazy.Default()
	require.NoError(t, err)
	require.Same(t, mine, d)
}

func TestUseDeviceNests(t *testing.T) {
	is := func(want *lazy.Device) {
		t.Helper()
		d, err := lazy.Default()
		require.NoError(t, err)
		require.Same(t, want, d)
	}
	outer, a, b := open(t, "eval"), open(t, "eval"), open(t, "null")
	defer lazy.SetDefault(lazy.SetDefault(outer))
	is(outer)
	endA := lazy.UseDevice(a)
	is(a)
	endB := lazy.UseDevice(b)
	is(b)
	endA() // out of order
	is(b)
	endB()
	is(outer)
	endB() // again
	endA()
	is(outer)
	lazy.UseDevice(nil)()
	is(outer)

	// A trace keeps its device.
	end := lazy.UseDevice(b)
	d, err := lazy.Default()
	require.NoError(t, err)
	tr := lazy.NewTrace(d)
	end()
	require.Same(t, b, tr.Device())
}

// The default is the process's; a context's is whose context it is.
func TestDeviceOfContext(t *testing.T) {
	def := open(t, "null")
	defer lazy.SetDefault(lazy.SetDefault(def))
	d, err := lazy.DeviceFrom(context.Background())
	require.NoError(t, err)
	require.Same(t, def, d)
	var wait sync.WaitGroup
	for range 8 {
		own := open(t, "eval")
		ctx := lazy.WithDevice(context.Background(), own)
		wait.Go(func() {
			d, err := lazy.DeviceFrom(ctx)
			if err != nil || d != own {
				t.Errorf("device %v, error %v", d, err)
			}
		})
	}
	wait.Wait()
}

func TestEnvironmentThatMakesNoSense(t *testing.T) {
	t.Setenv("LTC_MEMORY_CACHE_BYTES", "many")
	_, err := lazy.Open("eval")
	require.EqualError(t, err, `open "eval": environment variable LTC_MEMORY_CACHE_BYTES is "many": want a number, with B, KiB, MiB, GiB or TiB after it if need be`)
	for text, want := range map[string]int64{"0": 0, "1000": 1000, "7B": 7, "512MiB": 512 << 20, "2GiB": 2 << 30} {
		t.Setenv("LTC_MEMORY_CACHE_BYTES", text)
		require.Equal(t, want, open(t, "eval").MemoryStats().CacheLimit, text)
	}
	for _, text := range []string{"-1", "1.5GiB", "9000000TiB", "MiB"} {
		t.Setenv("LTC_MEMORY_CACHE_BYTES", text)
		_, err := lazy.Open("eval")
		require.ErrorContains(t, err, ": want a number, with B", text)
	}
}

// Several backends in one program, each with tensors of its own.
func TestSeveralBackendsServeOneProcess(t *testing.T) {
	theFlaky.failures.Store(0)
	eval, null, fake := open(t, "eval"), open(t, "null"), open(t, "flaky")
	for d, want := range map[*lazy.Device]float32{eval: 3, null: 0, fake: 3} {
		tr := lazy.NewTrace(d)
		y := lazy.From(tr, []float32{1, 2}).Sum()
		require.NoError(t, tr.MarkStep(y))
		require.Equal(t, []float32{want}, floats(t, y), d.Name())
	}
	// A value goes from one to the other and on.
	tr := lazy.NewTrace(fake)
	x := lazy.From(eval, []float32{1, 2, 3}).To(tr).MulScalar(2)
	require.NoError(t, tr.MarkStep(x))
	require.Equal(t, []float32{2, 4, 6}, floats(t, x.To(null)))
}

// Copies between two devices of a kind (lazy:0 to lazy:1) go straight, and
// leave both sides independent.
func TestCopiesBetweenDevicesAreIndependent(t *testing.T) {
	a, b := open(t, "eval:0"), open(t, "eval:0")
	w := lazy.SetValues(a.Variable("w", lazy.F32, 2), []float32{1, 2})
	before := w.To(b)
	require.Same(t, b, before.Device())
	require.Equal(t, "w", before.Name())
	tr := lazy.NewTrace(a)
	w.Assign(tr.Read(w).MulScalar(10))
	require.NoError(t, tr.MarkStep())
	require.Zero(t, tr.Report().DonationCopies, "the copy pins nothing")
	require.Equal(t, []float32{1, 2}, floats(t, before))
	require.Equal(t, []float32{10, 20}, floats(t, w.To(b)))

	// On b it is host data like any other.
	trB := lazy.NewTrace(b)
	y := trB.Read(before).Sum()
	require.NoError(t, trB.MarkStep(y))
	require.Equal(t, []float32{3}, floats(t, y))
}

// As in PyTorch, what is on the device and has the dtype is no copy, whatever it is:
// nothing is computed, moved or waited for. A trace is another place than its device.
func TestToTheSameDeviceIsTheTensorItself(t *testing.T) {
	a, b := open(t, "eval"), open(t, "eval")
	tr, other := lazy.NewTrace(a), lazy.NewTrace(a)
	root := lazy.From(tr, []float32{1, 2}).Neg()
	require.NoError(t, tr.MarkStep(root))
	recorded := lazy.From(tr, []float32{1, 2}).Neg()
	for name, x := range map[string]*lazy.Tensor{
		"variable": a.Variable("w", lazy.F32, 2), "host data": lazy.From(a, []float32{1, 2}), "scalar": lazy.NewScalar(a, "rate", lazy.F32, 1),
		"borrowed": lazy.Borrow(tr, []float32{1, 2}), "root": root, "recorded": recorded, "view": recorded.Narrow(0, 0, 1),
	} {
		for _, options := range [][]lazy.CopyOption{nil, {lazy.As(lazy.F32)}, {lazy.Async()}} {
			require.Same(t, x, x.To(a, options...), name)
			require.NotSame(t, x, x.To(b, options...), name)
			require.NotSame(t, x, x.To(a, append(options, lazy.As(lazy.F64))...), name)
			if x.Trace() == tr {
				require.Same(t, x, x.To(tr, options...), name)
			}
			there := x.To(other, options...)
			require.NoError(t, there.AddScalar(1).Err(), name)
			require.Same(t, other, there.Trace(), name)
		}
	}
	before := tr.Report().Syncs()
	require.NoError(t, recorded.Exp().To(a).Err())
	require.Equal(t, before, tr.Report().Syncs(), "an implicit sync for nothing")
	require.ErrorIs(t, recorded.To(a, lazy.As(lazy.Bool+100)).Err(), lazy.ErrType)
}

// A tensor in the midst of a step is computed for the copy: an implicit sync,
// counted at the line of To.
func TestCopyOfComputedTensorSyncs(t *testing.T) {
	a, b := open(t, "eval"), open(t, "eval")
	for _, opts := range [][]lazy.CopyOption{nil, {lazy.Async()}} {
		tr := lazy.NewTrace(a)
		x := lazy.From(tr, []float32{1, 2, 3}).AddScalar(1)
		y := x.To(b, opts...)
		require.Equal(t, []float32{2, 3, 4}, floats(t, y))
		r := tr.Report()
		require.Equal(t, 1, r.Syncs())
		require.Contains(t, r.ImplicitSyncs[0].Site, "device_test.go:")
		require.NoError(t, tr.MarkStep(x))
		require.Equal(t, []float32{2, 3, 4}, floats(t, x))
	}
}

// Copies convert as Convert does.
func TestCopiesConvertAsConvertDoes(t *testing.T) {
	src, dst := open(t, "null"), open(t, "eval")
	inf, nan := math.Inf(1), math.NaN()
	hosts := []*lazy.Tensor{
		lazy.From(src, []float64{0, -0.5, 1.5, 2.5, -3.7, 65504, 70000, 1e10, -1e10, 1e300, inf, -inf, nan}),
		lazy.From(src, []float32{0, -0.5, 1.5, 1e-8, 1 << 24, -1e20}),
		lazy.From(src, []int64{0, -1, math.MaxInt64, math.MinInt64, 1 << 53, 1<<53 + 1, 300}),
		lazy.From(src, []uint64{0, 1, math.MaxUint64, 1 << 63, 256}),
		lazy.From(src, []int32{0, -1, math.MaxInt32, math.MinInt32}),
		lazy.From(src, []uint8{0, 1, 255}),
		lazy.From(src, []bool{true, false}),
		lazy.From(src, []types.Float16{types.Float16(0x3c00), types.Float16(0x7bff), types.Float16(0xfc00)}),
		lazy.From(src, []types.BFloat16{types.BFloat16(0x3f80), types.BFloat16(0x7f7f)}),
	}
	tr := lazy.NewTrace(dst)
	for _, x := range hosts {
		for _, to := range types.RealDTypes() {
			for _, opts := range [][]lazy.CopyOption{{lazy.As(to)}, {lazy.As(to), lazy.Async()}} {
				got := x.To(dst, opts...)
				require.NoError(t, got.Err())
				require.Equal(t, types.Type{DType: to, Shape: x.Shape()}, got.Type())
				want := x.To(tr).Convert(to)
				require.Equal(t, bits(t, want), bits(t, got), "%v to %v", x.DType(), to)
			}
		}
	}
	bad := hosts[0].To(dst, lazy.As(types.Invalid))
	require.ErrorIs(t, bad.Err(), lazy.ErrType)
}

// bits returns the bytes of a tensor's elements.
func bits(t *testing.T, x *lazy.Tensor) []byte {
	t.Helper()
	v := value(t, x)
	buf := soa.New(v.Type.Bytes())
	require.NoError(t, soa.Copy(buf.View(v.Type), v))
	return buf.Bytes()
}

// An asynchronous copy returns at once; who reads it waits, Wait does, and a
// step that uses it.
func TestAsyncCopyWaits(t *testing.T) {
	dev, g := openGated(t)
	src := open(t, "eval")
	x := lazy.From(src, []float32{1.9, -2.9})
	y := x.To(dev, lazy.As(lazy.I32), lazy.Async())
	require.Equal(t, types.Of(types.I32, 2), y.Type())
	<-g.began // the conversion runs
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.ErrorIs(t, dev.Wait(ctx), context.Canceled)

	tr := lazy.NewTrace(dev)
	z := tr.Read(y).Neg()
	require.NoError(t, tr.MarkStep(z), "queued behind the copy")
	go func() { g.let <- nil; <-g.began; g.let <- nil }()
	within(t, func() {
		got, err := lazy.ToSlice[int32](y)
		require.NoError(t, err)
		require.Equal(t, []int32{1, -2}, got)
		got, err = lazy.ToSlice[int32](z)
		require.NoError(t, err)
		require.Equal(t, []int32{-1, 2}, got)
		require.NoError(t, dev.Wait(context.Background()))
	})
}

// An asynchronous copy that fails: its readers and users get the error.
func TestAsyncCopyFails(t *testing.T) {
	dev, g := openGated(t)
	broken := errors.New("no power")
	y := lazy.From(open(t, "eval"), []float32{1}).To(dev, lazy.As(lazy.I32), lazy.Async())
	require.NoError(t, y.Err())
	<-g.began
	g.let <- broken
	within(t, func() {
		_, err := y.Value()
		require.ErrorIs(t, err, broken)
		require.ErrorContains(t, err, "the copy to device flaky:TestAsyncCopyFails started at device_test.go:")
		tr := lazy.NewTrace(dev)
		require.ErrorIs(t, tr.MarkStep(tr.Read(y).Neg()), broken)
		require.NoError(t, dev.Close())
	})
	z := lazy.From(open(t, "eval"), []float32{1}).To(dev)
	require.ErrorIs(t, z.Err(), lazy.ErrClosed)
}

func TestCopyErrors(t *testing.T) {
	a, b := open(t, "eval"), open(t, "eval")
	tr := lazy.NewTrace(a)
	x := lazy.From(tr, []float32{1, 2}).Neg()
	require.ErrorIs(t, x.To(nil).Err(), lazy.ErrUsage)
	require.ErrorIs(t, (*lazy.Tensor)(nil).To(b).Err(), lazy.ErrUsage)
	require.NoError(t, tr.MarkStep())
	require.ErrorIs(t, x.To(b).Err(), lazy.ErrStale)
	require.ErrorIs(t, x.To(b, lazy.Async()).Err(), lazy.ErrStale)
}

// Every way to bring tensors of two devices together is an error that names
// both.
func TestTensorsOfTwoDevicesAreAnError(t *testing.T) {
	a, b := open(t, "eval"), open(t, "null")
	y := lazy.From(b, []float32{3, 4}, 2)
	other := b.Variable("other", lazy.F32, 2)
	trB := lazy.NewTrace(b)
	computed := trB.Read(y).Neg()
	w := a.Variable("w", lazy.F32, 2)
	f := lazy.Func(a, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Neg() })
	captures := lazy.Func(a, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(y) })
	cases := map[string]func(tr *lazy.Trace, x *lazy.Tensor) error{
		"add":           func(tr *lazy.Trace, x *lazy.Tensor) error { return x.Add(y).Err() },
		"add, reversed": func(tr *lazy.Trace, x *lazy.Tensor) error { return trB.Read(y).Add(x).Err() },
		"variable":      func(tr *lazy.Trace, x *lazy.Tensor) error { return x.Mul(other).Err() },
		"computed":      func(tr *lazy.Trace, x *lazy.Tensor) error { return x.Mul(computed).Err() },
		"matmul":        func(tr *lazy.Trace, x *lazy.Tensor) error { return x.MatMul(y).Err() },
		"compare":       func(tr *lazy.Trace, x *lazy.Tensor) error { return x.Less(y).Err() },
		"concatenate":   func(tr *lazy.Trace, x *lazy.Tensor) error { return lazy.Concatenate(0, x, x, y).Err() },
		"read":          func(tr *lazy.Trace, x *lazy.Tensor) error { return tr.Read(y).Err() },
		"grad of":       func(tr *lazy.Trace, x *lazy.Tensor) error { return lazy.Grad(x.Sum(), y)[0].Err() },
		"grad, variable": func(tr *lazy.Trace, x *lazy.Tensor) error {
			return lazy.Grad(x.Sum(), other)[0].Err()
		},
		"root":        func(tr *lazy.Trace, x *lazy.Tensor) error { return tr.MarkStep(x, computed) },
		"root, value": func(tr *lazy.Trace, x *lazy.Tensor) error { return tr.MarkStep(x, y) },
		"root, variable": func(tr *lazy.Trace, x *lazy.Tensor) error {
			return tr.MarkStep(x, other)
		},
		"assign": func(tr *lazy.Trace, x *lazy.Tensor) error { other.Assign(x); return tr.MarkStep() },
		"assign from": func(tr *lazy.Trace, x *lazy.Tensor) error {
			tr.Read(w)
			w.Assign(computed)
			return errors.Join(trB.MarkStep(), tr.MarkStep())
		},
		"in place": func(tr *lazy.Trace, x *lazy.Tensor) error { other.Add_(x); return tr.MarkStep() },
		"func":     func(tr *lazy.Trace, x *lazy.Tensor) error { _, err := f.Call(context.Background(), y); return err },
		"func captures": func(tr *lazy.Trace, x *lazy.Tensor) error {
			_, err := captures.Call(context.Background(), lazy.From(a, []float32{1, 2}))
			return err
		},
		"random": func(tr *lazy.Trace, x *lazy.Tensor) error {
			return lazy.NewRandom(b, 1).Uniform(tr, lazy.F32, 2).Err()
		},
	}
	for name, mix := range cases {
		t.Run(name, func(t *testing.T) {
			tr := lazy.NewTrace(a)
			err := mix(tr, lazy.From(tr, []float32{1, 2}))
			require.ErrorIs(t, err, lazy.ErrPlacement)
			require.ErrorContains(t, err, "device eval")
			require.ErrorContains(t, err, "device null")
			require.ErrorContains(t, err, "device_test.go:")
		})
	}
	// Two of one name are told apart by where they were opened.
	x := lazy.From(lazy.NewTrace(a), []float32{1})
	require.ErrorContains(t, x.Add(lazy.From(open(t, "eval"), []float32{1})).Err(), "device eval opened at helpers_test.go:")
}
