module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x4x5x5xf32>, %arg1: tensor<4x3x3x3xf32>, %arg2: tensor<2x3x5x5xf32>) -> (tensor<2x3x5x5xf32>, tensor<4x3x3x3xf32>) {
    %0 = stablehlo.reverse %arg1, dims = [2, 3] : tensor<4x3x3x3xf32>
    %1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.transpose %arg0, dims = [0, 2, 3, 1] : (tensor<2x4x5x5xf32>) -> tensor<2x5x5x4xf32>
    %3 = stablehlo.pad %2, %1, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x5x5x4xf32>, tensor<f32>) -> tensor<2x7x7x4xf32>
    %4 = stablehlo.transpose %0, dims = [2, 3, 0, 1] : (tensor<4x3x3x3xf32>) -> tensor<3x3x4x3xf32>
    %5 = stablehlo.convolution(%3, %4) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x7x4xf32>, tensor<3x3x4x3xf32>) -> tensor<2x5x5x3xf32>
    %6 = stablehlo.transpose %5, dims = [0, 3, 1, 2] : (tensor<2x5x5x3xf32>) -> tensor<2x3x5x5xf32>
    %7 = stablehlo.transpose %arg2, dims = [1, 2, 3, 0] : (tensor<2x3x5x5xf32>) -> tensor<3x5x5x2xf32>
    %8 = stablehlo.pad %7, %1, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<3x5x5x2xf32>, tensor<f32>) -> tensor<3x7x7x2xf32>
    %9 = stablehlo.transpose %arg0, dims = [2, 3, 0, 1] : (tensor<2x4x5x5xf32>) -> tensor<5x5x2x4xf32>
    %10 = stablehlo.convolution(%8, %9) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x7x7x2xf32>, tensor<5x5x2x4xf32>) -> tensor<3x3x3x4xf32>
    %11 = stablehlo.transpose %10, dims = [3, 0, 1, 2] : (tensor<3x3x3x4xf32>) -> tensor<4x3x3x3xf32>
    return %6, %11 : tensor<2x3x5x5xf32>, tensor<4x3x3x3xf32>
  }
}
