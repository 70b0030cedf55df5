package lazy_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/lazy"
	"ltc/soa"
	"ltc/soa/npy"
)

// offHeap returns a tensor of a file that is mapped, as npy.Map gives it.
func offHeap[T soa.Element](t *testing.T, p lazy.Place, data []T, dims ...int) *lazy.Tensor {
	t.Helper()
	from, err := soa.Borrow(data, lazy.From(p, data, dims...).Type())
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "x.npy")
	require.NoError(t, npy.WriteFile(path, from))
	v, err := npy.Map(path)
	require.NoError(t, err)
	return lazy.FromView(p, v)
}

// Elements of mapped files are looked at where they lie, of every dtype.
func TestMappedArgumentsAreLookedAt(t *testing.T) {
	for _, name := range watchers {
		t.Run(name, func(t *testing.T) {
			d := open(t, name, lazy.CheckNaNs(true), lazy.CheckIndices(true))
			tr, _, fails := training(t, d)
			x := offHeap(t, tr, []float32{-1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4, 3)
			fails(func(w *lazy.Tensor) { w.Sub_(x.Log()) }, "the element at [0 0] is NaN, and is made of finite values: -1", lazy.ErrNaN)
			y := x.AddScalar(1)
			require.NoError(t, tr.MarkStep(y))
			require.Equal(t, float32(2), floats(t, y)[11])
			y = offHeap(t, tr, []float64{-1, 1}).Log()
			_, err := y.Value()
			require.ErrorIs(t, err, lazy.ErrNaN)

			indices := map[string]*lazy.Tensor{
				"i8": offHeap(t, tr, []int8{0, 3, 4}), "u8": offHeap(t, tr, []uint8{0, 3, 4}),
				"i16": offHeap(t, tr, []int16{0, 3, 4}), "u16": offHeap(t, tr, []uint16{0, 3, 4}),
				"i32": offHeap(t, tr, []int32{0, 3, 4}), "u32": offHeap(t, tr, []uint32{0, 3, 4}),
				"i64": offHeap(t, tr, []int64{0, 3, 4}), "u64": offHeap(t, tr, []uint64{0, 3, 4}),
			}
			for dtype, index := range indices {
				fails(func(w *lazy.Tensor) { w.Sub_(tr.Read(w).Gather(index).Sum()) },
					"gather(f32[4,3], "+dtype+"[3]): the index at [2] is 4", lazy.ErrIndex)
			}
		})
	}
}

// A queued step looks on a goroutine of the library's.
func TestMappedArgumentsOfQueuedSteps(t *testing.T) {
	d, g := openGated(t, lazy.CheckNaNs(true))
	go func() {
		for {
			select {
			case g.let <- nil:
			case <-t.Context().Done():
				return
			}
		}
	}()
	tr := lazy.NewTrace(d)
	y := offHeap(t, tr, []float32{1, 2}).AddScalar(1)
	require.NoError(t, tr.MarkStep(y))
	require.Equal(t, []float32{2, 3}, floats(t, y))
}
