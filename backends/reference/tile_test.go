package reference

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
)

// running returns what runs the kernel's launch in so many parts.
func running(t testing.TB, k *kernel.Kernel, parts int) func(m *kerneltest.Memory) error {
	codes, err := Tiles{}.Compile(t.Context(), []*kernel.Kernel{k})
	require.NoError(t, err)
	return launch(codes[0], parts)
}

func launch(c kernel.Code, parts int) func(m *kerneltest.Memory) error {
	return func(m *kerneltest.Memory) error {
		call := m.Call()
		scratch := make([]byte, c.Scratch(m.Sizes, parts)+64)
		call.Scratch, call.Parts = align64(unsafe.Pointer(&scratch[0])), parts
		for call.Part = range parts {
			if err := c.Run(call); err != nil {
				return err
			}
		}
		return nil
	}
}

func evaluateKernel(m *kerneltest.Memory) error {
	return kernel.Evaluate(m.Kernel, m.Sizes, m.Mem, m.Strides, Scalars{})
}

var layouts = []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse}

func TestTiles(t *testing.T) {
	for _, g := range kerneltest.Goldens(t) {
		for _, r := range g.Runs {
			t.Run(r.Name, func(t *testing.T) {
				for _, layout := range layouts {
					for _, parts := range []int{1, 3} {
						got, err := r.Before.Like(layout, 0x5A).Run(running(t, g.Kernel, parts))
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(r.After, got, kerneltest.Tolerance{Relative: 1e-6}))
					}
				}
			})
		}
	}
}

// tiled runs a random kernel in tiles, in each way that there is, and requires
// the evaluator's bits.
func tiled(t testing.TB, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 1))
	k, sizes := kerneltest.Random(r, nil)
	before := kerneltest.NewMemory(k, sizes, layouts[r.IntN(len(layouts))], 0xA5)
	before.Fill(r)
	want, err := before.Run(evaluateKernel)
	require.NoError(t, err)
	c := newTileCode(k)
	ways := c.ways
	for i := range ways {
		c.ways = ways[i : i+1]
		for _, parts := range []int{1, 2 + r.IntN(4)} {
			got, err := before.Run(launch(c, parts))
			about := fmt.Sprintf("seed %d, tiles along %d, %d parts\n%v%v", seed, ways[i].vector, parts, k, sizes)
			require.NoError(t, err, about)
			require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), about)
		}
	}
}

func TestTilesRandom(t *testing.T) {
	for seed := range uint64(300) {
		tiled(t, seed)
	}
}

func FuzzTiles(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { tiled(t, seed) })
}
