module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8x12xf32>, %arg2: tensor<12x20xf32> {ltc.name = "w0", tf.aliasing_output = 1 : i32}, %arg3: tensor<20xf32> {ltc.name = "b0", tf.aliasing_output = 2 : i32}, %arg4: tensor<20x10xf32> {ltc.name = "w1", tf.aliasing_output = 3 : i32}, %arg5: tensor<10xf32> {ltc.name = "b1", tf.aliasing_output = 4 : i32}, %arg6: tensor<f32> {ltc.name = "lr"}) -> (tensor<f32>, tensor<12x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xi64>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xi64>) -> tensor<8x10xi64>
    %3 = stablehlo.iota dim = 0 : tensor<10xi64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<10xi64>) -> tensor<8x10xi64>
    %5 = stablehlo.compare EQ, %2, %4, SIGNED : (tensor<8x10xi64>, tensor<8x10xi64>) -> tensor<8x10xi1>
    %7 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x20xf32>) -> tensor<8x20xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<20xf32>) -> tensor<8x20xf32>
    %9 = stablehlo.add %7, %8 : tensor<8x20xf32>
    %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.constant dense<0.000000e+00> : tensor<8x20xf32>
    %12 = stablehlo.maximum %9, %11 : tensor<8x20xf32>
    %13 = stablehlo.dot_general %12, %arg4, contracting_dims = [1] x [0] : (tensor<8x20xf32>, tensor<20x10xf32>) -> tensor<8x10xf32>
    %14 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<10xf32>) -> tensor<8x10xf32>
    %15 = stablehlo.add %13, %14 : tensor<8x10xf32>
    %1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.reduce(%15 init: %1) applies stablehlo.maximum across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %16 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %17 = stablehlo.subtract %15, %16 : tensor<8x10xf32>
    %18 = stablehlo.exponential %17 : tensor<8x10xf32>
    %19 = stablehlo.reduce(%18 init: %10) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %20 = stablehlo.log %19 : tensor<8xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %22 = stablehlo.subtract %17, %21 : tensor<8x10xf32>
    %v18_0 = stablehlo.constant dense<0.000000e+00> : tensor<8x10xf32>
    %v19_0 = stablehlo.select %5, %22, %v18_0 : tensor<8x10xi1>, tensor<8x10xf32>
    %v21_0 = stablehlo.reduce(%v19_0 init: %10) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<f32>
    %23 = stablehlo.constant dense<-1.250000e-01> : tensor<f32>
    %v23_0 = stablehlo.multiply %v21_0, %23 : tensor<f32>
    %26 = stablehlo.compare GT, %9, %11, FLOAT : (tensor<8x20xf32>, tensor<8x20xf32>) -> tensor<8x20xi1>
    %29 = stablehlo.constant dense<-1.250000e-01> : tensor<8x10xf32>
    %30 = stablehlo.select %5, %29, %v18_0 : tensor<8x10xi1>, tensor<8x10xf32>
    %31 = stablehlo.exponential %22 : tensor<8x10xf32>
    %33 = stablehlo.reduce(%30 init: %10) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %35 = stablehlo.broadcast_in_dim %33, dims = [0] : (tensor<8xf32>) -> tensor<8x10xf32>
    %36 = stablehlo.multiply %31, %35 : tensor<8x10xf32>
    %37 = stablehlo.subtract %30, %36 : tensor<8x10xf32>
    %39 = stablehlo.dot_general %37, %arg4, contracting_dims = [1] x [1] : (tensor<8x10xf32>, tensor<20x10xf32>) -> tensor<8x20xf32>
    %40 = stablehlo.select %26, %39, %11 : tensor<8x20xi1>, tensor<8x20xf32>
    %41 = stablehlo.dot_general %arg1, %40, contracting_dims = [0] x [0] : (tensor<8x12xf32>, tensor<8x20xf32>) -> tensor<12x20xf32>
    %42 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %43 = stablehlo.multiply %41, %42 : tensor<12x20xf32>
    %44 = stablehlo.subtract %arg2, %43 : tensor<12x20xf32>
    %46 = stablehlo.reduce(%40 init: %10) applies stablehlo.add across dimensions = [0] : (tensor<8x20xf32>, tensor<f32>) -> tensor<20xf32>
    %47 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<20xf32>
    %49 = stablehlo.subtract %arg3, %48 : tensor<20xf32>
    %51 = stablehlo.dot_general %12, %37, contracting_dims = [0] x [0] : (tensor<8x20xf32>, tensor<8x10xf32>) -> tensor<20x10xf32>
    %52 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<20x10xf32>
    %53 = stablehlo.multiply %51, %52 : tensor<20x10xf32>
    %54 = stablehlo.subtract %arg4, %53 : tensor<20x10xf32>
    %56 = stablehlo.reduce(%37 init: %10) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
    %57 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %58 = stablehlo.multiply %56, %57 : tensor<10xf32>
    %59 = stablehlo.subtract %arg5, %58 : tensor<10xf32>
    return %v23_0, %44, %49, %54, %59 : tensor<f32>, tensor<12x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>
  }
}
