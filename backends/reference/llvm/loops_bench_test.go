package llvm

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/env"
	"ltc/internal/samples"
	"ltc/soa"
)

// BenchmarkLoops reports the median time of an iteration of loops whose steps are short, as a chain of
// launches and driven by the host.
func BenchmarkLoops(b *testing.B) {
	compilers(b)
	const steps = 200
	for _, n := range []int{1, 1024} {
		text := fmt.Sprintf(`func.func @main(%%x: tensor<Nxf32>) -> tensor<Nxf32> {
  %%c = stablehlo.constant dense<0> : tensor<i32>
  %%0:2 = stablehlo.while(%%a = %%x, %%i = %%c) : tensor<Nxf32>, tensor<i32> cond {
    %%n = stablehlo.constant dense<%d> : tensor<i32>
    %%1 = stablehlo.compare LT, %%i, %%n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %%1 : tensor<i1>
  } do {
    %%two = stablehlo.constant dense<2.0> : tensor<Nxf32>
    %%1 = stablehlo.multiply %%a, %%a : tensor<Nxf32>
    %%2 = stablehlo.subtract %%1, %%two : tensor<Nxf32>
    %%3 = stablehlo.multiply %%two, %%a : tensor<Nxf32>
    %%4 = stablehlo.divide %%2, %%3 : tensor<Nxf32>
    %%5 = stablehlo.subtract %%a, %%4 : tensor<Nxf32>
    %%one = stablehlo.constant dense<1> : tensor<i32>
    %%6 = stablehlo.add %%i, %%one : tensor<i32>
    stablehlo.return %%5, %%6 : tensor<Nxf32>, tensor<i32>
  }
  return %%0#0 : tensor<Nxf32>
}`, steps)
		for _, driven := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d elements driven %t", n, driven), func(b *testing.B) {
				if driven {
					b.Setenv(env.Checks.Name, "1") // then the host drives loops
				}
				cpu := compiledFor(b, "cpu", strings.ReplaceAll(text, "Nx", fmt.Sprint(n, "x")), 1)
				x, err := samples.Make(cpu.Signature().Args[0].Type, "rand:1")
				require.NoError(b, err)
				call := &backends.Call{Args: []soa.View{x}}
				require.NoError(b, cpu.Execute(b.Context(), call))
				var took []time.Duration
				for b.Loop() {
					took = append(took, timed(func() { err = cpu.Execute(b.Context(), call) }))
					if err != nil {
						b.Fatal(err)
					}
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/steps, "median-ns/iteration")
			})
		}
	}
}
