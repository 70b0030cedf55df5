package mlirtext_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
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

// genericText is benchText in the generic form, with attributes and without
// aliases.
func genericText() string {
	var b strings.Builder
	b.WriteString("func.func @main(%0: tensor<8x8xf32>, %1: tensor<8x8xf32>) -> tensor<8x8xf32> {\n")
	for i := 2; i < benchLines+2; i++ {
		fmt.Fprintf(&b, "  %%%d = \"stablehlo.reduce_precision\"(%%%d) <{exponent_bits = 8 : i32, mantissa_bits = 10 : i32}> "+
			"{tag = \"a\"} : (tensor<8x8xf32>) -> tensor<8x8xf32> loc(\"train.go\":%d:3)\n", i, i-1, i)
	}
	fmt.Fprintf(&b, "  return %%%d : tensor<8x8xf32>\n}\n", benchLines+1)
	return b.String()
}

func BenchmarkParse(b *testing.B) {
	for _, c := range []struct {
		name, text string
	}{{"pretty", benchText()}, {"generic", genericText()}} {
		b.Run(c.name, func(b *testing.B) {
			benchParse(b, c.text)
			b.ReportMetric(benchLines*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
		})
	}
}

func benchParse(b *testing.B, text string) {
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := stablehlo.Parse("bench.mlir", text); err != nil {
			b.Fatal(err)
		}
	}
}

// constantText is a constant of n f32, each of its own value.
func constantText(n int, hexadecimal bool) string {
	var b strings.Builder
	b.WriteString("%0 = stablehlo.constant dense<")
	if hexadecimal {
		b.WriteString(`"0x`)
	}
	for i := range n {
		switch {
		case hexadecimal:
			fmt.Fprintf(&b, "%08X", uint32(i)*2654435761)
		case i > 0:
			fmt.Fprintf(&b, ", %.6e", float32(i)/7)
		default:
			b.WriteString("[0.000000e+00")
		}
	}
	b.WriteString(map[bool]string{true: `"`, false: "]"}[hexadecimal])
	fmt.Fprintf(&b, "> : tensor<%dxf32>\n", n)
	return b.String()
}

func BenchmarkDense(b *testing.B) {
	for _, name := range []string{"decimal", "hex"} {
		b.Run(name, func(b *testing.B) { benchParse(b, constantText(1<<20, name == "hex")) })
	}
}

// arrayText is an op with n integers: an array<…>, or a list of attributes.
func arrayText(n int, open, close string) string {
	var b strings.Builder
	b.WriteString(`"t.o"() {a = ` + open)
	for i := range n {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", i*7919)
	}
	return b.String() + close + "} : () -> ()\n"
}

func BenchmarkArray(b *testing.B) {
	b.Run("array", func(b *testing.B) { benchParse(b, arrayText(1<<18, "array<i64: ", ">")) })
	b.Run("list", func(b *testing.B) { benchParse(b, arrayText(1<<18, "[", "]")) })
}

func benchModule(b *testing.B, each func(*mlir.Module) error) {
	m, err := stablehlo.Parse("bench.mlir", benchText())
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
	benchModule(b, func(m *mlir.Module) error { return m.Print(io.Discard, mlir.PrintOptions{Locations: true}) })
}

func BenchmarkVerify(b *testing.B) { benchModule(b, verify.Module) }
