module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<100xf32>, %arg1: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<100xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<100xf32>
    %2 = stablehlo.multiply %1, %arg1 : tensor<100xf32>
    %3 = stablehlo.add %2, %arg1 : tensor<100xf32>
    %4 = stablehlo.multiply %3, %arg1 : tensor<100xf32>
    %5 = stablehlo.add %4, %arg1 : tensor<100xf32>
    %6 = stablehlo.multiply %5, %arg1 : tensor<100xf32>
    %7 = stablehlo.add %6, %arg1 : tensor<100xf32>
    %8 = stablehlo.multiply %7, %arg1 : tensor<100xf32>
    %9 = stablehlo.add %8, %arg1 : tensor<100xf32>
    %10 = stablehlo.multiply %9, %arg1 : tensor<100xf32>
    %11 = stablehlo.add %10, %arg1 : tensor<100xf32>
    %12 = stablehlo.multiply %11, %arg1 : tensor<100xf32>
    %13 = stablehlo.add %12, %arg1 : tensor<100xf32>
    %14 = stablehlo.multiply %13, %arg1 : tensor<100xf32>
    %15 = stablehlo.add %14, %arg1 : tensor<100xf32>
    %16 = stablehlo.multiply %15, %arg1 : tensor<100xf32>
    %17 = stablehlo.add %16, %arg1 : tensor<100xf32>
    %18 = stablehlo.multiply %17, %arg1 : tensor<100xf32>
    %19 = stablehlo.add %18, %arg1 : tensor<100xf32>
    return %19 : tensor<100xf32>
  }
}
