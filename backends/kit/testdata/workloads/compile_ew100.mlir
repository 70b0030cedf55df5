module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<6x20xf32>, %arg1: tensor<6x20xf32>) -> tensor<6x20xf32> {
    %0 = stablehlo.multiply %arg0, %arg1 : tensor<6x20xf32>
    %1 = stablehlo.add %0, %arg1 : tensor<6x20xf32>
    %2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %4 = stablehlo.maximum %1, %3 : tensor<6x20xf32>
    %5 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %7 = stablehlo.subtract %4, %6 : tensor<6x20xf32>
    %8 = stablehlo.multiply %7, %arg1 : tensor<6x20xf32>
    %9 = stablehlo.add %8, %arg1 : tensor<6x20xf32>
    %10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %12 = stablehlo.maximum %9, %11 : tensor<6x20xf32>
    %13 = stablehlo.subtract %12, %6 : tensor<6x20xf32>
    %14 = stablehlo.multiply %13, %arg1 : tensor<6x20xf32>
    %15 = stablehlo.add %14, %arg1 : tensor<6x20xf32>
    %16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %18 = stablehlo.maximum %15, %17 : tensor<6x20xf32>
    %19 = stablehlo.subtract %18, %6 : tensor<6x20xf32>
    %20 = stablehlo.multiply %19, %arg1 : tensor<6x20xf32>
    %21 = stablehlo.add %20, %arg1 : tensor<6x20xf32>
    %22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %24 = stablehlo.maximum %21, %23 : tensor<6x20xf32>
    %25 = stablehlo.subtract %24, %6 : tensor<6x20xf32>
    %26 = stablehlo.multiply %25, %arg1 : tensor<6x20xf32>
    %27 = stablehlo.add %26, %arg1 : tensor<6x20xf32>
    %28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %30 = stablehlo.maximum %27, %29 : tensor<6x20xf32>
    %31 = stablehlo.subtract %30, %6 : tensor<6x20xf32>
    %32 = stablehlo.multiply %31, %arg1 : tensor<6x20xf32>
    %33 = stablehlo.add %32, %arg1 : tensor<6x20xf32>
    %34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %36 = stablehlo.maximum %33, %35 : tensor<6x20xf32>
    %37 = stablehlo.subtract %36, %6 : tensor<6x20xf32>
    %38 = stablehlo.multiply %37, %arg1 : tensor<6x20xf32>
    %39 = stablehlo.add %38, %arg1 : tensor<6x20xf32>
    %40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %42 = stablehlo.maximum %39, %41 : tensor<6x20xf32>
    %43 = stablehlo.subtract %42, %6 : tensor<6x20xf32>
    %44 = stablehlo.multiply %43, %arg1 : tensor<6x20xf32>
    %45 = stablehlo.add %44, %arg1 : tensor<6x20xf32>
    %46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %48 = stablehlo.maximum %45, %47 : tensor<6x20xf32>
    %49 = stablehlo.subtract %48, %6 : tensor<6x20xf32>
    %50 = stablehlo.multiply %49, %arg1 : tensor<6x20xf32>
    %51 = stablehlo.add %50, %arg1 : tensor<6x20xf32>
    %52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %54 = stablehlo.maximum %51, %53 : tensor<6x20xf32>
    %55 = stablehlo.subtract %54, %6 : tensor<6x20xf32>
    %56 = stablehlo.multiply %55, %arg1 : tensor<6x20xf32>
    %57 = stablehlo.add %56, %arg1 : tensor<6x20xf32>
    %58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %60 = stablehlo.maximum %57, %59 : tensor<6x20xf32>
    %61 = stablehlo.subtract %60, %6 : tensor<6x20xf32>
    %62 = stablehlo.multiply %61, %arg1 : tensor<6x20xf32>
    %63 = stablehlo.add %62, %arg1 : tensor<6x20xf32>
    %64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %66 = stablehlo.maximum %63, %65 : tensor<6x20xf32>
    %67 = stablehlo.subtract %66, %6 : tensor<6x20xf32>
    %68 = stablehlo.multiply %67, %arg1 : tensor<6x20xf32>
    %69 = stablehlo.add %68, %arg1 : tensor<6x20xf32>
    %70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %72 = stablehlo.maximum %69, %71 : tensor<6x20xf32>
    %73 = stablehlo.subtract %72, %6 : tensor<6x20xf32>
    %74 = stablehlo.multiply %73, %arg1 : tensor<6x20xf32>
    %75 = stablehlo.add %74, %arg1 : tensor<6x20xf32>
    %76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %78 = stablehlo.maximum %75, %77 : tensor<6x20xf32>
    %79 = stablehlo.subtract %78, %6 : tensor<6x20xf32>
    %80 = stablehlo.multiply %79, %arg1 : tensor<6x20xf32>
    %81 = stablehlo.add %80, %arg1 : tensor<6x20xf32>
    %82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %84 = stablehlo.maximum %81, %83 : tensor<6x20xf32>
    %85 = stablehlo.subtract %84, %6 : tensor<6x20xf32>
    %86 = stablehlo.multiply %85, %arg1 : tensor<6x20xf32>
    %87 = stablehlo.add %86, %arg1 : tensor<6x20xf32>
    %88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %90 = stablehlo.maximum %87, %89 : tensor<6x20xf32>
    %91 = stablehlo.subtract %90, %6 : tensor<6x20xf32>
    %92 = stablehlo.multiply %91, %arg1 : tensor<6x20xf32>
    %93 = stablehlo.add %92, %arg1 : tensor<6x20xf32>
    %94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %96 = stablehlo.maximum %93, %95 : tensor<6x20xf32>
    %97 = stablehlo.subtract %96, %6 : tensor<6x20xf32>
    %98 = stablehlo.multiply %97, %arg1 : tensor<6x20xf32>
    %99 = stablehlo.add %98, %arg1 : tensor<6x20xf32>
    %100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %102 = stablehlo.maximum %99, %101 : tensor<6x20xf32>
    %103 = stablehlo.subtract %102, %6 : tensor<6x20xf32>
    %104 = stablehlo.multiply %103, %arg1 : tensor<6x20xf32>
    %105 = stablehlo.add %104, %arg1 : tensor<6x20xf32>
    %106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %108 = stablehlo.maximum %105, %107 : tensor<6x20xf32>
    %109 = stablehlo.subtract %108, %6 : tensor<6x20xf32>
    %110 = stablehlo.multiply %109, %arg1 : tensor<6x20xf32>
    %111 = stablehlo.add %110, %arg1 : tensor<6x20xf32>
    %112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %114 = stablehlo.maximum %111, %113 : tensor<6x20xf32>
    %115 = stablehlo.subtract %114, %6 : tensor<6x20xf32>
    %116 = stablehlo.multiply %115, %arg1 : tensor<6x20xf32>
    %117 = stablehlo.add %116, %arg1 : tensor<6x20xf32>
    %118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %120 = stablehlo.maximum %117, %119 : tensor<6x20xf32>
    %121 = stablehlo.subtract %120, %6 : tensor<6x20xf32>
    %122 = stablehlo.multiply %121, %arg1 : tensor<6x20xf32>
    %123 = stablehlo.add %122, %arg1 : tensor<6x20xf32>
    %124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %126 = stablehlo.maximum %123, %125 : tensor<6x20xf32>
    %127 = stablehlo.subtract %126, %6 : tensor<6x20xf32>
    %128 = stablehlo.multiply %127, %arg1 : tensor<6x20xf32>
    %129 = stablehlo.add %128, %arg1 : tensor<6x20xf32>
    %130 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %132 = stablehlo.maximum %129, %131 : tensor<6x20xf32>
    %133 = stablehlo.subtract %132, %6 : tensor<6x20xf32>
    %134 = stablehlo.multiply %133, %arg1 : tensor<6x20xf32>
    %135 = stablehlo.add %134, %arg1 : tensor<6x20xf32>
    %136 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %138 = stablehlo.maximum %135, %137 : tensor<6x20xf32>
    %139 = stablehlo.subtract %138, %6 : tensor<6x20xf32>
    %140 = stablehlo.multiply %139, %arg1 : tensor<6x20xf32>
    %141 = stablehlo.add %140, %arg1 : tensor<6x20xf32>
    %142 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %142, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %144 = stablehlo.maximum %141, %143 : tensor<6x20xf32>
    %145 = stablehlo.subtract %144, %6 : tensor<6x20xf32>
    %146 = stablehlo.multiply %145, %arg1 : tensor<6x20xf32>
    %147 = stablehlo.add %146, %arg1 : tensor<6x20xf32>
    %148 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [] : (tensor<f32>) -> tensor<6x20xf32>
    %150 = stablehlo.maximum %147, %149 : tensor<6x20xf32>
    %151 = stablehlo.subtract %150, %6 : tensor<6x20xf32>
    return %151 : tensor<6x20xf32>
  }
}
