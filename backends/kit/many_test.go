package kit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference/eval"
	"ltc/internal/test/kittest"
)

// manyUpdates returns a program of n updates of one tensor after the other, each of
// what is read of the one before.
func manyUpdates(n int) string {
	var b strings.Builder
	b.WriteString("func.func public @main(%x: tensor<8192xf32>, %u: tensor<2xf32>, %i: tensor<i32>) -> (tensor<8192xf32>) {\n")
	b.WriteString("  %x0 = stablehlo.reverse %x, dims = [0] : tensor<8192xf32>\n")
	for i := range n {
		fmt.Fprintf(&b, `  %%s%[1]d = stablehlo.dynamic_slice %%x%[1]d, %%i, sizes = [2] : (tensor<8192xf32>, tensor<i32>) -> tensor<2xf32>
  %%a%[1]d = stablehlo.add %%s%[1]d, %%u : tensor<2xf32>
  %%x%[2]d = stablehlo.dynamic_update_slice %%x%[1]d, %%a%[1]d, %%i : (tensor<8192xf32>, tensor<2xf32>, tensor<i32>) -> tensor<8192xf32>
`, i, i+1)
	}
	fmt.Fprintf(&b, "  func.return %%x%d : tensor<8192xf32>\n}\n", n)
	return b.String()
}

// All of a long chain of updates are written over one memory.
func TestManyUpdates(t *testing.T) {
	p := kittest.Same(t, manyUpdates(200))
	require.Equal(t, 64, p.Arena, "an update, and no copy of what is updated")
}

// What an update takes to compile does not depend on how many there are.
func BenchmarkManyUpdates(b *testing.B) {
	for _, n := range []int{250, 2000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				p, err := backends.Load(b.Context(), backends.NewModule(manyUpdates(n)), backends.Options{})
				require.NoError(b, err)
				_, err = kit.Compile(b.Context(), p, kit.Options{Eval: eval.New()})
				require.NoError(b, err)
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/update")
		})
	}
}
