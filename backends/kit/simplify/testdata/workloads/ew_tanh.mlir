module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<100xf32>) -> tensor<100xf32> {
    %1 = stablehlo.constant dense<0.699999988> : tensor<100xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<100xf32>
    %4 = stablehlo.constant dense<1.000000e-01> : tensor<100xf32>
    %5 = stablehlo.add %2, %4 : tensor<100xf32>
    %6 = stablehlo.tanh %5 : tensor<100xf32>
    %8 = stablehlo.constant dense<1.300000e+00> : tensor<100xf32>
    %9 = stablehlo.multiply %6, %8 : tensor<100xf32>
    %11 = stablehlo.constant dense<0.000000e+00> : tensor<100xf32>
    %12 = stablehlo.maximum %arg0, %11 : tensor<100xf32>
    %13 = stablehlo.add %9, %12 : tensor<100xf32>
    return %13 : tensor<100xf32>
  }
}
