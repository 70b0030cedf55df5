// A block of a mobile network in NCHW: a pointwise convolution, batch norm and ReLU6, then a
// depthwise convolution with a border.
func.func @main(%x: tensor<1x16x28x28xf32>, %w: tensor<96x16x1x1xf32>, %d: tensor<96x1x3x3xf32>, %gamma: tensor<96xf32>, %beta: tensor<96xf32>, %mean: tensor<96xf32>, %var: tensor<96xf32>) -> tensor<1x96x28x28xf32> {
  %eps = stablehlo.constant dense<1.0e-3> : tensor<96xf32>
  %0 = stablehlo.add %var, %eps : tensor<96xf32>
  %1 = stablehlo.rsqrt %0 : tensor<96xf32>
  %scale = stablehlo.multiply %gamma, %1 : tensor<96xf32>
  %2 = stablehlo.multiply %mean, %scale : tensor<96xf32>
  %shift = stablehlo.subtract %beta, %2 : tensor<96xf32>
  %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x28x28xf32>, tensor<96x16x1x1xf32>) -> tensor<1x96x28x28xf32>
  %4 = stablehlo.broadcast_in_dim %scale, dims = [1] : (tensor<96xf32>) -> tensor<1x96x28x28xf32>
  %5 = stablehlo.multiply %3, %4 : tensor<1x96x28x28xf32>
  %6 = stablehlo.broadcast_in_dim %shift, dims = [1] : (tensor<96xf32>) -> tensor<1x96x28x28xf32>
  %7 = stablehlo.add %5, %6 : tensor<1x96x28x28xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %six = stablehlo.constant dense<6.0> : tensor<f32>
  %8 = stablehlo.clamp %zero, %7, %six : (tensor<f32>, tensor<1x96x28x28xf32>, tensor<f32>) -> tensor<1x96x28x28xf32>
  %9 = stablehlo.convolution(%8, %d) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 96 : i64} : (tensor<1x96x28x28xf32>, tensor<96x1x3x3xf32>) -> tensor<1x96x28x28xf32>
  return %9 : tensor<1x96x28x28xf32>
}
