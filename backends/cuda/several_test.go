package cuda

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/internal/test/cudafake"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/soa"
)

// several opens devices of package lazy on so many GPUs.
func several(t *testing.T, o cudafake.Options) ([]*lazy.Device, []*Device, *cudafake.Fake) {
	all, f := devices(t, o)
	var lazies []*lazy.Device
	for _, d := range all {
		lazies = append(lazies, lazily(t, On(d)))
	}
	return lazies, all, f
}

// Goroutines train on GPUs of their own at the same time, each learns what the evaluator
// does, and what one has learned goes to the others.
func TestSeveralTrain(t *testing.T) {
	cpu, err := lazy.Open("eval")
	require.NoError(t, err)
	want := smallNetwork.train(t, cpu, 3)
	gpus, _, _ := several(t, cudafake.Options{Devices: 3, Seed: 3})
	var all sync.WaitGroup
	got := make([][]float64, len(gpus))
	for i, d := range gpus {
		all.Go(func() { got[i] = smallNetwork.train(t, d, 3) })
	}
	all.Wait()
	for i := range got {
		require.InDeltaSlice(t, want, got[i], 1e-5)
	}
}

// A tensor goes round GPUs and the host, at once and meanwhile, converted on the way, and
// programs of each device use it; between GPUs it goes beside the host. A scope says
// which device is meant.
func TestSeveralCopies(t *testing.T) {
	for _, noPeers := range []bool{false, true} {
		gpus, all, f := several(t, cudafake.Options{Devices: 2, Seed: 8, NoPeers: noPeers})
		cpu, err := lazy.Open("eval")
		require.NoError(t, err)
		for _, async := range [][]lazy.CopyOption{nil, {lazy.Async()}} {
			restore := lazy.UseDevice(gpus[0])
			d, err := lazy.Default()
			require.NoError(t, err)
			require.Same(t, gpus[0], d)
			tr := lazy.NewTrace(d)
			x := lazy.From(tr, make([]float32, 3000)).AddScalar(1.5)
			require.NoError(t, tr.MarkStep(x))
			restore()

			here := int64(0)
			if f != nil {
				here = f.Calls("cuMemcpyPeerAsync")
			}
			there := x.To(gpus[1], async...)
			on := lazy.NewTrace(gpus[1])
			twice := on.Read(there).MulScalar(2)
			require.NoError(t, on.MarkStep(twice))
			v, err := lazy.ToSlice[float32](twice)
			require.NoError(t, err)
			require.Equal(t, float32(3), v[2999])
			if f != nil {
				require.EqualValues(t, 1, f.Calls("cuMemcpyPeerAsync")-here)
			}
			for _, to := range []*lazy.Device{gpus[1], cpu, gpus[0]} { // converted there
				n, err := lazy.ToSlice[int32](x.To(to, append([]lazy.CopyOption{lazy.As(lazy.I32)}, async...)...))
				require.NoError(t, err, "to %v", to)
				require.Equal(t, int32(1), n[2999])
			}
			back, err := lazy.ToSlice[float32](there.To(cpu, async...).To(gpus[0], async...))
			require.NoError(t, err)
			require.Equal(t, float32(1.5), back[2999])
		}

		// Below package lazy: within a device, too, and views that are not dense.
		a, err := all[0].Make(types.Of(types.F32, 4, 3))
		require.NoError(t, err)
		b, err := all[1].Make(types.Of(types.F32, 4, 3))
		require.NoError(t, err)
		c, err := all[1].Make(types.Of(types.F32, 3, 4))
		require.NoError(t, err)
		require.NoError(t, soa.Copy(a, filled(t, func(i int) float32 { return float32(i) })))
		require.NoError(t, soa.Copy(b, a))
		turned, err := b.Restride(types.Of(types.F32, 3, 4), 0, []int{1, 3})
		require.NoError(t, err)
		require.NoError(t, soa.Copy(c, turned))
		require.Equal(t, []float32{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}, floats(t, c))
	}
}

// A GPU that loses its context takes no other with it, whoever was copying between them:
// copies from and to it are refused, the others train on.
func TestSeveralLost(t *testing.T) {
	aboutFake(t)
	gpus, all, f := several(t, cudafake.Options{Devices: 3, Seed: 2})
	tr := lazy.NewTrace(gpus[0])
	x := lazy.From(tr, make([]float32, 3000)).AddScalar(1)
	require.NoError(t, tr.MarkStep(x))
	y := x.To(gpus[2])
	require.NoError(t, y.Err())
	f.Lose(0, driver.ECCUncorrectable)
	require.ErrorIs(t, x.To(gpus[1]).Err(), driver.ECCUncorrectable)
	err := x.To(gpus[1]).Err()
	var lost *driver.LostError
	require.ErrorAs(t, err, &lost)
	require.Equal(t, 0, lost.Device)
	require.NoError(t, all[1].Err())
	require.NoError(t, all[2].Err())
	_, err = lazy.ToSlice[float32](y.To(gpus[1]))
	require.NoError(t, err)
	_, err = lazy.ToSlice[float32](y.To(gpus[0]))
	require.ErrorAs(t, err, &lost)
	require.Len(t, smallNetwork.train(t, gpus[1], 2), 2)
	require.Len(t, smallNetwork.train(t, gpus[2], 2), 2)
	f.Lose(1, driver.ECCUncorrectable)
	require.Len(t, smallNetwork.train(t, gpus[2], 2), 2)
	_, err = lazy.ToSlice[float32](lazy.From(lazy.NewTrace(gpus[1]), make([]float32, 3000)).AddScalar(1))
	require.ErrorIs(t, err, driver.ECCUncorrectable)
	require.Error(t, all[1].Err(), "so that the test does not close it")
}
