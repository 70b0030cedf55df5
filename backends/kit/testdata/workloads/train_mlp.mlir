module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8xi32>, %arg1: tensor<8x12xf32>, %arg2: tensor<12x20xf32> {ltc.name = "w0", tf.aliasing_output = 1 : i32}, %arg3: tensor<20xf32> {ltc.name = "b0", tf.aliasing_output = 2 : i32}, %arg4: tensor<20x10xf32> {ltc.name = "w1", tf.aliasing_output = 3 : i32}, %arg5: tensor<10xf32> {ltc.name = "b1", tf.aliasing_output = 4 : i32}, %arg6: tensor<f32> {ltc.name = "lr"}) -> (tensor<f32>, tensor<12x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<8xi32>) -> tensor<8xi64>
    %1 = stablehlo.reshape %0 : (tensor<8xi64>) -> tensor<8x1xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<8x1xi64>) -> tensor<8x10xi64>
    %3 = stablehlo.iota dim = 0 : tensor<10xi64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<10xi64>) -> tensor<8x10xi64>
    %5 = stablehlo.compare EQ, %2, %4, SIGNED : (tensor<8x10xi64>, tensor<8x10xi64>) -> tensor<8x10xi1>
    %6 = stablehlo.convert %5 : tensor<8x10xi1>
    %7 = stablehlo.dot_general %arg1, %arg2, contracting_dims = [1] x [0] : (tensor<8x12xf32>, tensor<12x20xf32>) -> tensor<8x20xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<20xf32>) -> tensor<8x20xf32>
    %9 = stablehlo.add %7, %8 : tensor<8x20xf32>
    %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<8x20xf32>
    %12 = stablehlo.maximum %9, %11 : tensor<8x20xf32>
    %13 = stablehlo.dot_general %12, %arg4, contracting_dims = [1] x [0] : (tensor<8x20xf32>, tensor<20x10xf32>) -> tensor<8x10xf32>
    %14 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<10xf32>) -> tensor<8x10xf32>
    %15 = stablehlo.add %13, %14 : tensor<8x10xf32>
    %16 = stablehlo.composite "ltc.log_softmax" %15 {composite_attributes = {axis = 1 : i64}, decomposition = @ltc.log_softmax} : (tensor<8x10xf32>) -> tensor<8x10xf32>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %19 = stablehlo.select %6, %16, %18 : tensor<8x10xi1>, tensor<8x10xf32>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%19 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<f32>
    %22 = stablehlo.constant dense<-8.000000e+00> : tensor<f32>
    %23 = stablehlo.divide %21, %22 : tensor<f32>
    %24 = stablehlo.transpose %arg1, dims = [1, 0] : (tensor<8x12xf32>) -> tensor<12x8xf32>
    %25 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<8x20xf32>
    %26 = stablehlo.compare GT, %9, %25, FLOAT : (tensor<8x20xf32>, tensor<8x20xf32>) -> tensor<8x20xi1>
    %27 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %28 = stablehlo.divide %27, %22 : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<8x10xf32>
    %30 = stablehlo.select %6, %29, %18 : tensor<8x10xi1>, tensor<8x10xf32>
    %31 = stablehlo.exponential %16 : tensor<8x10xf32>
    %32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.reduce(%30 init: %32) applies stablehlo.add across dimensions = [1] : (tensor<8x10xf32>, tensor<f32>) -> tensor<8xf32>
    %34 = stablehlo.reshape %33 : (tensor<8xf32>) -> tensor<8x1xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<8x1xf32>) -> tensor<8x10xf32>
    %36 = stablehlo.multiply %31, %35 : tensor<8x10xf32>
    %37 = stablehlo.subtract %30, %36 : tensor<8x10xf32>
    %38 = stablehlo.transpose %arg4, dims = [1, 0] : (tensor<20x10xf32>) -> tensor<10x20xf32>
    %39 = stablehlo.dot_general %37, %38, contracting_dims = [1] x [0] : (tensor<8x10xf32>, tensor<10x20xf32>) -> tensor<8x20xf32>
    %40 = stablehlo.select %26, %39, %25 : tensor<8x20xi1>, tensor<8x20xf32>
    %41 = stablehlo.dot_general %24, %40, contracting_dims = [1] x [0] : (tensor<12x8xf32>, tensor<8x20xf32>) -> tensor<12x20xf32>
    %42 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<12x20xf32>
    %43 = stablehlo.multiply %41, %42 : tensor<12x20xf32>
    %44 = stablehlo.subtract %arg2, %43 : tensor<12x20xf32>
    %45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%40 init: %45) applies stablehlo.add across dimensions = [0] : (tensor<8x20xf32>, tensor<f32>) -> tensor<20xf32>
    %47 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<20xf32>
    %49 = stablehlo.subtract %arg3, %48 : tensor<20xf32>
    %50 = stablehlo.transpose %12, dims = [1, 0] : (tensor<8x20xf32>) -> tensor<20x8xf32>
    %51 = stablehlo.dot_general %50, %37, contracting_dims = [1] x [0] : (tensor<20x8xf32>, tensor<8x10xf32>) -> tensor<20x10xf32>
    %52 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<20x10xf32>
    %53 = stablehlo.multiply %51, %52 : tensor<20x10xf32>
    %54 = stablehlo.subtract %arg4, %53 : tensor<20x10xf32>
    %55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.reduce(%37 init: %55) applies stablehlo.add across dimensions = [0] : (tensor<8x10xf32>, tensor<f32>) -> tensor<10xf32>
    %57 = stablehlo.broadcast_in_dim %arg6, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %58 = stablehlo.multiply %56, %57 : tensor<10xf32>
    %59 = stablehlo.subtract %arg5, %58 : tensor<10xf32>
    return %23, %44, %49, %54, %59 : tensor<f32>, tensor<12x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>
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
