package cuda

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
)

// A GPU computes what the interpreter does, bit by bit: kernels have no
// approximate instructions. Without a GPU a second fake stands for it.
func TestInterpreter(t *testing.T) {
	trials.Sequential(t)
	gpu, _ := devices(t, cudafake.Options{Seed: 1})
	interpreter, _ := fakes(t, cudafake.Options{Seed: 2})
	q, p := queue(t, gpu[0]), queue(t, interpreter[0])
	compare := func(t *testing.T, k *kernel.Kernel, m *kerneltest.Memory) {
		want, err := m.Run(kernelRunner(t, p, k))
		require.NoError(t, err)
		got, err := m.Run(kernelRunner(t, q, k))
		require.NoError(t, err)
		require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v", k)
	}
	for _, g := range kerneltest.Goldens(t) {
		for _, r := range g.Runs {
			t.Run(r.Name, func(t *testing.T) { compare(t, g.Kernel, r.Before.Like(kerneltest.Spread, 0x5A)) })
		}
	}
	t.Run("random", func(t *testing.T) {
		ran := 0
		for seed := range uint64(trials.Soak(4, 64)) {
			r := rand.New(rand.NewPCG(seed, 11))
			k, sizes := kerneltest.Random(r, nil)
			loaded, err := interpreter[0].Load(k)
			if err != nil {
				continue // there is no text for it, which package ptx's tests count
			}
			require.NoError(t, loaded.Unload())
			ran++
			m := kerneltest.NewMemory(k, sizes, kerneltest.Reverse, 0xA5)
			m.Fill(r)
			compare(t, k, m)
		}
		require.Positive(t, ran)
	})
}
