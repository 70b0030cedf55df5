module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<3xi32>, %arg1: tensor<3x1x8x8xf32>, %arg2: tensor<4x1x5x5xf32> {ltc.name = "w0", tf.aliasing_output = 1 : i32}, %arg3: tensor<4xf32> {ltc.name = "b0", tf.aliasing_output = 2 : i32}, %arg4: tensor<6x4x5x5xf32> {ltc.name = "w1", tf.aliasing_output = 3 : i32}, %arg5: tensor<6xf32> {ltc.name = "b1", tf.aliasing_output = 4 : i32}, %arg6: tensor<24x20xf32> {ltc.name = "w2", tf.aliasing_output = 5 : i32}, %arg7: tensor<20xf32> {ltc.name = "b2", tf.aliasing_output = 6 : i32}, %arg8: tensor<20x10xf32> {ltc.name = "w3", tf.aliasing_output = 7 : i32}, %arg9: tensor<10xf32> {ltc.name = "b3", tf.aliasing_output = 8 : i32}, %arg10: tensor<f32> {ltc.name = "lr"}) -> (tensor<f32>, tensor<4x1x5x5xf32>, tensor<4xf32>, tensor<6x4x5x5xf32>, tensor<6xf32>, tensor<24x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>) {
    %0 = stablehlo.convert %arg0 : (tensor<3xi32>) -> tensor<3xi64>
    %1 = stablehlo.reshape %0 : (tensor<3xi64>) -> tensor<3x1xi64>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<3x1xi64>) -> tensor<3x10xi64>
    %3 = stablehlo.iota dim = 0 : tensor<10xi64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<10xi64>) -> tensor<3x10xi64>
    %5 = stablehlo.compare EQ, %2, %4, SIGNED : (tensor<3x10xi64>, tensor<3x10xi64>) -> tensor<3x10xi1>
    %6 = stablehlo.convert %5 : tensor<3x10xi1>
    %7 = stablehlo.convolution(%arg1, %arg2) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x1x8x8xf32>, tensor<4x1x5x5xf32>) -> tensor<3x4x8x8xf32>
    %8 = stablehlo.reshape %arg3 : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [1, 2, 3] : (tensor<4x1x1xf32>) -> tensor<3x4x8x8xf32>
    %10 = stablehlo.add %7, %9 : tensor<3x4x8x8xf32>
    %11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<3x4x8x8xf32>
    %13 = stablehlo.maximum %10, %12 : tensor<3x4x8x8xf32>
    %14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %15 = "stablehlo.reduce_window"(%13, %14) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %116 = stablehlo.maximum %arg11, %arg12 : tensor<f32>
      stablehlo.return %116 : tensor<f32>
    }) : (tensor<3x4x8x8xf32>, tensor<f32>) -> tensor<3x4x4x4xf32>
    %16 = stablehlo.convolution(%15, %arg4) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x4x4x4xf32>, tensor<6x4x5x5xf32>) -> tensor<3x6x4x4xf32>
    %17 = stablehlo.reshape %arg5 : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [1, 2, 3] : (tensor<6x1x1xf32>) -> tensor<3x6x4x4xf32>
    %19 = stablehlo.add %16, %18 : tensor<3x6x4x4xf32>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<3x6x4x4xf32>
    %22 = stablehlo.maximum %19, %21 : tensor<3x6x4x4xf32>
    %23 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %24 = "stablehlo.reduce_window"(%22, %23) <{padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %116 = stablehlo.maximum %arg11, %arg12 : tensor<f32>
      stablehlo.return %116 : tensor<f32>
    }) : (tensor<3x6x4x4xf32>, tensor<f32>) -> tensor<3x6x2x2xf32>
    %25 = stablehlo.reshape %24 : (tensor<3x6x2x2xf32>) -> tensor<3x24xf32>
    %26 = stablehlo.dot_general %25, %arg6, contracting_dims = [1] x [0] : (tensor<3x24xf32>, tensor<24x20xf32>) -> tensor<3x20xf32>
    %27 = stablehlo.broadcast_in_dim %arg7, dims = [1] : (tensor<20xf32>) -> tensor<3x20xf32>
    %28 = stablehlo.add %26, %27 : tensor<3x20xf32>
    %29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [] : (tensor<f32>) -> tensor<3x20xf32>
    %31 = stablehlo.maximum %28, %30 : tensor<3x20xf32>
    %32 = stablehlo.dot_general %31, %arg8, contracting_dims = [1] x [0] : (tensor<3x20xf32>, tensor<20x10xf32>) -> tensor<3x10xf32>
    %33 = stablehlo.broadcast_in_dim %arg9, dims = [1] : (tensor<10xf32>) -> tensor<3x10xf32>
    %34 = stablehlo.add %32, %33 : tensor<3x10xf32>
    %35 = stablehlo.composite "ltc.log_softmax" %34 {composite_attributes = {axis = 1 : i64}, decomposition = @ltc.log_softmax} : (tensor<3x10xf32>) -> tensor<3x10xf32>
    %36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<3x10xf32>
    %38 = stablehlo.select %6, %35, %37 : tensor<3x10xi1>, tensor<3x10xf32>
    %39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%38 init: %39) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<f32>
    %41 = stablehlo.constant dense<-3.000000e+00> : tensor<f32>
    %42 = stablehlo.divide %40, %41 : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<3x4x8x8xf32>
    %44 = stablehlo.compare GT, %10, %43, FLOAT : (tensor<3x4x8x8xf32>, tensor<3x4x8x8xf32>) -> tensor<3x4x8x8xi1>
    %45 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<3x6x4x4xf32>
    %46 = stablehlo.compare GT, %19, %45, FLOAT : (tensor<3x6x4x4xf32>, tensor<3x6x4x4xf32>) -> tensor<3x6x4x4xi1>
    %47 = stablehlo.broadcast_in_dim %36, dims = [] : (tensor<f32>) -> tensor<3x20xf32>
    %48 = stablehlo.compare GT, %28, %47, FLOAT : (tensor<3x20xf32>, tensor<3x20xf32>) -> tensor<3x20xi1>
    %49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %50 = stablehlo.divide %49, %41 : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<f32>) -> tensor<3x10xf32>
    %52 = stablehlo.select %6, %51, %37 : tensor<3x10xi1>, tensor<3x10xf32>
    %53 = stablehlo.exponential %35 : tensor<3x10xf32>
    %54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%52 init: %54) applies stablehlo.add across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %56 = stablehlo.reshape %55 : (tensor<3xf32>) -> tensor<3x1xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x10xf32>
    %58 = stablehlo.multiply %53, %57 : tensor<3x10xf32>
    %59 = stablehlo.subtract %52, %58 : tensor<3x10xf32>
    %60 = stablehlo.transpose %arg8, dims = [1, 0] : (tensor<20x10xf32>) -> tensor<10x20xf32>
    %61 = stablehlo.dot_general %59, %60, contracting_dims = [1] x [0] : (tensor<3x10xf32>, tensor<10x20xf32>) -> tensor<3x20xf32>
    %62 = stablehlo.select %48, %61, %47 : tensor<3x20xi1>, tensor<3x20xf32>
    %63 = stablehlo.transpose %arg6, dims = [1, 0] : (tensor<24x20xf32>) -> tensor<20x24xf32>
    %64 = stablehlo.dot_general %62, %63, contracting_dims = [1] x [0] : (tensor<3x20xf32>, tensor<20x24xf32>) -> tensor<3x24xf32>
    %65 = stablehlo.reshape %64 : (tensor<3x24xf32>) -> tensor<3x6x2x2xf32>
    %66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %67 = "stablehlo.select_and_scatter"(%22, %65, %66) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %116 = stablehlo.compare GE, %arg11, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %117 = stablehlo.compare NE, %arg11, %arg11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %118 = stablehlo.or %116, %117 : tensor<i1>
      stablehlo.return %118 : tensor<i1>
    }, {
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %116 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %116 : tensor<f32>
    }) : (tensor<3x6x4x4xf32>, tensor<3x6x2x2xf32>, tensor<f32>) -> tensor<3x6x4x4xf32>
    %68 = stablehlo.select %46, %67, %45 : tensor<3x6x4x4xi1>, tensor<3x6x4x4xf32>
    %69 = stablehlo.reverse %arg4, dims = [2, 3] : tensor<6x4x5x5xf32>
    %70 = stablehlo.convolution(%68, %69) dim_numbers = [b, f, 0, 1]x[i, o, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x6x4x4xf32>, tensor<6x4x5x5xf32>) -> tensor<3x4x4x4xf32>
    %71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = "stablehlo.select_and_scatter"(%13, %70, %71) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %116 = stablehlo.compare GE, %arg11, %arg12, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %117 = stablehlo.compare NE, %arg11, %arg11, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %118 = stablehlo.or %116, %117 : tensor<i1>
      stablehlo.return %118 : tensor<i1>
    }, {
    ^bb0(%arg11: tensor<f32>, %arg12: tensor<f32>):
      %116 = stablehlo.add %arg11, %arg12 : tensor<f32>
      stablehlo.return %116 : tensor<f32>
    }) : (tensor<3x4x8x8xf32>, tensor<3x4x4x4xf32>, tensor<f32>) -> tensor<3x4x8x8xf32>
    %73 = stablehlo.select %44, %72, %43 : tensor<3x4x8x8xi1>, tensor<3x4x8x8xf32>
    %74 = stablehlo.convolution(%arg1, %73) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x1x8x8xf32>, tensor<3x4x8x8xf32>) -> tensor<4x1x5x5xf32>
    %75 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<4x1x5x5xf32>
    %76 = stablehlo.multiply %74, %75 : tensor<4x1x5x5xf32>
    %77 = stablehlo.subtract %arg2, %76 : tensor<4x1x5x5xf32>
    %78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.reduce(%73 init: %78) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<3x4x8x8xf32>, tensor<f32>) -> tensor<4xf32>
    %80 = stablehlo.reshape %79 : (tensor<4xf32>) -> tensor<4x1x1xf32>
    %81 = stablehlo.reshape %80 : (tensor<4x1x1xf32>) -> tensor<4xf32>
    %82 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %83 = stablehlo.multiply %81, %82 : tensor<4xf32>
    %84 = stablehlo.subtract %arg3, %83 : tensor<4xf32>
    %85 = stablehlo.convolution(%15, %68) dim_numbers = [f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<3x4x4x4xf32>, tensor<3x6x4x4xf32>) -> tensor<6x4x5x5xf32>
    %86 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<6x4x5x5xf32>
    %87 = stablehlo.multiply %85, %86 : tensor<6x4x5x5xf32>
    %88 = stablehlo.subtract %arg4, %87 : tensor<6x4x5x5xf32>
    %89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%68 init: %89) applies stablehlo.add across dimensions = [0, 2, 3] : (tensor<3x6x4x4xf32>, tensor<f32>) -> tensor<6xf32>
    %91 = stablehlo.reshape %90 : (tensor<6xf32>) -> tensor<6x1x1xf32>
    %92 = stablehlo.reshape %91 : (tensor<6x1x1xf32>) -> tensor<6xf32>
    %93 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %94 = stablehlo.multiply %92, %93 : tensor<6xf32>
    %95 = stablehlo.subtract %arg5, %94 : tensor<6xf32>
    %96 = stablehlo.transpose %25, dims = [1, 0] : (tensor<3x24xf32>) -> tensor<24x3xf32>
    %97 = stablehlo.dot_general %96, %62, contracting_dims = [1] x [0] : (tensor<24x3xf32>, tensor<3x20xf32>) -> tensor<24x20xf32>
    %98 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<24x20xf32>
    %99 = stablehlo.multiply %97, %98 : tensor<24x20xf32>
    %100 = stablehlo.subtract %arg6, %99 : tensor<24x20xf32>
    %101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %102 = stablehlo.reduce(%62 init: %101) applies stablehlo.add across dimensions = [0] : (tensor<3x20xf32>, tensor<f32>) -> tensor<20xf32>
    %103 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20xf32>
    %104 = stablehlo.multiply %102, %103 : tensor<20xf32>
    %105 = stablehlo.subtract %arg7, %104 : tensor<20xf32>
    %106 = stablehlo.transpose %31, dims = [1, 0] : (tensor<3x20xf32>) -> tensor<20x3xf32>
    %107 = stablehlo.dot_general %106, %59, contracting_dims = [1] x [0] : (tensor<20x3xf32>, tensor<3x10xf32>) -> tensor<20x10xf32>
    %108 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<20x10xf32>
    %109 = stablehlo.multiply %107, %108 : tensor<20x10xf32>
    %110 = stablehlo.subtract %arg8, %109 : tensor<20x10xf32>
    %111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%59 init: %111) applies stablehlo.add across dimensions = [0] : (tensor<3x10xf32>, tensor<f32>) -> tensor<10xf32>
    %113 = stablehlo.broadcast_in_dim %arg10, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %114 = stablehlo.multiply %112, %113 : tensor<10xf32>
    %115 = stablehlo.subtract %arg9, %114 : tensor<10xf32>
    return %42, %77, %84, %88, %95, %100, %105, %110, %115 : tensor<f32>, tensor<4x1x5x5xf32>, tensor<4xf32>, tensor<6x4x5x5xf32>, tensor<6xf32>, tensor<24x20xf32>, tensor<20xf32>, tensor<20x10xf32>, tensor<10xf32>
  }
  func.func private @ltc.log_softmax(%arg0: tensor<3x10xf32>) -> tensor<3x10xf32> {
    %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %2 = stablehlo.reshape %1 : (tensor<3xf32>) -> tensor<3x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x10xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<3x10xf32>
    %5 = stablehlo.exponential %4 : tensor<3x10xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [1] : (tensor<3x10xf32>, tensor<f32>) -> tensor<3xf32>
    %8 = stablehlo.reshape %7 : (tensor<3xf32>) -> tensor<3x1xf32>
    %9 = stablehlo.log %8 : tensor<3x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x10xf32>
    %11 = stablehlo.subtract %4, %10 : tensor<3x10xf32>
    return %11 : tensor<3x10xf32>
  }
}
