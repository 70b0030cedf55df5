package soa_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/internal/hostmem"
	"ltc/ir/types"
	"ltc/soa"
)

// Columns lie in any buffer alike.
func TestColumnsLieInAnyBuffer(t *testing.T) {
	for name, alloc := range map[string]func(n int) (*soa.Buffer, error){
		"heap":     func(n int) (*soa.Buffer, error) { return soa.NewAligned(n, 128), nil },
		"off heap": soa.OffHeap,
		"huge":     soa.HugePages,
		"shared":   func(n int) (*soa.Buffer, error) { return soa.CreateShared(filepath.Join(t.TempDir(), "s"), n) },
		"bytes":    func(n int) (*soa.Buffer, error) { return soa.Wrap(soa.NewAligned(n, 128).Bytes()), nil },
	} {
		t.Run(name, func(t *testing.T) {
			if name == "shared" && runtime.GOOS == "windows" {
				t.Skip("processes cannot share memory here")
			}
			l, err := soa.LayoutOf[point]()
			require.NoError(t, err)
			size, err := l.Size(100)
			require.NoError(t, err)
			b, err := alloc(size)
			require.NoError(t, err)
			require.Len(t, b.Bytes(), size)
			p := soa.Of[point](100, soa.In(b, 0))
			require.NoError(t, p.Err())
			p.At(99).Store(point{A: [3]float64{1, 2, 3}, Z: 4})
			require.Equal(t, 4.0, p.At(99).Load().Z)
			b.Release()
			require.Panics(t, func() { p.At(99) })
		})
	}
	huge, err := soa.HugePages(3 << 20)
	require.NoError(t, err)
	require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(huge.Bytes())))%hostmem.HugePage)
	runtime.KeepAlive(huge)
	_, err = soa.OffHeap(-1)
	require.ErrorIs(t, err, soa.ErrMemory)
}

const sharedVariable = "LTC_TEST_SHARED"

// Another process sees what this one writes, and the other way round.
func TestSharedMemory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot share memory here")
	}
	if path := os.Getenv(sharedVariable); path != "" {
		b, err := soa.OpenShared(path, true)
		require.NoError(t, err)
		p := soa.Of[position](10, soa.In(b, 0))
		require.NoError(t, p.Err())
		p.At(3).Store(position{p.At(2).Load().Y, 5})
		return
	}
	path := filepath.Join(t.TempDir(), "columns")
	b, err := soa.CreateShared(path, 1024)
	require.NoError(t, err)
	p := soa.Of[position](10, soa.In(b, 0))
	p.At(2).Store(position{3, 4})
	read, err := soa.OpenShared(path, false)
	require.NoError(t, err)
	require.True(t, read.ReadOnly())

	cmd := exec.Command(os.Args[0], "-test.run", "^TestSharedMemory$")
	cmd.Env = append(os.Environ(), sharedVariable+"="+path)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, position{4, 5}, p.At(3).Load())

	l, err := soa.LayoutOf[position]()
	require.NoError(t, err)
	c, err := l.New(10, soa.In(read, 0))
	require.NoError(t, err)
	seen, err := soa.ConstAs[position](c)
	require.NoError(t, err)
	require.Equal(t, position{4, 5}, seen.At(3).Load())
	_, err = soa.As[position](c)
	require.ErrorIs(t, err, soa.ErrReadOnly)
	require.ErrorContains(t, collection(t, 10, []soa.Column{c.Col("X")}).Writable(nil), "output a: layout position: column X: it is read only")
	x, err := c.Col("X").View()
	require.NoError(t, err)
	require.ErrorIs(t, soa.Copy(x, soa.Make(x.Type)), soa.ErrReadOnly)
	table, err := soa.NewTable(0, x, x)
	require.NoError(t, err)
	require.ErrorIs(t, soa.Copy(table, soa.Make(table.Type)), soa.ErrReadOnly)
	require.NoError(t, soa.Copy(soa.Make(x.Type), x))
	read.Bytes()[0] = 1 // a mistake, which stays here
	require.Zero(t, b.Bytes()[0])

	_, err = soa.CreateShared(path, 1024)
	require.ErrorIs(t, err, os.ErrExist)
	_, err = soa.CreateShared(path+"2", 0)
	require.ErrorContains(t, err, "0 bytes")
	_, err = soa.OpenShared(path+"2", false)
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = soa.OpenShared(t.TempDir(), false)
	require.ErrorContains(t, err, "it is not a regular file")
	runtime.KeepAlive(read)
}

// Memory of another owner is read only and is given back, once, when its last
// view is gone, whether it was released before or not.
func TestForeign(t *testing.T) {
	for _, release := range []bool{false, true} {
		var given atomic.Int32
		view := func() soa.View {
			b := soa.Foreign(make([]byte, 64), func() { given.Add(1) })
			v := b.View(types.Of(types.F32, 16))
			require.ErrorIs(t, writable(soa.ViewColumn("x", v)), soa.ErrReadOnly)
			if release {
				b.Release()
				require.ErrorIs(t, soa.ViewColumn("x", v).Err(), soa.ErrReleased)
			}
			return v
		}
		v := view()
		soa.Collect()
		require.Zero(t, given.Load())
		soa.With(v, func(x []float32) { require.Len(t, x, 16) })
		v = soa.View{}
		require.Eventually(t, func() bool { soa.Collect(); return given.Load() == 1 }, 10*time.Second, time.Millisecond)
	}
}

// writable says whether a column of 16 elements can be a run's output.
func writable(c soa.Column) error {
	out := soa.NewCollection(16)
	if err := out.Add("y", c); err != nil {
		return err
	}
	return out.Writable(nil)
}

// Views of memory off the Go heap that was released are errors of whoever checks
// them, tables of columns too: what is read there is no longer theirs.
func TestViewsOfReleasedMemory(t *testing.T) {
	off, err := soa.OffHeap(4096)
	require.NoError(t, err)
	f := types.Of(types.F32, 8)
	v, heap := off.View(f), soa.Make(f)
	table, err := soa.NewTable(1, heap, v)
	require.NoError(t, err)
	require.NoError(t, v.Check())
	require.NoError(t, table.Check())
	off.Release()
	require.EqualError(t, v.Check(), "f32[8]: its memory was released")
	require.ErrorIs(t, v.Check(), soa.ErrReleased)
	require.ErrorIs(t, table.Check(), soa.ErrReleased)
	require.NoError(t, heap.Check())
}
