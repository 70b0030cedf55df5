package native

import (
	"debug/elf"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// loadTest loads an object of testdata that is for this machine.
func loadTest(t testing.TB, name string) *Image {
	t.Helper()
	if hostMachine == elf.EM_NONE {
		t.Skip(ErrUnavailable)
	}
	im, err := Load(testObject(t, name, runtime.GOARCH))
	require.NoError(t, err)
	t.Cleanup(im.Close)
	return im
}

func kernel(t testing.TB, im *Image, name string) Kernel {
	t.Helper()
	k, ok := im.Kernel(name)
	require.True(t, ok, name)
	return k
}

func TestKernels(t *testing.T) {
	im := loadTest(t, "kernels")
	require.Equal(t, []string{"affine", "caller", "chosen", "exported", "fixed", "lookup", "sizes", "status"}, im.Names())

	word := int64(-7)
	require.EqualValues(t, -7, kernel(t, im, "status").Call(unsafe.Pointer(&word)))
	require.EqualValues(t, -7, kernel(t, im, "status").CallShort(unsafe.Pointer(&word)))

	x := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	y := make([]float32, len(x))
	affine := struct {
		n    int64
		x, y *float32
	}{8, &x[0], &y[0]}
	require.Zero(t, kernel(t, im, "affine").Call(unsafe.Pointer(&affine)))
	require.Equal(t, []float32{3.75, 6.75, 9.875, 13.0625, 16.75, 19.75, 22.875, 26.0625}, y)

	lookup := struct {
		row, col int64
		to       float32
	}{1, 2, 0}
	require.Zero(t, kernel(t, im, "lookup").Call(unsafe.Pointer(&lookup)))
	require.Equal(t, float32(30), lookup.to)

	word = 2
	require.EqualValues(t, 3+300+3000+7, kernel(t, im, "sizes").Call(unsafe.Pointer(&word)))
	require.EqualValues(t, 2+200+2000+6, kernel(t, im, "fixed").Call(unsafe.Pointer(&word)))
	for i, want := range []int32{1, 2, 3, 5, 8, -1} {
		word = int64(i)
		require.Equal(t, want, kernel(t, im, "chosen").Call(unsafe.Pointer(&word)))
		if want > 0 {
			require.EqualValues(t, 11*(i+1), word)
		}
	}
	word = 20
	require.EqualValues(t, 42, kernel(t, im, "caller").Call(unsafe.Pointer(&word)))
	_, ok := im.Kernel("fill")
	require.False(t, ok, "a function of the object's own")
	_, ok = im.Kernel("shown")
	require.False(t, ok, "no function")
}

// A call allocates nothing, with its arguments on the stack.
func TestCallAllocatesNothing(t *testing.T) {
	im := loadTest(t, "kernels")
	k := kernel(t, im, "status")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		args := [2]int64{3, 4}
		if k.Call(unsafe.Pointer(&args)) != 3 {
			panic("wrong status")
		}
	}))
}

func BenchmarkCall(b *testing.B) {
	k := kernel(b, loadTest(b, "kernels"), "status")
	args := [2]int64{}
	b.ReportAllocs()
	for b.Loop() {
		k.Call(unsafe.Pointer(&args))
	}
}

func BenchmarkLoad(b *testing.B) {
	if hostMachine == elf.EM_NONE {
		b.Skip(ErrUnavailable)
	}
	file := testObject(b, "kernels", runtime.GOARCH)
	b.ReportAllocs()
	for b.Loop() {
		im, err := Load(file)
		require.NoError(b, err)
		im.Close()
	}
}

// What an image cannot have is refused, with the reason.
func TestRefused(t *testing.T) {
	if hostMachine == elf.EM_NONE {
		t.Skip(ErrUnavailable)
	}
	for name, want := range map[string]string{
		"external": "native: load object: unresolved symbols: expf, helper",
		"state":    "native: load object: section .data holds variables: compiled code keeps no state",
	} {
		_, err := Load(testObject(t, name, runtime.GOARCH))
		require.EqualError(t, err, want)
	}
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	_, err := Load(testObject(t, "kernels", other))
	require.ErrorContains(t, err, "native: load object: it is for EM_")
}
