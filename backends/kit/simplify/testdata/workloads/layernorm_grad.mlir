module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<20xf32>, %arg2: tensor<6x20xf32>) -> (tensor<6x20xf32>, tensor<20xf32>, tensor<20xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<6x20xf32>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%arg2 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %4 = stablehlo.constant dense<2.000000e+01> : tensor<6xf32>
    %5 = stablehlo.divide %3, %4 : tensor<6xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %7 = stablehlo.subtract %arg2, %6 : tensor<6x20xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<6x20xf32>
    %9 = stablehlo.reduce(%8 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %10 = stablehlo.divide %9, %4 : tensor<6xf32>
    %11 = stablehlo.constant dense<9.99999974E-6> : tensor<6xf32>
    %12 = stablehlo.add %10, %11 : tensor<6xf32>
    %13 = stablehlo.rsqrt %12 : tensor<6xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %15 = stablehlo.multiply %1, %14 : tensor<6x20xf32>
    %16 = stablehlo.multiply %1, %7 : tensor<6x20xf32>
    %17 = stablehlo.reduce(%16 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %18 = stablehlo.multiply %17, %13 : tensor<6xf32>
    %19 = stablehlo.constant dense<-5.000000e-01> : tensor<6xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<6xf32>
    %21 = stablehlo.divide %20, %12 : tensor<6xf32>
    %22 = stablehlo.divide %21, %4 : tensor<6xf32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %24 = stablehlo.multiply %23, %7 : tensor<6x20xf32>
    %25 = stablehlo.add %15, %24 : tensor<6x20xf32>
    %26 = stablehlo.add %25, %24 : tensor<6x20xf32>
    %27 = stablehlo.negate %26 : tensor<6x20xf32>
    %28 = stablehlo.reduce(%27 init: %2) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %29 = stablehlo.divide %28, %4 : tensor<6xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %31 = stablehlo.add %26, %30 : tensor<6x20xf32>
    %32 = stablehlo.multiply %7, %14 : tensor<6x20xf32>
    %33 = stablehlo.multiply %arg0, %32 : tensor<6x20xf32>
    %34 = stablehlo.reduce(%33 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<6x20xf32>, tensor<f32>) -> tensor<20xf32>
    %35 = stablehlo.reduce(%arg0 init: %2) applies stablehlo.add across dimensions = [0] : (tensor<6x20xf32>, tensor<f32>) -> tensor<20xf32>
    return %31, %34, %35 : tensor<6x20xf32>, tensor<20xf32>, tensor<20xf32>
  }
}
