package programs

import (
	"fmt"
	"strings"
)

// Claimed are programs of the sizes $N and $M with work that the backend cpu has code for.
var Claimed = map[string]string{
	"sort of rows": `func.func @main(%x: tensor<$Nx$Mxf32>) -> tensor<$Nx$Mxf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<$Nx$Mxf32>) -> tensor<$Nx$Mxf32>
  return %0 : tensor<$Nx$Mxf32>
}`,
	"sort of columns": `func.func @main(%x: tensor<$Nx$Mxf32>) -> tensor<$Nx$Mxf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<$Nx$Mxf32>) -> tensor<$Nx$Mxf32>
  return %0 : tensor<$Nx$Mxf32>
}`,
	"places": `func.func @main(%x: tensor<$Nx$Mxi32>) -> tensor<$Nx$Mxi32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<$Nx$Mxi32>) -> tensor<i32>
  %m = stablehlo.get_dimension_size %x, dim = 1 : (tensor<$Nx$Mxi32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %s = stablehlo.concatenate %n1, %m1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %i = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi32>) -> tensor<$Nx$Mxi32>
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>) -> (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>)
  return %0#1 : tensor<$Nx$Mxi32>
}`,
	"two keys": `func.func @main(%x: tensor<$Nx$Mxi32>, %y: tensor<$Nx$Mxi32>) -> (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %q = stablehlo.compare EQ, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = stablehlo.compare LT, %d, %e : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %s = stablehlo.and %q, %r : tensor<i1>
    %c = stablehlo.or %p, %s : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>) -> (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>)
  return %0#0, %0#1 : tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>
}`,
	"by sums": `func.func @main(%x: tensor<$Nx$Mxi32>, %y: tensor<$Nx$Mxi32>) -> (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>):
    %p = stablehlo.add %a, %d : tensor<i32>
    %q = stablehlo.add %b, %e : tensor<i32>
    %c = stablehlo.compare LT, %p, %q : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>) -> (tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>)
  return %0#0, %0#1 : tensor<$Nx$Mxi32>, tensor<$Nx$Mxi32>
}`,
	"the first 3 of rows": `func.func @main(%x: tensor<$Nx$Mxf32>) -> (tensor<$Nx3xf32>, tensor<$Nx3xi32>) {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<$Nx$Mxf32> -> (tensor<$Nx3xf32>, tensor<$Nx3xi32>)
  return %0#0, %0#1 : tensor<$Nx3xf32>, tensor<$Nx3xi32>
}`,
	"the first 3 of 40": `func.func @main(%x: tensor<$Nx40xf32>) -> (tensor<$Nx3xf32>, tensor<$Nx3xi32>) {
  %0:2 = chlo.top_k(%x, k = 3) : tensor<$Nx40xf32> -> (tensor<$Nx3xf32>, tensor<$Nx3xi32>)
  return %0#0, %0#1 : tensor<$Nx3xf32>, tensor<$Nx3xi32>
}`,
	"cholesky": `func.func @main(%x: tensor<$Nx$Mx$Mxf32>) -> tensor<$Nx$Mx$Mxf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<$Nx$Mx$Mxf32>
  return %0 : tensor<$Nx$Mx$Mxf32>
}`,
	"triangular solve": `func.func @main(%x: tensor<$Nx5x5xf64>, %y: tensor<$Nx5x$Mxf64>) -> tensor<$Nx5x$Mxf64> {
  %0 = "stablehlo.triangular_solve"(%x, %y) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = true}> : (tensor<$Nx5x5xf64>, tensor<$Nx5x$Mxf64>) -> tensor<$Nx5x$Mxf64>
  return %0 : tensor<$Nx5x$Mxf64>
}`,
}

// OfSizes returns a text of [Claimed] for two sizes: numbers, or a ? for one that is open.
func OfSizes(text string, n, m any) string {
	return strings.NewReplacer("$N", fmt.Sprint(n), "$M", fmt.Sprint(m)).Replace(text)
}
