module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.composite "ltc.log_softmax" %arg0 {composite_attributes = {axis = 1 : i64}, decomposition = @ltc.log_softmax} : (tensor<6x20xf32>) -> tensor<6x20xf32>
    return %0 : tensor<6x20xf32>
  }
  func.func private @ltc.log_softmax(%arg0: tensor<6x20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.reshape %1 : (tensor<6xf32>) -> tensor<6x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<6x20xf32>
    %5 = stablehlo.exponential %4 : tensor<6x20xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.reshape %7 : (tensor<6xf32>) -> tensor<6x1xf32>
    %9 = stablehlo.log %8 : tensor<6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %11 = stablehlo.subtract %4, %10 : tensor<6x20xf32>
    return %11 : tensor<6x20xf32>
  }
}
