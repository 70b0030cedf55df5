module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.constant dense<0.699999988> : tensor<100xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<100xf32>
    %2 = stablehlo.constant dense<1.000000e-01> : tensor<100xf32>
    %3 = stablehlo.add %1, %2 : tensor<100xf32>
    %4 = stablehlo.constant dense<0.000000e+00> : tensor<100xf32>
    %5 = stablehlo.maximum %3, %4 : tensor<100xf32>
    %6 = stablehlo.add %5, %arg0 : tensor<100xf32>
    return %6 : tensor<100xf32>
  }
}
