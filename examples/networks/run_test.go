package networks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	_ "ltc/backends/reference/llvm"
	_ "ltc/internal/test/gputext"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/lazy"
	"ltc/model"
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
func open(t *testing.T, backend string) opened {
	dev, err := lazy.Open(backend, lazy.Threads(1), lazy.Seed(7))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, dev.Close()) })
	b, err := backends.Open(backend)
	require.NoError(t, err)
	return opened{dev, b}
}

// opened is where a network is made and what runs it: one compile for all sizes.
type opened struct {
	dev     *lazy.Device
	backend backends.Backend
}

// build makes a model of a network that takes and gives what the collections
// have.
func (o opened) build(t *testing.T, net Forward, in, out *soa.Collection) *model.Model {
	t.Helper()
	var inputs []lazy.Input
	for i, name := range in.Names() {
		typ := in.Tensor(i).Type
		typ.Shape = append(types.Shape{lazy.AnySize}, typ.Shape[1:]...)
		inputs = append(inputs, lazy.Input{Name: name, Type: typ})
	}
	x, err := lazy.Func(o.dev, net).Export(inputs, out.Names()...)
	require.NoError(t, err)
	m, err := model.New(t.Context(), o.backend, backends.NewModule(x.Text), x.Constants)
	require.NoError(t, err)
	return m
}

// run runs a network on every batch of the inputs, which it reads where they lie,
// and which writes its results where their columns are.
func (o opened) run(t *testing.T, net Forward, in, out *soa.Collection) *model.Model {
	t.Helper()
	m := o.build(t, net, in, out)
	b := m.Bind(in, out)
	for i := range in.Batches() {
		require.NoError(t, b.Run(context.Background(), nil, i))
	}
	require.Zero(t, in.Copied()+out.Copied())
	if o.backend.Name() == "cpu" {
		inPlace(t, m, b, in.Batches())
	}
	return m
}

// inPlace holds that runs of a model copy nothing and allocate nothing, even after
// collections of garbage. Those that cannot be cancelled, that is: what long ones
// write that can be is copied at their end.
func inPlace(t *testing.T, m *model.Model, b *model.Bound, batches int) {
	t.Helper()
	require.Zero(t, m.CopiedBytes(), "bytes copied")
	_, failed := m.Variants()
	require.Zero(t, failed, "layouts without code")
	allocs := 1.0
	for tries := 0; allocs > 0 && tries < 5; tries++ { // beside one, what tests before have left may be cleaned up
		allocs = trials.Allocs(5, func() {
			runtime.GC()
			for i := range batches {
				if err := b.Run(context.Background(), nil, i); err != nil {
					t.Error(err)
				}
			}
		})
	}
	require.Zero(t, allocs)
}

// sizes are numbers of elements and of those in a batch: whole, and with a last
// batch that is short.
var sizes = []struct{ n, batch int }{{0, 4}, {1, 1}, {1, 8}, {32, 32}, {33, 32}, {64, 64}, {70, 32}}

// forAll runs a test by the evaluator, with kernels for GPUs written besides, and by
// compiled code, for all sizes.
func forAll(t *testing.T, test func(t *testing.T, on opened, n, batch int)) {
	for _, backend := range []string{"gputext", "cpu"} {
		on := open(t, backend)
		for _, s := range sizes {
			t.Run(fmt.Sprintf("%s/%d by %d", backend, s.n, s.batch), func(t *testing.T) { test(t, on, s.n, s.batch) })
		}
	}
}
