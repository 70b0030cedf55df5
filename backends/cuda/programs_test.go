package cuda

import (
	"fmt"
	"math/rand/v2"
	"strings"
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

// Floats of 8 bits are arguments and results, are moved, converted and multiplied, and leave
// nothing to the evaluator.
func TestFloat8(t *testing.T) {
	trials.Sequential(t)
	b, _ := backend(t, cudafake.Options{Seed: 3})
	for _, elem := range []string{"f8E4M3FN", "f8E5M2"} {
		text := strings.ReplaceAll(`func.func @main(%x: tensor<8x16xE>, %y: tensor<16x8xE>, %z: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xE>, tensor<16x8xE>, tensor<8x8xi1>) {
  %a = stablehlo.convert %x : (tensor<8x16xE>) -> tensor<8x16xf32>
  %b = stablehlo.convert %y : (tensor<16x8xE>) -> tensor<16x8xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.convert %z : (tensor<8x8xf32>) -> tensor<8x8xE>
  %2 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x16xE>) -> tensor<16x8xE>
  %3 = stablehlo.slice %y [0:8, 0:8] : (tensor<16x8xE>) -> tensor<8x8xE>
  %4 = stablehlo.compare LT, %3, %1 : (tensor<8x8xE>, tensor<8x8xE>) -> tensor<8x8xi1>
  return %0, %1, %2, %4 : tensor<8x8xf32>, tensor<8x8xE>, tensor<16x8xE>, tensor<8x8xi1>
}`, "xE>", "x"+elem+">")
		_, err := b.Compile(t.Context(), backends.NewModule(text), backends.Options{Compiled: true})
		require.NoError(t, err, elem)
		for seed := range 4 {
			require.Positive(t, alike(t, b, programs.Program{Text: text, Extreme: seed%2 == 1}, seed), elem)
		}
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
