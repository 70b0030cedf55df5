package programs

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// SelectAndScatter returns the text of a select_and_scatter of any form, such as gradients
// of maximum and minimum pooling. Windows overlap, are apart, or lie in the padding or
// beyond what is taken away. Some regions do not commute.
func SelectAndScatter(r *rand.Rand) string {
	t := []string{"f32", "f32", "f64", "f16", "bf16", "i32", "ui8"}[r.IntN(7)]
	var in, out, size, stride, padding []string
	most := 64 // elements of a window that kernels go through
	for range 1 + r.IntN(4) {
		for {
			n, window, step, low, high := 1+r.IntN(9), 1+r.IntN(4)*r.IntN(2), 1+r.IntN(4)*r.IntN(2), (r.IntN(4)-1)*r.IntN(2), (r.IntN(4)-1)*r.IntN(2)
			if n+low+high < window || window > most {
				continue
			}
			most /= window
			in, out = append(in, fmt.Sprint(n)), append(out, fmt.Sprint((n+low+high-window)/step+1))
			size, stride = append(size, fmt.Sprint(window)), append(stride, fmt.Sprint(step))
			padding = append(padding, fmt.Sprintf("[%d, %d]", low, high))
			break
		}
	}
	combine := []string{"add", "add", "maximum", "multiply", "subtract"}[r.IntN(5)]
	all := func(s []string) string { return strings.Join(s, ", ") }
	attrs := fmt.Sprintf("window_dimensions = array<i64: %s>, window_strides = array<i64: %s>, padding = dense<[%s]> : tensor<%dx2xi64>", all(size), all(stride), all(padding), len(in))
	return strings.NewReplacer("IN", strings.Join(in, "x")+"x"+t, "OUT", strings.Join(out, "x")+"x"+t, "TYPE", t, "ATTRS", attrs,
		"HOW", []string{"GE", "GE", "GT", "LE", "LT", "NE"}[r.IntN(6)], "COMBINE", combine).Replace(`func.func @main(%x: tensor<IN>, %s: tensor<OUT>, %i: tensor<TYPE>) -> tensor<IN> {
  %0 = "stablehlo.select_and_scatter"(%x, %s, %i) <{ATTRS}> ({
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %r = stablehlo.compare HOW, %a, %b : (tensor<TYPE>, tensor<TYPE>) -> tensor<i1>
    stablehlo.return %r : tensor<i1>
  }, {
  ^bb0(%a: tensor<TYPE>, %b: tensor<TYPE>):
    %r = stablehlo.COMBINE %a, %b : tensor<TYPE>
    stablehlo.return %r : tensor<TYPE>
  }) : (tensor<IN>, tensor<OUT>, tensor<TYPE>) -> tensor<IN>
  return %0 : tensor<IN>
}`)
}
