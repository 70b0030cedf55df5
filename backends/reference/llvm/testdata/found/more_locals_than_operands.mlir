// A kernel of one operand, its result, and of two locals.
func.func @main() -> tensor<24x65xf32> {
  %24 = stablehlo.iota dim = 1 : tensor<24x65xi32>
  %25 = stablehlo.iota dim = 0 : tensor<24x65xi32>
  %26 = stablehlo.multiply %24, %25 : tensor<24x65xi32>
  %31 = stablehlo.convert %26 : (tensor<24x65xi32>) -> tensor<24x65xbf16>
  %41 = stablehlo.convert %31 : (tensor<24x65xbf16>) -> tensor<24x65xf32>
  %x = stablehlo.tanh %41 : tensor<24x65xf32>
  %42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %43 = stablehlo.reduce(%x init: %42) applies stablehlo.maximum across dimensions = [1] : (tensor<24x65xf32>, tensor<f32>) -> tensor<24xf32>
  %44 = stablehlo.broadcast_in_dim %43, dims = [0] : (tensor<24xf32>) -> tensor<24x65xf32>
  %45 = stablehlo.subtract %x, %44 : tensor<24x65xf32>
  %46 = stablehlo.exponential %45 : tensor<24x65xf32>
  %47 = stablehlo.constant dense<0.0> : tensor<f32>
  %48 = stablehlo.reduce(%46 init: %47) applies stablehlo.add across dimensions = [1] : (tensor<24x65xf32>, tensor<f32>) -> tensor<24xf32>
  %49 = stablehlo.broadcast_in_dim %48, dims = [0] : (tensor<24xf32>) -> tensor<24x65xf32>
  %50 = stablehlo.divide %46, %49 : tensor<24x65xf32>
  return %50 : tensor<24x65xf32>
}
