package simplify_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify"
	"ltc/internal/test/programs"
	"ltc/mlir"
)

func bigProgram(seed uint64, ops int) string {
	return programs.Random(rand.New(rand.NewPCG(seed, 11)), ops)
}

// BenchmarkRun simplifies workloads with the evaluator, and long programs, whose
// time should grow as they do, without.
func BenchmarkRun(b *testing.B) {
	for _, name := range []string{"train_mlp", "encoder_grad"} {
		text, err := os.ReadFile("../testdata/workloads/" + name + ".mlir")
		require.NoError(b, err)
		b.Run(name, func(b *testing.B) { benchmark(b, string(text), folding) })
	}
	for _, ops := range []int{5_000, 10_000, 20_000, 40_000} {
		b.Run(fmt.Sprint(ops), func(b *testing.B) { benchmark(b, bigProgram(1, ops), simplify.Options{}) })
	}
}

func benchmark(b *testing.B, text string, o simplify.Options) {
	for b.Loop() {
		b.StopTimer()
		m := parse(b, "program", text)
		b.StartTimer()
		require.NoError(b, simplify.Run(b.Context(), m, o))
	}
	m := parse(b, "program", text)
	n := 0
	m.Walk(func(*mlir.Op) bool { n++; return true })
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/op-of-text")
}
