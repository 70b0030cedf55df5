package driver_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
)

// What the package does on a fake it does on a GPU, where there is one.
func TestExercise(t *testing.T) {
	t.Run("fake", func(t *testing.T) {
		_, d := fake(t, cudafake.Options{Seed: 4})
		exercise(t, enter(t, d, 0))
	})
	t.Run("device", func(t *testing.T) {
		d, err := driver.Open()
		if err != nil {
			t.Skip(err)
		}
		t.Logf("%s, for CUDA %d", d.Path(), d.Version())
		for i, dev := range d.Devices() {
			p := dev.Properties()
			t.Logf("device %d: %+v", i, p)
			exercise(t, enter(t, d, i))
		}
	})
}

func exercise(t *testing.T, c *driver.Context) {
	s, u := stream(t, c), stream(t, c)
	k := kernel(t, c)
	in, out := host(t, c, 128), host(t, c, 128)
	x, z := memory(t, c, 128), memory(t, c, 128)
	event := made(t, c, (*driver.Event).Destroy)
	start, end := event(c.NewEvent(true)), event(c.NewEvent(true))
	for i := range in.Bytes() {
		in.Bytes()[i] = 0
	}
	for i := 0; i < 128; i += 4 {
		in.Bytes()[i] = byte(i / 4)
	}
	y, err := s.Alloc(128)
	require.NoError(t, err)
	require.NoError(t, start.Record(s))
	require.NoError(t, s.ToDevice(x, in.Bytes()))
	require.NoError(t, s.Launch(launch(k, x, y, 3)))
	require.NoError(t, end.Record(s))
	require.NoError(t, u.Wait(end))
	require.NoError(t, u.Launch(launch(k, y, z, 5)))
	require.NoError(t, u.ToHost(out.Bytes(), z))
	require.NoError(t, u.Synchronize())
	require.EqualValues(t, 31*15, numbers(out.Bytes())[31])
	took, err := end.Since(start)
	require.NoError(t, err)
	require.Positive(t, took)
	require.NoError(t, s.Free(y))

	// As a graph, whose argument changes.
	var exec *driver.GraphExec
	for i, factor := range []int{2, 7} {
		require.NoError(t, s.BeginCapture())
		require.NoError(t, s.Launch(launch(k, x, z, factor)))
		require.NoError(t, s.ToHost(out.Bytes(), z))
		g, err := s.EndCapture()
		require.NoError(t, err)
		made(t, c, (*driver.Graph).Destroy)(g, nil)
		if i == 0 {
			exec = made(t, c, (*driver.GraphExec).Destroy)(g.Instantiate())
			require.NoError(t, exec.Upload(s))
		} else {
			require.NoError(t, exec.Update(g))
		}
		require.NoError(t, exec.Launch(s))
		require.NoError(t, s.Synchronize())
		require.EqualValues(t, 31*factor, numbers(out.Bytes())[31])
	}

	called := false
	fn := driver.NewHostFunc(func() { called = true })
	defer fn.Free()
	require.NoError(t, s.Call(fn))
	require.NoError(t, s.Synchronize())
	require.True(t, called)

	_, err = c.Load([]byte(strings.Replace(scale, "mul.lo.s32", "mul.low.s32", 1)))
	require.ErrorIs(t, err, driver.InvalidPTX)
	require.ErrorContains(t, err, "\t17 | mul.low.s32 %r3, %r1, %r2;")
	_, err = c.Alloc(1 << 50)
	require.ErrorIs(t, err, driver.OutOfMemory)
	require.NoError(t, c.Synchronize())
}
