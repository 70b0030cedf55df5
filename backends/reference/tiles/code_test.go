package tiles

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/trials"
)

// running returns what runs the kernel's launch in so many parts.
func running(t testing.TB, k *kernel.Kernel, parts int) func(m *kerneltest.Memory) error {
	codes, err := Compiler{}.Compile(t.Context(), []*kernel.Kernel{k})
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
	make := kerneltest.Random
	if seed%4 == 3 {
		make = kerneltest.RandomScan
	}
	k, sizes := make(r, nil)
	before := kerneltest.NewMemory(k, sizes, layouts[r.IntN(len(layouts))], 0xA5)
	before.Fill(r)
	want, err := before.Run(evaluateKernel)
	require.NoError(t, err)
	ways := newCode(k, vectored{}).ways
	for i := range ways {
		c := newCode(k, vectored{})
		c.ways = ways[i : i+1]
		for _, parts := range []int{1, 2 + r.IntN(4)} {
			got, err := before.Run(launch(c, parts))
			about := fmt.Sprintf("seed %d, tiles along %d, %d parts\n%v%v", seed, ways[i].vector, parts, k, sizes)
			require.NoError(t, err, about)
			require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), about)
		}
	}
}

// Contractions have the evaluator's bits, in blocks of any size.
func TestTilesContraction(t *testing.T) {
	trials.Sequential(t)
	for _, c := range []struct {
		kernel string
		sizes  []int64
	}{
		{"linear_gelu", []int64{40, 30, 20}},
		{"linear_gelu", []int64{300, 5, 7}},
		{"linear_gelu", []int64{3, 9, 1100}},
		{"linear_gelu", []int64{5, 300, 6}},
		{"bmm_bf16", []int64{3, 20, 30, 10}},
		{"bmm_bf16", []int64{2, 7, 140, 9}},
		{"convolution", []int64{2, 43, 20, 9, 21}},
	} {
		k := kerneltest.Kernel(t, c.kernel)
		code := newCode(k, vectored{})
		require.True(t, code.gemm.fits(c.sizes))
		dense := kerneltest.NewMemory(k, c.sizes, kerneltest.Dense, 0)
		dense.Fill(rand.New(rand.NewPCG(1, 2)))
		want, err := dense.Run(evaluateKernel)
		require.NoError(t, err)
		for _, layout := range layouts {
			for _, parts := range []int{1, 2, 5} {
				got, err := dense.Like(layout, 0x5A).Run(launch(code, parts))
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v%v in %d parts", c.kernel, c.sizes, parts)
			}
		}
	}
}

// Factors whose axes are the other way round, several axes in each role, and
// integers, which wrap.
func TestTilesContractionForms(t *testing.T) {
	k, err := kernel.Parse(`kernel k(x: u8[n0, n1, n2, n3] strides [*, 1, *, *], y: u8[n3, n4, n1, n5] strides [1, *, *, *], out z: u32[n5, n0, n4, n2] strides [*, *, *, 1]) {
  for p < n5
  for a < n0
  for q < n4
  for b < n2
  stage i < n1 j < n3 {
    %x = load x[a, i, b, j]
    %xw = convert %x : u32
    %y = load y[j, q, i, p]
    %yw = convert %y : u32
    %xy = multiply %xw, %yw : u32
    %sum = reduce add %xy
  }
  stage {
    %c = constant 123456789 : u32
    %s = multiply %sum, %c : u32
    store z[p, a, q, b], %s
  }
}`)
	require.NoError(t, err)
	require.NoError(t, kernel.Verify(k))
	sizes := []int64{4, 5, 6, 7, 8, 9}
	code := newCode(k, vectored{})
	require.True(t, code.gemm.fits(sizes))
	m := kerneltest.NewMemory(k, sizes, kerneltest.Spread, 0)
	m.Fill(rand.New(rand.NewPCG(1, 3)))
	want, err := m.Run(evaluateKernel)
	require.NoError(t, err)
	got, err := m.Run(launch(code, 3))
	require.NoError(t, err)
	require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}))
}

// Runs allocate nothing, and end soon when they are given up.
func TestTilesRun(t *testing.T) {
	const n = 1 << 12
	k := kerneltest.Kernel(t, "transpose")
	code := newCode(k, vectored{})
	x, y := make([]float32, n*n), make([]float32, n*n)
	x[1] = 7
	scratch := make([]byte, code.Scratch([]int64{n, n}, 1)+64)
	call := &kernel.Call{
		Mem: []unsafe.Pointer{unsafe.Pointer(&x[0]), unsafe.Pointer(&y[0])}, Sizes: []int64{n, n}, Strides: []int64{n, n},
		Scratch: align64(unsafe.Pointer(&scratch[0])), Parts: 1,
	}
	done := make(chan struct{})
	close(done)
	call.Done = done
	x[n-1] = 3
	require.NoError(t, code.Run(call))
	require.EqualValues(t, 7, y[n])
	require.Zero(t, y[(n-1)*n], "it ran to the end")
	call.Done, call.Sizes = nil, []int64{64, 64}
	if !trials.Race {
		require.Zero(t, testing.AllocsPerRun(10, func() { require.NoError(t, code.Run(call)) }))
	}
}

// Parts are cut where there is enough to do, along an axis that allows it.
func TestTilesParts(t *testing.T) {
	for _, c := range []struct {
		kernel        string
		sizes         []int64
		threads, want int
	}{
		{"scale", []int64{1000, 1000}, 4, 4},
		{"scale", []int64{1000, 1000}, 1, 1},
		{"scale", []int64{3, 1000000}, 4, 3},
		{"scale", []int64{10, 10}, 4, 1},
		{"scale", []int64{0, 10}, 4, 1},
		{"sumall", []int64{1000, 1000}, 4, 1},
		{"scatter", []int64{10, 1000, 1000}, 4, 4},
		{"linear_gelu", []int64{3, 1000, 1000}, 4, 3},
		{"linear_gelu", []int64{1000, 1000, 1000}, 1000000, 1000},
	} {
		code := newCode(kerneltest.Kernel(t, c.kernel), vectored{})
		require.Equal(t, c.want, code.Parts(c.sizes, c.threads), "%v%v", c.kernel, c.sizes)
	}
}

func TestTilesRandom(t *testing.T) {
	trials.Sequential(t)
	for seed := range uint64(trials.Of(300)) {
		tiled(t, seed)
	}
}

func FuzzTiles(f *testing.F) {
	for seed := range uint64(3) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { tiled(t, seed) })
}
