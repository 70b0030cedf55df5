package rowsort

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
	"ltc/backends/reference/llvm/native"
	"ltc/backends/reference/llvm/vector"
)

// A sort that takes longer than it may leaves its row, and those behind it. What is expected of
// results is tested with the code of package llvm, which calls it.
func TestPatience(t *testing.T) {
	if _, err := native.Host().As(vector.AVX512.String()); err != nil {
		t.Skip("sorts are for AVX-512")
	}
	l, err := libllvm.Open()
	if errors.Is(err, libllvm.ErrNotFound) {
		t.Skip(err)
	}
	require.NoError(t, err)
	object, err := l.Compile(context.Background(), text(vector.Machine{Level: vector.AVX512}, 4, -31), libllvm.Options{Verify: true})
	require.NoError(t, err)
	image, err := native.Load(object)
	require.NoError(t, err)
	sort, ok := image.Kernel(Name(4))
	require.True(t, ok)
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct{ n, distinct, why, row int }{{512, 1 << 30, 0, 0}, {1 << 16, 1 << 30, Unsorted, 1}, {1 << 16, 2, 0, 0}} {
		x, y := make([]uint32, 3*c.n), make([]uint32, 3*c.n)
		for i := range x {
			x[i] = uint32(r.IntN(c.distinct))
		}
		clear(x[:c.n])
		args := struct {
			from, to unsafe.Pointer
			n, rows  int
			_        [5]uint64
		}{unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0]), c.n, 3, [5]uint64{}}
		why, row := Stopped(sort.Call(unsafe.Pointer(&args)))
		require.Equal(t, []int{c.why, c.row}, []int{why, row}, "%v", c)
	}
}
