module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<6x20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %3 = stablehlo.subtract %arg0, %2 : tensor<6x20xf32>
    %4 = stablehlo.exponential %3 : tensor<6x20xf32>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %8 = stablehlo.divide %4, %7 : tensor<6x20xf32>
    %9 = stablehlo.multiply %arg1, %8 : tensor<6x20xf32>
    %10 = stablehlo.reduce(%9 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %12 = stablehlo.subtract %arg1, %11 : tensor<6x20xf32>
    %13 = stablehlo.multiply %8, %12 : tensor<6x20xf32>
    return %13 : tensor<6x20xf32>
  }
}
