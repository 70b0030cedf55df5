package mlir

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

const benchLines = 20_000

func benchText() string {
	var b strings.Builder
	b.WriteString("module {\n  func.func public @main(%0: tensor<8x8xf32>, %1: tensor<8x8xf32>) -> tensor<8x8xf32> {\n")
	for i := 2; i < benchLines+2; i++ {
		fmt.Fprintf(&b, "    %%%d = stablehlo.add %%%d, %%%d : tensor<8x8xf32> loc(#loc%d)\n", i, i-1, i-2, i%100+1)
	}
	fmt.Fprintf(&b, "    return %%%d : tensor<8x8xf32>\n  }\n}\n", benchLines+1)
	for i := range 101 {
		fmt.Fprintf(&b, "#loc%d = loc(\"train.go\":%d:3)\n", i, i)
	}
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	text := benchText()
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse("bench.mlir", text); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(benchLines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

func benchModule(b *testing.B, each func(*Module) error) {
	m, err := Parse("bench.mlir", benchText())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := each(m); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(benchLines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}

func BenchmarkPrint(b *testing.B) {
	benchModule(b, func(m *Module) error { return m.Print(io.Discard, PrintOptions{Locations: true}) })
}

func BenchmarkVerify(b *testing.B) { benchModule(b, Verify) }
