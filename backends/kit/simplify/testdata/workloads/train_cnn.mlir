module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<3xi32>, %arg1: tensor<3x1x8x8xf32>, %arg2: tensor<4x1x5x5xf32> {ltc.name = "w0", tf.aliasing_output = 1 : i32}, %arg3: tensor<4xf32> {ltc.name = "b0", tf.aliasing_output = 2 : i32}, %arg4: tensor<6x4x5x5xf32> {ltc.name = "w1", tf.aliasing_output = 3 : i32}, %arg5: tensor<6xf32> {ltc.name = "b1", tf.aliasing_output = 4 : i32}, %arg6: tensor<24x20xf32> {ltc.name = "w2", tf.aliasing_output = 5 : i32}, %arg7: tensor<20xf32> {ltc.name = "b2", tf.aliasing_output = 6 : i32}, %arg8: tensor<20x10xf32> {ltc.name = "w3", tf.aliasing_output = 7 : i32}, %arg9: tensor<10xf32> {ltc.name = "b3", tf.aliasing_output = 8 : i32}, %arg10: tensor<f32> {ltc.name = "lr"}) -> (tensor<f32>, tensor<4x1x5x5xf32>, tensor<4xf32>, tensor<6x4x5x5xf32>, tensor<6xf32>, tensor<24x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<3xi32>) -> tensor<3xi64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<3xi64>) -> tensor<3x10xi64>
    %2 = stablehlo.iota dim = 0 : tensor<10xi64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<10xi64>) -> tensor<3x10xi64>
    %4 = stablehlo.compare EQ, %1, %3, SIGNED : (tensor<3x10xi64>, tensor<3x10xi64>) -> tensor<3x10xi1>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.pad %arg1, %5, low = [0, 0, 2, 2], high = [0, 0, 2, 2], interior = [0, 0, 0, 0] : (tensor<3x1x8x8xf32>, tensor<f32>) -> tensor<3x1x12x12xf32>
    %7 = stablehlo.reshape %6 : (tensor<3x1x12x12xf32>) -> tensor<3x12x12x1xf32>
    %8 = stablehlo.transpose %arg2, dims = [2, 3, 1, 0] : (tensor<4x1x5x5xf32>) -> tensor<5x5x1x4xf32>
    %9 = stablehlo.convolution(%7, %8) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x12x12x1xf32>, tensor<5x5x1x4xf32>) -> tensor<3x8x8x4xf32>
    %10 = stablehlo.broadcast_in_dim %arg3, dims = [3] : (tensor<4xf32>) -> tensor<3x8x8x4xf32>
    %11 = stablehlo.add %9, %10 : tensor<3x8x8x4xf32>
    %12 = stablehlo.transpose %11, dims = [0, 3, 1, 2] : (tensor<3x8x8x4xf32>) -> tensor<3x4x8x8xf32>
    %13 = stablehlo.constant dense<0.000000e+00> : tensor<3x4x8x8xf32>
    %14 = stablehlo.maximum %12, %13 : tensor<3x4x8x8xf32>
    %15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = "stablehlo.reduce_window"(%14, %15) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %112 = stablehlo.maximum %arg11, %arg12 : tensor<f32>
      stablehlo.return %112 : tensor<f32>
    }) : (tensor<3x4x8x8xf32>, tensor<f32>) -> tensor<3x4x4x4xf32>
    %17 = stablehlo.pad %16, %5, low = [0, 0, 2, 2], high = [0, 0, 2, 2], interior = [0, 0, 0, 0] : (tensor<3x4x4x4xf32>, tensor<f32>) -> tensor<3x4x8x8xf32>
    %18 = stablehlo.transpose %17, dims = [0, 2, 3, 1] : (tensor<3x4x8x8xf32>) -> tensor<3x8x8x4xf32>
    %19 = stablehlo.transpose %arg4, dims = [2, 3, 1, 0] : (tensor<6x4x5x5xf32>) -> tensor<5x5x4x6xf32>
    %20 = stablehlo.convolution(%18, %19) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x8x8x4xf32>, tensor<5x5x4x6xf32>) -> tensor<3x4x4x6xf32>
    %21 = stablehlo.broadcast_in_dim %arg5, dims = [3] : (tensor<6xf32>) -> tensor<3x4x4x6xf32>
    %22 = stablehlo.add %20, %21 : tensor<3x4x4x6xf32>
    %23 = stablehlo.transpose %22, dims = [0, 3, 1, 2] : (tensor<3x4x4x6xf32>) -> tensor<3x6x4x4xf32>
    %24 = stablehlo.constant dense<0.000000e+00> : tensor<3x6x4x4xf32>
    %25 = stablehlo.maximum %23, %24 : tensor<3x6x4x4xf32>
    %26 = "stablehlo.reduce_window"(%25, %15) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %112 = stablehlo.maximum %arg11, %arg12 : tensor<f32>
      stablehlo.return %112 : tensor<f32>
    }) : (tensor<3x6x4x4xf32>, tensor<f32>) -> tensor<3x6x2x2xf32>
    %27 = stablehlo.reshape %26 : (tensor<3x6x2x2xf32>) -> tensor<3x24xf32>
    %28 = stablehlo.dot_general %27, %arg6, contracting_dims = [1] x [0] : (tensor<3x24xf32>, tensor<24x20xf32>) -> tensor<3x20xf32>
    %29 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<20xf32>) -> tensor<3x20xf32>
    %30 = stablehlo.add %28, %29 : tensor<3x20xf32>
    %31 = stablehlo.constant dense<0.000000e+00> : tensor<3x20xf32>
    %32 = stablehlo.maximum %30, %31 : tensor<3x20xf32>
    %33 = stablehlo.dot_general %32, %arg8, contracting_dims = [1] x [0] : (tensor<3x20xf32>, tensor<20x10xf32>) -> tensor<3x10xf32>
    %34 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<10xf32>) -> tensor<3x10xf32>
    %35 = stablehlo.add %33, %34 : tensor<3x10xf32>
    %36 = stablehlo.reduce(%35 init: %15) applies stablehlo.maximum across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
    %38 = stablehlo.subtract %35, %37 : tensor<3x10xf32>
    %39 = stablehlo.exponential %38 : tensor<3x10xf32>
    %40 = stablehlo.reduce(%39 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %41 = stablehlo.log %40 : tensor<3xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
    %43 = stablehlo.subtract %38, %42 : tensor<3x10xf32>
    %44 = stablehlo.constant dense<0.000000e+00> : tensor<3x10xf32>
    %45 = stablehlo.select %4, %43, %44 : tensor<3x10xi1>, tensor<3x10xf32>
    %46 = stablehlo.reduce(%45 init: %5) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<f32>
    %47 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
    %48 = stablehlo.divide %46, %47 : tensor<f32>
    %49 = stablehlo.compare GT, %12, %13, FLOAT : (tensor<3x4x8x8xf32>, tensor<3x4x8x8xf32>) -> tensor<3x4x8x8xi1>
    %50 = stablehlo.compare GT, %23, %24, FLOAT : (tensor<3x6x4x4xf32>, tensor<3x6x4x4xf32>) -> tensor<3x6x4x4xi1>
    %51 = stablehlo.compare GT, %30, %31, FLOAT : (tensor<3x20xf32>, tensor<3x20xf32>) -> tensor<3x20xi1>
    %52 = stablehlo.constant dense<-0.333333343> : tensor<3x10xf32>
    %53 = stablehlo.select %4, %52, %44 : tensor<3x10xi1>, tensor<3x10xf32>
    %54 = stablehlo.exponential %43 : tensor<3x10xf32>
    %55 = stablehlo.reduce(%53 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
    %57 = stablehlo.multiply %54, %56 : tensor<3x10xf32>
    %58 = stablehlo.subtract %53, %57 : tensor<3x10xf32>
    %59 = stablehlo.dot_general %58, %arg8, contracting_dims = [1] x [1] : (tensor<3x10xf32>, tensor<20x10xf32>) -> tensor<3x20xf32>
    %60 = stablehlo.select %51, %59, %31 : tensor<3x20xi1>, tensor<3x20xf32>
    %61 = stablehlo.reshape %arg6 : (tensor<24x20xf32>) -> tensor<6x2x2x20xf32>
    %62 = stablehlo.dot_general %60, %61, contracting_dims = [1] x [3] : (tensor<3x20xf32>, tensor<6x2x2x20xf32>) -> tensor<3x6x2x2xf32>
    %63 = "stablehlo.select_and_scatter"(%25, %62, %5) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %112 = stablehlo.compare GE, %arg11, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %113 = stablehlo.compare NE, %arg11, %arg11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %114 = stablehlo.or %112, %113 : tensor<i1>
      stablehlo.return %114 : tensor<i1>
    }, {
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %112 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %112 : tensor<f32>
    }) : (tensor<3x6x4x4xf32>, tensor<3x6x2x2xf32>, tensor<f32>) -> tensor<3x6x4x4xf32>
    %64 = stablehlo.select %50, %63, %24 : tensor<3x6x4x4xi1>, tensor<3x6x4x4xf32>
    %65 = stablehlo.reverse %arg4, dims = [2, 3] : tensor<6x4x5x5xf32>
    %66 = stablehlo.pad %64, %5, low = [0, 0, 2, 2], high = [0, 0, 2, 2], interior = [0, 0, 0, 0] : (tensor<3x6x4x4xf32>, tensor<f32>) -> tensor<3x6x8x8xf32>
    %67 = stablehlo.transpose %66, dims = [0, 2, 3, 1] : (tensor<3x6x8x8xf32>) -> tensor<3x8x8x6xf32>
    %68 = stablehlo.transpose %65, dims = [2, 3, 0, 1] : (tensor<6x4x5x5xf32>) -> tensor<5x5x6x4xf32>
    %69 = stablehlo.convolution(%67, %68) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x8x8x6xf32>, tensor<5x5x6x4xf32>) -> tensor<3x4x4x4xf32>
    %70 = stablehlo.transpose %69, dims = [0, 3, 1, 2] : (tensor<3x4x4x4xf32>) -> tensor<3x4x4x4xf32>
    %71 = "stablehlo.select_and_scatter"(%14, %70, %5) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %112 = stablehlo.compare GE, %arg11, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %113 = stablehlo.compare NE, %arg11, %arg11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %114 = stablehlo.or %112, %113 : tensor<i1>
      stablehlo.return %114 : tensor<i1>
    }, {
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %112 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %112 : tensor<f32>
    }) : (tensor<3x4x8x8xf32>, tensor<3x4x4x4xf32>, tensor<f32>) -> tensor<3x4x8x8xf32>
    %72 = stablehlo.select %49, %71, %13 : tensor<3x4x8x8xi1>, tensor<3x4x8x8xf32>
    %73 = stablehlo.transpose %6, dims = [1, 2, 3, 0] : (tensor<3x1x12x12xf32>) -> tensor<1x12x12x3xf32>
    %74 = stablehlo.transpose %72, dims = [2, 3, 0, 1] : (tensor<3x4x8x8xf32>) -> tensor<8x8x3x4xf32>
    %75 = stablehlo.convolution(%73, %74) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x12x12x3xf32>, tensor<8x8x3x4xf32>) -> tensor<1x5x5x4xf32>
    %76 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<1x5x5x4xf32>
    %77 = stablehlo.multiply %75, %76 : tensor<1x5x5x4xf32>
    %78 = stablehlo.transpose %77, dims = [3, 0, 1, 2] : (tensor<1x5x5x4xf32>) -> tensor<4x1x5x5xf32>
    %79 = stablehlo.subtract %arg2, %78 : tensor<4x1x5x5xf32>
    %80 = stablehlo.reduce(%72 init: %5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<3x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %81 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %82 = stablehlo.multiply %80, %81 : tensor<4xf32>
    %83 = stablehlo.subtract %arg3, %82 : tensor<4xf32>
    %84 = stablehlo.transpose %17, dims = [1, 2, 3, 0] : (tensor<3x4x8x8xf32>) -> tensor<4x8x8x3xf32>
    %85 = stablehlo.transpose %64, dims = [2, 3, 0, 1] : (tensor<3x6x4x4xf32>) -> tensor<4x4x3x6xf32>
    %86 = stablehlo.convolution(%84, %85) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x3xf32>, tensor<4x4x3x6xf32>) -> tensor<4x5x5x6xf32>
    %87 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<4x5x5x6xf32>
    %88 = stablehlo.multiply %86, %87 : tensor<4x5x5x6xf32>
    %89 = stablehlo.transpose %88, dims = [3, 0, 1, 2] : (tensor<4x5x5x6xf32>) -> tensor<6x4x5x5xf32>
    %90 = stablehlo.subtract %arg4, %89 : tensor<6x4x5x5xf32>
    %91 = stablehlo.reduce(%64 init: %5) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<3x6x4x4xf32>, tensor<f32>) -> tensor<6xf32>
    %92 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %93 = stablehlo.multiply %91, %92 : tensor<6xf32>
    %94 = stablehlo.subtract %arg5, %93 : tensor<6xf32>
    %95 = stablehlo.dot_general %26, %60, contracting_dims = [0] x [0] : (tensor<3x6x2x2xf32>, tensor<3x20xf32>) -> tensor<6x2x2x20xf32>
    %96 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<6x2x2x20xf32>
    %97 = stablehlo.multiply %95, %96 : tensor<6x2x2x20xf32>
    %98 = stablehlo.subtract %61, %97 : tensor<6x2x2x20xf32>
    %99 = stablehlo.reshape %98 : (tensor<6x2x2x20xf32>) -> tensor<24x20xf32>
    %100 = stablehlo.reduce(%60 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<3x20xf32>, tensor<f32>) -> tensor<20xf32>
    %101 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %102 = stablehlo.multiply %100, %101 : tensor<20xf32>
    %103 = stablehlo.subtract %arg7, %102 : tensor<20xf32>
    %104 = stablehlo.dot_general %32, %58, contracting_dims = [0] x [0] : (tensor<3x20xf32>, tensor<3x10xf32>) -> tensor<20x10xf32>
    %105 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20x10xf32>
    %106 = stablehlo.multiply %104, %105 : tensor<20x10xf32>
    %107 = stablehlo.subtract %arg8, %106 : tensor<20x10xf32>
    %108 = stablehlo.reduce(%58 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<3x10xf32>, tensor<f32>) -> tensor<10xf32>
    %109 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %110 = stablehlo.multiply %108, %109 : tensor<10xf32>
    %111 = stablehlo.subtract %arg9, %110 : tensor<10xf32>
    return %48, %79, %83, %90, %94, %99, %103, %107, %111 : tensor<f32>, tensor<4x1x5x5xf32>, tensor<4xf32>, tensor<6x4x5x5xf32>, tensor<6xf32>, tensor<24x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>
  }
}
