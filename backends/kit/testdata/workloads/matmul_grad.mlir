module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<20x20xf32>, %arg1: tensor<20x20xf32>, %arg2: tensor<20x20xf32>) -> (tensor<20x20xf32>, tensor<20x20xf32>) {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<20x20xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<20x20xf32>
    %3 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<20x20xf32>) -> tensor<20x20xf32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
    %5 = stablehlo.transpose %arg2, dims = [1, 0] : (tensor<20x20xf32>) -> tensor<20x20xf32>
    %6 = stablehlo.dot_general %5, %2, contracting_dims = [1] x [0] : (tensor<20x20xf32>, tensor<20x20xf32>) -> tensor<20x20xf32>
    return %4, %6 : tensor<20x20xf32>, tensor<20x20xf32>
  }
}
