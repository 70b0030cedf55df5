// A network of 8 bits: two convolutions with a pooling between them, and a layer with a bias of
// 32 bits. A zero point of -128 makes results that are not negative.
!image = !quant.uniform<i8:f32, 0.02:-4>
!hidden = !quant.uniform<i8:f32, 0.05:-128>
!mean = !quant.uniform<i8:f32, 0.04:-128>
!w1 = !quant.uniform<i8<-127:127>:f32:3, {0.0100,0.0120,0.0140,0.0160,0.0180,0.0200,0.0220,0.0240}>
!w2 = !quant.uniform<i8<-127:127>:f32:3, {0.0050,0.0060,0.0070,0.0080,0.0090,0.0100,0.0110,0.0120,0.0130,0.0140,0.0150,0.0160,0.0170,0.0180,0.0190,0.0200}>
!w3 = !quant.uniform<i8<-127:127>:f32:1, {0.0100,0.0130,0.0160,0.0190,0.0220,0.0250,0.0280,0.0310,0.0340,0.0370}>
!sums = !quant.uniform<i32:f32:1, {0.000400,0.000520,0.000640,0.000760,0.000880,0.001000,0.001120,0.001240,0.001360,0.001480}>
!bias = !quant.uniform<i32:f32:0, {0.000400,0.000520,0.000640,0.000760,0.000880,0.001000,0.001120,0.001240,0.001360,0.001480}>
func.func @main(%x: tensor<8x12x12x3xf32>, %w1: tensor<3x3x3x8x!w1>, %w2: tensor<3x3x8x16x!w2>, %w3: tensor<16x10x!w3>, %b3: tensor<10x!bias>) -> tensor<8x10xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<8x12x12x3xf32>) -> tensor<8x12x12x3x!image>
  %1 = stablehlo.convolution(%0, %w1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x12x12x3x!image>, tensor<3x3x3x8x!w1>) -> tensor<8x12x12x8x!hidden>
  %low = stablehlo.constant() <{value = dense<-128> : tensor<i8>}> : () -> tensor<!hidden>
  %2 = "stablehlo.reduce_window"(%1, %low) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<!hidden>, %b: tensor<!hidden>):
    %m = stablehlo.maximum %a, %b : tensor<!hidden>
    stablehlo.return %m : tensor<!hidden>
  }) : (tensor<8x12x12x8x!hidden>, tensor<!hidden>) -> tensor<8x6x6x8x!hidden>
  %3 = stablehlo.convolution(%2, %w2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<8x6x6x8x!hidden>, tensor<3x3x8x16x!w2>) -> tensor<8x3x3x16x!hidden>
  %4 = stablehlo.uniform_dequantize %3 : (tensor<8x3x3x16x!hidden>) -> tensor<8x3x3x16xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<8x3x3x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %nine = stablehlo.constant dense<9.0> : tensor<8x16xf32>
  %6 = stablehlo.divide %5, %nine : tensor<8x16xf32>
  %7 = stablehlo.uniform_quantize %6 : (tensor<8x16xf32>) -> tensor<8x16x!mean>
  %8 = stablehlo.dot_general %7, %w3, contracting_dims = [1] x [0] : (tensor<8x16x!mean>, tensor<16x10x!w3>) -> tensor<8x10x!sums>
  %9 = stablehlo.broadcast_in_dim %b3, dims = [1] : (tensor<10x!bias>) -> tensor<8x10x!sums>
  %10 = stablehlo.add %8, %9 : tensor<8x10x!sums>
  %11 = stablehlo.uniform_dequantize %10 : (tensor<8x10x!sums>) -> tensor<8x10xf32>
  return %11 : tensor<8x10xf32>
}
