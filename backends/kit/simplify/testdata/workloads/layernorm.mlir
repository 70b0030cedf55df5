module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<20xf32>, %arg2: tensor<20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.constant dense<2.000000e+01> : tensor<6xf32>
    %3 = stablehlo.divide %1, %2 : tensor<6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<6x20xf32>
    %6 = stablehlo.multiply %5, %5 : tensor<6x20xf32>
    %7 = stablehlo.reduce(%6 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.divide %7, %2 : tensor<6xf32>
    %9 = stablehlo.constant dense<9.99999974E-6> : tensor<6xf32>
    %10 = stablehlo.add %8, %9 : tensor<6xf32>
    %11 = stablehlo.rsqrt %10 : tensor<6xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %13 = stablehlo.multiply %5, %12 : tensor<6x20xf32>
    %14 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<6x20xf32>
    %16 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
    %17 = stablehlo.add %15, %16 : tensor<6x20xf32>
    return %17 : tensor<6x20xf32>
  }
}
