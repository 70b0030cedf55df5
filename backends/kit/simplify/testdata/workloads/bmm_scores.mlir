module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<3x10x4xf32>, %arg1: tensor<3x4x10xf32>) -> tensor<3x10x10xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x10x4xf32>, tensor<3x4x10xf32>) -> tensor<3x10x10xf32>
    return %0 : tensor<3x10x10xf32>
  }
}
