package networks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	_ "ltc/backends/reference/llvm"
	"ltc/lazy"
	"ltc/soa"
)

// Particle, Mask and Image are the layouts of the inputs.
type Particle struct {
	Pt, Eta, Phi float32
}

type Mask struct {
	Mask [3]uint8
	All  uint8 `soa:",scalar"`
}

type Image struct {
	R, G, B [9][9]float32
}

// Reco, Heads and Logits are those of the results.
type Reco struct {
	Unused, Pt float32
}

type Heads struct {
	Classification [3]float32
	Regression     float32
}

type Logits struct {
	Logits [10]float32
}

// particles makes n of them, uniform in [0, 1].
func particles(n int) *soa.Records[Particle] {
	rng := rand.New(rand.NewPCG(43, 0))
	p := soa.Of[Particle](n)
	for i := range n {
		p.At(i).Store(Particle{rng.Float32(), rng.Float32(), rng.Float32()})
	}
	return p
}

func images(n int) *soa.Records[Image] {
	rng := rand.New(rand.NewPCG(21, 0))
	images := soa.Of[Image](n)
	for i := range n {
		var m Image
		for r := range 9 {
			for c := range 9 {
				m.R[r][c], m.G[r][c], m.B[r][c] = rng.Float32(), rng.Float32(), rng.Float32()
			}
		}
		images.At(i).Store(m)
	}
	return images
}

// memory returns a copy of the bytes of columns.
func memory(c *soa.Columns) []byte {
	return append([]byte(nil), unsafe.Slice((*byte)(c.Base()), c.Bytes())...)
}

// open opens a device with a seed, so that weights are the same on all.
func open(t *testing.T, backend string) *lazy.Device {
	dev, err := lazy.Open(backend, lazy.Threads(1), lazy.Seed(7))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	return dev
}

// run runs a network on every batch of the inputs, which it reads where they lie,
// and puts the results into the columns of the outputs.
func run(t *testing.T, dev *lazy.Device, net Forward, in, out *soa.Collection) {
	t.Helper()
	require.NoError(t, out.Writable(in))
	require.Equal(t, in.Batches(), out.Batches())
	f := lazy.Func(dev, net)
	var x, y soa.Collection
	for i := range in.Batches() {
		require.NoError(t, in.Batch(i, &x))
		require.NoError(t, out.Batch(i, &y))
		require.NoError(t, x.Acquire())
		var args []*lazy.Tensor
		for _, v := range x.Views(nil) {
			args = append(args, lazy.FromView(dev, v))
		}
		results, err := f.CallAll(context.Background(), args...)
		require.NoError(t, err)
		require.Len(t, results, y.Len())
		for k, r := range results {
			v, err := r.Value()
			require.NoError(t, err)
			require.Equal(t, y.Tensor(k).Type, v.Type)
			require.NoError(t, soa.Copy(y.Tensor(k), v))
		}
		x.Done()
	}
	require.Zero(t, in.Copied())
}

// sizes are numbers of elements and of those in a batch: whole, and with a last
// batch that is short.
var sizes = []struct{ n, batch int }{{0, 4}, {1, 1}, {1, 8}, {32, 32}, {33, 32}, {64, 64}, {70, 32}}

// forAll runs a test on both backends and for all sizes.
func forAll(t *testing.T, test func(t *testing.T, dev *lazy.Device, n, batch int)) {
	for _, backend := range []string{"eval", "cpu"} {
		dev := open(t, backend)
		for _, s := range sizes {
			t.Run(fmt.Sprintf("%s/%d by %d", backend, s.n, s.batch), func(t *testing.T) { test(t, dev, s.n, s.batch) })
		}
	}
}
