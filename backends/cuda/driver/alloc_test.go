//go:build linux

package driver_test

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
)

// hot are the calls of each operation on streams, here a function that does nothing.
func hot(t testing.TB) (*driver.Context, *driver.Stream, *driver.Event, *driver.Function) {
	f := cudafake.New(cudafake.Options{})
	t.Cleanup(func() { f.Close() })
	d, leave, err := f.Stubbed("cuLaunchKernel", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2", "cuMemcpyDtoDAsync_v2", "cuMemsetD32Async", "cuEventRecord", "cuStreamWaitEvent",
		"cuEventQuery", "cuStreamQuery", "cuGraphLaunch", "cuGraphExecKernelNodeSetParams_v2", "cuMemAllocAsync", "cuMemFreeAsync", "cuCtxPushCurrent_v2", "cuCtxPopCurrent_v2", "cuTensorMapEncodeTiled")
	require.NoError(t, err)
	t.Cleanup(leave)
	dev, err := d.Device(0)
	require.NoError(t, err)
	c, err := dev.Retain()
	require.NoError(t, err)
	s, err := c.NewStream(0)
	require.NoError(t, err)
	e, err := c.NewEvent(false)
	require.NoError(t, err)
	m, err := c.Load([]byte(scale))
	require.NoError(t, err)
	k, err := m.Function("scale")
	require.NoError(t, err)
	return c, s, e, k
}

// What is done once for each kernel or step allocates nothing.
func TestAllocations(t *testing.T) {
	c, s, e, k := hot(t)
	l := launch(k, 0x1000, 0x2000, 3)
	b := make([]byte, 64)
	x := &driver.GraphExec{}
	var m driver.TensorMap
	layout := &driver.TensorLayout{Type: driver.TensorBF16, Sizes: []uint64{64, 64}, Strides: []uint64{128}, Box: []uint32{64, 64}}
	for name, f := range map[string]func() error{
		"enter": func() error {
			err := c.Enter()
			c.Leave()
			return err
		},
		"launch":    func() error { l.Set(2, 5); return s.Launch(l) },
		"to device": func() error { return s.ToDevice(0x1000, b) },
		"to host":   func() error { return s.ToHost(b, 0x1000) },
		"copy":      func() error { return s.Copy(0x1000, 0x2000, 64) },
		"encode":    func() error { layout.Address += 16; return c.Encode(&m, layout) },
		"fill":      func() error { return s.Fill32(0x1000, 1, 16) },
		"record":    func() error { return e.Record(s) },
		"wait":      func() error { return s.Wait(e) },
		"done":      func() error { _, err := s.Done(); return err },
		"event":     func() error { _, err := e.Done(); return err },
		"graph":     func() error { return x.Launch(s) },
		"alloc":     func() error { _, err := s.Alloc(64); return err },
		"free":      func() error { return s.Free(0x1000) },
	} {
		require.NoError(t, f(), name)
		require.Zero(t, trials.Allocs(200, func() { f() }), name)
	}
}

func BenchmarkLaunch(b *testing.B) {
	_, s, _, k := hot(b)
	l := launch(k, 0x1000, 0x2000, 3)
	b.ReportAllocs()
	for b.Loop() {
		l.Set(2, 5)
		s.Launch(l)
	}
}

func BenchmarkEnter(b *testing.B) {
	c, _, _, _ := hot(b)
	b.ReportAllocs()
	for b.Loop() {
		c.Enter()
		c.Leave()
	}
}

func BenchmarkCopy(b *testing.B) {
	_, s, _, _ := hot(b)
	b.ReportAllocs()
	for b.Loop() {
		s.Copy(0x1000, 0x2000, 64)
	}
}

// BenchmarkCall is what a call costs by itself.
func BenchmarkCall(b *testing.B) {
	stub, err := cudafake.Stub()
	require.NoError(b, err)
	args := make([]uintptr, 11)
	b.ReportAllocs()
	for b.Loop() {
		purego.SyscallN(stub, args...)
	}
}

// BenchmarkFakeCall is what a call costs on the fake.
func BenchmarkFakeCall(b *testing.B) {
	_, d := fake(b, cudafake.Options{})
	s := stream(b, enter(b, d, 0))
	for b.Loop() {
		s.Done()
	}
}
