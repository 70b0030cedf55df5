package mlirtext_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/diag"
	"ltc/mlir"
	"ltc/stablehlo"
	"ltc/stablehlo/verify"
)

func TestParseTree(t *testing.T) {
	m, err := stablehlo.Parse("step.mlir", `#loc = loc("train.go":3:9)
module @step {
  func.func @main(%x: tensor<2x3xf32> loc(#loc)) -> (tensor<2xf32>, tensor<2xf32>) {
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %s:2 = "test.two"(%x, %c) : (tensor<2x3xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>)
    %r = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> loc(#loc)
    return %s#1, %r : tensor<2xf32>, tensor<2xf32>
  }
}`)
	require.NoError(t, err)
	require.Equal(t, "step", m.Name)
	f := m.Func("main")
	require.Equal(t, "(tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>)", f.FuncType().String())
	ops := f.Body().Ops
	require.Len(t, ops, 4)
	two, reduce, ret := ops[1], ops[2], ops[3]
	require.Same(t, f.Body().Args[0], two.Operands[0])
	require.Same(t, two.Results[1], ret.Operands[0])
	require.Equal(t, 1, two.Results[1].Index)
	require.Equal(t, "s", two.Results[1].Name)
	require.Equal(t, mlir.Pos{Line: 6, Col: 10}, reduce.Pos)
	require.Equal(t, mlir.FileLoc{File: "train.go", Line: 3, Col: 9}, reduce.Loc)
	require.Equal(t, mlir.FileLoc{File: "train.go", Line: 3, Col: 9}, f.Body().Args[0].Loc)
	dims, ok := mlir.Ints(reduce.Attrs.Get("dimensions"))
	require.True(t, ok)
	require.Equal(t, []int64{1}, dims)
	inner := reduce.Body()
	require.Equal(t, "stablehlo.add", inner.Ops[0].Name())
	require.Same(t, inner.Args[1], inner.Ops[0].Operands[1])
	require.Same(t, inner.Ops[0].Results[0], inner.Ops[1].Operands[0])
	// func, constant, two, reduce, add, return, return
	require.Equal(t, []int{0, 1, 2, 3, 6}, []int{f.Ordinal, ops[0].Ordinal, two.Ordinal, reduce.Ordinal, ret.Ordinal})
	// Equal types of one text are one value, so that comparing them is cheap.
	require.Same(t, reduce.Results[0].Type, ret.Operands[0].Type)
}

func TestBuiltModulesPrint(t *testing.T) {
	vec := mlir.Tensor(mlir.F32, 4)
	f := mlir.NewFunc("main", "public", []mlir.Type{vec, vec}, []mlir.Type{vec})
	args := f.Body().Args
	args[1].Name = "0" // taken before the first number is given
	add := mlir.NewOp(mlir.CodeOf("stablehlo.add"), args, vec)
	two := mlir.NewOp(0, add.Results, vec, vec)
	two.SetName("test.two")
	two.Results[0].Name, two.Results[1].Name = "not a name", "arg0"
	ret := mlir.NewOp(mlir.OpReturn, []*mlir.Value{two.Results[1]})
	f.Body().Ops = []*mlir.Op{add, two, ret}
	m := &mlir.Module{Ops: []*mlir.Op{f}}
	require.NoError(t, verify.Module(m))
	require.Equal(t, `module {
  func.func public @main(%arg0: tensor<4xf32>, %0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.add %arg0, %0 : tensor<4xf32>
    %2, %arg0_0 = "test.two"(%1) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    return %arg0_0 : tensor<4xf32>
  }
}
`, mlir.Print(m))
	require.Equal(t, "%2 = stablehlo.add %1, %0 : tensor<4xf32>", add.String())

	ret.Operands[0] = &mlir.Value{Name: "stray", Type: vec}
	require.EqualError(t, verify.Module(m), "error: func.return: operand 0, %stray, is not defined where it is used")
}

func TestDeepNestingIsAnError(t *testing.T) {
	const n = 100_000
	for name, text := range map[string]string{
		"lists":    `"t.o"() {a = ` + strings.Repeat("[", n) + strings.Repeat("]", n) + `} : () -> ()`,
		"types":    `func.func private @f(` + strings.Repeat("tuple<", n) + strings.Repeat(">", n) + `)`,
		"regions":  strings.Repeat("module {", n) + strings.Repeat("}", n),
		"literals": `%0 = stablehlo.constant dense<` + strings.Repeat("[", n) + strings.Repeat("]", n) + `> : tensor<1xf32>`,
	} {
		_, err := stablehlo.Parse(name, text)
		require.ErrorContains(t, err, "brackets nest deeper than 200", name)
	}
	var chain, laughs strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&chain, "#a%d = [#a%d]\n", i, i+1)
	}
	_, err := stablehlo.Parse("chain", chain.String()+`"t.o"() {x = #a0} : () -> ()`)
	require.ErrorContains(t, err, "more than 1000 deep")
	for i := range 50 {
		fmt.Fprintf(&laughs, "!t%d = tuple<!t%d, !t%d>\n", i+1, i, i)
	}
	_, err = stablehlo.Parse("laughs", laughs.String()+"!t0 = i1\nfunc.func private @f(!t50)")
	require.ErrorContains(t, err, "stands for a text of more than")
}

func TestErrorForms(t *testing.T) {
	_, err := stablehlo.Parse("a.mlir", "func.func @f() {\n  \xff\n}")
	require.EqualError(t, err, "a.mlir:2:3: error: byte 0xff is not UTF-8\n  ?\n  ^")
	var one *mlir.Error
	require.ErrorAs(t, err, &one)
	require.Equal(t, mlir.Pos{Line: 2, Col: 3}, one.Pos)

	_, err = stablehlo.Parse("a.mlir", "ML\xefR\x0bStableHLO")
	require.EqualError(t, err, "a.mlir:1:1: error: this is MLIR bytecode; export the program as text: mlir_module() of a jax.export, lower(…).as_text(), str(module) or mlir-opt")

	_, err = stablehlo.Parse("a.mlir", "\n\"t.o\"(%a, %b) : (i1, i1) -> ()")
	var several mlir.Errors
	require.ErrorAs(t, err, &several)
	require.Len(t, several, 2)
	require.ErrorAs(t, err, &one)

	// Of a line too long to show, the part around the column is.
	_, err = stablehlo.Parse("long.mlir", `%0 = stablehlo.constant dense<[`+strings.Repeat("1, ", 1000)+`x]> : tensor<1001xi32>`)
	require.ErrorContains(t, err, "long.mlir:1:3032: error: x is not a number of type i32\n")
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, 3)
	require.LessOrEqual(t, len(lines[1]), diag.Shown)
	require.Equal(t, byte('x'), lines[1][len(lines[2])-1])
}

func TestParseContext(t *testing.T) {
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(context.Background())
	m, err := stablehlo.ParseContext(ctx, "a.mlir", constantText(10, false))
	require.NoError(t, err)
	require.Len(t, m.Ops, 1)
	cancel(gone)
	_, err = stablehlo.ParseContext(ctx, "a.mlir", "\n"+constantText(10, false))
	require.ErrorIs(t, err, gone)
	require.EqualError(t, err, "a.mlir: parse ended on line 2: gone")
}
