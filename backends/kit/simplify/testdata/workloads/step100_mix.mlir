module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x8xf32>
    %3 = stablehlo.constant dense<0.000000e+00> : tensor<8x8xf32>
    %4 = stablehlo.maximum %1, %3 : tensor<8x8xf32>
    %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = stablehlo.add %5, %arg1 : tensor<8x8xf32>
    %7 = stablehlo.multiply %6, %arg1 : tensor<8x8xf32>
    %10 = stablehlo.maximum %7, %3 : tensor<8x8xf32>
    %11 = stablehlo.dot_general %10, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %12 = stablehlo.add %11, %arg1 : tensor<8x8xf32>
    %13 = stablehlo.multiply %12, %arg1 : tensor<8x8xf32>
    %16 = stablehlo.maximum %13, %3 : tensor<8x8xf32>
    %17 = stablehlo.dot_general %16, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %18 = stablehlo.add %17, %arg1 : tensor<8x8xf32>
    %19 = stablehlo.multiply %18, %arg1 : tensor<8x8xf32>
    %22 = stablehlo.maximum %19, %3 : tensor<8x8xf32>
    %23 = stablehlo.dot_general %22, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %24 = stablehlo.add %23, %arg1 : tensor<8x8xf32>
    %25 = stablehlo.multiply %24, %arg1 : tensor<8x8xf32>
    %28 = stablehlo.maximum %25, %3 : tensor<8x8xf32>
    %29 = stablehlo.dot_general %28, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %30 = stablehlo.add %29, %arg1 : tensor<8x8xf32>
    %31 = stablehlo.multiply %30, %arg1 : tensor<8x8xf32>
    %34 = stablehlo.maximum %31, %3 : tensor<8x8xf32>
    %35 = stablehlo.dot_general %34, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %36 = stablehlo.add %35, %arg1 : tensor<8x8xf32>
    %37 = stablehlo.multiply %36, %arg1 : tensor<8x8xf32>
    %40 = stablehlo.maximum %37, %3 : tensor<8x8xf32>
    %41 = stablehlo.dot_general %40, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %42 = stablehlo.add %41, %arg1 : tensor<8x8xf32>
    %43 = stablehlo.multiply %42, %arg1 : tensor<8x8xf32>
    %46 = stablehlo.maximum %43, %3 : tensor<8x8xf32>
    %47 = stablehlo.dot_general %46, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %48 = stablehlo.add %47, %arg1 : tensor<8x8xf32>
    %49 = stablehlo.multiply %48, %arg1 : tensor<8x8xf32>
    %52 = stablehlo.maximum %49, %3 : tensor<8x8xf32>
    %53 = stablehlo.dot_general %52, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %54 = stablehlo.add %53, %arg1 : tensor<8x8xf32>
    %55 = stablehlo.multiply %54, %arg1 : tensor<8x8xf32>
    %58 = stablehlo.maximum %55, %3 : tensor<8x8xf32>
    %59 = stablehlo.dot_general %58, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %60 = stablehlo.add %59, %arg1 : tensor<8x8xf32>
    %61 = stablehlo.multiply %60, %arg1 : tensor<8x8xf32>
    %64 = stablehlo.maximum %61, %3 : tensor<8x8xf32>
    %65 = stablehlo.dot_general %64, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %66 = stablehlo.add %65, %arg1 : tensor<8x8xf32>
    %67 = stablehlo.multiply %66, %arg1 : tensor<8x8xf32>
    %70 = stablehlo.maximum %67, %3 : tensor<8x8xf32>
    %71 = stablehlo.dot_general %70, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %72 = stablehlo.add %71, %arg1 : tensor<8x8xf32>
    %73 = stablehlo.multiply %72, %arg1 : tensor<8x8xf32>
    %76 = stablehlo.maximum %73, %3 : tensor<8x8xf32>
    %77 = stablehlo.dot_general %76, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %78 = stablehlo.add %77, %arg1 : tensor<8x8xf32>
    %79 = stablehlo.multiply %78, %arg1 : tensor<8x8xf32>
    %82 = stablehlo.maximum %79, %3 : tensor<8x8xf32>
    %83 = stablehlo.dot_general %82, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %84 = stablehlo.add %83, %arg1 : tensor<8x8xf32>
    %85 = stablehlo.multiply %84, %arg1 : tensor<8x8xf32>
    %88 = stablehlo.maximum %85, %3 : tensor<8x8xf32>
    %89 = stablehlo.dot_general %88, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %90 = stablehlo.add %89, %arg1 : tensor<8x8xf32>
    %91 = stablehlo.multiply %90, %arg1 : tensor<8x8xf32>
    %94 = stablehlo.maximum %91, %3 : tensor<8x8xf32>
    %95 = stablehlo.dot_general %94, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %96 = stablehlo.add %95, %arg1 : tensor<8x8xf32>
    %97 = stablehlo.multiply %96, %arg1 : tensor<8x8xf32>
    %100 = stablehlo.maximum %97, %3 : tensor<8x8xf32>
    %101 = stablehlo.dot_general %100, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %102 = stablehlo.add %101, %arg1 : tensor<8x8xf32>
    %103 = stablehlo.multiply %102, %arg1 : tensor<8x8xf32>
    %106 = stablehlo.maximum %103, %3 : tensor<8x8xf32>
    %107 = stablehlo.dot_general %106, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %108 = stablehlo.add %107, %arg1 : tensor<8x8xf32>
    %109 = stablehlo.multiply %108, %arg1 : tensor<8x8xf32>
    %112 = stablehlo.maximum %109, %3 : tensor<8x8xf32>
    %113 = stablehlo.dot_general %112, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %114 = stablehlo.add %113, %arg1 : tensor<8x8xf32>
    %115 = stablehlo.multiply %114, %arg1 : tensor<8x8xf32>
    %118 = stablehlo.maximum %115, %3 : tensor<8x8xf32>
    %119 = stablehlo.dot_general %118, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %120 = stablehlo.add %119, %arg1 : tensor<8x8xf32>
    %121 = stablehlo.multiply %120, %arg1 : tensor<8x8xf32>
    %124 = stablehlo.maximum %121, %3 : tensor<8x8xf32>
    %125 = stablehlo.dot_general %124, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %126 = stablehlo.add %125, %arg1 : tensor<8x8xf32>
    %127 = stablehlo.multiply %126, %arg1 : tensor<8x8xf32>
    %130 = stablehlo.maximum %127, %3 : tensor<8x8xf32>
    %131 = stablehlo.dot_general %130, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %132 = stablehlo.add %131, %arg1 : tensor<8x8xf32>
    %133 = stablehlo.multiply %132, %arg1 : tensor<8x8xf32>
    %136 = stablehlo.maximum %133, %3 : tensor<8x8xf32>
    %137 = stablehlo.dot_general %136, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %138 = stablehlo.add %137, %arg1 : tensor<8x8xf32>
    %139 = stablehlo.multiply %138, %arg1 : tensor<8x8xf32>
    %142 = stablehlo.maximum %139, %3 : tensor<8x8xf32>
    %143 = stablehlo.dot_general %142, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %144 = stablehlo.add %143, %arg1 : tensor<8x8xf32>
    %145 = stablehlo.multiply %144, %arg1 : tensor<8x8xf32>
    %148 = stablehlo.maximum %145, %3 : tensor<8x8xf32>
    %149 = stablehlo.dot_general %148, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %149 : tensor<8x8xf32>
  }
}
