module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8x12xf32>, %arg2: tensor<12x20xf32> {ltc.name = "w0", tf.aliasing_output = 1 : i32}, %arg3: tensor<20xf32> {ltc.name = "b0", tf.aliasing_output = 2 : i32}, %arg4: tensor<20x10xf32> {ltc.name = "w1", tf.aliasing_output = 3 : i32}, %arg5: tensor<10xf32> {ltc.name = "b1", tf.aliasing_output = 4 : i32}, %arg6: tensor<f32> {ltc.name = "lr"}) -> (tensor<f32>, tensor<12x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xi64>) -> tensor<8x10xi64>
    %2 = stablehlo.iota dim = 0 : tensor<10xi64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<10xi64>) -> tensor<8x10xi64>
    %4 = stablehlo.compare EQ, %1, %3, SIGNED : (tensor<8x10xi64>, tensor<8x10xi64>) -> tensor<8x10xi1>
    %5 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x20xf32>) -> tensor<8x20xf32>
    %6 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<20xf32>) -> tensor<8x20xf32>
    %7 = stablehlo.add %5, %6 : tensor<8x20xf32>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<8x20xf32>
    %10 = stablehlo.maximum %7, %9 : tensor<8x20xf32>
    %11 = stablehlo.dot_general %10, %arg4, contracting_dims = [1] x [0] : (tensor<8x20xf32>, tensor<20x10xf32>) -> tensor<8x10xf32>
    %12 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<10xf32>) -> tensor<8x10xf32>
    %13 = stablehlo.add %11, %12 : tensor<8x10xf32>
    %14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = stablehlo.reduce(%13 init: %14) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %17 = stablehlo.subtract %13, %16 : tensor<8x10xf32>
    %18 = stablehlo.exponential %17 : tensor<8x10xf32>
    %19 = stablehlo.reduce(%18 init: %8) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.log %19 : tensor<8xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %22 = stablehlo.subtract %17, %21 : tensor<8x10xf32>
    %23 = stablehlo.constant dense<0.000000e+00> : tensor<8x10xf32>
    %24 = stablehlo.select %4, %22, %23 : tensor<8x10xi1>, tensor<8x10xf32>
    %25 = stablehlo.reduce(%24 init: %8) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<f32>
    %26 = stablehlo.constant dense<-1.250000e-01> : tensor<f32>
    %27 = stablehlo.multiply %25, %26 : tensor<f32>
    %28 = stablehlo.compare GT, %7, %9, FLOAT : (tensor<8x20xf32>, tensor<8x20xf32>) -> tensor<8x20xi1>
    %29 = stablehlo.constant dense<-1.250000e-01> : tensor<8x10xf32>
    %30 = stablehlo.select %4, %29, %23 : tensor<8x10xi1>, tensor<8x10xf32>
    %31 = stablehlo.exponential %22 : tensor<8x10xf32>
    %32 = stablehlo.reduce(%30 init: %8) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %34 = stablehlo.multiply %31, %33 : tensor<8x10xf32>
    %35 = stablehlo.subtract %30, %34 : tensor<8x10xf32>
    %36 = stablehlo.dot_general %35, %arg4, contracting_dims = [1] x [1] : (tensor<8x10xf32>, tensor<20x10xf32>) -> tensor<8x20xf32>
    %37 = stablehlo.select %28, %36, %9 : tensor<8x20xi1>, tensor<8x20xf32>
    %38 = stablehlo.dot_general %arg1, %37, contracting_dims = [0] x [0] : (tensor<8x12xf32>, tensor<8x20xf32>) -> tensor<12x20xf32>
    %39 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %40 = stablehlo.multiply %38, %39 : tensor<12x20xf32>
    %41 = stablehlo.subtract %arg2, %40 : tensor<12x20xf32>
    %42 = stablehlo.reduce(%37 init: %8) applies stablehlo.add across dimensions = [0] : (tensor<8x20xf32>, tensor<f32>) -> tensor<20xf32>
    %43 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %44 = stablehlo.multiply %42, %43 : tensor<20xf32>
    %45 = stablehlo.subtract %arg3, %44 : tensor<20xf32>
    %46 = stablehlo.dot_general %10, %35, contracting_dims = [0] x [0] : (tensor<8x20xf32>, tensor<8x10xf32>) -> tensor<20x10xf32>
    %47 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<20x10xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<20x10xf32>
    %49 = stablehlo.subtract %arg4, %48 : tensor<20x10xf32>
    %50 = stablehlo.reduce(%35 init: %8) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
    %51 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %52 = stablehlo.multiply %50, %51 : tensor<10xf32>
    %53 = stablehlo.subtract %arg5, %52 : tensor<10xf32>
    return %27, %41, %45, %49, %53 : tensor<f32>, tensor<12x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>
  }
}
