package kit_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/reference"
)

// large are programs of n equal parts, by what they have many of.
var large = map[string]func(n int) string{
	"operands of a concatenation": func(n int) string {
		var args []string
		for i := range n {
			args = append(args, fmt.Sprintf("%%a%d: tensor<4xf32>", i))
		}
		return fmt.Sprintf("func.func @main(%s) -> tensor<%dxf32> {\n%s}\n", strings.Join(args, ", "), 4*n, joined("a", n))
	},
	"values of a concatenation": func(n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "func.func @main(%%v0: tensor<4xf32>) -> tensor<%dxf32> {\n", 4*n)
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%v%d = stablehlo.exponential %%v%d : tensor<4xf32>\n", i, i-1)
		}
		return b.String() + joined("v", n) + "}\n"
	},
	"slices": func(n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "func.func @main(%%a: tensor<%dxf32>) -> tensor<4xf32> {\n", 8*n)
		fmt.Fprintf(&b, "  %%v0 = stablehlo.slice %%a [0:4] : (tensor<%dxf32>) -> tensor<4xf32>\n", 8*n)
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%t%d = stablehlo.slice %%a [%d:%d] : (tensor<%dxf32>) -> tensor<4xf32>\n", i, 8*i, 8*i+4, 8*n)
			fmt.Fprintf(&b, "  %%v%d = stablehlo.add %%v%d, %%t%d : tensor<4xf32>\n", i, i-1, i)
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<4xf32>\n}\n", n-1)
		return b.String()
	},
	"ops in a chain": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%v%d = stablehlo.%s %%v%d : tensor<4xf32>\n", i, []string{"sine", "cosine", "exponential"}[i%3], i-1)
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<4xf32>\n}\n", n-1)
		return b.String()
	},
	"arguments and results": func(n int) string {
		var args, types, values []string
		var b strings.Builder
		for i := range n {
			args, types, values = append(args, fmt.Sprintf("%%a%d: tensor<4xf32>", i)), append(types, "tensor<4xf32>"), append(values, fmt.Sprintf("%%v%d", i))
			fmt.Fprintf(&b, "  %%v%d = stablehlo.exponential %%a%d : tensor<4xf32>\n", i, i)
		}
		return fmt.Sprintf("func.func @main(%s) -> (%s) {\n%s  return %s : %s\n}\n", strings.Join(args, ", "), strings.Join(types, ", "), b.String(), strings.Join(values, ", "), strings.Join(types, ", "))
	},
	"constants": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%c%d = stablehlo.constant dense<[%d.0, 1.0, 2.0, 3.0]> : tensor<4xf32>\n", i, i)
			fmt.Fprintf(&b, "  %%v%d = stablehlo.maximum %%v%d, %%c%d : tensor<4xf32>\n", i, i-1, i)
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<4xf32>\n}\n", n-1)
		return b.String()
	},
	"users of a value": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %e = stablehlo.exponential %a : tensor<4xf32>\n")
		for i := range n {
			fmt.Fprintf(&b, "  %%c%d = stablehlo.constant dense<%d.5> : tensor<4xf32>\n  %%t%d = stablehlo.multiply %%e, %%c%d : tensor<4xf32>\n  %%s%d = stablehlo.sine %%t%d : tensor<4xf32>\n", i, i, i, i, i, i)
		}
		b.WriteString("  %v0 = stablehlo.add %s0, %a : tensor<4xf32>\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%v%d = stablehlo.add %%v%d, %%s%d : tensor<4xf32>\n", i, i-1, i)
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<4xf32>\n}\n", n-1)
		return b.String()
	},
}

// joined is a concatenation of the first n of the values that a name begins, and its
// return.
func joined(name string, n int) string {
	var values, types []string
	for i := range n {
		values, types = append(values, fmt.Sprintf("%%%s%d", name, i)), append(types, "tensor<4xf32>")
	}
	return fmt.Sprintf("  %%r = stablehlo.concatenate %s, dim = 0 : (%s) -> tensor<%dxf32>\n  return %%r : tensor<%dxf32>\n", strings.Join(values, ", "), strings.Join(types, ", "), 4*n, 4*n)
}

// compileTime returns the least time of some that compiling a program to kernels takes.
func compileTime(t testing.TB, text string, times int) time.Duration {
	best := time.Hour
	for range times {
		p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
		require.NoError(t, err)
		start := time.Now()
		_, err = kit.Compile(t.Context(), p, kit.Options{Eval: reference.New(), Cut: reference.Cut})
		require.NoError(t, err)
		best = min(best, time.Since(start))
	}
	return best
}

// A program of many equal parts compiles in time that grows with their number: eight
// times as many take 8 times as long, where quadratic passes would take 64.
func TestCompileTimeIsLinear(t *testing.T) {
	const few, many = 500, 4000
	for name, text := range large {
		for try := 1; ; try++ { // other programs may be at work
			small, whole := compileTime(t, text(few), 3), compileTime(t, text(many), 1)
			t.Logf("%s: %v for %d, %v for %d", name, small, few, whole, many)
			if most := 24*small.Seconds() + 0.05; whole.Seconds() < most {
				break
			} else if try == 4 {
				require.Less(t, whole.Seconds(), most, name)
			}
		}
	}
}
