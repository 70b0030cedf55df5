package simplify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/simplify"
	"ltc/internal/test/growth"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
	"ltc/mlir"
	"ltc/stablehlo"
)

// doubling is a program whose function of each level uses that of the level below
// twice: in full it has more than 2^levels ops.
func doubling(levels int, use string) string {
	var b strings.Builder
	call := func(to, from string, level int) {
		fmt.Fprintf(&b, use+" : (tensor<f32>) -> tensor<f32>\n", to, from, level)
	}
	b.WriteString("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n")
	call("r", "a", levels-1)
	b.WriteString("  return %r : tensor<f32>\n}\n")
	for i := range levels {
		fmt.Fprintf(&b, "func.func private @c%d(%%a: tensor<f32>) -> tensor<f32> {\n", i)
		if i == 0 {
			b.WriteString("  %r = stablehlo.add %a, %a : tensor<f32>\n")
		} else {
			call("x", "a", i-1)
			call("r", "x", i-1)
		}
		b.WriteString("  return %r : tensor<f32>\n}\n")
	}
	return b.String()
}

var doublings = map[string]string{
	"call":      "  %%%s = func.call @c%[3]d(%%%[2]s)",
	"composite": "  %%%s = stablehlo.composite \"my.c%[3]d\" %%%[2]s {decomposition = @c%[3]d}",
}

// Calls and composites that use others twice, level upon level, are inlined as a
// whole or not at all: parts of them would be printed and prepared for each call that
// is left.
func TestNestedCallsAreInlinedWholly(t *testing.T) {
	for name, use := range doublings {
		for levels, want := range map[int]int{10: 1 << 9, 28: 1} {
			var m *mlir.Module
			trials.Soon(t, 5*time.Second, func() {
				var err error
				m, err = stablehlo.Parse("m.mlir", doubling(levels, use))
				require.NoError(t, err, name)
				require.NoError(t, simplify.Inline(t.Context(), m, simplify.Options{}))
			})
			require.Equal(t, want+1, len(m.Func("main").Body().Ops), "%s, %d levels", name, levels)
			all := 0
			m.Walk(func(*mlir.Op) bool { all++; return true })
			require.Less(t, all, 4*want+2000, "%s, %d levels", name, levels)
		}
	}
}

// Many calls of one function are inlined until the module is as large as it may be: the
// first calls are, the others stay.
func TestManyCallsAreInlinedUntilTheLimit(t *testing.T) {
	const ops, calls = 1000, 400
	var b strings.Builder
	b.WriteString("func.func @main(%v0: tensor<f32>) -> tensor<f32> {\n")
	for i := range calls {
		fmt.Fprintf(&b, "  %%v%d = func.call @f(%%v%d) : (tensor<f32>) -> tensor<f32>\n", i+1, i)
	}
	fmt.Fprintf(&b, "  return %%v%d : tensor<f32>\n}\nfunc.func private @f(%%v0: tensor<f32>) -> tensor<f32> {\n", calls)
	for i := range ops {
		fmt.Fprintf(&b, "  %%v%d = stablehlo.add %%v%d, %%v0 : tensor<f32>\n", i+1, i)
	}
	fmt.Fprintf(&b, "  return %%v%d : tensor<f32>\n}\n", ops)
	m, err := stablehlo.Parse("m.mlir", b.String())
	require.NoError(t, err)
	require.NoError(t, simplify.Inline(t.Context(), m, simplify.Options{}))
	all, left := 0, 0
	m.Walk(func(op *mlir.Op) bool {
		all++
		if op.Code == mlir.OpCall {
			left++
		}
		return true
	})
	require.LessOrEqual(t, all, 200_000+calls)
	require.Greater(t, all, 190_000, "a call that fits is inlined")
	require.Greater(t, left, calls/2)
	require.Equal(t, "func.call", m.Func("main").Body().Ops[len(m.Func("main").Body().Ops)-2].Name(), "the last call stays")
}

// Functions each of which calls the next become the ops of main: each op is copied once,
// for the place where it ends up, and not once for each function on the way there.
func TestOpsOfAChainOfCallsAreCopiedOnce(t *testing.T) {
	const functions = 4000
	m, err := stablehlo.Parse("m.mlir", programs.Many["functions that call the next"](functions))
	require.NoError(t, err)
	before := map[*mlir.Op]bool{}
	m.Walk(func(op *mlir.Op) bool { before[op] = true; return true })
	require.NoError(t, simplify.Inline(t.Context(), m, simplify.Options{}))
	copies := 0
	m.Walk(func(op *mlir.Op) bool {
		if !before[op] {
			copies++
		}
		return true
	})
	require.Equal(t, functions-1, copies)
	require.Len(t, m.Func("main").Body().Ops, functions)
}

// The work of inlining such functions grows as their number does.
func TestInliningAChainOfCallsIsLinear(t *testing.T) {
	growth.Linear(t, 100, func(n int) func() {
		m, err := stablehlo.Parse("m.mlir", programs.Many["functions that call the next"](n))
		require.NoError(t, err)
		return func() { require.NoError(t, simplify.Inline(t.Context(), m, simplify.Options{})) }
	})
}
