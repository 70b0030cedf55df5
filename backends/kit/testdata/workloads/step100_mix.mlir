module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<8x8xf32>) -> tensor<8x8xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<8x8xf32>
    %1 = stablehlo.multiply %0, %arg1 : tensor<8x8xf32>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %4 = stablehlo.maximum %1, %3 : tensor<8x8xf32>
    %5 = stablehlo.dot_general %4, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %6 = stablehlo.add %5, %arg1 : tensor<8x8xf32>
    %7 = stablehlo.multiply %6, %arg1 : tensor<8x8xf32>
    %8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %10 = stablehlo.maximum %7, %9 : tensor<8x8xf32>
    %11 = stablehlo.dot_general %10, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %12 = stablehlo.add %11, %arg1 : tensor<8x8xf32>
    %13 = stablehlo.multiply %12, %arg1 : tensor<8x8xf32>
    %14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %16 = stablehlo.maximum %13, %15 : tensor<8x8xf32>
    %17 = stablehlo.dot_general %16, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %18 = stablehlo.add %17, %arg1 : tensor<8x8xf32>
    %19 = stablehlo.multiply %18, %arg1 : tensor<8x8xf32>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %22 = stablehlo.maximum %19, %21 : tensor<8x8xf32>
    %23 = stablehlo.dot_general %22, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %24 = stablehlo.add %23, %arg1 : tensor<8x8xf32>
    %25 = stablehlo.multiply %24, %arg1 : tensor<8x8xf32>
    %26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %28 = stablehlo.maximum %25, %27 : tensor<8x8xf32>
    %29 = stablehlo.dot_general %28, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %30 = stablehlo.add %29, %arg1 : tensor<8x8xf32>
    %31 = stablehlo.multiply %30, %arg1 : tensor<8x8xf32>
    %32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %34 = stablehlo.maximum %31, %33 : tensor<8x8xf32>
    %35 = stablehlo.dot_general %34, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %36 = stablehlo.add %35, %arg1 : tensor<8x8xf32>
    %37 = stablehlo.multiply %36, %arg1 : tensor<8x8xf32>
    %38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %40 = stablehlo.maximum %37, %39 : tensor<8x8xf32>
    %41 = stablehlo.dot_general %40, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %42 = stablehlo.add %41, %arg1 : tensor<8x8xf32>
    %43 = stablehlo.multiply %42, %arg1 : tensor<8x8xf32>
    %44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %46 = stablehlo.maximum %43, %45 : tensor<8x8xf32>
    %47 = stablehlo.dot_general %46, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %48 = stablehlo.add %47, %arg1 : tensor<8x8xf32>
    %49 = stablehlo.multiply %48, %arg1 : tensor<8x8xf32>
    %50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %51 = stablehlo.broadcast_in_dim %50, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %52 = stablehlo.maximum %49, %51 : tensor<8x8xf32>
    %53 = stablehlo.dot_general %52, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %54 = stablehlo.add %53, %arg1 : tensor<8x8xf32>
    %55 = stablehlo.multiply %54, %arg1 : tensor<8x8xf32>
    %56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %58 = stablehlo.maximum %55, %57 : tensor<8x8xf32>
    %59 = stablehlo.dot_general %58, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %60 = stablehlo.add %59, %arg1 : tensor<8x8xf32>
    %61 = stablehlo.multiply %60, %arg1 : tensor<8x8xf32>
    %62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %64 = stablehlo.maximum %61, %63 : tensor<8x8xf32>
    %65 = stablehlo.dot_general %64, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %66 = stablehlo.add %65, %arg1 : tensor<8x8xf32>
    %67 = stablehlo.multiply %66, %arg1 : tensor<8x8xf32>
    %68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %70 = stablehlo.maximum %67, %69 : tensor<8x8xf32>
    %71 = stablehlo.dot_general %70, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %72 = stablehlo.add %71, %arg1 : tensor<8x8xf32>
    %73 = stablehlo.multiply %72, %arg1 : tensor<8x8xf32>
    %74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %76 = stablehlo.maximum %73, %75 : tensor<8x8xf32>
    %77 = stablehlo.dot_general %76, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %78 = stablehlo.add %77, %arg1 : tensor<8x8xf32>
    %79 = stablehlo.multiply %78, %arg1 : tensor<8x8xf32>
    %80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %80, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %82 = stablehlo.maximum %79, %81 : tensor<8x8xf32>
    %83 = stablehlo.dot_general %82, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %84 = stablehlo.add %83, %arg1 : tensor<8x8xf32>
    %85 = stablehlo.multiply %84, %arg1 : tensor<8x8xf32>
    %86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %88 = stablehlo.maximum %85, %87 : tensor<8x8xf32>
    %89 = stablehlo.dot_general %88, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %90 = stablehlo.add %89, %arg1 : tensor<8x8xf32>
    %91 = stablehlo.multiply %90, %arg1 : tensor<8x8xf32>
    %92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %92, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %94 = stablehlo.maximum %91, %93 : tensor<8x8xf32>
    %95 = stablehlo.dot_general %94, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %96 = stablehlo.add %95, %arg1 : tensor<8x8xf32>
    %97 = stablehlo.multiply %96, %arg1 : tensor<8x8xf32>
    %98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %100 = stablehlo.maximum %97, %99 : tensor<8x8xf32>
    %101 = stablehlo.dot_general %100, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %102 = stablehlo.add %101, %arg1 : tensor<8x8xf32>
    %103 = stablehlo.multiply %102, %arg1 : tensor<8x8xf32>
    %104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %106 = stablehlo.maximum %103, %105 : tensor<8x8xf32>
    %107 = stablehlo.dot_general %106, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %108 = stablehlo.add %107, %arg1 : tensor<8x8xf32>
    %109 = stablehlo.multiply %108, %arg1 : tensor<8x8xf32>
    %110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %110, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %112 = stablehlo.maximum %109, %111 : tensor<8x8xf32>
    %113 = stablehlo.dot_general %112, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %114 = stablehlo.add %113, %arg1 : tensor<8x8xf32>
    %115 = stablehlo.multiply %114, %arg1 : tensor<8x8xf32>
    %116 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %118 = stablehlo.maximum %115, %117 : tensor<8x8xf32>
    %119 = stablehlo.dot_general %118, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %120 = stablehlo.add %119, %arg1 : tensor<8x8xf32>
    %121 = stablehlo.multiply %120, %arg1 : tensor<8x8xf32>
    %122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %124 = stablehlo.maximum %121, %123 : tensor<8x8xf32>
    %125 = stablehlo.dot_general %124, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %126 = stablehlo.add %125, %arg1 : tensor<8x8xf32>
    %127 = stablehlo.multiply %126, %arg1 : tensor<8x8xf32>
    %128 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %130 = stablehlo.maximum %127, %129 : tensor<8x8xf32>
    %131 = stablehlo.dot_general %130, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %132 = stablehlo.add %131, %arg1 : tensor<8x8xf32>
    %133 = stablehlo.multiply %132, %arg1 : tensor<8x8xf32>
    %134 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %136 = stablehlo.maximum %133, %135 : tensor<8x8xf32>
    %137 = stablehlo.dot_general %136, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %138 = stablehlo.add %137, %arg1 : tensor<8x8xf32>
    %139 = stablehlo.multiply %138, %arg1 : tensor<8x8xf32>
    %140 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %142 = stablehlo.maximum %139, %141 : tensor<8x8xf32>
    %143 = stablehlo.dot_general %142, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %144 = stablehlo.add %143, %arg1 : tensor<8x8xf32>
    %145 = stablehlo.multiply %144, %arg1 : tensor<8x8xf32>
    %146 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %148 = stablehlo.maximum %145, %147 : tensor<8x8xf32>
    %149 = stablehlo.dot_general %148, %arg1, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    return %149 : tensor<8x8xf32>
  }
}
