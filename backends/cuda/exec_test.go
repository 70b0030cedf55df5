package cuda

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

func compile(t testing.TB, b *Backend, text string, o backends.Options) *executable {
	e, err := b.Compile(context.Background(), backends.NewModule(text), o)
	require.NoError(t, err)
	return e.(*executable)
}

func f32s(t testing.TB, v ...float32) soa.View {
	w, err := soa.Borrow(v, types.Of(types.F32, len(v)))
	require.NoError(t, err)
	return w
}

// resident brings values to a device.
func resident(t testing.TB, b *Backend, v ...float32) soa.View {
	w, err := b.Make(types.Of(types.F32, len(v)))
	require.NoError(t, err)
	require.NoError(t, soa.Copy(w, f32s(t, v...)))
	return w
}

func floats(t testing.TB, v soa.View) []float32 {
	w := soa.Make(v.Type)
	require.NoError(t, soa.Copy(w, v))
	return soa.Slice[float32](w)
}

const update = `func.func public @main(%w: tensor<3xf32> {tf.aliasing_output = 1 : i32}, %g: tensor<3xf32>, %lr: tensor<f32> {ltc.constant}) -> (tensor<f32>, tensor<3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%g init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.broadcast_in_dim %lr, dims = [] : (tensor<f32>) -> tensor<3xf32>
  %2 = stablehlo.multiply %g, %1 : tensor<3xf32>
  %3 = stablehlo.subtract %w, %2 : tensor<3xf32>
  return %0, %3 : tensor<f32>, tensor<3xf32>
}`

// What is on the device stays there: a donated argument is written in place, results
// are where the next run finds them, and nothing is copied.
func TestResident(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 2})
	e := compile(t, b, update, backends.Options{})
	lr := soa.Make(types.Of(types.F32))
	soa.Slice[float32](lr)[0] = 10
	x, err := e.Bind(t.Context(), map[int]soa.View{2: lr})
	require.NoError(t, err)
	w, g := resident(t, b, 1, 2, 3), resident(t, b, 1, 0, 1)
	c := &backends.Call{Args: []soa.View{w, g, {}}, Resident: true}
	require.NoError(t, x.Execute(t.Context(), c))
	require.Equal(t, w.Base(), c.Results[1].Base(), "written in place")
	require.NotNil(t, c.Results[0].Remote())
	require.Equal(t, []float32{-9, 2, -7}, floats(t, c.Results[1]))
	require.Equal(t, []float32{2}, floats(t, c.Results[0]))
	require.Zero(t, x.(*executable).CopiedBytes())

	// A donated argument of the host's keeps its value.
	host := f32s(t, 1, 2, 3)
	c = &backends.Call{Args: []soa.View{host, g, {}}, Resident: true}
	require.NoError(t, x.Execute(t.Context(), c))
	require.Equal(t, []float32{1, 2, 3}, floats(t, host))
	require.Equal(t, []float32{-9, 2, -7}, floats(t, c.Results[1]))
	require.EqualValues(t, 12, x.(*executable).CopiedBytes())

	// Views with strides are copied, in and out, and what lies between them stays.
	six := resident(t, b, 1, 2, 3, 4, 5, 6)
	odd, err := six.Slice(0, 0, 6, 2)
	require.NoError(t, err)
	c = &backends.Call{Args: []soa.View{resident(t, b, 0, 0, 0), odd, {}}, Results: []soa.View{{}, odd}}
	require.NoError(t, x.Execute(t.Context(), c))
	require.Equal(t, []float32{-10, 2, -30, 4, -50, 6}, floats(t, six))
	require.Equal(t, float32(9), soa.Slice[float32](c.Results[0])[0])
}

// Runs in queues of their own return before they are done, and come after what they
// wait for.
func TestQueues(t *testing.T) {
	for seed := range uint64(4) {
		b, _ := backend(t, cudafake.Options{Seed: seed})
		e := compile(t, b, `func.func public @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %a : tensor<3xf32>
  return %0 : tensor<3xf32>
}`, backends.Options{})
		q, r := queue(t, b.dev), queue(t, b.dev)
		v := resident(t, b, 1, 2, 3)
		for i := range 6 {
			on := q
			if i%2 == 1 {
				on = r
			}
			require.NoError(t, on.After(q))
			require.NoError(t, on.After(r))
			c := &backends.Call{Args: []soa.View{v}, Resident: true, Queue: on}
			require.NoError(t, e.Execute(t.Context(), c))
			v = c.Results[0]
		}
		require.NoError(t, r.Wait(t.Context()))
		require.Equal(t, []float32{64, 128, 192}, floats(t, v))
	}
	b, _ := backend(t, cudafake.Options{})
	other, _ := fakes(t, cudafake.Options{})
	e := compile(t, b, update, backends.Options{})
	err := e.Execute(t.Context(), &backends.Call{Queue: queue(t, other[0])})
	require.ErrorContains(t, err, "a queue of another backend or device than cuda:0")
}

// A program that finds no memory says what its largest values are, and others run. The
// host sorts, since comparators use what is outside of them.
func TestOutOfMemory(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Memory: 1 << 20})
	e := compile(t, b, `func.func public @main(%a: tensor<64xf32>, %b: tensor<f32>) -> tensor<512xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<64xf32>) -> tensor<512x64xf32>
  %1 = "stablehlo.sort"(%0) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %b : tensor<f32>
    %c = stablehlo.compare LT, %z, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<512x64xf32>) -> tensor<512x64xf32> loc("train.go":41:0)
  %2 = "stablehlo.sort"(%1) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %z = stablehlo.add %x, %b : tensor<f32>
    %c = stablehlo.compare GT, %z, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64, is_stable = true} : (tensor<512x64xf32>) -> tensor<512x64xf32> loc("train.go":42:0)
  %3 = stablehlo.slice %2 [0:512, 3:4] : (tensor<512x64xf32>) -> tensor<512x1xf32>
  %4 = stablehlo.reshape %3 : (tensor<512x1xf32>) -> tensor<512xf32>
  return %4 : tensor<512xf32>
}`, backends.Options{})
	args := []soa.View{soa.Make(types.Of(types.F32, 64)), soa.Make(types.Of(types.F32))}
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args}))
	b.dev.Limit(200 << 10)
	err := e.Execute(t.Context(), &backends.Call{Args: args})
	var short *MemoryError
	require.ErrorAs(t, err, &short)
	require.ErrorIs(t, err, driver.OutOfMemory)
	require.ErrorContains(t, err, "the program takes 256.0 KiB of its own; its largest values are\n")
	require.ErrorContains(t, err, "128.0 KiB: f32[512,64], temporary of op")
	require.ErrorContains(t, err, "train.go:41")
	require.Less(t, strings.Count(err.Error(), "\n"), largest+2)
	b.dev.Limit(1 << 20)
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args}))
	u, err := b.dev.Usage()
	require.NoError(t, err)
	require.Zero(t, u.Live)
}

// Memory that nothing reaches any more is given up before a run is refused.
func TestCollected(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Memory: 1 << 20})
	for range 20 {
		_, err := b.Make(types.Of(types.U8, 300<<10))
		require.NoError(t, err)
	}
}

// A kernel that fails loses the device: the run's error says why, later calls
// refuse, another device goes on. Where steps are waited for, the error names the
// op.
func TestLostWhileRunning(t *testing.T) {
	for _, profile := range []bool{false, true} {
		all, f := fakes(t, cudafake.Options{Devices: 2})
		lost, other := On(all[0]), On(all[1])
		e, x := compile(t, lost, update, backends.Options{Profile: profile}), compile(t, other, update, backends.Options{})
		args := func() []soa.View {
			return []soa.View{f32s(t, 1, 2, 3), f32s(t, 1, 0, 1), soa.Make(types.Of(types.F32))}
		}
		w := f32s(t, 1, 2, 3)
		f.FailQueued(2, driver.IllegalAddress)
		a := args()
		a[0] = w
		err := e.Execute(t.Context(), &backends.Call{Args: a})
		require.ErrorIs(t, err, driver.IllegalAddress)
		var run *backends.RunError
		if profile {
			require.ErrorAs(t, err, &run)
			require.Positive(t, run.Op)
		}
		require.Equal(t, []float32{1, 2, 3}, floats(t, w), "nothing was written")
		var gone *driver.LostError
		require.ErrorAs(t, e.Execute(t.Context(), &backends.Call{Args: args()}), &gone)
		_, err = lost.Compile(t.Context(), backends.NewModule(update), backends.Options{})
		require.ErrorAs(t, err, &gone)
		_, err = lost.Make(types.Of(types.F32))
		require.ErrorAs(t, err, &gone)
		require.NoError(t, x.Execute(t.Context(), &backends.Call{Args: args()}))
	}
}

// A text that the driver rejects is an error with its log and the lines that it speaks
// of: here a driver knows no stores.
func TestRejected(t *testing.T) {
	aboutFake(t)
	f := cudafake.New(cudafake.Options{})
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	knows := false
	d, err := driver.Use(func(name string) uintptr {
		own := f.Lookup(name)
		if name != "cuModuleLoadDataEx" {
			return own
		}
		return purego.NewCallback(func(module uintptr, image *byte, n, options, values uintptr) uintptr {
			if !knows {
				misspell(image, "st.global", "st.globul")
			}
			r, _, _ := purego.SyscallN(own, module, uintptr(unsafe.Pointer(image)), n, options, values)
			return r
		})
	})
	require.NoError(t, err)
	dev, err := Use(d, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.close()) })
	b := On(dev)
	_, err = b.Compile(t.Context(), backends.NewModule(update), backends.Options{})
	require.ErrorIs(t, err, driver.InvalidPTX)
	require.ErrorContains(t, err, "cuda:0: compile: cuda: cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): the driver rejects the PTX text: a module for sm_90 on a driver for CUDA ")
	m := regexp.MustCompile(`ptxas application ptx input, line (\d+); error   : unknown opcode st\.globul\S*\n\t(\d+) \| (.*)\n`).FindStringSubmatch(err.Error())
	require.NotNil(t, m, err.Error())
	require.Equal(t, m[1], m[2])
	list, lerr := Listing(t.Context(), backends.NewModule(update), backends.Options{})
	require.NoError(t, lerr)
	require.Contains(t, m[3], "st.global", "the line as it was sent")
	require.Contains(t, list, m[3])

	knows = true
	e := compile(t, b, update, backends.Options{})
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: []soa.View{f32s(t, 1, 2, 3), f32s(t, 1, 0, 1), soa.Make(types.Of(types.F32))}}), "the device is as it was")
}

// misspell puts a word in the place of another of its length, all over a text that ends
// in a 0.
func misspell(text *byte, old, new string) {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), n)) != 0 {
		n++
	}
	all := unsafe.Slice(text, n)
	copy(all, bytes.ReplaceAll(all, []byte(old), []byte(new)))
}

// A run that has queued all of its work, and cannot note when that is done, is waited
// for: what it was given stays until then, and what is donated was written once.
func TestNotNoted(t *testing.T) {
	aboutFake(t)
	for seed := range uint64(4) {
		b, f := backend(t, cudafake.Options{Seed: seed})
		e := compile(t, b, update, backends.Options{})
		q := queue(t, b.dev)
		w, lr := resident(t, b, 1, 2, 3), soa.Make(types.Of(types.F32))
		soa.Slice[float32](lr)[0] = 10
		c := &backends.Call{Args: []soa.View{w, resident(t, b, 1, 0, 1), there(t, b, lr)}, Resident: true, Queue: q}
		f.Fail("cuEventRecord", 1, driver.InvalidValue) // the first is what the queue waits for
		require.NoError(t, e.Execute(t.Context(), c))
		require.Equal(t, []float32{-9, 2, -7}, floats(t, c.Results[1]), "without waiting for the queue")
	}
}

// So is the copy of a result to the host of which that cannot be noted: what is donated was
// written by then.
func TestResultNotNoted(t *testing.T) {
	aboutFake(t)
	for seed := range uint64(4) {
		b, f := backend(t, cudafake.Options{Seed: seed})
		e := compile(t, b, update, backends.Options{})
		args := updateArgs()
		for i := range args {
			args[i] = there(t, b, args[i])
		}
		for range 3 { // the second stage's, too
			f.Fail("cuEventRecord", 0, driver.InvalidValue)
			c := &backends.Call{Args: args}
			require.NoError(t, e.Execute(t.Context(), c))
			require.Equal(t, []float32{2}, floats(t, c.Results[0]))
		}
		require.Equal(t, []float32{-29, 2, -27}, floats(t, args[0]))
	}
}

// Where the host has no memory to copy results to, a run has not begun: what is donated
// is as it was.
func TestNoMemoryOfTheHost(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{Seed: 1})
	e := compile(t, b, update, backends.Options{})
	lr := soa.Make(types.Of(types.F32))
	soa.Slice[float32](lr)[0] = 10
	w, g, rate := resident(t, b, 1, 2, 3), resident(t, b, 1, 0, 1), there(t, b, lr)
	for after := range 2 {
		q := queue(t, b.dev)
		f.Fail("cuMemHostAlloc", after, driver.OutOfMemory)
		c := &backends.Call{Args: []soa.View{w, g, rate}, Queue: q}
		err := e.Execute(t.Context(), c)
		require.ErrorIs(t, err, driver.OutOfMemory)
		require.ErrorContains(t, err, "bytes of the host's memory")
		require.NoError(t, q.Wait(t.Context()))
		require.Equal(t, []float32{1, 2, 3}, floats(t, w))
	}
	c := &backends.Call{Args: []soa.View{w, g, rate}, Queue: queue(t, b.dev)}
	require.NoError(t, e.Execute(t.Context(), c))
	require.Equal(t, []float32{-9, 2, -7}, floats(t, w))
}

// A stage that a copy may still read is not another's when that could not be noted.
func TestStageNotNoted(t *testing.T) {
	aboutFake(t)
	for seed := range uint64(4) {
		b, f := backend(t, cudafake.Options{Seed: seed})
		q := queue(t, b.dev)
		a, err := q.Alloc(300 << 10)
		require.NoError(t, err)
		small, grown := soa.Make(types.Of(types.U8, 4<<10)), soa.Make(types.Of(types.U8, 300<<10))
		require.NoError(t, q.Upload(a, 0, small))
		f.Fail("cuEventRecord", 0, driver.InvalidValue)
		require.NoError(t, q.Upload(a, 0, small))
		for range 2 {
			require.NoError(t, q.Upload(a, 0, grown), "in memory that is made anew")
		}
		require.NoError(t, q.Free(a))
	}
}

// A result that cannot be copied to where it belongs is the run's error.
func TestResultRefused(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 1})
	e := compile(t, b, update, backends.Options{})
	args := []soa.View{f32s(t, 1, 2, 3), f32s(t, 1, 0, 1), soa.Make(types.Of(types.F32))}
	odd, err := soa.Foreign(make([]byte, 24), func() {}).View(types.Of(types.F32, 6)).Slice(0, 0, 6, 2)
	require.NoError(t, err)
	err = e.Execute(t.Context(), &backends.Call{Args: args, Results: []soa.View{{}, odd}})
	require.ErrorIs(t, err, soa.ErrReadOnly)
	require.ErrorContains(t, err, "execute: result 1: ")
	require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args}))
}

// A queue that was closed refuses what it is asked for, and the driver is not given what
// it has destroyed, also if a call of the driver failed on the way.
func TestClosedQueue(t *testing.T) {
	aboutFake(t)
	for _, fails := range []string{"", "cuMemFreeHost", "cuEventDestroy_v2", "cuStreamSynchronize", "cuStreamDestroy_v2"} {
		t.Run(fails, func(t *testing.T) {
			f := cudafake.New(cudafake.Options{})
			d, err := f.Open()
			require.NoError(t, err)
			dev, err := Use(d, 0)
			require.NoError(t, err)
			e := compile(t, On(dev), update, backends.Options{})
			q, err := dev.NewQueue()
			require.NoError(t, err)
			args := []soa.View{f32s(t, 1, 2, 3), f32s(t, 1, 0, 1), soa.Make(types.Of(types.F32))}
			require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args, Queue: q}))
			a, err := q.Alloc(8)
			require.NoError(t, err)
			require.NoError(t, q.Free(a))
			if fails == "" {
				require.NoError(t, q.Close())
			} else {
				f.Fail(fails, 0, driver.InvalidValue)
				require.ErrorIs(t, q.Close(), driver.InvalidValue)
			}
			_, err = q.Alloc(8)
			require.ErrorIs(t, err, ErrQueueClosed)
			require.ErrorContains(t, err, "cuda:0: the queue was closed")
			require.ErrorIs(t, q.Wait(t.Context()), ErrQueueClosed)
			require.ErrorIs(t, q.After(dev.home), ErrQueueClosed)
			require.ErrorIs(t, dev.home.After(q), ErrQueueClosed)
			require.ErrorIs(t, e.Execute(t.Context(), &backends.Call{Args: args, Queue: q}), ErrQueueClosed)
			require.ErrorIs(t, q.Close(), ErrQueueClosed)
			require.NoError(t, e.Execute(t.Context(), &backends.Call{Args: args}))
			require.NoError(t, dev.close())
			_ = f.Close() // what could not be given back
			for _, v := range f.Violations() {
				require.Equal(t, cudafake.Leak, v.Kind, v.Text)
			}
		})
	}
	b, _ := backend(t, cudafake.Options{})
	e := compile(t, b, update, backends.Options{})
	require.ErrorContains(t, e.Execute(t.Context(), &backends.Call{Queue: (*Queue)(nil)}), "a queue of another backend or device than cuda:0")
}

// Tensors are copied between devices: from one that has its own memory to the
// host's and back, at once and meanwhile, with conversion.
func TestTo(t *testing.T) {
	gpu, b, _ := openLazy(t, cudafake.Options{})
	cpu, err := lazy.Open("eval")
	require.NoError(t, err)
	tr := lazy.NewTrace(gpu)
	x := lazy.From(tr, []float32{1.5, 2, 3}).MulScalar(2)
	big := lazy.From(tr, make([]float32, 5000)).AddScalar(1)
	require.NoError(t, tr.MarkStep(x, big))
	v, err := big.Value()
	require.NoError(t, err)
	require.Nil(t, v.Remote(), "what is read is on the host")
	require.Equal(t, float32(1), soa.Slice[float32](v)[4999])
	u, err := b.dev.Usage()
	require.NoError(t, err)
	require.GreaterOrEqual(t, u.Live, int64(20000), "the value stays on the device")

	for _, options := range [][]lazy.CopyOption{nil, {lazy.Async()}} {
		there := x.To(cpu, options...)
		back := there.To(gpu, append(options, lazy.As(lazy.I32))...)
		got, err := lazy.ToSlice[int32](back)
		require.NoError(t, err)
		require.Equal(t, []int32{3, 4, 6}, got)
		sum := lazy.NewTrace(gpu).Read(back).Add(back)
		values, err := lazy.ToSlice[int32](sum)
		require.NoError(t, err)
		require.Equal(t, []int32{6, 8, 12}, values)
	}
}
