package programs

import (
	"fmt"
	"strings"
)

// quantTypes are quantized element types with one scale, by storage, bounds and expressed type.
var quantTypes = []string{
	"!quant.uniform<i8:f32, 0.05:-3>",
	"!quant.uniform<i8:f32, 0.0625>",
	"!quant.uniform<i8<-127:127>:f32, 0.1>",
	"!quant.uniform<i8<1:100>:f32, 0.3:7>",
	"!quant.uniform<u8:f32, 0.02:128>",
	"!quant.uniform<u8<0:200>:f32, 0.5:3>",
	"!quant.uniform<i16:f32, 0.001:100>",
	"!quant.uniform<u16:f32, 0.002:32768>",
	"!quant.uniform<i32:f32, 1.0E-4:7>",
	"!quant.uniform<i32:f32, 0.25>",
	"!quant.uniform<u32:f32, 0.001:2000>",
	"!quant.uniform<i8:f64, 0.05:-3>",
	"!quant.uniform<i32:f64, 1.0E-6:9>",
	"!quant.uniform<i8:bf16, 0.05:-3>",
	"!quant.uniform<i8:f16, 0.05:-3>",
	"!quant.uniform<i32:bf16, 0.05:-3>",
	"!quant.uniform<i32:bf16, 0.05>",
	"!quant.uniform<i32:f16, 0.05>",
	"!quant.uniform<i16:f16, 0.001:-3>",
	"!quant.uniform<i8:f32, 1.0E-40:1>",
	"!quant.uniform<i8:f32, 1.0E+37:-1>",
}

// quantAxes are quantized element types with a scale for each of three slices of dimension 1,
// and with scales of blocks of 2 by 3 elements.
var quantAxes = []string{
	"!quant.uniform<i8:f32:1, {0.05:-3, 0.1, 0.0625:127}>",
	"!quant.uniform<i8<-127:127>:f32:1, {0.05, 0.1, 0.0625}>",
	"!quant.uniform<u8:f32:1, {0.05:3, 0.1:3, 0.0625:3}>",
	"!quant.uniform<i16:f64:1, {0.05, 0.1, 0.0625}>",
	"!quant.uniform<i32:f32:1, {1.0E-4, 2.0E-4, 3.0E-4}>",
	"!quant.uniform<i8:bf16:1, {0.05:-3, 0.1, 0.0625:127}>",
	"!quant.uniform<i8:f32:{0:2, 1:3}, {{0.05:-3}, {0.1}}>",
	"!quant.uniform<i8:f32:{0:2, 1:1}, {{0.05:-3, 0.1, 0.2:4}, {0.1, 0.3, 0.7:9}}>",
}

// storageOf and expressedOf read the types of a quantized type's text.
func storageOf(q string) string {
	s := strings.TrimPrefix(q, "!quant.uniform<")
	s = s[:strings.IndexAny(s, ":<")]
	if strings.HasPrefix(s, "u") {
		return "ui" + s[1:]
	}
	return s
}

func expressedOf(q string) string {
	for _, f := range []string{"bf16", "f16", "f32", "f64"} {
		if strings.Contains(q, ":"+f+",") || strings.Contains(q, ":"+f+":") {
			return f
		}
	}
	panic("programs: " + q + " has no expressed type")
}

// Quantized returns programs of ops on quantized elements, by name. Compiled, they are the
// evaluator's to the bit, and nothing is left to it.
func Quantized() map[string]string {
	all := map[string]string{}
	for _, q := range quantTypes {
		quantizedElements(all, q)
		quantizedMoves(all, q)
		quantizedProducts(all, q)
	}
	for _, q := range quantAxes {
		add(all, "axis "+q, q, `(%x: tensor<4x3xF>, %s: tensor<4x3xS>) -> (tensor<4x3xS>, tensor<4x3xF>, tensor<4x3xS>) {
  %q = stablehlo.uniform_quantize %x : (tensor<4x3xF>) -> tensor<4x3xQ>
  %i = stablehlo.bitcast_convert %q : (tensor<4x3xQ>) -> tensor<4x3xS>
  %v = stablehlo.bitcast_convert %s : (tensor<4x3xS>) -> tensor<4x3xQ>
  %f = stablehlo.uniform_dequantize %v : (tensor<4x3xQ>) -> tensor<4x3xF>
  %t = stablehlo.uniform_quantize %v : (tensor<4x3xQ>) -> tensor<4x3x!quant.uniform<S:F, 0.25:1>>
  %j = stablehlo.bitcast_convert %t : (tensor<4x3x!quant.uniform<S:F, 0.25:1>>) -> tensor<4x3xS>
  return %i, %f, %j : tensor<4x3xS>, tensor<4x3xF>, tensor<4x3xS>
}`)
	}
	add(all, "sums per axis", quantAxes[0], `(%x: tensor<4x3xQ>, %y: tensor<4x3xQ>) -> tensor<4x3xQ> {
  %0 = stablehlo.add %x, %y : tensor<4x3xQ>
  return %0 : tensor<4x3xQ>
}`)
	add(all, "moves per axis", quantAxes[0], `(%x: tensor<4x3xQ>, %y: tensor<3xS>) -> (tensor<3x4x!quant.uniform<i8:f32:0, {0.05:-3, 0.1, 0.0625:127}>>, tensor<2x2x3x!quant.uniform<i8:f32:2, {0.05:-3, 0.1, 0.0625:127}>>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x3xQ>) -> tensor<3x4x!quant.uniform<i8:f32:0, {0.05:-3, 0.1, 0.0625:127}>>
  %1 = stablehlo.reshape %x : (tensor<4x3xQ>) -> tensor<2x2x3x!quant.uniform<i8:f32:2, {0.05:-3, 0.1, 0.0625:127}>>
  return %0, %1 : tensor<3x4x!quant.uniform<i8:f32:0, {0.05:-3, 0.1, 0.0625:127}>>, tensor<2x2x3x!quant.uniform<i8:f32:2, {0.05:-3, 0.1, 0.0625:127}>>
}`)
	add(all, "known sizes", quantTypes[0], `(%x: tensor<3xQ>) -> tensor<2x3xQ> {
  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xQ>, tensor<2xi64>) -> tensor<2x3xQ>
  %t = stablehlo.constant dense<[6]> : tensor<1xi64>
  %1 = stablehlo.dynamic_reshape %0, %t : (tensor<2x3xQ>, tensor<1xi64>) -> tensor<6xQ>
  %2 = stablehlo.reshape %1 : (tensor<6xQ>) -> tensor<2x3xQ>
  return %2 : tensor<2x3xQ>
}`)
	add(all, "sums of more than 31 bits", quantTypes[0], `(%x: tensor<2x40000xQ>, %y: tensor<40000x2x!quant.uniform<i8:f32, 0.03>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0015>> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x40000xQ>, tensor<40000x2x!quant.uniform<i8:f32, 0.03>>) -> tensor<2x2x!quant.uniform<i32:f32, 0.0015>>
  return %0 : tensor<2x2x!quant.uniform<i32:f32, 0.0015>>
}`)
	add(all, "loop", quantTypes[0], `(%x: tensor<9xQ>, %n: tensor<i32>) -> tensor<9xQ> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<9xQ>
  cond {
    %c = stablehlo.constant dense<3> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %i, %c : tensor<i32>
    %p = stablehlo.compare GT, %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %2 = "stablehlo.if"(%p) ({
      %3 = stablehlo.add %y, %x : tensor<9xQ>
      stablehlo.return %3 : tensor<9xQ>
    }, {
      stablehlo.return %y : tensor<9xQ>
    }) : (tensor<i1>) -> tensor<9xQ>
    stablehlo.return %1, %2 : tensor<i32>, tensor<9xQ>
  }
  return %0#1 : tensor<9xQ>
}`)
	return all
}

// add adds a program whose text has Q for a quantized type, S for its storage and F for its
// expressed type.
func add(all map[string]string, name, q, text string) {
	s := storageOf(q)
	in := strings.NewReplacer("xQ>", "x"+q+">", "<Q>", "<"+q+">", "xS>", "x"+s+">", "<S>", "<"+s+">", "xF>", "x"+expressedOf(q)+">", "<F>", "<"+expressedOf(q)+">",
		"<S:F,", "<"+strings.Replace(s, "ui", "u", 1)+":"+expressedOf(q)+",")
	all[name] = "func.func @main" + in.Replace(text) + "\n"
}

// quantizedElements adds ops that compute each element by itself.
func quantizedElements(all map[string]string, q string) {
	add(all, "quantize "+q, q, `(%x: tensor<31xF>, %s: tensor<31xS>) -> (tensor<31xS>, tensor<31xF>) {
  %q = stablehlo.uniform_quantize %x : (tensor<31xF>) -> tensor<31xQ>
  %i = stablehlo.bitcast_convert %q : (tensor<31xQ>) -> tensor<31xS>
  %v = stablehlo.bitcast_convert %s : (tensor<31xS>) -> tensor<31xQ>
  %f = stablehlo.uniform_dequantize %v : (tensor<31xQ>) -> tensor<31xF>
  return %i, %f : tensor<31xS>, tensor<31xF>
}`)
	for _, op := range strings.Fields("add subtract multiply divide maximum minimum") {
		add(all, op+" "+q, q, fmt.Sprintf(`(%%x: tensor<31xQ>, %%y: tensor<31xQ>) -> tensor<31xQ> {
  %%0 = stablehlo.%s %%x, %%y : tensor<31xQ>
  return %%0 : tensor<31xQ>
}`, op))
	}
	for _, op := range strings.Fields("abs negate sign ceil floor sqrt") {
		add(all, op+" "+q, q, fmt.Sprintf(`(%%x: tensor<31xQ>) -> tensor<31xQ> {
  %%0 = stablehlo.%s %%x : tensor<31xQ>
  return %%0 : tensor<31xQ>
}`, op))
	}
	add(all, "choices "+q, q, `(%x: tensor<31xQ>, %y: tensor<31xQ>, %l: tensor<Q>, %h: tensor<Q>) -> (tensor<31xQ>, tensor<31xQ>, tensor<31xi1>) {
  %0 = stablehlo.clamp %l, %x, %h : (tensor<Q>, tensor<31xQ>, tensor<Q>) -> tensor<31xQ>
  %1 = stablehlo.compare LT, %x, %y : (tensor<31xQ>, tensor<31xQ>) -> tensor<31xi1>
  %2 = stablehlo.select %1, %x, %y : tensor<31xi1>, tensor<31xQ>
  return %0, %2, %1 : tensor<31xQ>, tensor<31xQ>, tensor<31xi1>
}`)
	add(all, "nothing "+q, q, `(%x: tensor<0x3xF>, %y: tensor<0x3xQ>) -> (tensor<0x3xQ>, tensor<0x3xF>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<0x3xF>) -> tensor<0x3xQ>
  %1 = stablehlo.add %0, %y : tensor<0x3xQ>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<0x3xQ>) -> tensor<0x3xF>
  return %1, %2 : tensor<0x3xQ>, tensor<0x3xF>
}`)
}

// quantizedMoves adds ops that move elements.
func quantizedMoves(all map[string]string, q string) {
	add(all, "moves "+q, q, `(%x: tensor<4x6xQ>, %i: tensor<i32>, %p: tensor<Q>) -> (tensor<3x5xQ>, tensor<2x7xQ>, tensor<24xQ>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xQ>) -> tensor<6x4xQ>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<6x4xQ>
  %2 = stablehlo.dynamic_slice %1, %i, %i, sizes = [3, 4] : (tensor<6x4xQ>, tensor<i32>, tensor<i32>) -> tensor<3x4xQ>
  %3 = stablehlo.pad %2, %p, low = [0, 1], high = [0, 0], interior = [0, 0] : (tensor<3x4xQ>, tensor<Q>) -> tensor<3x5xQ>
  %4 = stablehlo.slice %x [1:3, 2:6] : (tensor<4x6xQ>) -> tensor<2x4xQ>
  %5 = stablehlo.broadcast_in_dim %p, dims = [] : (tensor<Q>) -> tensor<2x3xQ>
  %6 = stablehlo.concatenate %4, %5, dim = 1 : (tensor<2x4xQ>, tensor<2x3xQ>) -> tensor<2x7xQ>
  %7 = stablehlo.reshape %x : (tensor<4x6xQ>) -> tensor<24xQ>
  return %3, %6, %7 : tensor<3x5xQ>, tensor<2x7xQ>, tensor<24xQ>
}`)
}

// quantizedProducts adds products of two operands quantized by q, of which the right one has
// zero points of 0 or a scale for each slice, too.
func quantizedProducts(all map[string]string, q string) {
	s, f := storageOf(q), expressedOf(q)
	if s == "i32" || s == "ui32" {
		return // sums of floats, whose order is open
	}
	quant := strings.Replace(s, "ui", "u", 1)
	for name, w := range map[string]string{
		"one":       fmt.Sprintf("!quant.uniform<%s:%s, 0.03>", quant, f),
		"axis":      fmt.Sprintf("!quant.uniform<%s:%s:1, {0.03,0.01,0.02,0.05,0.06}>", quant, f),
		"zero":      fmt.Sprintf("!quant.uniform<%s:%s, 0.03:5>", quant, f),
		"zero axis": fmt.Sprintf("!quant.uniform<%s:%s:1, {0.03:9,0.01,0.02:100,0.05:1,0.06:5}>", quant, f),
	} {
		for result, r := range map[string]string{
			"bytes": fmt.Sprintf("!quant.uniform<i8:%s, 0.5:4>", f),
			"sums":  fmt.Sprintf("!quant.uniform<i32:%s, 0.0015>", f),
		} {
			in := strings.NewReplacer("xW>", "x"+w+">", "xR>", "x"+r+">")
			if !strings.HasPrefix(name, "zero") {
				add(all, "dot "+name+" "+result+" "+q, q, in.Replace(`(%x: tensor<7x19xQ>, %y: tensor<19x5xW>) -> tensor<7x5xR> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<7x19xQ>, tensor<19x5xW>) -> tensor<7x5xR>
  return %0 : tensor<7x5xR>
}`))
				batch := strings.NewReplacer("xW>", "x"+strings.Replace(w, ":1,", ":3,", 1)+">", "xR>", "x"+r+">")
				add(all, "batch "+name+" "+result+" "+q, q, batch.Replace(`(%x: tensor<3x2x7x4xQ>, %y: tensor<4x3x2x5xW>) -> tensor<2x3x7x5xR> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [1, 0] x [2, 1], contracting_dims = [3] x [0] : (tensor<3x2x7x4xQ>, tensor<4x3x2x5xW>) -> tensor<2x3x7x5xR>
  return %0 : tensor<2x3x7x5xR>
}`))
			}
			conv := strings.NewReplacer("xW>", "x"+strings.Replace(w, ":1,", ":3,", 1)+">", "xR>", "x"+r+">")
			add(all, "convolution "+name+" "+result+" "+q, q, conv.Replace(`(%x: tensor<2x8x9x4xQ>, %y: tensor<3x2x4x5xW>) -> tensor<2x4x7x5xR> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 2], [0, -1]], rhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x8x9x4xQ>, tensor<3x2x4x5xW>) -> tensor<2x4x7x5xR>
  return %0 : tensor<2x4x7x5xR>
}`))
			add(all, "transposed "+name+" "+result+" "+q, q, conv.Replace(`(%x: tensor<1x4x5x1xQ>, %y: tensor<3x2x1x5xW>) -> tensor<1x7x10x5xR> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x5x1xQ>, tensor<3x2x1x5xW>) -> tensor<1x7x10x5xR>
  return %0 : tensor<1x7x10x5xR>
}`))
		}
	}
	if strings.Contains(q, "i8<") || strings.Contains(q, "u8<") || f == "bf16" || f == "f16" || strings.Contains(q, "E") {
		return // not in the order of the integers, or not the same integers again
	}
	add(all, "pooling "+q, q, `(%x: tensor<2x8x6xQ>) -> tensor<2x4x6xQ> {
  %low = stablehlo.constant() <{value = dense<1> : tensor<C>}> : () -> tensor<Q>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 2, 1>, window_strides = array<i64: 1, 2, 1>}> ({
  ^bb0(%a: tensor<Q>, %b: tensor<Q>):
    %1 = stablehlo.maximum %a, %b : tensor<Q>
    stablehlo.return %1 : tensor<Q>
  }) : (tensor<2x8x6xQ>, tensor<Q>) -> tensor<2x4x6xQ>
  return %0 : tensor<2x4x6xQ>
}`)
	all["pooling "+q] = strings.ReplaceAll(all["pooling "+q], "tensor<C>", "tensor<"+strings.Replace(s, "ui", "i", 1)+">")
}
