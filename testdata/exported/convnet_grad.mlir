module @jit_convnet_loss attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<10xf32>, %arg1: tensor<12x10xf32>, %arg2: tensor<3x3x1x8xf32>, %arg3: tensor<8xf32>, %arg4: tensor<8xf32>, %arg5: tensor<8xf32>, %arg6: tensor<8xf32>, %arg7: tensor<3x3x4x12xf32>, %arg8: tensor<12xf32>, %arg9: tensor<12xf32>, %arg10: tensor<12xf32>, %arg11: tensor<12xf32>, %arg12: tensor<1x1x8x12xf32>, %arg13: tensor<12xf32>, %arg14: tensor<12xf32>, %arg15: tensor<12xf32>, %arg16: tensor<12xf32>, %arg17: tensor<3x3x3x8xf32>, %arg18: tensor<8xf32>, %arg19: tensor<8xf32>, %arg20: tensor<8xf32>, %arg21: tensor<8xf32>, %arg22: tensor<2x12x12x3xf32>, %arg23: tensor<2xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<10xf32> {jax.result_info = "result[1]['dense']['bias']"}, tensor<12x10xf32> {jax.result_info = "result[1]['dense']['kernel']"}, tensor<3x3x1x8xf32> {jax.result_info = "result[1]['depthwise']['kernel']"}, tensor<8xf32> {jax.result_info = "result[1]['depthwise']['norm']['bias']"}, tensor<8xf32> {jax.result_info = "result[1]['depthwise']['norm']['mean']"}, tensor<8xf32> {jax.result_info = "result[1]['depthwise']['norm']['scale']"}, tensor<8xf32> {jax.result_info = "result[1]['depthwise']['norm']['variance']"}, tensor<3x3x4x12xf32> {jax.result_info = "result[1]['grouped']['kernel']"}, tensor<12xf32> {jax.result_info = "result[1]['grouped']['norm']['bias']"}, tensor<12xf32> {jax.result_info = "result[1]['grouped']['norm']['mean']"}, tensor<12xf32> {jax.result_info = "result[1]['grouped']['norm']['scale']"}, tensor<12xf32> {jax.result_info = "result[1]['grouped']['norm']['variance']"}, tensor<1x1x8x12xf32> {jax.result_info = "result[1]['pointwise']['kernel']"}, tensor<12xf32> {jax.result_info = "result[1]['pointwise']['norm']['bias']"}, tensor<12xf32> {jax.result_info = "result[1]['pointwise']['norm']['mean']"}, tensor<12xf32> {jax.result_info = "result[1]['pointwise']['norm']['scale']"}, tensor<12xf32> {jax.result_info = "result[1]['pointwise']['norm']['variance']"}, tensor<3x3x3x8xf32> {jax.result_info = "result[1]['stem']['kernel']"}, tensor<8xf32> {jax.result_info = "result[1]['stem']['norm']['bias']"}, tensor<8xf32> {jax.result_info = "result[1]['stem']['norm']['mean']"}, tensor<8xf32> {jax.result_info = "result[1]['stem']['norm']['scale']"}, tensor<8xf32> {jax.result_info = "result[1]['stem']['norm']['variance']"}) {
    %0 = stablehlo.convolution(%arg22, %arg17) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x12x12x3xf32>, tensor<3x3x3x8xf32>) -> tensor<2x6x6x8xf32>
    %1 = stablehlo.broadcast_in_dim %arg19, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x6x6x8xf32>
    %3 = stablehlo.subtract %0, %2 : tensor<2x6x6x8xf32>
    %cst = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %5 = stablehlo.add %arg21, %4 : tensor<8xf32>
    %6 = stablehlo.rsqrt %5 : tensor<8xf32>
    %7 = stablehlo.divide %6, %5 : tensor<8xf32>
    %cst_0 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %9 = stablehlo.multiply %8, %7 : tensor<8xf32>
    %10 = stablehlo.multiply %6, %arg20 : tensor<8xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x6x6x8xf32>
    %13 = stablehlo.multiply %3, %12 : tensor<2x6x6x8xf32>
    %14 = stablehlo.broadcast_in_dim %arg18, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x6x6x8xf32>
    %16 = stablehlo.add %13, %15 : tensor<2x6x6x8xf32>
    %17 = call @relu(%16) : (tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x6x6x8xf32>
    %19 = stablehlo.compare GT, %16, %18, FLOAT : (tensor<2x6x6x8xf32>, tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xi1>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2x6x6x8xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<f32>
    %22 = "stablehlo.reduce_window"(%17, %21) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %218 = stablehlo.maximum %arg24, %arg25 : tensor<f32>
      stablehlo.return %218 : tensor<f32>
    }) : (tensor<2x6x6x8xf32>, tensor<f32>) -> tensor<2x3x3x8xf32>
    %23 = stablehlo.convolution(%22, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x8xf32>, tensor<3x3x1x8xf32>) -> tensor<2x3x3x8xf32>
    %24 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x3x3x8xf32>
    %26 = stablehlo.subtract %23, %25 : tensor<2x3x3x8xf32>
    %cst_4 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %28 = stablehlo.add %arg6, %27 : tensor<8xf32>
    %29 = stablehlo.rsqrt %28 : tensor<8xf32>
    %30 = stablehlo.divide %29, %28 : tensor<8xf32>
    %cst_5 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<8xf32>
    %33 = stablehlo.multiply %29, %arg5 : tensor<8xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x3x3x8xf32>
    %36 = stablehlo.multiply %26, %35 : tensor<2x3x3x8xf32>
    %37 = stablehlo.broadcast_in_dim %arg3, dims = [3] : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x3x3x8xf32>
    %39 = stablehlo.add %36, %38 : tensor<2x3x3x8xf32>
    %40 = call @relu_0(%39) : (tensor<2x3x3x8xf32>) -> tensor<2x3x3x8xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x3x3x8xf32>
    %42 = stablehlo.compare GT, %39, %41, FLOAT : (tensor<2x3x3x8xf32>, tensor<2x3x3x8xf32>) -> tensor<2x3x3x8xi1>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2x3x3x8xf32>
    %44 = stablehlo.convolution(%40, %arg12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x8xf32>, tensor<1x1x8x12xf32>) -> tensor<2x3x3x12xf32>
    %45 = stablehlo.broadcast_in_dim %arg14, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %47 = stablehlo.subtract %44, %46 : tensor<2x3x3x12xf32>
    %cst_8 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %48 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %49 = stablehlo.add %arg16, %48 : tensor<12xf32>
    %50 = stablehlo.rsqrt %49 : tensor<12xf32>
    %51 = stablehlo.divide %50, %49 : tensor<12xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %53 = stablehlo.multiply %52, %51 : tensor<12xf32>
    %54 = stablehlo.multiply %50, %arg15 : tensor<12xf32>
    %55 = stablehlo.broadcast_in_dim %54, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %57 = stablehlo.multiply %47, %56 : tensor<2x3x3x12xf32>
    %58 = stablehlo.broadcast_in_dim %arg13, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %60 = stablehlo.add %57, %59 : tensor<2x3x3x12xf32>
    %61 = call @relu_1(%60) : (tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %63 = stablehlo.compare GT, %60, %62, FLOAT : (tensor<2x3x3x12xf32>, tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xi1>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %65 = stablehlo.convolution(%61, %arg7) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x12xf32>, tensor<3x3x4x12xf32>) -> tensor<2x3x3x12xf32>
    %66 = stablehlo.broadcast_in_dim %arg9, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %68 = stablehlo.subtract %65, %67 : tensor<2x3x3x12xf32>
    %cst_12 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %70 = stablehlo.add %arg11, %69 : tensor<12xf32>
    %71 = stablehlo.rsqrt %70 : tensor<12xf32>
    %72 = stablehlo.divide %71, %70 : tensor<12xf32>
    %cst_13 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<12xf32>
    %74 = stablehlo.multiply %73, %72 : tensor<12xf32>
    %75 = stablehlo.multiply %71, %arg10 : tensor<12xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %78 = stablehlo.multiply %68, %77 : tensor<2x3x3x12xf32>
    %79 = stablehlo.broadcast_in_dim %arg8, dims = [3] : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %81 = stablehlo.add %78, %80 : tensor<2x3x3x12xf32>
    %82 = call @relu_1(%81) : (tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %84 = stablehlo.compare GT, %81, %83, FLOAT : (tensor<2x3x3x12xf32>, tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xi1>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %86 = stablehlo.add %61, %82 : tensor<2x3x3x12xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<f32>
    %88 = "stablehlo.reduce_window"(%86, %87) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %218 = stablehlo.add %arg24, %arg25 : tensor<f32>
      stablehlo.return %218 : tensor<f32>
    }) : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x3x3x12xf32>
    %cst_17 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<f32>
    %91 = "stablehlo.reduce_window"(%89, %90) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %218 = stablehlo.add %arg24, %arg25 : tensor<f32>
      stablehlo.return %218 : tensor<f32>
    }) : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x3x3x12xf32>
    %92 = stablehlo.divide %88, %91 : tensor<2x3x3x12xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.reduce(%92 init: %cst_19) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x12xf32>
    %cst_20 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %95 = stablehlo.divide %93, %94 : tensor<2x12xf32>
    %96 = stablehlo.dot_general %95, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x12xf32>, tensor<12x10xf32>) -> tensor<2x10xf32>
    %97 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<2x10xf32>
    %99 = stablehlo.add %96, %98 : tensor<2x10xf32>
    %100 = call @_one_hot(%arg23) : (tensor<2xi32>) -> tensor<2x10xf32>
    %101:3 = call @log_softmax(%99) : (tensor<2x10xf32>) -> (tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x1xf32>)
    %102 = stablehlo.multiply %100, %101#0 : tensor<2x10xf32>
    %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %103 = stablehlo.reduce(%102 init: %cst_21) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_22) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    %cst_23 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %105 = stablehlo.divide %104, %cst_23 : tensor<f32>
    %106 = stablehlo.negate %105 : tensor<f32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %107 = stablehlo.negate %cst_24 : tensor<f32>
    %cst_25 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %108 = stablehlo.divide %107, %cst_25 : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [0] : (tensor<2xf32>) -> tensor<2x10xf32>
    %111 = stablehlo.multiply %100, %110 : tensor<2x10xf32>
    %112 = call @log_softmax_2(%101#1, %101#2, %111) : (tensor<2x10xf32>, tensor<2x1xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.reduce(%112 init: %cst_26) applies stablehlo.add across dimensions = [0] : (tensor<2x10xf32>, tensor<f32>) -> tensor<10xf32>
    %114 = stablehlo.reshape %113 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %115 = stablehlo.reduce(%114 init: %cst_27) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %116 = stablehlo.dot_general %112, %95, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<2x12xf32>) -> tensor<10x12xf32>
    %117 = stablehlo.transpose %116, dims = [1, 0] : (tensor<10x12xf32>) -> tensor<12x10xf32>
    %118 = stablehlo.dot_general %112, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<12x10xf32>) -> tensor<2x12xf32>
    %cst_28 = stablehlo.constant dense<9.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<2x12xf32>
    %120 = stablehlo.divide %118, %119 : tensor<2x12xf32>
    %121 = stablehlo.broadcast_in_dim %120, dims = [0, 3] : (tensor<2x12xf32>) -> tensor<2x3x3x12xf32>
    %122 = stablehlo.divide %121, %91 : tensor<2x3x3x12xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.pad %122, %cst_29, low = [0, 1, 1, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<2x4x4x12xf32>
    %cst_30 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<f32>
    %125 = "stablehlo.reduce_window"(%123, %124) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<0> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 1, 1, 1>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %218 = stablehlo.add %arg24, %arg25 : tensor<f32>
      stablehlo.return %218 : tensor<f32>
    }) : (tensor<2x4x4x12xf32>, tensor<f32>) -> tensor<2x3x3x12xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %127 = stablehlo.select %84, %125, %126 : tensor<2x3x3x12xi1>, tensor<2x3x3x12xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.reduce(%127 init: %cst_32) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<12xf32>
    %129 = stablehlo.reshape %128 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %130 = stablehlo.reduce(%129 init: %cst_33) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %131 = stablehlo.multiply %68, %127 : tensor<2x3x3x12xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %132 = stablehlo.reduce(%131 init: %cst_34) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<12xf32>
    %133 = stablehlo.reshape %132 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %134 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %135 = stablehlo.multiply %127, %134 : tensor<2x3x3x12xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%133 init: %cst_35) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %137 = stablehlo.multiply %71, %136 : tensor<12xf32>
    %138 = stablehlo.multiply %136, %arg10 : tensor<12xf32>
    %139 = stablehlo.multiply %138, %74 : tensor<12xf32>
    %140 = stablehlo.negate %135 : tensor<2x3x3x12xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%140 init: %cst_36) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<12xf32>
    %142 = stablehlo.reshape %141 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.reduce(%142 init: %cst_37) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %144 = stablehlo.convolution(%61, %135) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [2, 2], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 3 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x12xf32>, tensor<2x3x3x12xf32>) -> tensor<3x3x4x12xf32>
    %145 = stablehlo.reshape %arg7 : (tensor<3x3x4x12xf32>) -> tensor<3x3x4x3x4xf32>
    %146 = stablehlo.transpose %145, dims = [0, 1, 3, 2, 4] : (tensor<3x3x4x3x4xf32>) -> tensor<3x3x3x4x4xf32>
    %147 = stablehlo.reshape %146 : (tensor<3x3x3x4x4xf32>) -> tensor<3x3x12x4xf32>
    %148 = stablehlo.reverse %147, dims = [0, 1] : tensor<3x3x12x4xf32>
    %149 = stablehlo.convolution(%135, %148) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 2], [2, 2]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 3 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x12xf32>, tensor<3x3x12x4xf32>) -> tensor<2x3x3x12xf32>
    %150 = stablehlo.add %125, %149 : tensor<2x3x3x12xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %152 = stablehlo.select %63, %150, %151 : tensor<2x3x3x12xi1>, tensor<2x3x3x12xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.reduce(%152 init: %cst_39) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<12xf32>
    %154 = stablehlo.reshape %153 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_40) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %156 = stablehlo.multiply %47, %152 : tensor<2x3x3x12xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%156 init: %cst_41) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<12xf32>
    %158 = stablehlo.reshape %157 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %159 = stablehlo.broadcast_in_dim %55, dims = [0, 1, 2, 3] : (tensor<1x1x1x12xf32>) -> tensor<2x3x3x12xf32>
    %160 = stablehlo.multiply %152, %159 : tensor<2x3x3x12xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %161 = stablehlo.reduce(%158 init: %cst_42) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %162 = stablehlo.multiply %50, %161 : tensor<12xf32>
    %163 = stablehlo.multiply %161, %arg15 : tensor<12xf32>
    %164 = stablehlo.multiply %163, %53 : tensor<12xf32>
    %165 = stablehlo.negate %160 : tensor<2x3x3x12xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.reduce(%165 init: %cst_43) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x12xf32>, tensor<f32>) -> tensor<12xf32>
    %167 = stablehlo.reshape %166 : (tensor<12xf32>) -> tensor<1x1x1x12xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %168 = stablehlo.reduce(%167 init: %cst_44) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x12xf32>, tensor<f32>) -> tensor<12xf32>
    %169 = stablehlo.convolution(%40, %160) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x8xf32>, tensor<2x3x3x12xf32>) -> tensor<1x1x8x12xf32>
    %170 = stablehlo.reverse %arg12, dims = [0, 1] : tensor<1x1x8x12xf32>
    %171 = stablehlo.convolution(%160, %170) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x12xf32>, tensor<1x1x8x12xf32>) -> tensor<2x3x3x8xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<2x3x3x8xf32>
    %173 = stablehlo.select %42, %171, %172 : tensor<2x3x3x8xi1>, tensor<2x3x3x8xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %174 = stablehlo.reduce(%173 init: %cst_46) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x8xf32>, tensor<f32>) -> tensor<8xf32>
    %175 = stablehlo.reshape %174 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%175 init: %cst_47) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %177 = stablehlo.multiply %26, %173 : tensor<2x3x3x8xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.reduce(%177 init: %cst_48) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x8xf32>, tensor<f32>) -> tensor<8xf32>
    %179 = stablehlo.reshape %178 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %180 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x3x3x8xf32>
    %181 = stablehlo.multiply %173, %180 : tensor<2x3x3x8xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%179 init: %cst_49) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %183 = stablehlo.multiply %29, %182 : tensor<8xf32>
    %184 = stablehlo.multiply %182, %arg5 : tensor<8xf32>
    %185 = stablehlo.multiply %184, %32 : tensor<8xf32>
    %186 = stablehlo.negate %181 : tensor<2x3x3x8xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_50) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x3x3x8xf32>, tensor<f32>) -> tensor<8xf32>
    %188 = stablehlo.reshape %187 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %189 = stablehlo.reduce(%188 init: %cst_51) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %190 = stablehlo.convolution(%22, %181) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 8 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x8xf32>, tensor<2x3x3x8xf32>) -> tensor<3x3x1x8xf32>
    %191 = stablehlo.reshape %arg2 : (tensor<3x3x1x8xf32>) -> tensor<3x3x1x8x1xf32>
    %192 = stablehlo.transpose %191, dims = [0, 1, 3, 2, 4] : (tensor<3x3x1x8x1xf32>) -> tensor<3x3x8x1x1xf32>
    %193 = stablehlo.reshape %192 : (tensor<3x3x8x1x1xf32>) -> tensor<3x3x8x1xf32>
    %194 = stablehlo.reverse %193, dims = [0, 1] : tensor<3x3x8x1xf32>
    %195 = stablehlo.convolution(%181, %194) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3x3x8xf32>, tensor<3x3x8x1xf32>) -> tensor<2x3x3x8xf32>
    %cst_52 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %196 = stablehlo.pad %17, %cst_52, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x6x6x8xf32>, tensor<f32>) -> tensor<2x7x7x8xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = "stablehlo.select_and_scatter"(%196, %195, %cst_53) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %218 = stablehlo.compare GE, %arg24, %arg25, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %218 : tensor<i1>
    }, {
    ^bb0(%arg24: tensor<f32>, %arg25: tensor<f32>):
      %218 = stablehlo.add %arg24, %arg25 : tensor<f32>
      stablehlo.return %218 : tensor<f32>
    }) : (tensor<2x7x7x8xf32>, tensor<2x3x3x8xf32>, tensor<f32>) -> tensor<2x7x7x8xf32>
    %198 = stablehlo.slice %197 [0:2, 0:6, 0:6, 0:8] : (tensor<2x7x7x8xf32>) -> tensor<2x6x6x8xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<2x6x6x8xf32>
    %200 = stablehlo.select %19, %198, %199 : tensor<2x6x6x8xi1>, tensor<2x6x6x8xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%200 init: %cst_55) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %202 = stablehlo.reshape %201 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %203 = stablehlo.reduce(%202 init: %cst_56) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %204 = stablehlo.multiply %3, %200 : tensor<2x6x6x8xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %205 = stablehlo.reduce(%204 init: %cst_57) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %206 = stablehlo.reshape %205 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %207 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2, 3] : (tensor<1x1x1x8xf32>) -> tensor<2x6x6x8xf32>
    %208 = stablehlo.multiply %200, %207 : tensor<2x6x6x8xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.reduce(%206 init: %cst_58) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %210 = stablehlo.multiply %6, %209 : tensor<8xf32>
    %211 = stablehlo.multiply %209, %arg20 : tensor<8xf32>
    %212 = stablehlo.multiply %211, %9 : tensor<8xf32>
    %213 = stablehlo.negate %208 : tensor<2x6x6x8xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.reduce(%213 init: %cst_59) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x6x6x8xf32>, tensor<f32>) -> tensor<8xf32>
    %215 = stablehlo.reshape %214 : (tensor<8xf32>) -> tensor<1x1x1x8xf32>
    %cst_60 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.reduce(%215 init: %cst_60) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x8xf32>, tensor<f32>) -> tensor<8xf32>
    %217 = stablehlo.convolution(%arg22, %208) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 0], [1, 0]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x12x12x3xf32>, tensor<2x6x6x8xf32>) -> tensor<3x3x3x8xf32>
    return %106, %115, %117, %190, %176, %189, %183, %185, %144, %130, %143, %137, %139, %169, %155, %168, %162, %164, %217, %203, %216, %210, %212 : tensor<f32>, tensor<10xf32>, tensor<12x10xf32>, tensor<3x3x1x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<3x3x4x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<1x1x8x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<3x3x3x8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
  }
  func.func private @relu(%arg0: tensor<2x6x6x8xf32>) -> tensor<2x6x6x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x6x6x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x6x6x8xf32>
    return %1 : tensor<2x6x6x8xf32>
  }
  func.func private @relu_0(%arg0: tensor<2x3x3x8xf32>) -> tensor<2x3x3x8xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3x8xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3x3x8xf32>
    return %1 : tensor<2x3x3x8xf32>
  }
  func.func private @relu_1(%arg0: tensor<2x3x3x12xf32>) -> tensor<2x3x3x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x3x12xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x3x3x12xf32>
    return %1 : tensor<2x3x3x12xf32>
  }
  func.func private @_one_hot(%arg0: tensor<2xi32>) -> tensor<2x10xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %1 = stablehlo.iota dim = 1 : tensor<1x10xi32>
    %2 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x10xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x10xi32>) -> tensor<2x10xi32>
    %4 = stablehlo.compare EQ, %2, %3, SIGNED : (tensor<2x10xi32>, tensor<2x10xi32>) -> tensor<2x10xi1>
    %5 = stablehlo.convert %4 : (tensor<2x10xi1>) -> tensor<2x10xf32>
    return %5 : tensor<2x10xf32>
  }
  func.func private @log_softmax(%arg0: tensor<2x10xf32>) -> (tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x10xf32>
    %6 = stablehlo.exponential %5 : tensor<2x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %9 = stablehlo.log %8 : tensor<2x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<2x10xf32>
    return %11, %6, %8 : tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x1xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<2x10xf32>, %arg1: tensor<2x1xf32>, %arg2: tensor<2x10xf32>) -> tensor<2x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<2x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2xf32>) -> tensor<2x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<2x1xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xf32>) -> tensor<2x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<2x10xf32>
    return %7 : tensor<2x10xf32>
  }
}
