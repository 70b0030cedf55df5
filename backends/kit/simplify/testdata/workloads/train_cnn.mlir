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
    %12 = stablehlo.constant dense<0.000000e+00> : tensor<3x8x8x4xf32>
    %13 = stablehlo.maximum %11, %12 : tensor<3x8x8x4xf32>
    %14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = "stablehlo.reduce_window"(%13, %14) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %111 = stablehlo.maximum %arg11, %arg12 : tensor<f32>
      stablehlo.return %111 : tensor<f32>
    }) : (tensor<3x8x8x4xf32>, tensor<f32>) -> tensor<3x4x4x4xf32>
    %16 = stablehlo.pad %15, %5, low = [0, 2, 2, 0], high = [0, 2, 2, 0], interior = [0, 0, 0, 0] : (tensor<3x4x4x4xf32>, tensor<f32>) -> tensor<3x8x8x4xf32>
    %17 = stablehlo.transpose %arg4, dims = [2, 3, 1, 0] : (tensor<6x4x5x5xf32>) -> tensor<5x5x4x6xf32>
    %18 = stablehlo.convolution(%16, %17) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x8x8x4xf32>, tensor<5x5x4x6xf32>) -> tensor<3x4x4x6xf32>
    %19 = stablehlo.broadcast_in_dim %arg5, dims = [3] : (tensor<6xf32>) -> tensor<3x4x4x6xf32>
    %20 = stablehlo.add %18, %19 : tensor<3x4x4x6xf32>
    %21 = stablehlo.constant dense<0.000000e+00> : tensor<3x4x4x6xf32>
    %22 = stablehlo.maximum %20, %21 : tensor<3x4x4x6xf32>
    %23 = "stablehlo.reduce_window"(%22, %14) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %111 = stablehlo.maximum %arg11, %arg12 : tensor<f32>
      stablehlo.return %111 : tensor<f32>
    }) : (tensor<3x4x4x6xf32>, tensor<f32>) -> tensor<3x2x2x6xf32>
    %24 = stablehlo.transpose %23, dims = [0, 3, 1, 2] : (tensor<3x2x2x6xf32>) -> tensor<3x6x2x2xf32>
    %25 = stablehlo.reshape %24 : (tensor<3x6x2x2xf32>) -> tensor<3x24xf32>
    %26 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0] : (tensor<3x24xf32>, tensor<24x20xf32>) -> tensor<3x20xf32>
    %27 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<20xf32>) -> tensor<3x20xf32>
    %28 = stablehlo.add %26, %27 : tensor<3x20xf32>
    %29 = stablehlo.constant dense<0.000000e+00> : tensor<3x20xf32>
    %30 = stablehlo.maximum %28, %29 : tensor<3x20xf32>
    %31 = stablehlo.dot_general %30, %arg8, contracting_dims = [1] x [0] : (tensor<3x20xf32>, tensor<20x10xf32>) -> tensor<3x10xf32>
    %32 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<10xf32>) -> tensor<3x10xf32>
    %33 = stablehlo.add %31, %32 : tensor<3x10xf32>
    %34 = stablehlo.reduce(%33 init: %14) applies stablehlo.maximum across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
    %36 = stablehlo.subtract %33, %35 : tensor<3x10xf32>
    %37 = stablehlo.exponential %36 : tensor<3x10xf32>
    %38 = stablehlo.reduce(%37 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %39 = stablehlo.log %38 : tensor<3xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
    %41 = stablehlo.subtract %36, %40 : tensor<3x10xf32>
    %42 = stablehlo.constant dense<0.000000e+00> : tensor<3x10xf32>
    %43 = stablehlo.select %4, %41, %42 : tensor<3x10xi1>, tensor<3x10xf32>
    %44 = stablehlo.reduce(%43 init: %5) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<f32>
    %45 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
    %46 = stablehlo.divide %44, %45 : tensor<f32>
    %47 = stablehlo.compare GT, %11, %12, FLOAT : (tensor<3x8x8x4xf32>, tensor<3x8x8x4xf32>) -> tensor<3x8x8x4xi1>
    %48 = stablehlo.compare GT, %20, %21, FLOAT : (tensor<3x4x4x6xf32>, tensor<3x4x4x6xf32>) -> tensor<3x4x4x6xi1>
    %49 = stablehlo.compare GT, %28, %29, FLOAT : (tensor<3x20xf32>, tensor<3x20xf32>) -> tensor<3x20xi1>
    %50 = stablehlo.constant dense<-0.333333343> : tensor<3x10xf32>
    %51 = stablehlo.select %4, %50, %42 : tensor<3x10xi1>, tensor<3x10xf32>
    %52 = stablehlo.exponential %41 : tensor<3x10xf32>
    %53 = stablehlo.reduce(%51 init: %5) applies stablehlo.add across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0] : (tensor<3xf32>) -> tensor<3x10xf32>
    %55 = stablehlo.multiply %52, %54 : tensor<3x10xf32>
    %56 = stablehlo.subtract %51, %55 : tensor<3x10xf32>
    %57 = stablehlo.dot_general %56, %arg8, contracting_dims = [1] x [1] : (tensor<3x10xf32>, tensor<20x10xf32>) -> tensor<3x20xf32>
    %58 = stablehlo.select %49, %57, %29 : tensor<3x20xi1>, tensor<3x20xf32>
    %59 = stablehlo.reshape %arg6 : (tensor<24x20xf32>) -> tensor<6x2x2x20xf32>
    %60 = stablehlo.dot_general %58, %59, contracting_dims = [1] x [3] : (tensor<3x20xf32>, tensor<6x2x2x20xf32>) -> tensor<3x6x2x2xf32>
    %61 = stablehlo.transpose %60, dims = [0, 2, 3, 1] : (tensor<3x6x2x2xf32>) -> tensor<3x2x2x6xf32>
    %62 = "stablehlo.select_and_scatter"(%22, %61, %5) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %111 = stablehlo.compare GE, %arg11, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %112 = stablehlo.compare NE, %arg11, %arg11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %113 = stablehlo.or %111, %112 : tensor<i1>
      stablehlo.return %113 : tensor<i1>
    }, {
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %111 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %111 : tensor<f32>
    }) : (tensor<3x4x4x6xf32>, tensor<3x2x2x6xf32>, tensor<f32>) -> tensor<3x4x4x6xf32>
    %63 = stablehlo.select %48, %62, %21 : tensor<3x4x4x6xi1>, tensor<3x4x4x6xf32>
    %64 = stablehlo.reverse %arg4, dims = [2, 3] : tensor<6x4x5x5xf32>
    %65 = stablehlo.pad %63, %5, low = [0, 2, 2, 0], high = [0, 2, 2, 0], interior = [0, 0, 0, 0] : (tensor<3x4x4x6xf32>, tensor<f32>) -> tensor<3x8x8x6xf32>
    %66 = stablehlo.transpose %64, dims = [2, 3, 0, 1] : (tensor<6x4x5x5xf32>) -> tensor<5x5x6x4xf32>
    %67 = stablehlo.convolution(%65, %66) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x8x8x6xf32>, tensor<5x5x6x4xf32>) -> tensor<3x4x4x4xf32>
    %68 = "stablehlo.select_and_scatter"(%13, %67, %5) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %111 = stablehlo.compare GE, %arg11, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %112 = stablehlo.compare NE, %arg11, %arg11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %113 = stablehlo.or %111, %112 : tensor<i1>
      stablehlo.return %113 : tensor<i1>
    }, {
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %111 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %111 : tensor<f32>
    }) : (tensor<3x8x8x4xf32>, tensor<3x4x4x4xf32>, tensor<f32>) -> tensor<3x8x8x4xf32>
    %69 = stablehlo.select %47, %68, %12 : tensor<3x8x8x4xi1>, tensor<3x8x8x4xf32>
    %70 = stablehlo.transpose %arg1, dims = [1, 2, 3, 0] : (tensor<3x1x8x8xf32>) -> tensor<1x8x8x3xf32>
    %71 = stablehlo.pad %70, %5, low = [0, 2, 2, 0], high = [0, 2, 2, 0], interior = [0, 0, 0, 0] : (tensor<1x8x8x3xf32>, tensor<f32>) -> tensor<1x12x12x3xf32>
    %72 = stablehlo.transpose %69, dims = [1, 2, 0, 3] : (tensor<3x8x8x4xf32>) -> tensor<8x8x3x4xf32>
    %73 = stablehlo.convolution(%71, %72) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x12x12x3xf32>, tensor<8x8x3x4xf32>) -> tensor<1x5x5x4xf32>
    %74 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<1x5x5x4xf32>
    %75 = stablehlo.multiply %73, %74 : tensor<1x5x5x4xf32>
    %76 = stablehlo.transpose %75, dims = [3, 0, 1, 2] : (tensor<1x5x5x4xf32>) -> tensor<4x1x5x5xf32>
    %77 = stablehlo.subtract %arg2, %76 : tensor<4x1x5x5xf32>
    %78 = stablehlo.reduce(%69 init: %5) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x8x8x4xf32>, tensor<f32>) -> tensor<4xf32>
    %79 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %80 = stablehlo.multiply %78, %79 : tensor<4xf32>
    %81 = stablehlo.subtract %arg3, %80 : tensor<4xf32>
    %82 = stablehlo.transpose %15, dims = [3, 1, 2, 0] : (tensor<3x4x4x4xf32>) -> tensor<4x4x4x3xf32>
    %83 = stablehlo.pad %82, %5, low = [0, 2, 2, 0], high = [0, 2, 2, 0], interior = [0, 0, 0, 0] : (tensor<4x4x4x3xf32>, tensor<f32>) -> tensor<4x8x8x3xf32>
    %84 = stablehlo.transpose %63, dims = [1, 2, 0, 3] : (tensor<3x4x4x6xf32>) -> tensor<4x4x3x6xf32>
    %85 = stablehlo.convolution(%83, %84) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<4x8x8x3xf32>, tensor<4x4x3x6xf32>) -> tensor<4x5x5x6xf32>
    %86 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<4x5x5x6xf32>
    %87 = stablehlo.multiply %85, %86 : tensor<4x5x5x6xf32>
    %88 = stablehlo.transpose %87, dims = [3, 0, 1, 2] : (tensor<4x5x5x6xf32>) -> tensor<6x4x5x5xf32>
    %89 = stablehlo.subtract %arg4, %88 : tensor<6x4x5x5xf32>
    %90 = stablehlo.reduce(%63 init: %5) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x4x4x6xf32>, tensor<f32>) -> tensor<6xf32>
    %91 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %92 = stablehlo.multiply %90, %91 : tensor<6xf32>
    %93 = stablehlo.subtract %arg5, %92 : tensor<6xf32>
    %94 = stablehlo.dot_general %24, %58, contracting_dims = [0] x [0] : (tensor<3x6x2x2xf32>, tensor<3x20xf32>) -> tensor<6x2x2x20xf32>
    %95 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<6x2x2x20xf32>
    %96 = stablehlo.multiply %94, %95 : tensor<6x2x2x20xf32>
    %97 = stablehlo.subtract %59, %96 : tensor<6x2x2x20xf32>
    %98 = stablehlo.reshape %97 : (tensor<6x2x2x20xf32>) -> tensor<24x20xf32>
    %99 = stablehlo.reduce(%58 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<3x20xf32>, tensor<f32>) -> tensor<20xf32>
    %100 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %101 = stablehlo.multiply %99, %100 : tensor<20xf32>
    %102 = stablehlo.subtract %arg7, %101 : tensor<20xf32>
    %103 = stablehlo.dot_general %30, %56, contracting_dims = [0] x [0] : (tensor<3x20xf32>, tensor<3x10xf32>) -> tensor<20x10xf32>
    %104 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20x10xf32>
    %105 = stablehlo.multiply %103, %104 : tensor<20x10xf32>
    %106 = stablehlo.subtract %arg8, %105 : tensor<20x10xf32>
    %107 = stablehlo.reduce(%56 init: %5) applies stablehlo.add across dimensions = [0] : (tensor<3x10xf32>, tensor<f32>) -> tensor<10xf32>
    %108 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %109 = stablehlo.multiply %107, %108 : tensor<10xf32>
    %110 = stablehlo.subtract %arg9, %109 : tensor<10xf32>
    return %46, %77, %81, %89, %93, %98, %102, %106, %110 : tensor<f32>, tensor<4x1x5x5xf32>, tensor<4xf32>, tensor<6x4x5x5xf32>, tensor<6xf32>, tensor<24x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>
  }
}
