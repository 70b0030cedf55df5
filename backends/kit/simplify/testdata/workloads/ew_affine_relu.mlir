module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<100xf32>) -> tensor<100xf32> {
    %1 = stablehlo.constant dense<0.699999988> : tensor<100xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<100xf32>
    %4 = stablehlo.constant dense<1.000000e-01> : tensor<100xf32>
    %5 = stablehlo.add %2, %4 : tensor<100xf32>
    %7 = stablehlo.constant dense<0.000000e+00> : tensor<100xf32>
    %8 = stablehlo.maximum %5, %7 : tensor<100xf32>
    %9 = stablehlo.add %8, %arg0 : tensor<100xf32>
    return %9 : tensor<100xf32>
  }
}
