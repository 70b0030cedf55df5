module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>) -> tensor<20x6xf32> {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<6x20xf32>) -> tensor<20x6xf32>
    return %0 : tensor<20x6xf32>
  }
}
