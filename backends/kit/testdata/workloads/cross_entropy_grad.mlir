module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8x10xf32>) -> (tensor<f32>, tensor<8x10xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xi64>
    %1 = stablehlo.reshape %0 : (tensor<8xi64>) -> tensor<8x1xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x1xi64>) -> tensor<8x10xi64>
    %3 = stablehlo.iota dim = 0 : tensor<10xi64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<10xi64>) -> tensor<8x10xi64>
    %5 = stablehlo.compare EQ, %2, %4, SIGNED : (tensor<8x10xi64>, tensor<8x10xi64>) -> tensor<8x10xi1>
    %6 = stablehlo.convert %5 : tensor<8x10xi1>
    %7 = stablehlo.composite "ltc.log_softmax" %arg1 {composite_attributes = {axis = 1 : i64}, decomposition = @ltc.log_softmax} : (tensor<8x10xf32>) -> tensor<8x10xf32>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %10 = stablehlo.select %6, %7, %9 : tensor<8x10xi1>, tensor<8x10xf32>
    %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%10 init: %11) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<f32>
    %13 = stablehlo.constant dense<-8.000000e+00> : tensor<f32>
    %14 = stablehlo.divide %12, %13 : tensor<f32>
    %15 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %16 = stablehlo.divide %15, %13 : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %18 = stablehlo.select %6, %17, %9 : tensor<8x10xi1>, tensor<8x10xf32>
    %19 = stablehlo.exponential %7 : tensor<8x10xf32>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%18 init: %20) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %22 = stablehlo.reshape %21 : (tensor<8xf32>) -> tensor<8x1xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %24 = stablehlo.multiply %19, %23 : tensor<8x10xf32>
    %25 = stablehlo.subtract %18, %24 : tensor<8x10xf32>
    return %14, %25 : tensor<f32>, tensor<8x10xf32>
  }
  func.func private @ltc.log_softmax(%arg0: tensor<8x10xf32>) -> tensor<8x10xf32> {
    %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %2 = stablehlo.reshape %1 : (tensor<8xf32>) -> tensor<8x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<8x10xf32>
    %5 = stablehlo.exponential %4 : tensor<8x10xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %8 = stablehlo.reshape %7 : (tensor<8xf32>) -> tensor<8x1xf32>
    %9 = stablehlo.log %8 : tensor<8x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %11 = stablehlo.subtract %4, %10 : tensor<8x10xf32>
    return %11 : tensor<8x10xf32>
  }
}
