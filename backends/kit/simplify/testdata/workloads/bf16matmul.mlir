module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<20x20xbf16>, %arg1: tensor<20x20xbf16>) -> tensor<20x20xbf16> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<20x20xbf16>, tensor<20x20xbf16>) -> tensor<20x20xbf16>
    return %0 : tensor<20x20xbf16>
  }
}
