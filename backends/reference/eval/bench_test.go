package eval

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

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

func BenchmarkChain100(b *testing.B) { benchmark(b, programs.Chain(100)) }

func BenchmarkMatMul(b *testing.B) {
	for _, s := range [][3]int{{64, 512, 784}, {512, 512, 512}, {784, 512, 64}} {
		b.Run(fmt.Sprintf("%dx%dx%d", s[0], s[1], s[2]), func(b *testing.B) {
			benchmark(b, programs.MatMul(s[0], s[1], s[2], "f32"))
			b.ReportMetric(2*float64(s[0]*s[1]*s[2])*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkMLPStep(b *testing.B) { benchmark(b, programs.MLPStep(64, 784, 512, 256, 10)) }

// A run of a small program allocates nothing once its workspace is made.
func TestSteadyStateAllocations(t *testing.T) {
	if trials.Race {
		t.Skip("the race detector makes sync.Pool forget workspaces")
	}
	e := compile(t, programs.Chain(100))
	c := &backends.Call{Args: arguments(e), Results: results(e)}
	run := func() { require.NoError(t, e.Execute(context.Background(), c)) }
	run()
	require.Less(t, testing.AllocsPerRun(100, run), 1.0)
}

// BenchmarkAddFresh is the overhead of a run: one op, its result's memory made
// anew each time.
func BenchmarkAddFresh(b *testing.B) {
	e := compile(b, programs.Chain(1))
	c := &backends.Call{Args: arguments(e), Results: make([]soa.View, 1)}
	b.ReportAllocs()
	for b.Loop() {
		c.Results[0] = soa.View{}
		require.NoError(b, e.Execute(context.Background(), c))
	}
}

// BenchmarkCompile is parsing, verifying and preparing.
func BenchmarkCompile(b *testing.B) {
	text := programs.MLPStep(64, 784, 512, 256, 10)
	b.ReportAllocs()
	for b.Loop() {
		compile(b, text)
	}
}
