module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x3x5x5xf32>, %arg1: tensor<4x3x3x3xf32>) -> tensor<2x4x5x5xf32> {
    %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x3x5x5xf32>) -> tensor<2x5x5x3xf32>
    %2 = stablehlo.pad %1, %0, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x5x5x3xf32>, tensor<f32>) -> tensor<2x7x7x3xf32>
    %3 = stablehlo.transpose %arg1, dims = [2, 3, 1, 0] : (tensor<4x3x3x3xf32>) -> tensor<3x3x3x4xf32>
    %4 = stablehlo.convolution(%2, %3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x7x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x5x5x4xf32>
    %5 = stablehlo.transpose %4, dims = [0, 3, 1, 2] : (tensor<2x5x5x4xf32>) -> tensor<2x4x5x5xf32>
    return %5 : tensor<2x4x5x5xf32>
  }
}
