package cuda

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/driver"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/cudafake"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// kernelRunner returns what runs a kernel on a device: operands are uploaded, and all of
// their memory comes back.
func kernelRunner(t testing.TB, q *Queue, k *kernel.Kernel) func(m *kerneltest.Memory) error {
	loaded, err := q.dev.Load(k)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, loaded.Unload()) })
	return func(m *kerneltest.Memory) error {
		var operands []driver.Ptr
		var buffers []*Buffer
		var views []soa.View
		for p := range k.Params {
			b, first := m.Around(p)
			v, err := soa.Borrow(b, types.Of(types.U8, len(b)))
			if err != nil {
				return err
			}
			buffer, err := q.Alloc(len(b))
			if err != nil {
				return err
			}
			if err := q.Upload(buffer, 0, v); err != nil {
				return err
			}
			operands = append(operands, buffer.Address()+driver.Ptr(first))
			buffers, views = append(buffers, buffer), append(views, v)
		}
		if err := q.Run(loaded, operands, m.Sizes, m.Strides); err != nil {
			return err
		}
		for i, b := range buffers {
			if err := q.Download(views[i], b, 0); err != nil {
				return err
			}
			if err := q.Free(b); err != nil {
				return err
			}
		}
		return nil
	}
}

var near = kerneltest.Tolerance{Relative: 4e-6, Absolute: 1e-6}

// Golden kernels give their values by the whole way: text, module, memory, copies,
// launch.
func TestKernels(t *testing.T) {
	trials.Sequential(t)
	all, _ := devices(t, cudafake.Options{Seed: 1})
	q := queue(t, all[0])
	for _, g := range kerneltest.Goldens(t) {
		run := kernelRunner(t, q, g.Kernel)
		for _, r := range g.Runs {
			t.Run(r.Name, func(t *testing.T) {
				got, err := r.Before.Like(kerneltest.Spread, 0x5A).Run(run)
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(r.After, got, near))
			})
		}
	}
}

// A kernel that is given what is not its own loses the device, which says so.
func TestKernelFaults(t *testing.T) {
	trials.Sequential(t)
	aboutFake(t) // the process has no other context of the GPU
	all, f := devices(t, cudafake.Options{Seed: 1})
	q := queue(t, all[0])
	g := kerneltest.Goldens(t)[0]
	k, err := all[0].Load(g.Kernel)
	require.NoError(t, err)
	m := g.Runs[0].Before.Like(kerneltest.Dense, 0)
	require.ErrorContains(t, q.Run(k, nil, m.Sizes, m.Strides), "with [0 ")
	operands := make([]driver.Ptr, len(g.Kernel.Params))
	for i := range operands {
		operands[i] = 0x1000
	}
	require.NoError(t, q.Run(k, operands, m.Sizes, m.Strides))
	require.ErrorIs(t, q.Wait(t.Context()), driver.IllegalAddress)
	require.Equal(t, cudafake.OutOfBounds, f.Forgive()[0].Kind)
	require.Error(t, all[0].Err())
}

// Random kernels compute what the evaluator computes.
func TestRandomKernels(t *testing.T) {
	trials.Sequential(t)
	all, _ := devices(t, cudafake.Options{Seed: 5})
	q := queue(t, all[0])
	ran := 0
	tried := trials.Soak(16, 2000)
	for seed := range uint64(tried) {
		r := rand.New(rand.NewPCG(seed, 6))
		k, sizes := kerneltest.Random(r, func(op kernel.Op, t types.DType) bool {
			return op == kernel.Add || op == kernel.Multiply || op == kernel.Subtract || op == kernel.Maximum
		})
		loaded, err := all[0].Load(k)
		if err != nil {
			continue
		}
		require.NoError(t, loaded.Unload())
		ran++
		before := kerneltest.NewMemory(k, sizes, kerneltest.Reverse, 0xA5)
		before.Fill(r)
		want, err := before.Run(func(m *kerneltest.Memory) error {
			return kernel.Evaluate(m.Kernel, m.Sizes, m.Mem, m.Strides, tiles.Scalars{})
		})
		require.NoError(t, err)
		got, err := before.Run(kernelRunner(t, q, k))
		require.NoError(t, err, "seed %d", seed)
		require.NoError(t, kerneltest.Same(want, got, near), "seed %d", seed)
	}
	require.Greater(t, 2*ran, tried)
}
