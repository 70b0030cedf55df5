module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<100xf32>, %arg1: tensor<100xf32>, %arg2: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<100xf32>
    %1 = stablehlo.add %0, %arg2 : tensor<100xf32>
    return %1 : tensor<100xf32>
  }
}
