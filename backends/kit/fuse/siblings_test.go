package fuse_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/fuse"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/internal/test/golden"
)

// compileJoined compiles, and returns the program with the graph before and after
// siblings are joined.
func compileJoined(t *testing.T, text string) (p *plan.Program, before, after string) {
	p, graphs := compileGraphs(t, text, fuse.Options{})
	return p, graphs["packed"], graphs["joined"]
}

// twoOfThree has two results of the columns of one matrix.
const twoOfThree = `func.func @main(%x: tensor<40x3xf32>) -> (tensor<40x1xf32>, tensor<40xf32>) {
  %0 = stablehlo.slice %x [0:40, 0:1] : (tensor<40x3xf32>) -> tensor<40x1xf32>
  %1 = stablehlo.slice %x [0:40, 1:2] : (tensor<40x3xf32>) -> tensor<40x1xf32>
  %2 = stablehlo.slice %x [0:40, 2:3] : (tensor<40x3xf32>) -> tensor<40x1xf32>
  %3 = stablehlo.multiply %0, %1 : tensor<40x1xf32>
  %4 = stablehlo.add %3, %2 : tensor<40x1xf32>
  %5 = stablehlo.multiply %0, %2 : tensor<40x1xf32>
  %6 = stablehlo.subtract %5, %1 : tensor<40x1xf32>
  %7 = stablehlo.reshape %6 : (tensor<40x1xf32>) -> tensor<40xf32>
  return %4, %7 : tensor<40x1xf32>, tensor<40xf32>
}`

// Two results of the columns of one matrix, one of them of another rank, are one
// kernel, which loads each element once.
func TestJoined(t *testing.T) {
	samePasses(t, twoOfThree)
	_, before, after := compileJoined(t, twoOfThree)
	golden.Is(t, "testdata/passes/joined.txt", "-- before --\n"+before+"-- after --\n"+after)
}

// donating is what comes after the first arguments of a program that takes over two
// more.
const donating = `, %m: T {tf.aliasing_output = 0 : i32}, %v: T {tf.aliasing_output = 1 : i32}) -> (T, T, T) {`

// matrices says what T is.
var matrices = strings.NewReplacer("T {", "tensor<80x80xf32> {", "T)", "tensor<80x80xf32>)", "T,", "tensor<80x80xf32>,", "T\n", "tensor<80x80xf32>\n")

// Nodes are joined where neither needs the other, all that both read is there, and
// an element that one loads for a point the other loads for it, too.
func TestWhatIsJoined(t *testing.T) {
	const head = "func.func @main(%x: T, %y: T, %z: T"
	for _, c := range []struct {
		name    string
		text    string // after head
		kernels int
	}{
		{"two of the same", `) -> (T, T) {
  %0 = stablehlo.multiply %x, %y : T
  %1 = stablehlo.subtract %x, %z : T
  return %0, %1 : T, T
}`, 1},
		{"of nothing in common", `) -> (T, T) {
  %0 = stablehlo.multiply %x, %x : T
  %1 = stablehlo.multiply %y, %z : T
  return %0, %1 : T, T
}`, 2},
		{"of a scalar in common", `, %s: tensor<f32>) -> (T, T) {
  %s0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> T
  %0 = stablehlo.multiply %x, %s0 : T
  %1 = stablehlo.multiply %y, %s0 : T
  return %0, %1 : T, T
}`, 2},
		{"one across the other", `) -> (T, T) {
  %0 = stablehlo.multiply %x, %y : T
  %1 = stablehlo.transpose %x, dims = [1, 0] : (T) -> T
  %2 = stablehlo.subtract %1, %z : T
  return %0, %2 : T, T
}`, 2},
		{"of other elements", `) -> (tensor<40x80xf32>, tensor<40x80xf32>) {
  %0 = stablehlo.slice %x [0:40, 0:80] : (T) -> tensor<40x80xf32>
  %1 = stablehlo.slice %x [40:80, 0:80] : (T) -> tensor<40x80xf32>
  %2 = stablehlo.tanh %0 : tensor<40x80xf32>
  %3 = stablehlo.exponential %1 : tensor<40x80xf32>
  return %2, %3 : tensor<40x80xf32>, tensor<40x80xf32>
}`, 2},
		{"of other sizes", `) -> (T, tensor<40x80xf32>) {
  %0 = stablehlo.multiply %x, %y : T
  %1 = stablehlo.slice %x [0:40, 0:80] : (T) -> tensor<40x80xf32>
  %2 = stablehlo.tanh %1 : tensor<40x80xf32>
  return %0, %2 : T, tensor<40x80xf32>
}`, 2},
		{"five of one", `) -> (T, T, T, T, T) {
  %0 = stablehlo.multiply %x, %y : T
  %1 = stablehlo.subtract %x, %y : T
  %2 = stablehlo.add %x, %y : T
  %3 = stablehlo.maximum %x, %y : T
  %4 = stablehlo.minimum %x, %y : T
  return %0, %1, %2, %3, %4 : T, T, T, T, T
}`, 2},
		{"one by what the other becomes", `) -> (T, T, T) {
  %0 = stablehlo.tanh %x : T
  %1 = stablehlo.reverse %0, dims = [0] : T
  %2 = stablehlo.exponential %1 : T
  %3 = stablehlo.reverse %2, dims = [0, 1] : T
  %4 = stablehlo.multiply %x, %3 : T
  return %0, %2, %4 : T, T, T
}`, 3},
		{"both of arguments that they take over", donating + `
  %0 = stablehlo.add %m, %x : T
  %1 = stablehlo.subtract %v, %x : T
  return %0, %1, %z : T, T, T
}`, 2}, // and a copy
		{"one of an argument that it takes over", donating + `
  %0 = stablehlo.add %m, %x : T
  %1 = stablehlo.subtract %m, %x : T
  return %0, %v, %1 : T, T, T
}`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := matrices.Replace(head + c.text)
			p, _, _ := compileJoined(t, text)
			require.Len(t, p.Steps, c.kernels, fmt.Sprint(p))
			samePasses(t, text)
			for j, r := range p.Signature.Results {
				require.Equal(t, r.Alias >= 0, p.InPlace(j), "result %d", j)
			}
		})
	}
}

// Fields of records, which lie side by side, are places of one operand; columns have
// an operand each.
func TestFields(t *testing.T) {
	p, _, _ := compileJoined(t, twoOfThree)
	for _, c := range []struct {
		layout plan.Layout
		want   []int // the rank of each operand that is read
	}{
		{nil, []int{1, 1, 1}},
		{plan.Layout{kernel.UnitStride, kernel.AnyStride}, []int{1, 1, 1}},
		{plan.Layout{kernel.AnyStride, kernel.UnitStride}, []int{2}},
	} {
		v, err := p.Variant([]plan.Layout{c.layout}, nil)
		require.NoError(t, err)
		var ranks []int
		for _, param := range v.Kernels[v.Steps[0].Launch().Kernel].Params {
			if !param.Out {
				ranks = append(ranks, len(param.Dims))
			}
		}
		require.Equal(t, c.want, ranks, "%v", c.layout)
	}
}
