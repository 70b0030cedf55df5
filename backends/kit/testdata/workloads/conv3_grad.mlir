module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x4x5x5xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>, tensor<4x3x3x3xf32>) {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x4x5x5xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<2x4x5x5xf32>
    %3 = stablehlo.reverse %arg1, dims = [2, 3] : tensor<4x3x3x3xf32>
    %4 = stablehlo.convolution(%2, %3) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x5x5xf32>, tensor<4x3x3x3xf32>) -> tensor<2x3x5x5xf32>
    %5 = stablehlo.convolution(%arg2, %2) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x5x5xf32>, tensor<2x4x5x5xf32>) -> tensor<4x3x3x3xf32>
    return %4, %5 : tensor<2x3x5x5xf32>, tensor<4x3x3x3xf32>
  }
}
