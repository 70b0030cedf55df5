package llvm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
	"ltc/ir/types"
)

var near = kerneltest.Tolerance{Relative: 1e-5, Absolute: 1e-5}

// Golden kernels give the evaluator's results in memory of all layouts.
func TestGoldens(t *testing.T) {
	trials.Sequential(t)
	for _, c := range compilers(t) {
		var kernels []*kernel.Kernel
		goldens := kerneltest.Goldens(t)
		for _, g := range goldens {
			kernels = append(kernels, g.Kernel)
		}
		codes := compile(t, c, kernels...)
		for i, g := range goldens {
			require.NotNil(t, codes[i], "%v", g.Kernel)
			for _, r := range g.Runs {
				t.Run(fmt.Sprint(c.machine.Level, "/", r.Name), func(t *testing.T) {
					for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
						for parts := range 3 {
							got, err := r.Before.Like(layout, 0x5A).Run(in(codes[i], parts+1))
							require.NoError(t, err)
							require.NoError(t, kerneltest.Same(r.After, got, near), "%v%s", g.Kernel, schedule(codes[i]))
						}
					}
				})
			}
		}
	}
}

// compiles are the ops that random kernels may have.
func compiles(op kernel.Op, t types.DType) bool {
	return !op.Computes() || vector.Supports(op, t)
}

// Random kernels, compiled, do what the evaluator does, for any number of parts
// to the bit. Every other one knows its small sizes, as kernels on records do.
func TestRandom(t *testing.T) {
	trials.Sequential(t)
	for _, c := range compilers(t) {
		t.Run(c.machine.Level.String(), func(t *testing.T) {
			for seed := range uint64(trials.Soak(20, 1000)) {
				random(t, c, seed, kerneltest.Random)
			}
		})
	}
}

// Random kernels that scan do what the evaluator does, for any number of parts and
// either order to the bit.
func TestRandomScans(t *testing.T) {
	trials.Sequential(t)
	for _, c := range compilers(t) {
		t.Run(c.machine.Level.String(), func(t *testing.T) {
			for seed := range uint64(trials.Soak(20, 1000)) {
				random(t, c, seed, kerneltest.RandomScan)
			}
		})
	}
}

// schedule prints that of code.
func schedule(c kernel.Code) string {
	c = plain(c)
	return c.(*code).schedule.Of(c.(*code).kernel)
}

func FuzzRandom(f *testing.F) {
	all := compilers(f)
	for seed := range uint64(3) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		for _, c := range all {
			random(t, c, seed, kerneltest.Random)
		}
	})
}

func random(t *testing.T, c *shared, seed uint64, of func(*rand.Rand, func(kernel.Op, types.DType) bool) (*kernel.Kernel, []int64)) {
	r := rand.New(rand.NewPCG(seed, 0))
	k, sizes := of(r, compiles)
	if seed%2 > 0 {
		kerneltest.Few(k, sizes, 16)
	}
	code1 := compile(t, c, k)[0]
	require.NotNil(t, code1, "%v", k)
	what := fmt.Sprintf("seed %d: %v%v\n%s", seed, k, sizes, schedule(code1))
	before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
	before.Fill(r)
	want, err := before.Run(evaluate)
	require.NoError(t, err, what)
	var first *kerneltest.Memory
	for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread} {
		for parts := 1; parts <= 5; parts += 2 {
			got, err := before.Like(layout, 0xFF).Run(in(code1, parts))
			require.NoError(t, err, what)
			require.NoError(t, kerneltest.Same(want, got, near), what)
			if first == nil {
				first = got
			}
			require.NoError(t, kerneltest.Same(first, got, kerneltest.Tolerance{}), what)
		}
	}
}
