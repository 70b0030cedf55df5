func.func @main(%a0: tensor<1000xui8>, %a1: tensor<100x16xui8>, %a2: tensor<24x129x1xf16>) -> (tensor<3x7x15xf32>, tensor<3x7x15xf32>, tensor<3x7x15xf32>) {
%0 = stablehlo.reverse %a2, dims = [1, 2] : tensor<24x129x1xf16>
%1 = stablehlo.constant dense<2.0> : tensor<64x3x7xf32>
%2 = stablehlo.iota dim = 1 : tensor<64x3x7xi32>
%3 = stablehlo.iota dim = 2 : tensor<64x3x7xi32>
%4 = stablehlo.constant dense<3> : tensor<64x3x7xi32>
%5 = stablehlo.constant dense<5> : tensor<64x3x7xi32>
%6 = stablehlo.multiply %2, %4 : tensor<64x3x7xi32>
%7 = stablehlo.add %6, %3 : tensor<64x3x7xi32>
%8 = stablehlo.and %7, %5 : tensor<64x3x7xi32>
%9 = stablehlo.convert %8 : (tensor<64x3x7xi32>) -> tensor<64x3x7xf32>
%10 = stablehlo.constant dense<0.5> : tensor<64x3x15xf32>
%11 = stablehlo.iota dim = 2 : tensor<64x3x15xi32>
%12 = stablehlo.iota dim = 1 : tensor<64x3x15xi32>
%13 = stablehlo.constant dense<3> : tensor<64x3x15xi32>
%14 = stablehlo.constant dense<7> : tensor<64x3x15xi32>
%15 = stablehlo.multiply %11, %13 : tensor<64x3x15xi32>
%16 = stablehlo.add %15, %12 : tensor<64x3x15xi32>
%17 = stablehlo.and %16, %14 : tensor<64x3x15xi32>
%18 = stablehlo.convert %17 : (tensor<64x3x15xi32>) -> tensor<64x3x15xf32>
%19 = stablehlo.dot_general %9, %18, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<64x3x7xf32>, tensor<64x3x15xf32>) -> tensor<3x7x15xf32>
return %19, %19, %19 : tensor<3x7x15xf32>, tensor<3x7x15xf32>, tensor<3x7x15xf32>
}
