// Poolings: windows that neither overlap nor pad, and windows that do both.
func.func @main(%x: tensor<2x3x8x6xf32>) -> (tensor<2x3x4x3xf32>, tensor<2x3x4x3xf32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %low) <{window_dimensions = array<i64: 1, 1, 2, 2>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<2x3x8x6xf32>, tensor<f32>) -> tensor<2x3x4x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = "stablehlo.reduce_window"(%x, %zero) <{padding = dense<[[0, 0], [0, 0], [0, 1], [0, 1]]> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x3x8x6xf32>, tensor<f32>) -> tensor<2x3x4x3xf32>
  return %0, %1 : tensor<2x3x4x3xf32>, tensor<2x3x4x3xf32>
}
