package driver_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
)

// scale multiplies integers: y[i] = c·x[i].
const scale = `.version 7.0
.target sm_80
.address_size 64
.visible .entry scale(.param .u64 x, .param .u64 y, .param .u64 c)
{
	.reg .b32 %r<8>;
	.reg .b64 %rd<8>;
	ld.param.u64 %rd0, [x];
	ld.param.u64 %rd1, [y];
	ld.param.u64 %rd2, [c];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd3, %r0, 4;
	add.s64 %rd4, %rd0, %rd3;
	add.s64 %rd5, %rd1, %rd3;
	ld.global.u32 %r1, [%rd4];
	cvt.u32.u64 %r2, %rd2;
	mul.lo.s32 %r3, %r1, %r2;
	st.global.u32 [%rd5], %r3;
	ret;
}
`

// fake opens a fake, which must have nothing to say in the end.
func fake(t testing.TB, o cudafake.Options) (*cudafake.Fake, *driver.Driver) {
	f := cudafake.New(o)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	d, err := f.Open()
	require.NoError(t, err)
	return f, d
}

// enter enters the context of a device until the test ends.
func enter(t testing.TB, d *driver.Driver, i int) *driver.Context {
	dev, err := d.Device(i)
	require.NoError(t, err)
	c, err := dev.Retain()
	require.NoError(t, err)
	require.NoError(t, c.Enter())
	t.Cleanup(func() {
		c.Leave()
		require.NoError(t, c.Release())
	})
	return c
}

// made returns what a call made, which is destroyed when the test ends unless the
// context is lost.
func made[T any](t testing.TB, c *driver.Context, destroy func(T) error) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		require.NoError(t, err)
		t.Cleanup(func() {
			if c.Err() == nil {
				require.NoError(t, destroy(v))
			}
		})
		return v
	}
}

func stream(t testing.TB, c *driver.Context) *driver.Stream {
	return made(t, c, (*driver.Stream).Destroy)(c.NewStream(0))
}

func memory(t testing.TB, c *driver.Context, n int) driver.Ptr {
	return made(t, c, c.Free)(c.Alloc(n))
}

func host(t testing.TB, c *driver.Context, n int) *driver.Host {
	return made(t, c, (*driver.Host).Free)(c.AllocHost(n))
}

func kernel(t testing.TB, c *driver.Context) *driver.Function {
	m := made(t, c, (*driver.Module).Unload)(c.Load([]byte(scale)))
	k, err := m.Function("scale")
	require.NoError(t, err)
	return k
}

// launch makes a launch of scale on 32 integers.
func launch(k *driver.Function, x, y driver.Ptr, factor int) *driver.Launch {
	l := driver.NewLaunch(k, 3)
	l.Block(32, 1, 1)
	l.Set(0, uint64(x))
	l.Set(1, uint64(y))
	l.Set(2, uint64(factor))
	return l
}

func numbers(b []byte) []uint32 {
	var all []uint32
	for ; len(b) > 0; b = b[4:] {
		all = append(all, binary.LittleEndian.Uint32(b))
	}
	return all
}

func TestOpenErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		o    cudafake.Options
		is   error
		says string
	}{
		{"no device", cudafake.Options{Devices: -1}, driver.NoDevice, "the driver finds no GPU"},
		{"old driver", cudafake.Options{Version: 11080}, driver.ErrOldDriver, "is for CUDA 11.8, and 12.0 is the oldest that will do"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := cudafake.New(c.o)
			defer f.Close()
			_, err := f.Open()
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.says)
		})
	}
	t.Run("function missing", func(t *testing.T) {
		f := cudafake.New(cudafake.Options{})
		defer f.Close()
		_, err := driver.Use(func(name string) uintptr {
			if name == "cuGraphLaunch" {
				return 0
			}
			return f.Lookup(name)
		})
		require.ErrorIs(t, err, driver.ErrOldDriver)
		require.ErrorContains(t, err, "is for CUDA 13.0 but has no cuGraphLaunch")
	})
	t.Run("mismatch", func(t *testing.T) {
		f := cudafake.New(cudafake.Options{})
		defer f.Close()
		f.Fail("cuInit", 0, 803)
		_, err := f.Open()
		require.ErrorContains(t, err, "restart the machine after an update")
	})
}

func TestDevices(t *testing.T) {
	_, d := fake(t, cudafake.Options{Devices: 2, Memory: 1 << 20})
	require.Equal(t, 13000, d.Version())
	require.Len(t, d.Devices(), 2)
	for _, i := range []int{-1, 2} {
		_, err := d.Device(i)
		require.ErrorIs(t, err, driver.InvalidDevice)
		require.ErrorContains(t, err, "there are 2, numbered from 0")
	}
	dev, err := d.Device(1)
	require.NoError(t, err)
	p := dev.Properties()
	require.Equal(t, "sm_90", p.Target())
	require.Equal(t, "ltc fake", p.Name)
	require.Equal(t, "GPU-fa000000-0000-0000-0000-000000000001", p.UUID)
	require.Equal(t, "0000:02:00.0", p.PCI)
	require.EqualValues(t, 1<<20, p.Memory)
	require.Equal(t, 227<<10, p.SharedOptIn)
	require.True(t, p.Unified && p.Pools && p.Clusters && p.TensorMaps && p.ECC)
	require.False(t, p.Integrated)
}

// Whatever a call fails with comes back as its error.
func TestCallFails(t *testing.T) {
	f, d := fake(t, cudafake.Options{})
	c := enter(t, d, 0)
	f.Fail("cuMemAlloc_v2", 1, driver.OutOfMemory)
	p, err := c.Alloc(64)
	require.NoError(t, err)
	_, err = c.Alloc(64)
	require.ErrorIs(t, err, driver.OutOfMemory)
	var e *driver.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "cuMemAlloc_v2", e.Call)
	require.ErrorContains(t, err, "64 bytes of device 0")
	require.NoError(t, c.Free(p))
	f.Fail("cuMemAlloc_v2", 0, 4711) // a code from the future
	_, err = c.Alloc(64)
	require.ErrorContains(t, err, "code 4711")
}

func TestOutOfMemory(t *testing.T) {
	_, d := fake(t, cudafake.Options{Memory: 1 << 20})
	c := enter(t, d, 0)
	s := stream(t, c)
	p, err := c.Alloc(1 << 19)
	require.NoError(t, err)
	_, err = s.Alloc(1 << 20)
	require.ErrorIs(t, err, driver.OutOfMemory)
	free, total, err := c.Memory()
	require.NoError(t, err)
	require.EqualValues(t, 1<<19, free)
	require.EqualValues(t, 1<<20, total)
	require.NoError(t, c.Free(p))
	// Memory that a stream is still to free is there when it is needed.
	a, err := s.Alloc(1 << 20)
	require.NoError(t, err)
	require.NoError(t, s.Free(a))
	b, err := s.Alloc(1 << 20)
	require.NoError(t, err)
	require.NoError(t, s.Free(b))
	require.NoError(t, s.Synchronize())
}

// A text that is rejected brings the compiler's words and its own line.
func TestLoadErrors(t *testing.T) {
	_, d := fake(t, cudafake.Options{Version: 12040})
	c := enter(t, d, 0)
	for _, bad := range []struct {
		name, text string
		is         error
		says       string
	}{
		{"instruction", strings.Replace(scale, "mul.lo.s32", "mul.low.s32", 1), driver.InvalidPTX,
			"ptxas application ptx input, line 17; error   : unknown opcode mul.low.s32\n\t17 | mul.low.s32 %r3, %r1, %r2;\nptxas fatal"},
		{"version", strings.Replace(scale, "7.0", "8.5", 1), driver.UnsupportedPTX, "a module for sm_90 on a driver for CUDA 12.4"},
		{"target", strings.Replace(scale, "sm_80", "sm_100", 1), driver.NoBinary, "has no code for this GPU"},
		{"machine code", "\x7fELF\x02\x01", driver.NoBinary, ""},
	} {
		t.Run(bad.name, func(t *testing.T) {
			_, err := c.Load([]byte(bad.text))
			require.ErrorIs(t, err, bad.is)
			require.ErrorContains(t, err, bad.says)
		})
	}
	m, err := c.Load([]byte(scale))
	require.NoError(t, err)
	_, err = m.Function("shrink")
	require.ErrorIs(t, err, driver.NotFound)
	require.ErrorContains(t, err, "shrink")
	_, _, err = m.Global("table")
	require.ErrorIs(t, err, driver.NotFound)
	require.NoError(t, m.Unload())
}

// Text becomes machine code, which other GPUs of its generation take, and no older one;
// a text that the linker rejects is an error with its log.
func TestAssemble(t *testing.T) {
	_, d := fake(t, cudafake.Options{Major: 8, Minor: 6})
	c := enter(t, d, 0)
	cubin, err := c.Assemble([]byte(scale))
	require.NoError(t, err)
	require.Equal(t, "\x7fELF", string(cubin[:4]))
	_, err = c.Assemble([]byte(strings.Replace(scale, "mul.lo.s32", "mul.low.s32", 1)))
	require.ErrorIs(t, err, driver.InvalidPTX)
	require.ErrorContains(t, err, "cuLinkAddData_v2")
	require.ErrorContains(t, err, "\t17 | mul.low.s32 %r3, %r1, %r2;")
	for _, on := range []struct {
		major, minor int
		is           error
	}{{8, 6, nil}, {8, 9, nil}, {8, 0, driver.NoBinary}, {9, 0, driver.NoBinary}} {
		_, d := fake(t, cudafake.Options{Major: on.major, Minor: on.minor})
		m, err := enter(t, d, 0).Load(cubin)
		require.ErrorIs(t, err, on.is)
		if err == nil {
			_, err = m.Function("scale")
			require.NoError(t, err)
			require.NoError(t, m.Unload())
		}
	}
}

// A kernel that faults loses its context: everything in it is refused from then
// on, with the first error, and other devices go on.
func TestLost(t *testing.T) {
	f, d := fake(t, cudafake.Options{Devices: 2})
	other := enter(t, d, 1)
	dev, err := d.Device(0)
	require.NoError(t, err)
	c, err := dev.Retain()
	require.NoError(t, err)
	require.NoError(t, c.Enter())
	s := stream(t, c)
	x := memory(t, c, 128)
	require.NoError(t, s.Fill8(x, 0, 128))
	require.NoError(t, s.Launch(launch(kernel(t, c), x, x+128, 1)))
	err = s.Synchronize()
	require.ErrorIs(t, err, driver.IllegalAddress)
	require.ErrorContains(t, err, "a kernel accessed memory that is not its own")
	require.Equal(t, cudafake.OutOfBounds, f.Forgive()[0].Kind)

	var lost *driver.LostError
	for name, again := range map[string]func() error{
		"queue": func() error { return s.Fill8(x, 0, 128) },
		"done":  func() error { _, err := s.Done(); return err },
		"alloc": func() error { _, err := c.Alloc(1); return err },
		"free":  func() error { return c.Free(x) },
		"load":  func() error { _, err := c.Load([]byte(scale)); return err },
		"enter": c.Enter,
		"err":   c.Err,
	} {
		err := again()
		require.ErrorAs(t, err, &lost, name)
		require.ErrorIs(t, err, driver.IllegalAddress)
		require.ErrorContains(t, err, "the context of device 0 was lost before", name)
	}
	c.Leave()
	require.ErrorIs(t, c.Release(), nil)
	y := memory(t, other, 128)
	u := stream(t, other)
	require.NoError(t, u.Fill8(y, 0, 128))
	require.NoError(t, u.Synchronize())
	// It is not to be had again.
	_, err = dev.Retain()
	require.ErrorIs(t, err, driver.IllegalAddress)
}

// A device that fails by itself does so at the next call that hears of it.
func TestQueuedFails(t *testing.T) {
	f, d := fake(t, cudafake.Options{})
	c := enter(t, d, 0)
	s := stream(t, c)
	x := memory(t, c, 128)
	f.FailQueued(1, driver.ECCUncorrectable)
	require.NoError(t, s.Fill8(x, 0, 128))
	require.NoError(t, s.Synchronize())
	err := s.Fill8(x, 0, 128)
	if err == nil {
		err = s.Synchronize()
	}
	require.ErrorIs(t, err, driver.ECCUncorrectable)
	require.Error(t, c.Err())
}

func TestHostFunc(t *testing.T) {
	_, d := fake(t, cudafake.Options{Seed: 5})
	c := enter(t, d, 0)
	s := stream(t, c)
	x, h := memory(t, c, 128), host(t, c, 128)
	var seen []byte
	var inside error
	fn := driver.NewHostFunc(func() {
		seen = append([]byte(nil), h.Bytes()...)
		inside = s.Synchronize()
	})
	require.NoError(t, s.Fill8(x, 7, 128))
	require.NoError(t, s.ToHost(h.Bytes(), x))
	require.NoError(t, s.Call(fn))
	require.NoError(t, s.Synchronize())
	require.Equal(t, h.Bytes(), seen)
	require.EqualValues(t, 7, seen[127])
	require.ErrorContains(t, inside, "CUDA_ERROR_NOT_PERMITTED")
	fn.Free()
	require.NoError(t, s.Call(fn))
	require.NoError(t, s.Synchronize())
}

func TestEvents(t *testing.T) {
	_, d := fake(t, cudafake.Options{Seed: 1})
	c := enter(t, d, 0)
	s := stream(t, c)
	x := memory(t, c, 128)
	event := made(t, c, (*driver.Event).Destroy)
	start, end := event(c.NewEvent(true)), event(c.NewEvent(true))
	done, err := start.Done()
	require.NoError(t, err)
	require.True(t, done)
	require.NoError(t, start.Record(s))
	for range 5 {
		require.NoError(t, s.Fill16(x, 1, 64))
	}
	require.NoError(t, end.Record(s))
	for done = false; !done; {
		done, err = end.Done()
		require.NoError(t, err)
	}
	took, err := end.Since(start)
	require.NoError(t, err)
	require.EqualValues(t, 5000, took)
	require.NoError(t, end.Synchronize())
	done, err = s.Done()
	require.NoError(t, err)
	require.True(t, done)
}

func TestPools(t *testing.T) {
	_, d := fake(t, cudafake.Options{})
	c := enter(t, d, 0)
	s := stream(t, c)
	p := made(t, c, (*driver.Pool).Destroy)(c.NewPool())
	require.NoError(t, p.Keep(1<<16))
	x, err := s.AllocFrom(p, 1<<18)
	require.NoError(t, err)
	u, err := p.Usage()
	require.NoError(t, err)
	require.Equal(t, driver.PoolUsage{Reserved: 1 << 18, ReservedHigh: 1 << 18, Used: 1 << 18, UsedHigh: 1 << 18}, u)
	require.NoError(t, s.Free(x))
	require.NoError(t, s.Synchronize())
	u, err = p.Usage()
	require.NoError(t, err)
	require.Equal(t, driver.PoolUsage{Reserved: 1 << 16, ReservedHigh: 1 << 18, UsedHigh: 1 << 18}, u)
	require.NoError(t, p.Trim(0))
	u, err = p.Usage()
	require.NoError(t, err)
	require.Zero(t, u.Reserved)
	standard, err := c.DefaultPool()
	require.NoError(t, err)
	require.NoError(t, standard.Keep(0))
}

// Memory of Go's heap may be registered.
func TestRegister(t *testing.T) {
	_, d := fake(t, cudafake.Options{Seed: 2})
	c := enter(t, d, 0)
	s := stream(t, c)
	x := memory(t, c, 128)
	b := make([]byte, 128)
	b[5] = 9
	h, err := c.Register(b)
	require.NoError(t, err)
	_, err = c.Register(b[8:16])
	require.ErrorIs(t, err, driver.AlreadyRegistered)
	require.NoError(t, s.ToDevice(x, b))
	require.NoError(t, s.Launch(launch(kernel(t, c), h.Address(), x, 2))) // kernels see it, too
	require.NoError(t, s.Synchronize())
	require.NoError(t, h.Free())
	got := make([]byte, 128)
	require.NoError(t, s.ToHost(got, x)) // any memory: returns when done
	require.EqualValues(t, 18, got[5])
	require.EqualValues(t, 9, b[5])
}

func TestPeers(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		_, d := fake(t, cudafake.Options{Devices: 2, Seed: seed})
		b := enter(t, d, 1)
		a := enter(t, d, 0)
		can, err := a.Device().CanAccess(b.Device())
		require.NoError(t, err)
		require.True(t, can)
		x, y := memory(t, a, 128), memory(t, b, 128)
		s, h := stream(t, a), host(t, a, 128)
		require.NoError(t, s.Fill32(x, 3, 32))
		require.NoError(t, s.CopyPeer(y, b, x, a, 128))
		require.NoError(t, a.EnablePeer(b))
		require.NoError(t, a.EnablePeer(b))
		z := memory(t, b, 128)
		require.NoError(t, s.Launch(launch(kernel(t, a), y, z, 5)))
		require.NoError(t, s.ToHost(h.Bytes(), z))
		require.NoError(t, s.Synchronize())
		require.EqualValues(t, 15, numbers(h.Bytes())[31])
	}
	_, d := fake(t, cudafake.Options{Devices: 2, NoPeers: true})
	b := enter(t, d, 1)
	require.ErrorIs(t, enter(t, d, 0).EnablePeer(b), driver.PeerUnsupported)
}

func TestFunctions(t *testing.T) {
	_, d := fake(t, cudafake.Options{})
	c := enter(t, d, 0)
	k := kernel(t, c)
	u, err := k.Usage()
	require.NoError(t, err)
	require.Equal(t, driver.Usage{Threads: 1024, Registers: 32}, u)
	n, err := k.Occupancy(256, 48<<10)
	require.NoError(t, err)
	require.Equal(t, 4, n)
	s, x := stream(t, c), memory(t, c, 128)
	require.NoError(t, s.Fill8(x, 1, 128))
	l := launch(k, x, x, 1)
	l.Shared(100 << 10)
	require.NoError(t, k.AllowShared(128<<10))
	require.NoError(t, s.Launch(l))
	require.ErrorIs(t, k.AllowShared(1<<20), driver.InvalidValue)
	l.Cluster(1, 1, 1)
	require.NoError(t, s.Launch(l))
	require.NoError(t, s.Synchronize())
	least, greatest, err := c.Priorities()
	require.NoError(t, err)
	require.Equal(t, []int{0, -5}, []int{least, greatest})
}

// GPUs older than sm_90 have no tensor maps.
func TestNoTensorMapsBeforeHopper(t *testing.T) {
	_, d := fake(t, cudafake.Options{Major: 8})
	c := enter(t, d, 0)
	var m driver.TensorMap
	l := driver.TensorLayout{Type: driver.TensorBF16, Address: memory(t, c, 1<<12), Sizes: []uint64{64, 32}, Strides: []uint64{128}, Box: []uint32{64, 8}, Swizzle: driver.Swizzle128}
	require.ErrorIs(t, c.Encode(&m, &l), driver.NotSupported)
}

// What the library asks of maps is checked.
func TestTensorMap(t *testing.T) {
	f, d := fake(t, cudafake.Options{})
	c := enter(t, d, 0)
	x := memory(t, c, 1<<12)
	good := driver.TensorLayout{Type: driver.TensorBF16, Address: x, Sizes: []uint64{64, 32}, Strides: []uint64{128}, Box: []uint32{64, 8}, Swizzle: driver.Swizzle128}
	var m driver.TensorMap
	require.NoError(t, c.Encode(&m, &good))
	require.ErrorContains(t, c.Encode(&m, &driver.TensorLayout{Sizes: []uint64{1}, Strides: []uint64{1}, Box: []uint32{1}}), "1 to 5, one less, and as many")
	for _, bad := range []struct {
		says   string
		change func(l *driver.TensorLayout)
	}{
		{"its address", func(l *driver.TensorLayout) { l.Address += 8 }},
		{"the stride of dimension 1 is 136 bytes", func(l *driver.TensorLayout) { l.Strides = []uint64{136} }},
		{"the box has 512 elements of dimension 1", func(l *driver.TensorLayout) { l.Box = []uint32{64, 512} }},
		{"dimension 0 has 0 elements", func(l *driver.TensorLayout) { l.Sizes = []uint64{0, 32} }},
		{"which are mixed in 128", func(l *driver.TensorLayout) { l.Box = []uint32{128, 8} }},
		{"swizzle 2", func(l *driver.TensorLayout) { l.Swizzle = driver.Swizzle64 }},
		{"elements of type 12", func(l *driver.TensorLayout) { l.Type = 12 }},
	} {
		l := good
		bad.change(&l)
		require.ErrorIs(t, c.Encode(&m, &l), driver.InvalidValue)
		v := f.Forgive()
		require.Len(t, v, 1)
		require.ErrorContains(t, v[0], bad.says)
	}
}
