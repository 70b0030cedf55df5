package programs

import (
	"fmt"
	"strings"
)

// Many are programs of n equal parts, by what they have many of.
var Many = map[string]func(n int) string{
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
	"computed operands": func(n int) string {
		var b strings.Builder
		fmt.Fprintf(&b, "func.func @main(%%x: tensor<4xf32>) -> tensor<%dxf32> {\n", 4*n)
		for i := range n {
			fmt.Fprintf(&b, "  %%c%d = stablehlo.constant dense<%d.0> : tensor<4xf32>\n  %%v%d = stablehlo.add %%x, %%c%d : tensor<4xf32>\n", i, i, i, i)
		}
		return b.String() + joined("v", n) + "}\n"
	},
	"users in a chain": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %v = stablehlo.sine %x : tensor<4xf32>\n  %s0 = stablehlo.cosine %x : tensor<4xf32>\n")
		for i := range n {
			fmt.Fprintf(&b, "  %%m%d = stablehlo.multiply %%s%d, %%v : tensor<4xf32>\n  %%s%d = stablehlo.add %%m%d, %%v : tensor<4xf32>\n", i, i, i+1, i)
		}
		fmt.Fprintf(&b, "  return %%s%d : tensor<4xf32>\n}\n", n)
		return b.String()
	},
	"one operand many times": func(n int) string {
		head := fmt.Sprintf("func.func @main(%%x: tensor<4xf32>) -> tensor<%dxf32> {\n  %%v = stablehlo.sine %%x : tensor<4xf32>\n", 4*n)
		values, types := strings.Repeat("%v, ", n-1)+"%v", strings.Repeat("tensor<4xf32>, ", n-1)+"tensor<4xf32>"
		return head + fmt.Sprintf("  %%r = stablehlo.concatenate %s, dim = 0 : (%s) -> tensor<%dxf32>\n  return %%r : tensor<%dxf32>\n}\n", values, types, 4*n, 4*n)
	},
	"functions": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%v%d = func.call @f%d(%%v%d) : (tensor<4xf32>) -> tensor<4xf32>\n", i, i, i-1)
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<4xf32>\n}\n", n-1)
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "func.func private @f%d(%%x: tensor<4xf32>) -> tensor<4xf32> {\n  %%y = stablehlo.%s %%x : tensor<4xf32>\n  return %%y : tensor<4xf32>\n}\n", i, []string{"sine", "cosine", "exponential"}[i%3])
		}
		return b.String()
	},
	"functions that call the next": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = func.call @f1(%x) : (tensor<4xf32>) -> tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "func.func private @f%d(%%x: tensor<4xf32>) -> tensor<4xf32> {\n  %%z = stablehlo.%s %%x : tensor<4xf32>\n", i, []string{"sine", "cosine", "exponential"}[i%3])
			result := "z"
			if i < n-1 {
				fmt.Fprintf(&b, "  %%y = func.call @f%d(%%z) : (tensor<4xf32>) -> tensor<4xf32>\n", i+1)
				result = "y"
			}
			fmt.Fprintf(&b, "  return %%%s : tensor<4xf32>\n}\n", result)
		}
		return b.String()
	},
	"composites": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%v0: tensor<4xf32>) -> tensor<4xf32> {\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%v%d = stablehlo.composite \"my.op\" %%v%d {composite_attributes = {n = %d : i64}, decomposition = @g%d} : (tensor<4xf32>) -> tensor<4xf32>\n", i, i-1, i, i%3)
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<4xf32>\n}\n", n-1)
		for i, op := range []string{"sine", "cosine", "exponential"} {
			fmt.Fprintf(&b, "func.func private @g%d(%%x: tensor<4xf32>) -> tensor<4xf32> {\n  %%y = stablehlo.%s %%x : tensor<4xf32>\n  return %%y : tensor<4xf32>\n}\n", i, op)
		}
		return b.String()
	},
	"regions": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%v0: tensor<4x4xf32>) -> tensor<4x4xf32> {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%r%d = stablehlo.reduce(%%v%d init: %%z) across dimensions = [1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<4xf32>\n   reducer(%%a: tensor<f32>, %%b: tensor<f32>) {\n    %%s = stablehlo.add %%a, %%b : tensor<f32>\n    stablehlo.return %%s : tensor<f32>\n  }\n", i, i-1)
			fmt.Fprintf(&b, "  %%v%d = stablehlo.broadcast_in_dim %%r%d, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>\n", i, i)
		}
		fmt.Fprintf(&b, "  return %%v%d : tensor<4x4xf32>\n}\n", n-1)
		return b.String()
	},
	"equal ops": func(n int) string {
		var b strings.Builder
		b.WriteString("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n  %v0 = stablehlo.sine %a : tensor<4xf32>\n")
		for i := 1; i < n; i++ {
			fmt.Fprintf(&b, "  %%s%d = stablehlo.sine %%a : tensor<4xf32>\n  %%v%d = stablehlo.multiply %%v%d, %%s%d : tensor<4xf32>\n", i, i, i-1, i)
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
