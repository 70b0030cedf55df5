package reference

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// chain is a program of n elementwise ops on 8x8.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("func.func public @main(%x0: tensor<8x8xf32>, %y: tensor<8x8xf32>) -> tensor<8x8xf32> {\n")
	for i := range n {
		op := []string{"add", "multiply", "subtract", "maximum"}[i%4]
		fmt.Fprintf(&b, "  %%x%d = stablehlo.%s %%x%d, %%y : tensor<8x8xf32>\n", i+1, op, i)
	}
	fmt.Fprintf(&b, "  return %%x%d : tensor<8x8xf32>\n}\n", n)
	return b.String()
}

func matmul(m, n, k int, elem string) string {
	return fmt.Sprintf(`func.func public @main(%%a: tensor<%[1]dx%[3]dx%[4]s>, %%b: tensor<%[3]dx%[2]dx%[4]s>) -> tensor<%[1]dx%[2]dx%[4]s> {
  %%0 = stablehlo.dot_general %%a, %%b, contracting_dims = [1] x [0] : (tensor<%[1]dx%[3]dx%[4]s>, tensor<%[3]dx%[2]dx%[4]s>) -> tensor<%[1]dx%[2]dx%[4]s>
  return %%0 : tensor<%[1]dx%[2]dx%[4]s>
}`, m, n, k, elem)
}

// arguments makes dense arguments for e with values that sums stay finite with.
func arguments(e backends.Executable) []soa.View {
	var args []soa.View
	for i, a := range e.Signature().Args {
		v := soa.Make(a.Type)
		if a.Type.DType == types.F32 {
			for k := range soa.Slice[float32](v) {
				soa.Slice[float32](v)[k] = float32((k*7+i*3)%13-6) / 64
			}
		}
		args = append(args, v)
	}
	return args
}

func results(e backends.Executable) []soa.View {
	var out []soa.View
	for _, r := range e.Signature().Results {
		out = append(out, soa.Make(r.Type))
	}
	return out
}

func benchmark(b *testing.B, text string) {
	e := compile(b, text)
	c := &backends.Call{Args: arguments(e), Results: results(e)}
	b.ReportAllocs()
	for b.Loop() {
		require.NoError(b, e.Execute(context.Background(), c))
	}
}

func BenchmarkChain100(b *testing.B) { benchmark(b, chain(100)) }

func BenchmarkMatMul(b *testing.B) {
	for _, s := range [][3]int{{64, 512, 784}, {512, 512, 512}, {784, 512, 64}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			benchmark(b, matmul(s[0], s[1], s[2], "f32"))
			b.ReportMetric(2*float64(s[0]*s[1]*s[2])*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkMLPStep(b *testing.B) { benchmark(b, mlpStep(64, 784, 512, 256, 10)) }

// A run of a small program allocates nothing once its workspace is made.
func TestSteadyStateAllocations(t *testing.T) {
	if trials.Race {
		t.Skip("the race detector makes sync.Pool forget workspaces")
	}
	e := compile(t, chain(100))
	c := &backends.Call{Args: arguments(e), Results: results(e)}
	run := func() { require.NoError(t, e.Execute(context.Background(), c)) }
	run()
	require.Less(t, testing.AllocsPerRun(100, run), 1.0)
}

// BenchmarkAddFresh is the overhead of a run: one op, its result's memory made
// anew each time.
func BenchmarkAddFresh(b *testing.B) {
	e := compile(b, chain(1))
	c := &backends.Call{Args: arguments(e), Results: make([]soa.View, 1)}
	b.ReportAllocs()
	for b.Loop() {
		c.Results[0] = soa.View{}
		require.NoError(b, e.Execute(context.Background(), c))
	}
}

// BenchmarkCompile is parsing, verifying and preparing.
func BenchmarkCompile(b *testing.B) {
	text := mlpStep(64, 784, 512, 256, 10)
	b.ReportAllocs()
	for b.Loop() {
		compile(b, text)
	}
}
