module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8x10xf32>) -> (tensor<f32>, tensor<8x10xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xi64>) -> tensor<8x10xi64>
    %2 = stablehlo.iota dim = 0 : tensor<10xi64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<10xi64>) -> tensor<8x10xi64>
    %4 = stablehlo.compare EQ, %1, %3, SIGNED : (tensor<8x10xi64>, tensor<8x10xi64>) -> tensor<8x10xi1>
    %5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%arg1 init: %5) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %8 = stablehlo.subtract %arg1, %7 : tensor<8x10xf32>
    %9 = stablehlo.exponential %8 : tensor<8x10xf32>
    %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%9 init: %10) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %12 = stablehlo.log %11 : tensor<8xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %14 = stablehlo.subtract %8, %13 : tensor<8x10xf32>
    %15 = stablehlo.constant dense<0.000000e+00> : tensor<8x10xf32>
    %16 = stablehlo.select %4, %14, %15 : tensor<8x10xi1>, tensor<8x10xf32>
    %17 = stablehlo.reduce(%16 init: %10) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<f32>
    %18 = stablehlo.constant dense<-1.250000e-01> : tensor<f32>
    %19 = stablehlo.multiply %17, %18 : tensor<f32>
    %20 = stablehlo.constant dense<-1.250000e-01> : tensor<8x10xf32>
    %21 = stablehlo.select %4, %20, %15 : tensor<8x10xi1>, tensor<8x10xf32>
    %22 = stablehlo.exponential %14 : tensor<8x10xf32>
    %23 = stablehlo.reduce(%21 init: %10) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<8x10xf32>
    %26 = stablehlo.subtract %21, %25 : tensor<8x10xf32>
    return %19, %26 : tensor<f32>, tensor<8x10xf32>
  }
}
