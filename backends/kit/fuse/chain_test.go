package fuse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/plan"
	"ltc/internal/test/golden"
	"ltc/internal/test/kittest"
	"ltc/internal/test/programs"
)

// few is a target that runs products of up to so many columns row by row.
func few(columns int) func() int { return func() int { return columns } }

// network is two dense layers.
const network = `func.func @main(%x: tensor<40x2xf32>, %w: tensor<2x4xf32>, %b: tensor<4xf32>, %v: tensor<4x1xf32>) -> tensor<40x1xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<40x4xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<40x2xf32>, tensor<2x4xf32>) -> tensor<40x4xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<40x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<40x4xf32>
  %3 = stablehlo.maximum %2, %z : tensor<40x4xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<40x4xf32>, tensor<4x1xf32>) -> tensor<40x1xf32>
  return %4 : tensor<40x1xf32>
}`

// heads has what two products make of the same layer, one of them with a softmax.
const heads = `func.func @main(%x: tensor<40x3xf32>, %w: tensor<3x8xf32>, %v: tensor<8x1xf32>, %u: tensor<8x3xf32>) -> (tensor<40x1xf32>, tensor<40x3xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<40x3xf32>, tensor<3x8xf32>) -> tensor<40x8xf32>
  %1 = stablehlo.tanh %0 : tensor<40x8xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<40x8xf32>, tensor<8x1xf32>) -> tensor<40x1xf32>
  %3 = stablehlo.dot_general %1, %u, contracting_dims = [1] x [0] : (tensor<40x8xf32>, tensor<8x3xf32>) -> tensor<40x3xf32>
  %4 = stablehlo.exponential %3 : tensor<40x3xf32>
  %5 = stablehlo.reduce(%4 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<40x3xf32>, tensor<f32>) -> tensor<40xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<40xf32>) -> tensor<40x3xf32>
  %7 = stablehlo.divide %4, %6 : tensor<40x3xf32>
  return %2, %7 : tensor<40x1xf32>, tensor<40x3xf32>
}`

// Products of few columns that follow each other are one kernel of their rows.
func TestChained(t *testing.T) {
	golden.Is(t, "testdata/passes/chained.txt", fromTo(t, network, fuse.Options{Columns: few(8)}, "merged", "private"))
}

// They are where rows are many, columns few, and what lies between is no one
// else's.
func TestWhatIsChained(t *testing.T) {
	replace := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(network) }
	for _, c := range []struct {
		name    string
		text    string
		columns func() int
		kernels int
	}{
		{"a network", network, few(8), 1},
		{"two heads", heads, few(8), 1},
		{"by a target that does not", network, nil, 2},
		{"too many columns", network, few(3), 2},
		{"few rows", replace("40x", "31x"), few(8), 2},
		{"long rows", replace("40x2x", "40x513x", "tensor<2x4x", "tensor<513x4x"), few(8), 2},
		{"many columns in the end", replace("4x1x", "4x9x", "40x1x", "40x9x"), few(9), 2},
		{"a result, too", replace("-> tensor<40x1xf32> {", "-> (tensor<40x1xf32>, tensor<40x4xf32>) {", "return %4 : tensor<40x1xf32>", "return %4, %3 : tensor<40x1xf32>, tensor<40x4xf32>"), few(8), 2},
		{"other rows", replace("%3, %v, contracting_dims = [1] x [0] : (tensor<40x4xf32>, tensor<4x1xf32>)", "%5, %v, contracting_dims = [1] x [0] : (tensor<40x4xf32>, tensor<4x1xf32>)", "  %4 =", "  %5 = stablehlo.reverse %3, dims = [0] : tensor<40x4xf32>\n  %4 ="), few(8), 2},
		{"integers", replace("f32", "i32", "0.0", "0"), few(8), 2},
		{"numbers of 64 bits", replace("f32", "f64"), few(8), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kittest.CompileFor(t, c.text, fuse.Options{Columns: c.columns})
			require.Len(t, p.Steps, c.kernels, fmt.Sprint(p))
			samePasses(t, c.text)
		})
	}
}

// gates are slices of one product's columns, as recurrent networks have them.
func gates(columns, slices int) string {
	rows := fmt.Sprintf("tensor<64x%dxf32>", columns)
	all := fmt.Sprintf("tensor<64x%dxf32>", 3*columns)
	var b strings.Builder
	fmt.Fprintf(&b, "func.func @main(%%x: tensor<64x32xf32>, %%w: tensor<32x%dxf32>, %%v0: %s) -> %s {\n", 3*columns, rows, rows)
	fmt.Fprintf(&b, "  %%p = stablehlo.dot_general %%x, %%w, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x%dxf32>) -> %s\n", 3*columns, all)
	for i := range slices {
		fmt.Fprintf(&b, "  %%s%d = stablehlo.slice %%p [0:64, %d:%d] : (%s) -> %s\n", i, i*columns, (i+1)*columns, all, rows)
		fmt.Fprintf(&b, "  %%a%d = stablehlo.add %%s%d, %%v%d : %s\n  %%v%d = stablehlo.tanh %%a%d : %s\n", i, i, i, rows, i+1, i, rows)
	}
	fmt.Fprintf(&b, "  return %%v%d : %s\n}", slices, rows)
	return b.String()
}

// A product of which several slices are used is one kernel with what reads them, which
// loops over its columns unless these are few instructions: each function is there once.
func TestReadersOfAProductLoopOverItsColumns(t *testing.T) {
	for _, c := range []struct{ columns, slices, functions int }{
		{32, 1, 1}, {32, 2, 2}, {32, 3, 3}, {64, 3, 3},
	} {
		text := gates(c.columns, c.slices)
		p := kittest.CompileFor(t, text, fuse.Options{Columns: few(256)})
		require.Len(t, p.Steps, 1, "%d slices of %d columns: %v", c.slices, c.columns, p)
		require.Equal(t, c.functions, functions(p), "%d slices of %d columns: %v", c.slices, c.columns, p)
		samePasses(t, text)
	}
}

// functions returns how many instructions of a program's kernels are costly.
func functions(p *plan.Program) (n int) {
	for _, k := range p.Kernels {
		for _, in := range k.Instrs {
			if in.Op.Costly() {
				n++
			}
		}
	}
	return n
}

// A recurrent network's cell of few columns is one kernel of its rows, and a few steps of it
// are some. Their functions are there as often for many columns as for few.
func TestCellsAreChained(t *testing.T) {
	samePasses(t, programs.Cell("lstm", 40, 48, 1)) // its epilogue loops, too
	for _, kind := range []string{"gru", "lstm"} {
		for _, steps := range []int{1, 3} {
			want := functions(kittest.CompileFor(t, programs.Cell(kind, 40, 8, steps), fuse.Options{Columns: few(256)}))
			for _, columns := range []int{8, 16, 24, 32} {
				text := programs.Cell(kind, 40, columns, steps)
				p := kittest.CompileFor(t, text, fuse.Options{Columns: few(256)})
				if steps == 1 {
					require.Len(t, p.Steps, 1, "%s of %d columns: %v", kind, columns, p)
				}
				require.Equal(t, want, functions(p), "%d steps of %s of %d columns: %v", steps, kind, columns, p)
			}
			samePasses(t, programs.Cell(kind, 40, 8, steps))
		}
	}
}
