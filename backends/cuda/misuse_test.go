package cuda

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/cuda/driver"
	"ltc/backends/kit/exec"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// If a queue cannot do what is asked with its buffers and views, the error says why, and
// nothing was done. The cases are memory of another device's, and copies of memory that the
// host does not reach, or must not write.
func TestMisuse(t *testing.T) {
	all, _ := devices(t, cudafake.Options{Devices: 2})
	q, r := queue(t, all[0]), queue(t, all[1])
	a, err := q.Alloc(64)
	require.NoError(t, err)
	b, err := r.Alloc(64)
	require.NoError(t, err)
	freed, err := q.Alloc(8)
	require.NoError(t, err)
	require.NoError(t, q.Free(freed))
	v, w := counting(4), soa.Make(types.Of(types.I32, 4))
	there, err := all[0].Make(v.Type)
	require.NoError(t, err)
	gone := soa.New(64)
	released := gone.View(v.Type)
	if off, err := soa.OffHeap(64); err == nil {
		released = off.View(v.Type)
		off.Release()
	}
	sealed := soa.Foreign(make([]byte, 64), func() {}).View(v.Type)
	before, err := all[0].Usage()
	require.NoError(t, err)

	const foreign, none = "memory of cuda:1 in a queue of another device", "no buffer"
	for _, c := range []struct {
		name string
		do   func() error
		says string
	}{
		{"upload to another device", func() error { return q.Upload(b, 0, v) }, foreign},
		{"download from another device", func() error { return q.Download(w, b, 0) }, foreign},
		{"fill on another device", func() error { return q.Fill(b, 0, 1, 4) }, foreign},
		{"upload to nothing", func() error { return q.Upload(nil, 0, v) }, none},
		{"download from nothing", func() error { return q.Download(w, nil, 0) }, none},
		{"fill nothing", func() error { return q.Fill(nil, 0, 1, 4) }, none},
		{"copy to nothing", func() error { return q.Copy(nil, 0, a, 0, 4) }, none},
		{"copy from nothing", func() error { return q.Copy(a, 0, nil, 0, 4) }, none},
		{"free nothing", func() error { return q.Free(nil) }, none},
		{"wait for nothing", func() error { return q.After(nil) }, "no queue"},
		{"upload what was freed", func() error { return q.Upload(freed, 0, v) }, "the memory was freed"},
		{"upload no view", func() error { return q.Upload(a, 0, soa.View{}) }, "invalid dtype"},
		{"download to no view", func() error { return q.Download(soa.View{}, a, 0) }, "invalid dtype"},
		{"upload what is there", func() error { return q.Upload(a, 0, there) }, "i32[4] dense on cuda:0 is not the host's memory"},
		{"download to what is there", func() error { return q.Download(there, a, 0) }, "i32[4] dense on cuda:0 is not the host's memory"},
		{"upload what was released", func() error { return q.Upload(a, 0, released) }, "its memory was released"},
		{"download to what was released", func() error { return q.Download(released, a, 0) }, "its memory was released"},
		{"download to what is read only", func() error { return q.Download(sealed, a, 0) }, "it is read only"},
		{"upload beyond", func() error { return q.Upload(a, 52, v) }, "16 bytes at 52 of a buffer of 64"},
		{"upload before", func() error { return q.Upload(a, -4, v) }, "16 bytes at -4 of a buffer of 64"},
		{"allocate less than nothing", func() error { _, err := q.Alloc(-5); return err }, "-5 bytes"},
		{"allocate all there is", func() error { _, err := q.Alloc(math.MaxInt); return err }, "no memory for 9223372036854775807 bytes"},
		{"make an open size", func() error { _, err := all[0].Make(types.Of(types.F32, backends.AnySize)); return err }, "dimension 0 is negative"},
		{"make no type", func() error { _, err := all[0].Make(types.Type{}); return err }, "invalid dtype"},
	} {
		t.Run(c.name, func(t *testing.T) { require.ErrorContains(t, c.do(), c.says) })
	}
	after, err := all[0].Usage()
	require.NoError(t, err)
	require.Equal(t, before, after)
	runtime.KeepAlive(there)
	require.NoError(t, q.Free(a))
	require.NoError(t, r.Free(b))
}

// Memory that a queue refuses to free is still its owner's, and counted: another queue may
// free it.
func TestFreeRefused(t *testing.T) {
	all, _ := devices(t, cudafake.Options{})
	d := all[0]
	q, err := d.NewQueue()
	require.NoError(t, err)
	a, err := q.Alloc(64)
	require.NoError(t, err)
	require.NoError(t, q.Close())
	require.ErrorIs(t, q.Free(a), ErrQueueClosed)
	u, err := d.Usage()
	require.NoError(t, err)
	require.EqualValues(t, 64, u.Live)
	require.NoError(t, d.home.Free(a))
	u, err = d.Usage()
	require.NoError(t, err)
	require.Zero(t, u.Live)
}

// A run of a program that the host runs as a whole is held to
// what others are.
func TestHostedMisuse(t *testing.T) {
	all, _ := devices(t, cudafake.Options{Devices: 2})
	b, other := On(all[0]), On(all[1])
	x, err := b.dev.hosted(t.Context(), backends.NewModule(`func.func public @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %z = stablehlo.convert %x : (tensor<?xf32>) -> tensor<?xi32>
  %l = stablehlo.slice %z [0:1] : (tensor<?xi32>) -> tensor<1xi32>
  %d = stablehlo.dynamic_iota %l, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  return %x, %y : tensor<?xf32>, tensor<?xf32>
}`), backends.Options{})
	require.NoError(t, err)
	args := []soa.View{f32s(t, 1, 2), f32s(t, 3)}
	const queues = "a queue of another backend or device than cuda:0"
	require.ErrorContains(t, x.Execute(t.Context(), &backends.Call{Args: args, Queue: (*Queue)(nil)}), queues)
	require.ErrorContains(t, x.Execute(t.Context(), &backends.Call{Args: args, Queue: queue(t, all[1])}), queues)
	away := []soa.View{resident(t, other, 1, 2), f32s(t, 3)}
	require.ErrorContains(t, x.Execute(t.Context(), &backends.Call{Args: away}), "it is in the memory of cuda:1, which the program does not reach")
	require.NoError(t, x.Execute(t.Context(), &backends.Call{Args: args, Queue: queue(t, all[0])}))
	ended, end := context.WithCancelCause(t.Context())
	end(errEnough)
	require.ErrorIs(t, x.Execute(ended, &backends.Call{Args: args}), errEnough)
}

// Such a run has the memory in which its results are copied to the device before it writes
// the first: one that finds none has written nothing.
func TestHostedNoMemory(t *testing.T) {
	aboutFake(t)
	refused := 0
	for try := range 8 {
		after, step := try/2, 1+try%2
		b, f := backend(t, cudafake.Options{})
		x, err := b.dev.hosted(t.Context(), backends.NewModule(`func.func public @main(%x: tensor<?xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<?xf32> {tf.aliasing_output = 1 : i32}, %z: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %c = stablehlo.convert %x : (tensor<?xf32>) -> tensor<?xi32>
  %l = stablehlo.slice %c [0:1] : (tensor<?xi32>) -> tensor<1xi32>
  %d = stablehlo.dynamic_iota %l, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>
  %0 = stablehlo.add %x, %x : tensor<?xf32>
  %1 = stablehlo.add %y, %y : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}`), backends.Options{})
		require.NoError(t, err)
		ones := soa.Make(types.Of(types.F32, 20_000)) // more than is had at first
		for i := range soa.Slice[float32](ones) {
			soa.Slice[float32](ones)[i] = 1
		}
		large, err := there(t, b, soa.Make(types.Of(types.F32, 20_000*step))).Slice(0, 0, 20_000*step, step)
		require.NoError(t, err)
		require.NoError(t, soa.Copy(large, ones))
		args := []soa.View{resident(t, b, 1), large, resident(t, b, 1, 2, 3)}
		f.Fail("cuMemHostAlloc", after, driver.OutOfMemory)
		want := float32(2)
		if err := x.Execute(t.Context(), &backends.Call{Args: args}); err != nil {
			require.ErrorIs(t, err, driver.OutOfMemory)
			want = 1
			refused++
		}
		require.Equal(t, want, floats(t, args[0])[0], "after %d, every %d", after, step)
		require.Equal(t, want, floats(t, args[1])[0], "after %d, every %d", after, step)
	}
	require.Positive(t, refused)
}

var errEnough = errors.New("enough of it")

// Who stops waiting is told why, as one whose run was cancelled is.
func TestWaitCause(t *testing.T) {
	told := 0
	for seed := range uint64(4) { // drivers that are more or less in time
		all, _ := devices(t, cudafake.Options{Seed: seed})
		q := queue(t, all[0])
		ended, end := context.WithCancelCause(t.Context())
		end(errEnough)
		a, err := q.Alloc(8)
		require.NoError(t, err)
		for range 8 {
			require.NoError(t, q.Fill(a, 0, 1, 8))
		}
		if err := q.Wait(ended); err != nil {
			require.Equal(t, errEnough, err)
			told++
		}
		require.NoError(t, q.Free(a))
	}
	require.True(t, told > 0 || onGPU)
}

// Queues are made, used and closed while others of the device give back what is kept:
// neither is told of a queue that is closed meanwhile.
func TestTrimWhileClosing(t *testing.T) {
	b, _ := backend(t, cudafake.Options{Seed: 4})
	e := compile(t, b, update, backends.Options{})
	ctx := t.Context()
	var closing, trimming sync.WaitGroup
	stop := make(chan struct{})
	trimming.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			if err := b.dev.Trim(); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 3 {
		closing.Go(func() {
			for range 12 {
				q, err := b.dev.NewQueue()
				if err == nil {
					err = e.Execute(ctx, &backends.Call{Args: updateArgs(), Queue: q})
				}
				if err == nil {
					err = q.Close()
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	closing.Wait()
	close(stop)
	trimming.Wait()
}

func updateArgs() []soa.View {
	w, g, lr := soa.Make(types.Of(types.F32, 3)), soa.Make(types.Of(types.F32, 3)), soa.Make(types.Of(types.F32))
	copy(soa.Slice[float32](w), []float32{1, 2, 3})
	copy(soa.Slice[float32](g), []float32{1, 0, 1})
	soa.Slice[float32](lr)[0] = 10
	return []soa.View{w, g, lr}
}

// Close waits for runs that use the queue, and for who waits for it: they end well, later
// ones are refused, and nothing is left behind.
func TestCloseWhileRunning(t *testing.T) {
	for seed := range uint64(6) {
		b, _ := backend(t, cudafake.Options{Seed: seed})
		e := compile(t, b, sortedBeside, backends.Options{}) // has steps of the host
		args := append(factorsOf(rand.New(rand.NewPCG(seed, 3)), 0), soa.Make(types.Of(types.F32)))
		want := results(t, sortedBeside, args...)
		q, err := b.dev.NewQueue()
		require.NoError(t, err)
		began := make(chan struct{}, 100)
		var running sync.WaitGroup
		for range 3 {
			running.Go(func() {
				for {
					c := &backends.Call{Args: args, Queue: q}
					err := e.Execute(context.Background(), c)
					if errors.Is(err, ErrQueueClosed) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					for j := range want {
						if g, w := soa.Slice[float32](c.Results[j]), soa.Slice[float32](want[j]); g[0] != w[0] {
							t.Errorf("result %d begins with %v, want %v", j, g[0], w[0])
						}
					}
					began <- struct{}{}
					if err := q.Wait(context.Background()); err != nil && !errors.Is(err, ErrQueueClosed) {
						t.Error(err)
					}
				}
			})
		}
		<-began
		require.NoError(t, q.Close())
		running.Wait()
		u, err := b.dev.Usage()
		require.NoError(t, err)
		require.Zero(t, u.Kept)
		require.Zero(t, u.Live-constantsOf(e))
	}
}

func constantsOf(e *executable) (n int64) {
	for _, x := range e.of.all {
		n += int64(x.constantBytes)
	}
	return n
}

// A failure of the driver's while kernels are made for views that lie in some way is not
// the last word: the next run has them made. One that stays is found out a few times.
func TestVariantTriedAgain(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{Seed: 1})
	e := compile(t, b, strided, backends.Options{})
	r := rand.New(rand.NewPCG(2, 2))
	x, _ := matrix(t, b, 3, r)
	y, _ := matrix(t, b, 1, r)
	run := func(want int64) {
		before := viewsOf(e)
		c := &backends.Call{Args: []soa.View{x, y}, Resident: true}
		require.NoError(t, e.Execute(t.Context(), c))
		require.Equal(t, floats(t, results(t, strided, x, y)[0]), floats(t, c.Results[0]))
		require.Equal(t, want, viewsOf(e)-before)
	}
	// The dense program copies both, by kernels of their own.
	f.Fail("cuModuleLoadDataEx", 0, driver.OutOfMemory)
	run(2)
	run(0)
	require.Equal(t, 1, variantsOf(e))

	x, _ = matrix(t, b, 5, r)
	logs := logged(t)
	for range exec.MostTries {
		f.Fail("cuModuleLoadDataEx", 0, driver.OutOfMemory)
		run(2)
	}
	loads := f.Calls("cuModuleLoadDataEx")
	run(2)
	require.Equal(t, loads, f.Calls("cuModuleLoadDataEx"))
	require.Equal(t, 2, variantsOf(e))
	require.Contains(t, logs(), "views are copied")
}

// More memory for blocks, which the driver refuses once, is asked for again.
func TestAllowedAgain(t *testing.T) {
	aboutFake(t)
	b, f := backend(t, cudafake.Options{})
	k, err := b.dev.ctx.Load([]byte(b.dev.target().Module(".visible .entry k0()\n{\n\tret;\n}\n")))
	require.NoError(t, err)
	fn, err := k.Function("k0")
	require.NoError(t, err)
	v := &variant{name: "k0", fn: fn}
	most := b.dev.Properties().SharedOptIn
	f.Fail("cuFuncSetAttribute", 0, driver.OutOfMemory)
	require.ErrorIs(t, v.allow(b.dev, most), driver.OutOfMemory)
	calls := f.Calls("cuFuncSetAttribute")
	require.NoError(t, v.allow(b.dev, most))
	require.Equal(t, calls+1, f.Calls("cuFuncSetAttribute"))
	require.NoError(t, v.allow(b.dev, most))
	require.Equal(t, calls+1, f.Calls("cuFuncSetAttribute"))
	require.NoError(t, k.Unload())
}

// A program that no kernel and no stage can be made of is run by the host.
func TestHostedByCompile(t *testing.T) {
	b, _ := backend(t, cudafake.Options{})
	x, err := b.Compile(t.Context(), backends.NewModule(`func.func public @main(%x: tensor<?x?xf32>, %like: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.get_dimension_size %like, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %1 = stablehlo.get_dimension_size %like, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %2 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %3 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %4 = stablehlo.concatenate %2, %3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %5 = stablehlo.dynamic_reshape %x, %4 : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %5 : tensor<?x?xf32>
}`), backends.Options{})
	require.NoError(t, err)
	require.IsType(t, &exec.Hosted{}, x)
}
