module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<6x20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.composite "ltc.softmax" %arg0 {composite_attributes = {axis = 1 : i64}, decomposition = @ltc.softmax} : (tensor<6x20xf32>) -> tensor<6x20xf32>
    %1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %3 = stablehlo.multiply %2, %arg1 : tensor<6x20xf32>
    %4 = stablehlo.multiply %3, %0 : tensor<6x20xf32>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%4 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.reshape %6 : (tensor<6xf32>) -> tensor<6x1xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %9 = stablehlo.subtract %3, %8 : tensor<6x20xf32>
    %10 = stablehlo.multiply %0, %9 : tensor<6x20xf32>
    return %10 : tensor<6x20xf32>
  }
  func.func private @ltc.softmax(%arg0: tensor<6x20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.reshape %1 : (tensor<6xf32>) -> tensor<6x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<6x20xf32>
    %5 = stablehlo.exponential %4 : tensor<6x20xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.reshape %7 : (tensor<6xf32>) -> tensor<6x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %10 = stablehlo.divide %5, %9 : tensor<6x20xf32>
    return %10 : tensor<6x20xf32>
  }
}
