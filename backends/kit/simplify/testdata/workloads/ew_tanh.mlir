module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.constant dense<0.699999988> : tensor<100xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<100xf32>
    %2 = stablehlo.constant dense<1.000000e-01> : tensor<100xf32>
    %3 = stablehlo.add %1, %2 : tensor<100xf32>
    %4 = stablehlo.tanh %3 : tensor<100xf32>
    %5 = stablehlo.constant dense<1.300000e+00> : tensor<100xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<100xf32>
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<100xf32>
    %8 = stablehlo.maximum %arg0, %7 : tensor<100xf32>
    %9 = stablehlo.add %6, %8 : tensor<100xf32>
    return %9 : tensor<100xf32>
  }
}
