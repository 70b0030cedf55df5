package llvm

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/samples"
)

// BenchmarkConvolutions compares, by turns, convolutions of images of n, size² and
// features with as many windows of 3², and a product of as many operations, and
// the evaluator.
func BenchmarkConvolutions(b *testing.B) {
	for _, c := range []struct{ n, size, in, out, kernel, stride int }{
		{8, 56, 64, 64, 3, 1}, {8, 28, 128, 128, 3, 1}, {8, 7, 512, 512, 3, 1}, {4, 112, 3, 64, 7, 2}, {8, 56, 64, 256, 1, 1},
	} {
		for _, layout := range []string{"b, 0, 1, f", "b, f, 0, 1"} {
			b.Run(fmt.Sprintf("%dx%dx%dx%d k%d to %d [%s]", c.n, c.size, c.size, c.in, c.kernel, c.out, layout), func(b *testing.B) {
				places := (c.size-1)/c.stride + 1
				image := func(size, features int) string {
					if layout == "b, 0, 1, f" {
						return fmt.Sprintf("tensor<%dx%dx%dx%dxf32>", c.n, size, size, features)
					}
					return fmt.Sprintf("tensor<%dx%dx%dx%dxf32>", c.n, features, size, size)
				}
				pad := c.kernel / 2
				conv := fmt.Sprintf(`func.func @main(%%x: %[1]s, %%w: %[2]s) -> %[3]s {
  %%0 = stablehlo.convolution(%%x, %%w) dim_numbers = [%[4]s]x[0, 1, i, o]->[%[4]s], window = {stride = [%[5]d, %[5]d], pad = [[%[6]d, %[7]d], [%[6]d, %[7]d]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%[1]s, %[2]s) -> %[3]s
  return %%0 : %[3]s
}`, image(c.size, c.in), fmt.Sprintf("tensor<%dx%dx%dx%dxf32>", c.kernel, c.kernel, c.in, c.out), image(places, c.out), layout, c.stride, pad, pad)
				m, k := c.n*places*places, c.kernel*c.kernel*c.in
				dot := fmt.Sprintf(`func.func @main(%%x: tensor<%[1]dx%[2]dxf32>, %%w: tensor<%[2]dx%[3]dxf32>) -> tensor<%[1]dx%[3]dxf32> {
  %%0 = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (tensor<%[1]dx%[2]dxf32>, tensor<%[2]dx%[3]dxf32>) -> tensor<%[1]dx%[3]dxf32>
  return %%0 : tensor<%[1]dx%[3]dxf32>
}`, m, k, c.out)
				runs := []func(){running(b, "cpu", conv), running(b, "cpu", dot), running(b, "eval", conv)}
				best := [3]time.Duration{time.Hour, time.Hour, time.Hour}
				for b.Loop() {
					for i, run := range runs {
						start := time.Now()
						run()
						best[i] = min(best[i], time.Since(start))
					}
				}
				flops := 2 * float64(m) * float64(k) * float64(c.out)
				for i, what := range []string{"conv", "matmul", "eval"} {
					b.ReportMetric(flops/float64(best[i].Nanoseconds()), what+"-GFLOP/s")
				}
			})
		}
	}
}

// running returns what runs a program again and again on one thread.
func running(b *testing.B, backend, text string) func() {
	open, err := backends.Open(backend)
	require.NoError(b, err)
	e, err := open.Compile(b.Context(), backends.NewModule(text), backends.Options{Threads: 1})
	require.NoError(b, err)
	c := &backends.Call{}
	for i, a := range e.Signature().Args {
		v, err := samples.Make(a.Type, fmt.Sprintf("rand:%d", i))
		require.NoError(b, err)
		c.Args = append(c.Args, v)
	}
	return func() { require.NoError(b, e.Execute(b.Context(), c)) }
}
