module @m {
  func.func public @main(%x: tensor<?x3xf32, #stablehlo.bounds<8, ?>>, %y: tensor<?x3xf32, #stablehlo.bounds<6, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>> {
    %0 = stablehlo.add %x, %y : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<?x3xf32, #stablehlo.bounds<6, ?>>) -> tensor<?x3xf32, #stablehlo.bounds<8, ?>>
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
    %s = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<3xf32>
    return %0 : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  }
}
