module @jit_channels_first attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<5x2x3x3xf32>, %arg1: tensor<2x5x4x4xf32>, %arg2: tensor<2x2x9x10xf32>) -> (tensor<2x2x10x10xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg2, %arg0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 2], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x2x9x10xf32>, tensor<5x2x3x3xf32>) -> tensor<2x5x5x5xf32>
    %1 = call @silu(%0) : (tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32>
    %2 = stablehlo.convolution(%1, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x5x5x5xf32>, tensor<2x5x4x4xf32>) -> tensor<2x2x10x10xf32>
    return %2 : tensor<2x2x10x10xf32>
  }
  func.func private @silu(%arg0: tensor<2x5x5x5xf32>) -> tensor<2x5x5x5xf32> {
    %0 = stablehlo.negate %arg0 : tensor<2x5x5x5xf32>
    %1 = stablehlo.exponential %0 : tensor<2x5x5x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x5x5x5xf32>
    %3 = stablehlo.add %2, %1 : tensor<2x5x5x5xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2x5x5x5xf32>
    %5 = stablehlo.divide %4, %3 : tensor<2x5x5x5xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<2x5x5x5xf32>
    return %6 : tensor<2x5x5x5xf32>
  }
}
