package cuda

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/soa"
)

// onGPU is whether tests run on the GPUs of this machine: see make test-gpu.
var onGPU = os.Getenv("LTC_TEST_GPU") != ""

// aboutFake skips a test of what only a fake does.
func aboutFake(t *testing.T) {
	if onGPU {
		t.Skip("about a fake")
	}
}

// devices opens a fake's devices. On GPUs they are the machine's, and there is no
// fake; what a test wants that these need not be skips it.
func devices(t *testing.T, o cudafake.Options) ([]*Device, *cudafake.Fake) {
	if onGPU {
		if o != (cudafake.Options{Seed: o.Seed, Devices: o.Devices}) {
			aboutFake(t)
		}
		return gpus(t, max(o.Devices, 1)), nil
	}
	return fakes(t, o)
}

// fakes opens a fake's devices; they are closed, and must have done no wrong, when
// the test ends.
func fakes(t *testing.T, o cudafake.Options) ([]*Device, *cudafake.Fake) {
	f := cudafake.New(o)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	d, err := f.Open()
	require.NoError(t, err)
	var all []*Device
	for i := range d.Devices() {
		dev, err := Use(d, i)
		require.NoError(t, err)
		t.Cleanup(func() {
			if dev.Err() == nil {
				require.NoError(t, dev.close())
			}
		})
		all = append(all, dev)
	}
	return all, f
}

// gpus opens the machine's.
func gpus(t *testing.T, n int) []*Device {
	all := make([]*Device, n)
	for i := range all {
		var err error
		all[i], err = Open(i)
		if i > 0 && errors.Is(err, driver.InvalidDevice) {
			t.Skip(err)
		}
		require.NoError(t, err)
	}
	return all
}

func queue(t *testing.T, d *Device) *Queue {
	q, err := d.NewQueue()
	require.NoError(t, err)
	t.Cleanup(func() {
		if d.Err() == nil {
			require.NoError(t, q.Close())
		}
	})
	return q
}

// counting returns a vector 0, 1, 2, …
func counting(n int) soa.View {
	v := make([]int32, n)
	for i := range v {
		v[i] = int32(i)
	}
	view, err := soa.Borrow(v, types.Of(types.I32, n))
	if err != nil {
		panic(err)
	}
	return view
}

func values(v soa.View) []int32 { return soa.Slice[int32](v) }

func TestList(t *testing.T) {
	f := cudafake.New(cudafake.Options{Devices: 2, Memory: 1 << 20, Version: 12080})
	defer f.Close()
	d, err := f.Open()
	require.NoError(t, err)
	all := list(d)
	require.Len(t, all, 2)
	require.Equal(t, "cuda:1", all[1].Name)
	require.EqualValues(t, 1<<20, all[1].Memory)
	require.Equal(t, "sm_90", all[1].Properties["target"])
	require.Equal(t, "12.8", all[1].Properties["cuda"])
	_, err = Use(d, 2)
	require.ErrorIs(t, err, driver.InvalidDevice)
}

func TestOldDevice(t *testing.T) {
	f := cudafake.New(cudafake.Options{Major: 7, Minor: 5})
	defer f.Close()
	d, err := f.Open()
	require.NoError(t, err)
	_, err = Use(d, 0)
	require.ErrorIs(t, err, ErrOldDevice)
	require.EqualError(t, err, "cuda:0: the GPU is too old: ltc fake is an sm_75, and sm_80 is the oldest that there are kernels for")
}

// A device that cannot be opened keeps nothing, and may be opened later.
func TestOpenFails(t *testing.T) {
	for _, call := range []string{"cuDevicePrimaryCtxRetain", "cuMemPoolCreate", "cuMemPoolSetAttribute", "cuStreamCreateWithPriority"} {
		f := cudafake.New(cudafake.Options{})
		d, err := f.Open()
		require.NoError(t, err)
		f.Fail(call, 0, driver.OutOfMemory)
		_, err = Use(d, 0)
		require.ErrorIs(t, err, driver.OutOfMemory, call)
		dev, err := Use(d, 0)
		require.NoError(t, err, call)
		require.NoError(t, dev.close())
		require.NoError(t, f.Close(), call)
	}
}

// What was uploaded comes back, in parts and strided, through several queues.
func TestCopies(t *testing.T) {
	for seed := range uint64(3) {
		all, _ := devices(t, cudafake.Options{Seed: seed})
		q, r := queue(t, all[0]), queue(t, all[0])
		q.staged, r.staged = 4<<10, 3<<10
		const n = 3<<10 + 5 // more than two stages
		v := counting(n)
		a, err := q.Alloc(4 * n)
		require.NoError(t, err)
		b, err := r.Alloc(4*n + 8)
		require.NoError(t, err)
		require.NoError(t, q.Upload(a, 0, v))
		require.NoError(t, r.After(q))
		require.NoError(t, r.Copy(b, 8, a, 0, 4*n))
		got := soa.Make(v.Type)
		require.NoError(t, r.Download(got, b, 8))
		require.Equal(t, values(v), values(got))

		// Every third element, to every second place.
		third, err := v.Restride(types.Of(types.I32, 10), 3, []int{3})
		require.NoError(t, err)
		require.NoError(t, r.Upload(b, 0, third))
		twice := soa.Make(types.Of(types.I32, 20))
		second, err := twice.Restride(third.Type, 0, []int{2})
		require.NoError(t, err)
		require.NoError(t, r.Download(second, b, 0))
		require.Equal(t, []int32{3, 0, 6, 0, 9}, values(twice)[:5])
		require.NoError(t, r.Fill(b, 4, 0xFF, 4))
		require.NoError(t, r.Download(second, b, 0))
		require.Equal(t, []int32{3, 0, -1, 0, 9}, values(twice)[:5])
		require.NoError(t, q.After(r))
		require.NoError(t, q.Free(a))
		require.NoError(t, r.Free(b))
		require.NoError(t, r.Wait(context.Background()))
	}
}

func TestDevices(t *testing.T) {
	for seed := range uint64(4) {
		all, _ := devices(t, cudafake.Options{Devices: 2, Seed: seed})
		q, r := queue(t, all[0]), queue(t, all[1])
		v := counting(100)
		a, err := q.Alloc(400)
		require.NoError(t, err)
		b, err := r.Alloc(400)
		require.NoError(t, err)
		require.NoError(t, q.Upload(a, 0, v))
		require.NoError(t, r.After(q))
		require.NoError(t, r.Copy(b, 0, a, 0, 400))
		got := soa.Make(v.Type)
		require.NoError(t, r.Download(got, b, 0))
		require.Equal(t, values(v), values(got))
		require.NoError(t, all[0].EnablePeer(all[1]))
		require.ErrorContains(t, q.Free(b), "cuda:0: memory of cuda:1 is freed in a queue of another device")
		require.NoError(t, q.Free(a))
		require.NoError(t, r.Free(b))
	}
}

func TestMemory(t *testing.T) {
	all, _ := devices(t, cudafake.Options{Memory: 1 << 20})
	d := all[0]
	q := queue(t, d)
	a, err := q.Alloc(600 << 10)
	require.NoError(t, err)
	var short *MemoryError
	_, err = q.Alloc(600 << 10)
	require.ErrorAs(t, err, &short)
	require.ErrorIs(t, err, driver.OutOfMemory)
	require.EqualError(t, err, "cuda:0: no memory for 614400 bytes: 614400 of at most 1048576 are allocated, 614400 reserved: the limit is reached: CUDA_ERROR_OUT_OF_MEMORY (2)")

	// Others take of it, too: then the device says no.
	other := queue(t, d)
	d.Limit(1 << 30)
	_, err = q.Alloc(600 << 10)
	require.ErrorAs(t, err, &short)
	require.ErrorContains(t, err, "the device has 434176 left")
	b, err := other.Alloc(100)
	require.NoError(t, err)
	require.NoError(t, other.Free(b))
	require.ErrorContains(t, other.Free(b), "freed twice")
	require.ErrorContains(t, q.Fill(b, 0, 0, 1), "the memory was freed")
	require.ErrorContains(t, q.Fill(a, 1, 0, 600<<10), "614400 bytes at 1 of a buffer of 614400")
	require.ErrorContains(t, q.Copy(a, 4, a, 0, 8), "they overlap")
	require.NoError(t, q.Free(a))
	require.NoError(t, q.Wait(context.Background()))
	u, err := d.Usage()
	require.NoError(t, err)
	require.Equal(t, Usage{Peak: 600<<10 + 100, Reserved: u.Reserved, Limit: 1 << 30, Count: 2}, u)
	require.NoError(t, d.Trim())
	u, err = d.Usage()
	require.NoError(t, err)
	require.Zero(t, u.Reserved)
}

// Who waits can be told to stop; what is queued is done all the same.
func TestWait(t *testing.T) {
	aboutFake(t) // that counts
	all, f := devices(t, cudafake.Options{Seed: 3})
	q := queue(t, all[0])
	a, err := q.Alloc(1 << 10)
	require.NoError(t, err)
	ended, end := context.WithCancel(context.Background())
	end()
	for range 5 {
		require.NoError(t, q.Fill(a, 0, 1, 1<<10))
		if err := q.Wait(ended); err != nil { // done already: it depends
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	live, end := context.WithCancel(context.Background())
	defer end()
	require.NoError(t, q.Wait(live))
	require.EqualValues(t, 5, f.Ran())
	require.NoError(t, q.Free(a))
}

// A lost device refuses; others go on.
func TestLost(t *testing.T) {
	aboutFake(t)
	all, f := devices(t, cudafake.Options{Devices: 2})
	q, r := queue(t, all[0]), queue(t, all[1])
	a, err := q.Alloc(64)
	require.NoError(t, err)
	f.Lose(0, driver.ECCUncorrectable)
	require.ErrorIs(t, q.Fill(a, 0, 1, 64), driver.ECCUncorrectable)
	var lost *driver.LostError
	require.ErrorAs(t, q.Wait(context.Background()), &lost)
	require.ErrorAs(t, all[0].Err(), &lost)
	_, err = q.Alloc(64)
	require.ErrorAs(t, err, &lost)
	b, err := r.Alloc(64)
	require.NoError(t, err)
	require.NoError(t, r.Fill(b, 0, 1, 64))
	require.NoError(t, r.Free(b))
	require.NoError(t, r.Wait(context.Background()))
}

// Queues may be used from many goroutines.
func TestGoroutines(t *testing.T) {
	all, _ := devices(t, cudafake.Options{Seed: 9})
	q := queue(t, all[0])
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			v := counting(100 + i)
			for range 5 {
				b, err := q.Alloc(v.Type.Bytes())
				if err == nil {
					err = q.Upload(b, 0, v)
				}
				got := soa.Make(v.Type)
				if err == nil {
					err = q.Download(got, b, 0)
				}
				if err == nil {
					err = q.Free(b)
				}
				if err != nil || values(got)[99] != 99 {
					t.Errorf("%v, %v", err, got)
				}
			}
		})
	}
	wg.Wait()
}
