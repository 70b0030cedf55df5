module @jit_newton attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<i32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}, tensor<4xf32> {jax.result_info = "result[3]"}) {
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1:4 = stablehlo.while(%iterArg = %arg0, %iterArg_5 = %arg0, %iterArg_6 = %0, %iterArg_7 = %c) : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    cond {
      %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %9 = stablehlo.reduce(%iterArg_6 init: %cst_8) applies stablehlo.maximum across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      %cst_9 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
      %10 = stablehlo.compare GT, %9, %cst_9, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_10 = stablehlo.constant dense<50> : tensor<i32>
      %11 = stablehlo.compare LT, %iterArg_7, %c_10, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %12 = stablehlo.and %10, %11 : tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %9 = stablehlo.divide %iterArg, %iterArg_5 : tensor<4xf32>
      %10 = stablehlo.add %iterArg_5, %9 : tensor<4xf32>
      %cst_8 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %12 = stablehlo.multiply %11, %10 : tensor<4xf32>
      %13 = stablehlo.subtract %12, %iterArg_5 : tensor<4xf32>
      %14 = stablehlo.abs %13 : tensor<4xf32>
      %15 = stablehlo.divide %14, %12 : tensor<4xf32>
      %c_9 = stablehlo.constant dense<1> : tensor<i32>
      %16 = stablehlo.add %iterArg_7, %c_9 : tensor<i32>
      stablehlo.return %iterArg, %12, %15, %16 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<i32>
    }
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%arg0 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<1.000000e+01> : tensor<f32>
    %3 = stablehlo.compare GT, %2, %cst_1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %4 = stablehlo.convert %3 : (tensor<i1>) -> tensor<i32>
    %5 = "stablehlo.case"(%4) ({
      %9 = stablehlo.subtract %arg0, %1#1 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }, {
      %9 = stablehlo.multiply %1#1, %1#1 : tensor<4xf32>
      %10 = stablehlo.subtract %9, %arg0 : tensor<4xf32>
      stablehlo.return %10 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    %c_2 = stablehlo.constant dense<3> : tensor<i32>
    %6 = call @remainder(%1#3, %c_2) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %c_4 = stablehlo.constant dense<2> : tensor<i32>
    %7 = stablehlo.clamp %c_3, %6, %c_4 : tensor<i32>
    %8 = "stablehlo.case"(%7) ({
      %9 = stablehlo.sine %1#1 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }, {
      %9 = stablehlo.cosine %1#1 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }, {
      %9 = stablehlo.tan %1#1 : tensor<4xf32>
      stablehlo.return %9 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %1#1, %1#3, %5, %8 : tensor<4xf32>, tensor<i32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @remainder(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
