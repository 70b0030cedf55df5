module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<20x20xf32>, %arg1: tensor<20xf32>) -> tensor<20x1xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<20x20xf32>, tensor<20xf32>) -> tensor<20xf32>
    %1 = stablehlo.reshape %0 : (tensor<20xf32>) -> tensor<20x1xf32>
    return %1 : tensor<20x1xf32>
  }
}
