package simplify_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify"
	"ltc/mlir"
)

const layers = `module {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = func.call @layer(%a) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = func.call @layer(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c = stablehlo.constant dense<-0.0> : tensor<4xf32>
    %0 = stablehlo.add %x, %c : tensor<4xf32>
    %1 = stablehlo.tanh %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
`

// Every pass that changes the module shows what it leaves: a text that reads.
func TestDump(t *testing.T) {
	m := parse(t, "layers", layers)
	var names []string
	o := folding
	o.Dump = func(pass string, m *mlir.Module) {
		names = append(names, pass)
		printed(t, m)
	}
	require.NoError(t, simplify.Run(t.Context(), m, o))
	require.Equal(t, []string{"inline", "cse", "algebra"}, names)
	require.Equal(t, `module {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.tanh %a : tensor<4xf32>
    %1 = stablehlo.tanh %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}
`, mlir.Print(m))
}

// An op keeps its ordinal and its place in the text, and says who called it; what
// stands for others has those of the op that would have failed.
func TestOrigin(t *testing.T) {
	m := parse(t, "origin.mlir", `func.func @main(%a: tensor<4xi32>, %b: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %0 = func.call @f(%a) : (tensor<4xi32>) -> tensor<4xi32> loc("step.go":7:0)
  %1 = stablehlo.negate %b : tensor<4xi32>
  %2 = stablehlo.add %a, %1 : tensor<4xi32> loc("step.go":9:0)
  return %0, %2 : tensor<4xi32>, tensor<4xi32>
}
func.func private @f(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = stablehlo.abs %x : tensor<4xi32> loc("layer.go":3:0)
  return %0 : tensor<4xi32>
}`)
	places := map[string]string{}
	m.Walk(func(op *mlir.Op) bool { places[op.Name()] = fmt.Sprintf("%d at %v", op.Ordinal, op.Pos); return true })
	require.NoError(t, simplify.Run(t.Context(), m, simplify.Options{}))
	seen := map[string]*mlir.Op{}
	m.Walk(func(op *mlir.Op) bool { seen[op.Name()] = op; return true })
	abs, sub := seen["stablehlo.abs"], seen["stablehlo.subtract"]
	require.Equal(t, places["stablehlo.abs"], fmt.Sprintf("%d at %v", abs.Ordinal, abs.Pos))
	require.Equal(t, `callsite("layer.go":3:0 at "step.go":7:0)`, abs.Loc.String())
	require.Equal(t, places["stablehlo.add"], fmt.Sprintf("%d at %v", sub.Ordinal, sub.Pos))
	require.Equal(t, `"step.go":9:0`, sub.Loc.String())
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(fmt.Errorf("enough"))
	require.EqualError(t, simplify.Run(ctx, parse(t, "layers", layers), simplify.Options{}), "enough")
}

// What the target has itself stays, with the functions that it stands for, which
// are simplified too.
func TestKeep(t *testing.T) {
	const text = `module {
  func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.composite "ltc.softmax" %a {decomposition = @softmax} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.composite "ltc.erf" %a {decomposition = @erf} : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @softmax(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = func.call @erf(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.tanh %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
`
	require.Equal(t, `module {
  func.func @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.composite "ltc.softmax" %a {decomposition = @softmax} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }
  func.func private @softmax(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.tanh %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
`, simplified(t, "keep", text, simplify.Options{Keep: map[string]bool{"ltc.softmax": true, "chlo.erf": true}}))
}

// Constants that look different and are equal are one.
func TestEqualConstants(t *testing.T) {
	const text = `func.func @main() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.constant dense<1.0> : tensor<2xf32>
  %1 = stablehlo.constant dense<[1.00, 1e0]> : tensor<2xf32>
  %2 = stablehlo.constant dense<"0x0000803F0000803F"> : tensor<2xf32>
  %3 = stablehlo.constant dense<[1.0, -1.0]> : tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}`
	require.Equal(t, 2, strings.Count(simplified(t, "constants", text, simplify.Options{}), "constant"))
}

// The order of maps does not show.
func TestSameText(t *testing.T) {
	for seed := range uint64(20) {
		text := bigProgram(seed, 200)
		require.Equal(t, simplified(t, "once", text, folding), simplified(t, "twice", text, folding))
	}
}
