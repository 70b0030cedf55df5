package ptx_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/tiles"
	"ltc/internal/test/ptxas"
	"ltc/internal/test/ptxsim"
	"ltc/internal/trials"
	"ltc/ir/types"
)

func evaluate(m *kerneltest.Memory) error {
	return kernel.Evaluate(m.Kernel, m.Sizes, m.Mem, m.Strides, tiles.Scalars{})
}

// text returns the module of a kernel.
func text(k *kernel.Kernel) (string, *ptx.Schedule, error) {
	s, err := ptx.Options{}.Plan(k)
	if err != nil {
		return "", nil, err
	}
	e, err := ptx.Entry("k", k, s)
	return ptx.Options{}.Module(e), s, err
}

// runner returns what runs a kernel in the interpreter, with at most the given
// number of blocks along each axis of the grid.
func runner(t testing.TB, k *kernel.Kernel, blocks int) (func(m *kerneltest.Memory) error, error) {
	s, err := ptx.Options{}.Plan(k)
	if err != nil {
		return nil, err
	}
	return runnerOf(t, k, s, blocks)
}

// runnerOf returns what runs a kernel by a schedule, likewise.
func runnerOf(t testing.TB, k *kernel.Kernel, s *ptx.Schedule, blocks int) (func(m *kerneltest.Memory) error, error) {
	e, err := ptx.Entry("k", k, s)
	if err != nil {
		return nil, err
	}
	return runnerOfText(t, k, s, ptx.Options{}.Module(e), blocks), nil
}

// runnerOfText returns what runs the module of a kernel, likewise.
func runnerOfText(t testing.TB, k *kernel.Kernel, s *ptx.Schedule, module string, blocks int) func(m *kerneltest.Memory) error {
	parsed, err := ptxsim.Parse(module)
	require.NoError(t, err, module)
	return func(m *kerneltest.Memory) error {
		l, err := s.Launch(m.Sizes)
		if err != nil {
			return err
		}
		entry, err := parsed.Entry(l.Entry("k"))
		require.NoError(t, err)
		for i := range l.Grid {
			l.Grid[i] = min(l.Grid[i], blocks)
		}
		var memory ptxsim.Memory
		var args []uint64
		for p := range k.Params {
			b, first := m.Around(p)
			args = append(args, memory.Alloc(b)+uint64(first))
		}
		for _, n := range m.Sizes {
			args = append(args, uint64(n))
		}
		for _, n := range m.Strides {
			args = append(args, uint64(n))
		}
		_, err = entry.Run(&memory, ptxsim.Launch{Grid: l.Grid, Block: l.Block, Shared: l.Shared, Args: args, Steps: 1 << 28})
		return err
	}
}

// near is how far apart values may be where ops are not rounded as the
// evaluator's are.
var near = kerneltest.Tolerance{Relative: 4e-6, Absolute: 1e-6}

// Golden kernels in the interpreter, in memory of all layouts.
func TestGoldens(t *testing.T) {
	for _, g := range kerneltest.Goldens(t) {
		module, _, err := text(g.Kernel)
		require.NoError(t, err)
		require.NoError(t, ptxas.Name("golden/"+g.Kernel.Name, module))
		for _, r := range g.Runs {
			t.Run(r.Name, func(t *testing.T) {
				for _, blocks := range []int{1, 3, 1 << 20} {
					run, err := runner(t, g.Kernel, blocks)
					require.NoError(t, err)
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
						got, err := r.Before.Like(layout, 0x5A).Run(run)
						require.NoError(t, err)
						require.NoError(t, kerneltest.Same(r.After, got, near))
					}
				}
			})
		}
	}
}

// Random kernels compute what the evaluator computes, or there is no text for
// them, and an error says why.
func TestRandom(t *testing.T) {
	n := trials.Soak(80, 5000)
	reasons := map[string]int{}
	ran := 0
	for seed := range n {
		r := rand.New(rand.NewPCG(uint64(seed), 6))
		make := kerneltest.Random
		if seed%4 == 3 {
			make = kerneltest.RandomScan
		}
		k, sizes := make(r, written)
		run, err := runner(t, k, 1+r.IntN(4))
		if err != nil {
			require.ErrorIs(t, err, errors.ErrUnsupported)
			reasons[reason(err)]++
			continue
		}
		ran++
		before := kerneltest.NewMemory(k, sizes, []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse}[r.IntN(3)], 0xA5)
		before.Fill(r)
		want, err := before.Run(evaluate)
		require.NoError(t, err, "seed %d\n%v", seed, k)
		got, err := before.Run(run)
		if errors.Is(err, errors.ErrUnsupported) {
			reasons[reason(err)]++
			continue
		}
		require.NoError(t, err, "seed %d\n%v", seed, k)
		require.NoError(t, kerneltest.Same(want, got, near), "seed %d\n%v", seed, k)
	}
	t.Logf("%d of %d ran; others: %v", ran, n, reasons)
	require.Greater(t, ran, n/2)
}

// reason is the kind of an error about what is not written.
func reason(err error) string {
	text, _ := strings.CutPrefix(err.Error(), "ptx: kernel random: ")
	return strings.Join(strings.Fields(text)[:3], " ")
}

// written reports whether random kernels have an op on a type: not those whose
// roundings differ more than a tolerance holds for all that may follow.
func written(op kernel.Op, t types.DType) bool {
	switch op {
	case kernel.Power:
		return !t.IsFloat()
	case kernel.Exponential, kernel.ExponentialMinusOne, kernel.Log, kernel.LogPlusOne, kernel.Logistic, kernel.Tanh, kernel.Erf, kernel.Rsqrt,
		kernel.Cbrt, kernel.Cosine, kernel.Sine, kernel.Tan, kernel.Atan2:
		return false
	}
	return true
}
