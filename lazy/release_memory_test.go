package lazy_test

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
	"ltc/lazy"
	"ltc/soa"
)

// rows is a tensor of elements enough to come from the device's pool.
func rows(p lazy.Place, x float32) *lazy.Tensor {
	data := make([]float32, 1<<15)
	for i := range data {
		data[i] = x
	}
	return lazy.From(p, data, len(data))
}

// Released memory is there for the next result at once; the collector need not
// come round.
func TestReleaseGivesMemoryBack(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would give up what nobody asks for
	dev := open(t, "eval", lazy.Threads(1))
	tr := lazy.NewTrace(dev)
	x := rows(dev, 1)
	for range 100 {
		y := tr.Read(x).AddScalar(1)
		require.NoError(t, tr.MarkStep(y))
		y.Release()
	}
	require.LessOrEqual(t, dev.MemoryStats().Live, int64(2<<17))
	if !trials.Race { // whose builds keep nothing for the next result
		require.Positive(t, dev.MemoryStats().Cached)
	}
}

// Memory that somebody still reads stays as it is when a handle on it is
// released, whoever it is.
func TestReleasedMemoryIsRead(t *testing.T) {
	for name, keep := range map[string]func(t *testing.T, dev *lazy.Device, tr *lazy.Trace, y *lazy.Tensor) (read func() float32){
		"a view that Value gave": func(t *testing.T, _ *lazy.Device, _ *lazy.Trace, y *lazy.Tensor) func() float32 {
			v, err := y.Value()
			require.NoError(t, err)
			return func() float32 { return soa.Slice[float32](v)[7] }
		},
		"an operation of the step": func(t *testing.T, _ *lazy.Device, tr *lazy.Trace, y *lazy.Tensor) func() float32 {
			z := tr.Read(y).Slice([]int{7}, []int{8}, []int{1})
			return func() float32 { return float32(z.Float()) }
		},
		"a gradient of the step": func(t *testing.T, _ *lazy.Device, tr *lazy.Trace, y *lazy.Tensor) func() float32 {
			a := tr.Read(y)
			g := lazy.Grad(a.Mul(a).Sum(), a)[0].MulScalar(0.5).Slice([]int{7}, []int{8}, []int{1})
			return func() float32 { return float32(g.Float()) }
		},
		"another root": func(t *testing.T, _ *lazy.Device, tr *lazy.Trace, y *lazy.Tensor) func() float32 {
			z := tr.Read(y)
			require.NoError(t, tr.MarkStep(z))
			return func() float32 { return float32(z.Slice([]int{7}, []int{8}, []int{1}).Float()) }
		},
		"a function": func(t *testing.T, dev *lazy.Device, _ *lazy.Trace, y *lazy.Tensor) func() float32 {
			f := lazy.Func(dev, func(tr *lazy.Trace, x *lazy.Tensor) *lazy.Tensor { return x.Add(y).Slice([]int{7}, []int{8}, []int{1}) })
			zero := rows(dev, 0)
			_, err := f.Call(t.Context(), zero)
			require.NoError(t, err)
			return func() float32 {
				z, err := f.Call(t.Context(), zero)
				require.NoError(t, err)
				return float32(z.Float())
			}
		},
		"a variable": func(t *testing.T, dev *lazy.Device, tr *lazy.Trace, y *lazy.Tensor) func() float32 {
			w := dev.Variable("w", lazy.F32, y.Dim(0))
			w.Copy_(tr.Read(y))
			require.NoError(t, tr.MarkStep())
			return func() float32 { return float32(tr.Read(w).Slice([]int{7}, []int{8}, []int{1}).Float()) }
		},
	} {
		for _, threads := range []int{0, 1} {
			t.Run(name, func(t *testing.T) {
				dev := open(t, "cpu", lazy.Threads(threads))
				tr := lazy.NewTrace(dev)
				y := tr.Read(rows(dev, 2)).AddScalar(1)
				require.NoError(t, tr.MarkStep(y))
				read := keep(t, dev, tr, y)
				y.Release()
				other := lazy.NewTrace(dev) // takes what is there
				for range 8 {
					z := other.Read(rows(dev, 5)).AddScalar(1)
					require.NoError(t, other.MarkStep(z))
				}
				require.Equal(t, float32(3), read())
			})
		}
	}
}
