package programs

import (
	"fmt"
	"strings"
)

// OpenLayers is a program of n layers, each two kernels: a product with tanh, and sums of its rows.
// The first one or two dimensions of the tokens are open, as the symbols batch and seq.
func OpenLayers(n, symbols int) string {
	open, names, dims, rank := "?x", `"batch"`, "batch = [1, 512]", 1
	if symbols == 2 {
		open, names, dims, rank = "?x?x", `"batch", "seq"`, "batch = [1, 512], seq = [1, 512]", 2
	}
	typ := "tensor<" + open + "8xf32>"
	rows := "tensor<" + strings.TrimSuffix(open, "x") + "xf32>"
	var b strings.Builder
	fmt.Fprintf(&b, "module attributes {ltc.dims = {%s}} {\nfunc.func public @main(%%y0: %s {ltc.dim = [%s, \"\"]}, %%w: tensor<8x8xf32> {ltc.constant}) -> %s {\n", dims, typ, names, typ)
	fmt.Fprintf(&b, "  %%zero = stablehlo.constant dense<0.0> : tensor<f32>\n  %%c8 = stablehlo.constant dense<8> : tensor<1xi32>\n")
	var all []string
	for d := range rank {
		fmt.Fprintf(&b, "  %%d%[1]d = stablehlo.get_dimension_size %%y0, dim = %[1]d : (%[2]s) -> tensor<i32>\n  %%e%[1]d = stablehlo.reshape %%d%[1]d : (tensor<i32>) -> tensor<1xi32>\n", d, typ)
		all = append(all, fmt.Sprintf("%%e%d", d))
	}
	all = append(all, "%c8")
	fmt.Fprintf(&b, "  %%shape = stablehlo.concatenate %s, dim = 0 : (%s) -> tensor<%dxi32>\n", strings.Join(all, ", "), strings.TrimSuffix(strings.Repeat("tensor<1xi32>, ", rank+1), ", "), rank+1)
	across, kept := "1", "0"
	if rank == 2 {
		across, kept = "2", "0, 1"
	}
	for i := range n {
		fmt.Fprintf(&b, `  %%p%[1]d = stablehlo.dot_general %%y%[1]d, %%w, contracting_dims = [%[3]s] x [0] : (%[2]s, tensor<8x8xf32>) -> %[2]s
  %%t%[1]d = stablehlo.tanh %%p%[1]d : %[2]s
  %%s%[1]d = stablehlo.reduce(%%t%[1]d init: %%zero) applies stablehlo.add across dimensions = [%[3]s] : (%[2]s, tensor<f32>) -> %[4]s
  %%b%[1]d = stablehlo.dynamic_broadcast_in_dim %%s%[1]d, %%shape, dims = [%[5]s] : (%[4]s, tensor<%[6]dxi32>) -> %[2]s
  %%y%[7]d = stablehlo.subtract %%t%[1]d, %%b%[1]d : %[2]s
`, i, typ, across, rows, kept, rank+1, i+1)
	}
	fmt.Fprintf(&b, "  return %%y%d : %s\n}\n}\n", n, typ)
	return b.String()
}
