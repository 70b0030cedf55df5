module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<20xf32>, %arg2: tensor<6x20xf32>) -> (tensor<6x20xf32>, tensor<20xf32>, tensor<20xf32>) {
    %3 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<6x20xf32>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%arg2 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %8 = stablehlo.constant dense<2.000000e+01> : tensor<6xf32>
    %9 = stablehlo.divide %6, %8 : tensor<6xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %12 = stablehlo.subtract %arg2, %11 : tensor<6x20xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<6x20xf32>
    %15 = stablehlo.reduce(%13 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.divide %15, %8 : tensor<6xf32>
    %0 = stablehlo.constant dense<9.99999974E-6> : tensor<6xf32>
    %1 = stablehlo.add %16, %0 : tensor<6xf32>
    %2 = stablehlo.rsqrt %1 : tensor<6xf32>
    %22 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %23 = stablehlo.multiply %4, %22 : tensor<6x20xf32>
    %24 = stablehlo.multiply %4, %12 : tensor<6x20xf32>
    %26 = stablehlo.reduce(%24 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.multiply %26, %2 : tensor<6xf32>
    %10 = stablehlo.constant dense<-5.000000e-01> : tensor<6xf32>
    %14 = stablehlo.multiply %7, %10 : tensor<6xf32>
    %33 = stablehlo.divide %14, %1 : tensor<6xf32>
    %34 = stablehlo.divide %33, %8 : tensor<6xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %36 = stablehlo.multiply %35, %12 : tensor<6x20xf32>
    %37 = stablehlo.add %23, %36 : tensor<6x20xf32>
    %38 = stablehlo.add %37, %36 : tensor<6x20xf32>
    %39 = stablehlo.negate %38 : tensor<6x20xf32>
    %41 = stablehlo.reduce(%39 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %44 = stablehlo.divide %41, %8 : tensor<6xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %46 = stablehlo.add %38, %45 : tensor<6x20xf32>
    %47 = stablehlo.multiply %12, %22 : tensor<6x20xf32>
    %48 = stablehlo.multiply %arg0, %47 : tensor<6x20xf32>
    %50 = stablehlo.reduce(%48 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<6x20xf32>, tensor<f32>) -> tensor<20xf32>
    %52 = stablehlo.reduce(%arg0 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<6x20xf32>, tensor<f32>) -> tensor<20xf32>
    return %46, %50, %52 : tensor<6x20xf32>, tensor<20xf32>, tensor<20xf32>
  }
}
