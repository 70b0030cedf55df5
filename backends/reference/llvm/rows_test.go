package llvm

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/backends/reference/llvm/emit"
	"ltc/internal/trials"
	"ltc/soa"
)

// Networks whose sums are in registers give what the evaluator gives, for all
// numbers of rows, to the bit for any number of parts and wherever a row lies.
func TestRowsOfProducts(t *testing.T) {
	trials.Sequential(t)
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	kernels, err := kernel.ParseAll(string(text))
	require.NoError(t, err)
	for _, c := range compilers(t) {
		codes := compile(t, c, kernels...)
		for i, k := range kernels {
			t.Run(fmt.Sprint(c.machine.Level, "/", k.Name), func(t *testing.T) {
				require.NoError(t, kernel.Verify(k))
				require.Contains(t, emit.Plan(k, c.machine).Of(k), "holding")
				for _, rows := range []int64{0, 1, 3, 16, 17, 33, 63, 64, 65, 200, 700} {
					rowsOfProducts(t, k, codes[i], rows)
				}
			})
		}
	}
}

func rowsOfProducts(t *testing.T, k *kernel.Kernel, c kernel.Code, rows int64) {
	sizes := []int64{rows}
	before := kerneltest.NewMemory(k, sizes, kerneltest.Dense, 0)
	before.Fill(rand.New(rand.NewPCG(uint64(rows), 7)))
	want, err := before.Run(evaluate)
	require.NoError(t, err)
	var first *kerneltest.Memory
	for _, layout := range []kerneltest.Layout{kerneltest.Dense, kerneltest.Spread, kerneltest.Reverse} {
		for parts := 1; parts <= 3; parts++ {
			got, err := before.Like(layout, 0xFF).Run(in(c, parts))
			require.NoError(t, err)
			require.NoError(t, kerneltest.Same(want, got, near), "%d rows%s", rows, schedule(c))
			if first == nil {
				first = got
			}
			require.NoError(t, kerneltest.Same(first, got, kerneltest.Tolerance{}), "%d rows in %d parts", rows, parts)
		}
	}
}

// A value that two stages of a kernel compute has the same bits in both: the maximum of a row
// is one of its elements.
func TestStagesComputeTheSameBits(t *testing.T) {
	trials.Sequential(t)
	for _, f := range []string{"tanh", "logistic", "exponential"} {
		for _, sum := range []string{"add", "subtract"} {
			text := strings.NewReplacer("FUNCTION", f, "SUM", sum).Replace(`func.func @main(%x: tensor<500x203xf32>, %y: tensor<500x203xf32>) -> tensor<500xf32> {
  %q = stablehlo.FUNCTION %x : tensor<500x203xf32>
  %w = stablehlo.multiply %q, %q : tensor<500x203xf32>
  %v = stablehlo.SUM %w, %y : tensor<500x203xf32>
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %s = stablehlo.reduce(%v init: %i) applies stablehlo.maximum across dimensions = [1] : (tensor<500x203xf32>, tensor<f32>) -> tensor<500xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<500xf32>) -> tensor<500x203xf32>
  %e = stablehlo.compare EQ, %v, %b : (tensor<500x203xf32>, tensor<500x203xf32>) -> tensor<500x203xi1>
  %f = stablehlo.convert %e : (tensor<500x203xi1>) -> tensor<500x203xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%f init: %z) applies stablehlo.add across dimensions = [1] : (tensor<500x203xf32>, tensor<f32>) -> tensor<500xf32>
  return %r : tensor<500xf32>
}`)
			e := compileFor(t, "cpu", text, backends.Options{Threads: 1})
			c := &backends.Call{Args: randomArgs(t, e, 1)()}
			require.NoError(t, e.Execute(t.Context(), c))
			require.NotContains(t, soa.Slice[float32](c.Results[0]), float32(0), "%s, %s", f, sum)
		}
	}
}
