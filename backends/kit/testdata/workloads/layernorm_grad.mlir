module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<20xf32>, %arg2: tensor<6x20xf32>) -> (tensor<6x20xf32>, tensor<20xf32>, tensor<20xf32>) {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<6x20xf32>
    %3 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<20xf32>) -> tensor<6x20xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<6x20xf32>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%arg2 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %7 = stablehlo.constant dense<2.000000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.divide %6, %8 : tensor<6xf32>
    %10 = stablehlo.reshape %9 : (tensor<6xf32>) -> tensor<6x1xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %12 = stablehlo.subtract %arg2, %11 : tensor<6x20xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<6x20xf32>
    %14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %16 = stablehlo.divide %15, %8 : tensor<6xf32>
    %17 = stablehlo.reshape %16 : (tensor<6xf32>) -> tensor<6x1xf32>
    %18 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %20 = stablehlo.add %17, %19 : tensor<6x1xf32>
    %21 = stablehlo.rsqrt %20 : tensor<6x1xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x20xf32>
    %23 = stablehlo.multiply %4, %22 : tensor<6x20xf32>
    %24 = stablehlo.multiply %4, %12 : tensor<6x20xf32>
    %25 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %26 = stablehlo.reduce(%24 init: %25) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %27 = stablehlo.reshape %26 : (tensor<6xf32>) -> tensor<6x1xf32>
    %28 = stablehlo.multiply %27, %21 : tensor<6x1xf32>
    %29 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<6x1xf32>
    %31 = stablehlo.multiply %28, %30 : tensor<6x1xf32>
    %32 = stablehlo.divide %31, %20 : tensor<6x1xf32>
    %33 = stablehlo.reshape %32 : (tensor<6x1xf32>) -> tensor<6xf32>
    %34 = stablehlo.divide %33, %8 : tensor<6xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %36 = stablehlo.multiply %35, %12 : tensor<6x20xf32>
    %37 = stablehlo.add %23, %36 : tensor<6x20xf32>
    %38 = stablehlo.add %37, %36 : tensor<6x20xf32>
    %39 = stablehlo.negate %38 : tensor<6x20xf32>
    %40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.reduce(%39 init: %40) applies stablehlo.add across dimensions = [1] : (tensor<6x20xf32>, tensor<f32>) -> tensor<6xf32>
    %42 = stablehlo.reshape %41 : (tensor<6xf32>) -> tensor<6x1xf32>
    %43 = stablehlo.reshape %42 : (tensor<6x1xf32>) -> tensor<6xf32>
    %44 = stablehlo.divide %43, %8 : tensor<6xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<6xf32>) -> tensor<6x20xf32>
    %46 = stablehlo.add %38, %45 : tensor<6x20xf32>
    %47 = stablehlo.multiply %12, %22 : tensor<6x20xf32>
    %48 = stablehlo.multiply %2, %47 : tensor<6x20xf32>
    %49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %50 = stablehlo.reduce(%48 init: %49) applies stablehlo.add across dimensions = [0] : (tensor<6x20xf32>, tensor<f32>) -> tensor<20xf32>
    %51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%2 init: %51) applies stablehlo.add across dimensions = [0] : (tensor<6x20xf32>, tensor<f32>) -> tensor<20xf32>
    return %46, %50, %52 : tensor<6x20xf32>, tensor<20xf32>, tensor<20xf32>
  }
}
