package cuda

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
	"ltc/internal/test/cudafake"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/soa"
)

// Random programs compute what the evaluator computes. They are small and large ones,
// programs on complex numbers, on tensors without elements and of many dimensions, and
// programs that write over parts of tensors, in loops and branches. Others are convolutions,
// and gradients of pooling.
func TestRandomPrograms(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Seed: 2})
	for name, of := range map[string]func(r *rand.Rand, seed int) programs.Program{
		"small": func(r *rand.Rand, seed int) programs.Program {
			return programs.Program{Text: programs.Random(r, 4+seed%24)}
		},
		"complex": func(r *rand.Rand, seed int) programs.Program {
			return programs.Program{Text: programs.Complex(r, 4+seed%24)}
		},
		"odd":   func(r *rand.Rand, seed int) programs.Program { return programs.Odd(r, 3+seed%20) },
		"large": func(r *rand.Rand, seed int) programs.Program { return programs.Large(r, 4+seed%30, 3000) },
		"update": func(r *rand.Rand, seed int) programs.Program {
			return programs.Program{Text: programs.Updates(r, 4+seed%24)}
		},
		"convolution": func(r *rand.Rand, _ int) programs.Program {
			return programs.Program{Text: programs.Convolution(r, false), Near: []bool{true}}
		},
		"quantized": func(r *rand.Rand, seed int) programs.Program { return programs.QuantizedRandom(r, 4+seed%24) },
		"pooling": func(r *rand.Rand, seed int) programs.Program {
			return programs.Program{Text: programs.SelectAndScatter(r), Extreme: seed%2 == 0}
		},
	} {
		t.Run(name, func(t *testing.T) {
			kernels := 0
			for seed := range trials.Soak(trials.Of(20), 1000) {
				kernels += alike(t, b, of(rand.New(rand.NewPCG(uint64(seed), 13)), seed), seed)
			}
			require.Positive(t, kernels)
		})
	}
}

// Programs of ops on quantized elements do so, and leave nothing to the evaluator.
func TestQuantized(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Seed: 3})
	for name, text := range programs.Quantized() {
		require.Positive(t, alike(t, b, programs.Program{Text: text}, 1), name)
	}
}

// alike requires that a program computes what the evaluator computes, and returns of how
// many kernels it is.
func alike(t *testing.T, b *Backend, p programs.Program, seed int) int {
	t.Helper()
	e := compile(t, b, p.Text, backends.Options{})
	c := &backends.Call{}
	for i, a := range e.Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", seed+i))
		require.NoError(t, err)
		if p.Extreme {
			samples.Extreme(v, uint64(seed+i))
		}
		c.Args = append(c.Args, v)
	}
	want := results(t, p.Text, c.Args...)
	require.NoError(t, e.Execute(t.Context(), c), "seed %d\n%s", seed, p.Text)
	for j, v := range c.Results {
		d, err := samples.Differ(v, want[j])
		require.NoError(t, err)
		require.LessOrEqual(t, d.Size, off(v, p.Near != nil && p.Near[j]), "seed %d: result %d at %v is %s, want %s\n%s", seed, j, d.At, d.Got, d.Want, p.Text)
	}
	kernels, _ := e.Compiled()
	return kernels
}

// off is how far results may be off: those of sums in any order more.
func off(v soa.View, near bool) float64 {
	switch {
	case near && v.Type.DType.Size() == 2:
		return 0.1
	case near:
		return 1e-2
	}
	return 1e-3
}
