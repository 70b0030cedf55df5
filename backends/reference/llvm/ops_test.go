package llvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/expand"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/tiles"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// opKernel is an op on vectors of a size that the launch says. Its arguments
// are loaded; those of a Select begin with a comparison.
func opKernel(op kernel.Op, from, to types.DType) *kernel.Kernel {
	b := kernel.NewBuilder(fmt.Sprintf("%v_%v_%v", op, from, to))
	n := b.Size()
	i := b.Axis("i", n)
	vector := func(name string, t types.DType, out bool) int {
		return b.Param(kernel.Param{Name: name, DType: t, Dims: []kernel.Size{n}, Strides: []kernel.Stride{kernel.UnitStride}, Out: out})
	}
	var params []int
	for a := range op.Arity() {
		t := from
		if op == kernel.Select && a > 0 {
			t = to
		}
		params = append(params, vector(fmt.Sprint("x", a), t, false))
	}
	y := vector("y", to, true)
	b.Stage()
	var args []kernel.ID
	for _, p := range params {
		args = append(args, b.Load(p, kernel.Along(i)))
	}
	b.Store(y, b.Op(op, to, args...), kernel.Along(i))
	return b.Kernel()
}

// opKernels are all ops on all types.
func opKernels() []*kernel.Kernel {
	var all []*kernel.Kernel
	for _, op := range kernel.Ops() {
		for _, from := range types.RealDTypes() {
			for _, to := range types.RealDTypes() {
				if k := opKernel(op, from, to); op.Computes() && kernel.Verify(k) == nil {
					all = append(all, k)
				}
			}
		}
	}
	return all
}

// everyThird returns a third of all, another one for each i.
func everyThird[T any](all []T, i int) []T {
	var some []T
	for n := i % 3; n < len(all); n += 3 {
		some = append(some, all[n])
	}
	return some
}

// Every op on every type has code on every level, which does what the evaluator
// does, on vectors of all remainders. Of math functions, docs/math.md says how
// far they may be off.
func TestOps(t *testing.T) {
	trials.Sequential(t)
	kernels := opKernels()
	require.Greater(t, len(kernels), 400)
	sizes := []int64{0, 1, 2, 15, 16, 17, 31, 33, 67, 300}
	for i, c := range trials.First(compilers(t)) {
		kernels := kernels
		if i > 0 && !trials.Soaking() { // levels below the processor's: a third of the ops each
			sizes = []int64{1, 17, 67}
			kernels = everyThird(kernels, i)
		}
		codes := compile(t, c, kernels...)
		for n, k := range kernels {
			require.NotNil(t, codes[n], "%v", k)
			for _, size := range sizes {
				r := rand.New(rand.NewPCG(uint64(n), uint64(size)))
				before := kerneltest.NewMemory(k, []int64{size}, kerneltest.Dense, 0)
				before.Fill(r)
				want, err := before.Run(evaluate)
				require.NoError(t, err)
				got, err := before.Like(kerneltest.Dense, 0x5A).Run(in(codes[n], 1))
				require.NoError(t, err)
				require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{Relative: 1e-5}), "%v, %d elements", c.machine.Level, size)
				if e := expand.Kernel(k, c.machine.Target()); len(e.Instrs) != len(k.Instrs) {
					// A function has the very bits that the kernel IR's evaluator makes of its expansion.
					want, err := before.Run(func(m *kerneltest.Memory) error {
						return kernel.Evaluate(e, m.Sizes, m.Mem, m.Strides, tiles.Scalars{})
					})
					require.NoError(t, err)
					require.NoError(t, kerneltest.Same(want, got, kerneltest.Tolerance{}), "%v, %v expanded, %d elements", c.machine.Level, k.Name, size)
				}
			}
		}
	}
}
