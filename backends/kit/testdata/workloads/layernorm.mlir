module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<20xf32>, %arg2: tensor<20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.composite "ltc.layer_norm" %arg0, %arg1, %arg2 {composite_attributes = {epsilon = 1.000000e-05 : f64}, decomposition = @ltc.layer_norm} : (tensor<6x20xf32>, tensor<20xf32>, tensor<20xf32>) -> tensor<6x20xf32>
    return %0 : tensor<6x20xf32>
  }
  func.func private @ltc.layer_norm(%arg0: tensor<6x20xf32>, %arg1: tensor<20xf32>, %arg2: tensor<20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %2 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.divide %1, %3 : tensor<6xf32>
    %5 = stablehlo.reshape %4 : (tensor<6xf32>) -> tensor<6x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %7 = stablehlo.subtract %arg0, %6 : tensor<6x20xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<6x20xf32>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %11 = stablehlo.divide %10, %3 : tensor<6xf32>
    %12 = stablehlo.reshape %11 : (tensor<6xf32>) -> tensor<6x1xf32>
    %13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %15 = stablehlo.add %12, %14 : tensor<6x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<6x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %18 = stablehlo.multiply %7, %17 : tensor<6x20xf32>
    %19 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<6x20xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
    %22 = stablehlo.add %20, %21 : tensor<6x20xf32>
    return %22 : tensor<6x20xf32>
  }
}
