module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x5x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<2x5x12xf32>, %arg3: tensor<12x12xf32>, %arg4: tensor<12xf32>, %arg5: tensor<12x12xf32>, %arg6: tensor<12xf32>, %arg7: tensor<12x12xf32>, %arg8: tensor<12xf32>, %arg9: tensor<12x12xf32>, %arg10: tensor<12xf32>, %arg11: tensor<12xf32>, %arg12: tensor<12xf32>, %arg13: tensor<12x24xf32>, %arg14: tensor<24xf32>, %arg15: tensor<24x12xf32>, %arg16: tensor<12xf32>) -> (tensor<2x5x12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x24xf32>, tensor<24xf32>, tensor<24x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x5x12xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<2x5x12xf32>
    %3 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %4 = stablehlo.multiply %2, %3 : tensor<2x5x12xf32>
    %5 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %6 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %7 = stablehlo.add %5, %6 : tensor<2x5x12xf32>
    %8 = stablehlo.reshape %7 : (tensor<2x5x12xf32>) -> tensor<2x5x3x4xf32>
    %9 = stablehlo.transpose %8, dims = [0, 2, 1, 3] : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %10 = stablehlo.dot_general %arg2, %arg5, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %11 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %12 = stablehlo.add %10, %11 : tensor<2x5x12xf32>
    %13 = stablehlo.reshape %12 : (tensor<2x5x12xf32>) -> tensor<2x5x3x4xf32>
    %14 = stablehlo.transpose %13, dims = [0, 2, 1, 3] : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %15 = stablehlo.transpose %14, dims = [0, 1, 3, 2] : (tensor<2x3x5x4xf32>) -> tensor<2x3x4x5xf32>
    %16 = stablehlo.dot_general %9, %15, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x5x5xf32>
    %17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<2x3x5x5xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<2x3x5x5xf32>
    %20 = stablehlo.composite "ltc.softmax" %19 {composite_attributes = {axis = 3 : i64}, decomposition = @ltc.softmax} : (tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32>
    %21 = stablehlo.dot_general %arg2, %arg7, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %22 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %23 = stablehlo.add %21, %22 : tensor<2x5x12xf32>
    %24 = stablehlo.reshape %23 : (tensor<2x5x12xf32>) -> tensor<2x5x3x4xf32>
    %25 = stablehlo.transpose %24, dims = [0, 2, 1, 3] : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %26 = stablehlo.dot_general %20, %25, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %27 = stablehlo.transpose %26, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %28 = stablehlo.reshape %27 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %29 = stablehlo.dot_general %28, %arg9, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %30 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %31 = stablehlo.add %29, %30 : tensor<2x5x12xf32>
    %32 = stablehlo.add %31, %arg2 : tensor<2x5x12xf32>
    %33 = stablehlo.composite "ltc.layer_norm" %32, %arg11, %arg12 {composite_attributes = {epsilon = 9.9999999999999998E-13 : f64}, decomposition = @ltc.layer_norm} : (tensor<2x5x12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x5x12xf32>
    %34 = stablehlo.dot_general %33, %arg13, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x24xf32>) -> tensor<2x5x24xf32>
    %35 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<24xf32>) -> tensor<2x5x24xf32>
    %36 = stablehlo.add %34, %35 : tensor<2x5x24xf32>
    %37 = stablehlo.composite "ltc.gelu" %36 {decomposition = @ltc.gelu} : (tensor<2x5x24xf32>) -> tensor<2x5x24xf32>
    %38 = stablehlo.dot_general %37, %arg15, contracting_dims = [2] x [0] : (tensor<2x5x24xf32>, tensor<24x12xf32>) -> tensor<2x5x12xf32>
    %39 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %40 = stablehlo.add %38, %39 : tensor<2x5x12xf32>
    %41 = stablehlo.add %40, %33 : tensor<2x5x12xf32>
    %42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %43 = stablehlo.reduce(%41 init: %42) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %44 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %46 = stablehlo.divide %43, %45 : tensor<2x5xf32>
    %47 = stablehlo.reshape %46 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
    %49 = stablehlo.subtract %41, %48 : tensor<2x5x12xf32>
    %50 = stablehlo.multiply %49, %49 : tensor<2x5x12xf32>
    %51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%50 init: %51) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %53 = stablehlo.divide %52, %45 : tensor<2x5xf32>
    %54 = stablehlo.reshape %53 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %55 = stablehlo.constant dense<9.99999996E-13> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %55, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %57 = stablehlo.add %54, %56 : tensor<2x5x1xf32>
    %58 = stablehlo.rsqrt %57 : tensor<2x5x1xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
    %60 = stablehlo.multiply %4, %59 : tensor<2x5x12xf32>
    %61 = stablehlo.multiply %4, %49 : tensor<2x5x12xf32>
    %62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.reduce(%61 init: %62) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %64 = stablehlo.reshape %63 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %65 = stablehlo.multiply %64, %58 : tensor<2x5x1xf32>
    %66 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %66, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %68 = stablehlo.multiply %65, %67 : tensor<2x5x1xf32>
    %69 = stablehlo.divide %68, %57 : tensor<2x5x1xf32>
    %70 = stablehlo.reshape %69 : (tensor<2x5x1xf32>) -> tensor<2x5xf32>
    %71 = stablehlo.divide %70, %45 : tensor<2x5xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %73 = stablehlo.multiply %72, %49 : tensor<2x5x12xf32>
    %74 = stablehlo.add %60, %73 : tensor<2x5x12xf32>
    %75 = stablehlo.add %74, %73 : tensor<2x5x12xf32>
    %76 = stablehlo.negate %75 : tensor<2x5x12xf32>
    %77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %78 = stablehlo.reduce(%76 init: %77) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %79 = stablehlo.reshape %78 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %80 = stablehlo.reshape %79 : (tensor<2x5x1xf32>) -> tensor<2x5xf32>
    %81 = stablehlo.divide %80, %45 : tensor<2x5xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %83 = stablehlo.add %75, %82 : tensor<2x5x12xf32>
    %84 = stablehlo.transpose %arg15, dims = [1, 0] : (tensor<24x12xf32>) -> tensor<12x24xf32>
    %85 = stablehlo.dot_general %83, %84, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x24xf32>) -> tensor<2x5x24xf32>
    %86 = stablehlo.broadcast_in_dim %17, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %87 = stablehlo.multiply %36, %86 : tensor<2x5x24xf32>
    %88 = stablehlo.multiply %85, %87 : tensor<2x5x24xf32>
    %89 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %90 = stablehlo.broadcast_in_dim %89, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %91 = stablehlo.multiply %36, %90 : tensor<2x5x24xf32>
    %92 = stablehlo.multiply %91, %91 : tensor<2x5x24xf32>
    %93 = stablehlo.negate %92 : tensor<2x5x24xf32>
    %94 = stablehlo.exponential %93 : tensor<2x5x24xf32>
    %95 = stablehlo.constant dense<1.12837923> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %97 = stablehlo.multiply %94, %96 : tensor<2x5x24xf32>
    %98 = stablehlo.multiply %88, %97 : tensor<2x5x24xf32>
    %99 = stablehlo.multiply %98, %90 : tensor<2x5x24xf32>
    %100 = stablehlo.composite "ltc.erf" %91 {decomposition = @ltc.erf} : (tensor<2x5x24xf32>) -> tensor<2x5x24xf32>
    %101 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %102 = stablehlo.add %100, %101 : tensor<2x5x24xf32>
    %103 = stablehlo.multiply %85, %102 : tensor<2x5x24xf32>
    %104 = stablehlo.multiply %103, %86 : tensor<2x5x24xf32>
    %105 = stablehlo.add %99, %104 : tensor<2x5x24xf32>
    %106 = stablehlo.transpose %arg13, dims = [1, 0] : (tensor<12x24xf32>) -> tensor<24x12xf32>
    %107 = stablehlo.dot_general %105, %106, contracting_dims = [2] x [0] : (tensor<2x5x24xf32>, tensor<24x12xf32>) -> tensor<2x5x12xf32>
    %108 = stablehlo.add %83, %107 : tensor<2x5x12xf32>
    %109 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %110 = stablehlo.multiply %108, %109 : tensor<2x5x12xf32>
    %111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%32 init: %111) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %113 = stablehlo.divide %112, %45 : tensor<2x5xf32>
    %114 = stablehlo.reshape %113 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %115 = stablehlo.broadcast_in_dim %114, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
    %116 = stablehlo.subtract %32, %115 : tensor<2x5x12xf32>
    %117 = stablehlo.multiply %116, %116 : tensor<2x5x12xf32>
    %118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %119 = stablehlo.reduce(%117 init: %118) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %120 = stablehlo.divide %119, %45 : tensor<2x5xf32>
    %121 = stablehlo.reshape %120 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %122 = stablehlo.add %121, %56 : tensor<2x5x1xf32>
    %123 = stablehlo.rsqrt %122 : tensor<2x5x1xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
    %125 = stablehlo.multiply %110, %124 : tensor<2x5x12xf32>
    %126 = stablehlo.multiply %110, %116 : tensor<2x5x12xf32>
    %127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %128 = stablehlo.reduce(%126 init: %127) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %129 = stablehlo.reshape %128 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %130 = stablehlo.multiply %129, %123 : tensor<2x5x1xf32>
    %131 = stablehlo.multiply %130, %67 : tensor<2x5x1xf32>
    %132 = stablehlo.divide %131, %122 : tensor<2x5x1xf32>
    %133 = stablehlo.reshape %132 : (tensor<2x5x1xf32>) -> tensor<2x5xf32>
    %134 = stablehlo.divide %133, %45 : tensor<2x5xf32>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %136 = stablehlo.multiply %135, %116 : tensor<2x5x12xf32>
    %137 = stablehlo.add %125, %136 : tensor<2x5x12xf32>
    %138 = stablehlo.add %137, %136 : tensor<2x5x12xf32>
    %139 = stablehlo.negate %138 : tensor<2x5x12xf32>
    %140 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %141 = stablehlo.reduce(%139 init: %140) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %142 = stablehlo.reshape %141 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %143 = stablehlo.reshape %142 : (tensor<2x5x1xf32>) -> tensor<2x5xf32>
    %144 = stablehlo.divide %143, %45 : tensor<2x5xf32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %146 = stablehlo.add %138, %145 : tensor<2x5x12xf32>
    %147 = stablehlo.transpose %20, dims = [0, 1, 3, 2] : (tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32>
    %148 = stablehlo.transpose %arg9, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %149 = stablehlo.dot_general %146, %148, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %150 = stablehlo.reshape %149 : (tensor<2x5x12xf32>) -> tensor<2x5x3x4xf32>
    %151 = stablehlo.transpose %150, dims = [0, 2, 1, 3] : (tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %152 = stablehlo.dot_general %147, %151, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %153 = stablehlo.transpose %152, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %154 = stablehlo.reshape %153 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %155 = stablehlo.transpose %arg7, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %156 = stablehlo.dot_general %154, %155, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %157 = stablehlo.add %146, %156 : tensor<2x5x12xf32>
    %158 = stablehlo.transpose %9, dims = [0, 1, 3, 2] : (tensor<2x3x5x4xf32>) -> tensor<2x3x4x5xf32>
    %159 = stablehlo.transpose %25, dims = [0, 1, 3, 2] : (tensor<2x3x5x4xf32>) -> tensor<2x3x4x5xf32>
    %160 = stablehlo.dot_general %151, %159, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x5x5xf32>
    %161 = stablehlo.multiply %160, %20 : tensor<2x3x5x5xf32>
    %162 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %163 = stablehlo.reduce(%161 init: %162) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %164 = stablehlo.reshape %163 : (tensor<2x3x5xf32>) -> tensor<2x3x5x1xf32>
    %165 = stablehlo.broadcast_in_dim %164, dims = [0, 1, 2, 3] : (tensor<2x3x5x1xf32>) -> tensor<2x3x5x5xf32>
    %166 = stablehlo.subtract %160, %165 : tensor<2x3x5x5xf32>
    %167 = stablehlo.multiply %20, %166 : tensor<2x3x5x5xf32>
    %168 = stablehlo.multiply %167, %18 : tensor<2x3x5x5xf32>
    %169 = stablehlo.dot_general %158, %168, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x4x5xf32>, tensor<2x3x5x5xf32>) -> tensor<2x3x4x5xf32>
    %170 = stablehlo.transpose %169, dims = [0, 1, 3, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x3x5x4xf32>
    %171 = stablehlo.transpose %170, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %172 = stablehlo.reshape %171 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %173 = stablehlo.transpose %arg5, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %174 = stablehlo.dot_general %172, %173, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %175 = stablehlo.add %157, %174 : tensor<2x5x12xf32>
    %176 = stablehlo.transpose %15, dims = [0, 1, 3, 2] : (tensor<2x3x4x5xf32>) -> tensor<2x3x5x4xf32>
    %177 = stablehlo.dot_general %168, %176, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x5xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %178 = stablehlo.transpose %177, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %179 = stablehlo.reshape %178 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %180 = stablehlo.transpose %arg3, dims = [1, 0] : (tensor<12x12xf32>) -> tensor<12x12xf32>
    %181 = stablehlo.dot_general %179, %180, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %182 = stablehlo.add %175, %181 : tensor<2x5x12xf32>
    %183 = stablehlo.reshape %arg2 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %184 = stablehlo.transpose %183, dims = [1, 0] : (tensor<10x12xf32>) -> tensor<12x10xf32>
    %185 = stablehlo.reshape %179 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %186 = stablehlo.dot_general %184, %185, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %187 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %188 = stablehlo.reduce(%179 init: %187) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %189 = stablehlo.reshape %172 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %190 = stablehlo.dot_general %184, %189, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %191 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %192 = stablehlo.reduce(%172 init: %191) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %193 = stablehlo.reshape %154 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %194 = stablehlo.dot_general %184, %193, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %195 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%154 init: %195) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %197 = stablehlo.reshape %28 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %198 = stablehlo.transpose %197, dims = [1, 0] : (tensor<10x12xf32>) -> tensor<12x10xf32>
    %199 = stablehlo.reshape %146 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %200 = stablehlo.dot_general %198, %199, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %201 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %202 = stablehlo.reduce(%146 init: %201) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %203 = stablehlo.multiply %116, %124 : tensor<2x5x12xf32>
    %204 = stablehlo.multiply %108, %203 : tensor<2x5x12xf32>
    %205 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %206 = stablehlo.reduce(%204 init: %205) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %207 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %208 = stablehlo.reduce(%108 init: %207) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %209 = stablehlo.reshape %33 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %210 = stablehlo.transpose %209, dims = [1, 0] : (tensor<10x12xf32>) -> tensor<12x10xf32>
    %211 = stablehlo.reshape %105 : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
    %212 = stablehlo.dot_general %210, %211, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x24xf32>) -> tensor<12x24xf32>
    %213 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %214 = stablehlo.reduce(%105 init: %213) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x24xf32>, tensor<f32>) -> tensor<24xf32>
    %215 = stablehlo.reshape %37 : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
    %216 = stablehlo.transpose %215, dims = [1, 0] : (tensor<10x24xf32>) -> tensor<24x10xf32>
    %217 = stablehlo.reshape %83 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %218 = stablehlo.dot_general %216, %217, contracting_dims = [1] x [0] : (tensor<24x10xf32>, tensor<10x12xf32>) -> tensor<24x12xf32>
    %219 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%83 init: %219) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %221 = stablehlo.multiply %49, %59 : tensor<2x5x12xf32>
    %222 = stablehlo.multiply %2, %221 : tensor<2x5x12xf32>
    %223 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %224 = stablehlo.reduce(%222 init: %223) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %225 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %226 = stablehlo.reduce(%2 init: %225) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    return %182, %186, %188, %190, %192, %194, %196, %200, %202, %206, %208, %212, %214, %218, %220, %224, %226 : tensor<2x5x12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x24xf32>, tensor<24xf32>, tensor<24x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
  func.func private @ltc.softmax(%arg0: tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32> {
    %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x3x5xf32>) -> tensor<2x3x5x1xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2, 3] : (tensor<2x3x5x1xf32>) -> tensor<2x3x5x5xf32>
    %4 = stablehlo.subtract %arg0, %3 : tensor<2x3x5x5xf32>
    %5 = stablehlo.exponential %4 : tensor<2x3x5x5xf32>
    %6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%5 init: %6) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %8 = stablehlo.reshape %7 : (tensor<2x3x5xf32>) -> tensor<2x3x5x1xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<2x3x5x1xf32>) -> tensor<2x3x5x5xf32>
    %10 = stablehlo.divide %5, %9 : tensor<2x3x5x5xf32>
    return %10 : tensor<2x3x5x5xf32>
  }
  func.func private @ltc.layer_norm(%arg0: tensor<2x5x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<12xf32>) -> tensor<2x5x12xf32> {
    %0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%arg0 init: %0) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %2 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %4 = stablehlo.divide %1, %3 : tensor<2x5xf32>
    %5 = stablehlo.reshape %4 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
    %7 = stablehlo.subtract %arg0, %6 : tensor<2x5x12xf32>
    %8 = stablehlo.multiply %7, %7 : tensor<2x5x12xf32>
    %9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%8 init: %9) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %11 = stablehlo.divide %10, %3 : tensor<2x5xf32>
    %12 = stablehlo.reshape %11 : (tensor<2x5xf32>) -> tensor<2x5x1xf32>
    %13 = stablehlo.constant dense<9.99999996E-13> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<2x5x1xf32>
    %15 = stablehlo.add %12, %14 : tensor<2x5x1xf32>
    %16 = stablehlo.rsqrt %15 : tensor<2x5x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<2x5x1xf32>) -> tensor<2x5x12xf32>
    %18 = stablehlo.multiply %7, %17 : tensor<2x5x12xf32>
    %19 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %20 = stablehlo.multiply %18, %19 : tensor<2x5x12xf32>
    %21 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %22 = stablehlo.add %20, %21 : tensor<2x5x12xf32>
    return %22 : tensor<2x5x12xf32>
  }
  func.func private @ltc.erf(%arg0: tensor<2x5x24xf32>) -> tensor<2x5x24xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %1 = stablehlo.abs %arg0 : tensor<2x5x24xf32>
    %2 = stablehlo.constant dense<8.437500e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %4 = stablehlo.compare LT, %1, %3, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %7 = stablehlo.select %4, %arg0, %6 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %8 = stablehlo.constant dense<-2.37630175E-5> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %10 = stablehlo.multiply %7, %7 : tensor<2x5x24xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<2x5x24xf32>
    %12 = stablehlo.constant dense<-0.00577027025> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %14 = stablehlo.add %11, %13 : tensor<2x5x24xf32>
    %15 = stablehlo.multiply %14, %10 : tensor<2x5x24xf32>
    %16 = stablehlo.constant dense<-0.0284817498> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %18 = stablehlo.add %15, %17 : tensor<2x5x24xf32>
    %19 = stablehlo.multiply %18, %10 : tensor<2x5x24xf32>
    %20 = stablehlo.constant dense<-0.325042099> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %22 = stablehlo.add %19, %21 : tensor<2x5x24xf32>
    %23 = stablehlo.multiply %22, %10 : tensor<2x5x24xf32>
    %24 = stablehlo.constant dense<0.128379166> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %26 = stablehlo.add %23, %25 : tensor<2x5x24xf32>
    %27 = stablehlo.constant dense<-3.96022824E-6> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %29 = stablehlo.multiply %28, %10 : tensor<2x5x24xf32>
    %30 = stablehlo.constant dense<1.32494737E-4> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %32 = stablehlo.add %29, %31 : tensor<2x5x24xf32>
    %33 = stablehlo.multiply %32, %10 : tensor<2x5x24xf32>
    %34 = stablehlo.constant dense<0.00508130621> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %36 = stablehlo.add %33, %35 : tensor<2x5x24xf32>
    %37 = stablehlo.multiply %36, %10 : tensor<2x5x24xf32>
    %38 = stablehlo.constant dense<0.0650222525> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %40 = stablehlo.add %37, %39 : tensor<2x5x24xf32>
    %41 = stablehlo.multiply %40, %10 : tensor<2x5x24xf32>
    %42 = stablehlo.constant dense<0.397917211> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %44 = stablehlo.add %41, %43 : tensor<2x5x24xf32>
    %45 = stablehlo.multiply %44, %10 : tensor<2x5x24xf32>
    %46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %48 = stablehlo.add %45, %47 : tensor<2x5x24xf32>
    %49 = stablehlo.divide %26, %48 : tensor<2x5x24xf32>
    %50 = stablehlo.multiply %7, %49 : tensor<2x5x24xf32>
    %51 = stablehlo.add %7, %50 : tensor<2x5x24xf32>
    %52 = stablehlo.compare LT, %arg0, %6, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %53 = stablehlo.constant dense<1.250000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %55 = stablehlo.compare LT, %1, %54, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %56 = stablehlo.constant dense<-0.00216637552> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %58 = stablehlo.minimum %1, %54 : tensor<2x5x24xf32>
    %59 = stablehlo.subtract %58, %47 : tensor<2x5x24xf32>
    %60 = stablehlo.multiply %57, %59 : tensor<2x5x24xf32>
    %61 = stablehlo.constant dense<0.0354783051> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %63 = stablehlo.add %60, %62 : tensor<2x5x24xf32>
    %64 = stablehlo.multiply %63, %59 : tensor<2x5x24xf32>
    %65 = stablehlo.constant dense<-0.110894695> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %67 = stablehlo.add %64, %66 : tensor<2x5x24xf32>
    %68 = stablehlo.multiply %67, %59 : tensor<2x5x24xf32>
    %69 = stablehlo.constant dense<0.31834662> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %71 = stablehlo.add %68, %70 : tensor<2x5x24xf32>
    %72 = stablehlo.multiply %71, %59 : tensor<2x5x24xf32>
    %73 = stablehlo.constant dense<-0.37220788> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %75 = stablehlo.add %72, %74 : tensor<2x5x24xf32>
    %76 = stablehlo.multiply %75, %59 : tensor<2x5x24xf32>
    %77 = stablehlo.constant dense<0.414856106> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %79 = stablehlo.add %76, %78 : tensor<2x5x24xf32>
    %80 = stablehlo.multiply %79, %59 : tensor<2x5x24xf32>
    %81 = stablehlo.constant dense<-0.00236211857> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %83 = stablehlo.add %80, %82 : tensor<2x5x24xf32>
    %84 = stablehlo.constant dense<1.198450e-02> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %86 = stablehlo.multiply %85, %59 : tensor<2x5x24xf32>
    %87 = stablehlo.constant dense<0.0136370836> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %89 = stablehlo.add %86, %88 : tensor<2x5x24xf32>
    %90 = stablehlo.multiply %89, %59 : tensor<2x5x24xf32>
    %91 = stablehlo.constant dense<0.126171216> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %93 = stablehlo.add %90, %92 : tensor<2x5x24xf32>
    %94 = stablehlo.multiply %93, %59 : tensor<2x5x24xf32>
    %95 = stablehlo.constant dense<0.0718286559> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %97 = stablehlo.add %94, %96 : tensor<2x5x24xf32>
    %98 = stablehlo.multiply %97, %59 : tensor<2x5x24xf32>
    %99 = stablehlo.constant dense<0.540397942> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %101 = stablehlo.add %98, %100 : tensor<2x5x24xf32>
    %102 = stablehlo.multiply %101, %59 : tensor<2x5x24xf32>
    %103 = stablehlo.constant dense<0.106420882> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %105 = stablehlo.add %102, %104 : tensor<2x5x24xf32>
    %106 = stablehlo.multiply %105, %59 : tensor<2x5x24xf32>
    %107 = stablehlo.add %106, %47 : tensor<2x5x24xf32>
    %108 = stablehlo.divide %83, %107 : tensor<2x5x24xf32>
    %109 = stablehlo.constant dense<0.845062911> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %111 = stablehlo.add %108, %110 : tensor<2x5x24xf32>
    %112 = stablehlo.constant dense<2.85714293> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %114 = stablehlo.compare LT, %1, %113, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %115 = stablehlo.constant dense<-9.81432914> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %117 = stablehlo.maximum %1, %54 : tensor<2x5x24xf32>
    %118 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %120 = stablehlo.minimum %117, %119 : tensor<2x5x24xf32>
    %121 = stablehlo.multiply %120, %120 : tensor<2x5x24xf32>
    %122 = stablehlo.divide %47, %121 : tensor<2x5x24xf32>
    %123 = stablehlo.multiply %116, %122 : tensor<2x5x24xf32>
    %124 = stablehlo.constant dense<-81.2874374> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %126 = stablehlo.add %123, %125 : tensor<2x5x24xf32>
    %127 = stablehlo.multiply %126, %122 : tensor<2x5x24xf32>
    %128 = stablehlo.constant dense<-184.605087> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %130 = stablehlo.add %127, %129 : tensor<2x5x24xf32>
    %131 = stablehlo.multiply %130, %122 : tensor<2x5x24xf32>
    %132 = stablehlo.constant dense<-162.396667> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %134 = stablehlo.add %131, %133 : tensor<2x5x24xf32>
    %135 = stablehlo.multiply %134, %122 : tensor<2x5x24xf32>
    %136 = stablehlo.constant dense<-62.3753319> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %138 = stablehlo.add %135, %137 : tensor<2x5x24xf32>
    %139 = stablehlo.multiply %138, %122 : tensor<2x5x24xf32>
    %140 = stablehlo.constant dense<-10.5586262> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %142 = stablehlo.add %139, %141 : tensor<2x5x24xf32>
    %143 = stablehlo.multiply %142, %122 : tensor<2x5x24xf32>
    %144 = stablehlo.constant dense<-0.693858563> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %146 = stablehlo.add %143, %145 : tensor<2x5x24xf32>
    %147 = stablehlo.multiply %146, %122 : tensor<2x5x24xf32>
    %148 = stablehlo.constant dense<-0.00986494403> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %150 = stablehlo.add %147, %149 : tensor<2x5x24xf32>
    %151 = stablehlo.constant dense<-0.0604244135> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %151, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %153 = stablehlo.multiply %152, %122 : tensor<2x5x24xf32>
    %154 = stablehlo.constant dense<6.57024956> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %156 = stablehlo.add %153, %155 : tensor<2x5x24xf32>
    %157 = stablehlo.multiply %156, %122 : tensor<2x5x24xf32>
    %158 = stablehlo.constant dense<1.086350e+02> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %158, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %160 = stablehlo.add %157, %159 : tensor<2x5x24xf32>
    %161 = stablehlo.multiply %160, %122 : tensor<2x5x24xf32>
    %162 = stablehlo.constant dense<429.008148> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %164 = stablehlo.add %161, %163 : tensor<2x5x24xf32>
    %165 = stablehlo.multiply %164, %122 : tensor<2x5x24xf32>
    %166 = stablehlo.constant dense<645.387268> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %168 = stablehlo.add %165, %167 : tensor<2x5x24xf32>
    %169 = stablehlo.multiply %168, %122 : tensor<2x5x24xf32>
    %170 = stablehlo.constant dense<434.565887> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %172 = stablehlo.add %169, %171 : tensor<2x5x24xf32>
    %173 = stablehlo.multiply %172, %122 : tensor<2x5x24xf32>
    %174 = stablehlo.constant dense<137.657761> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %174, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %176 = stablehlo.add %173, %175 : tensor<2x5x24xf32>
    %177 = stablehlo.multiply %176, %122 : tensor<2x5x24xf32>
    %178 = stablehlo.constant dense<19.6512718> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %180 = stablehlo.add %177, %179 : tensor<2x5x24xf32>
    %181 = stablehlo.multiply %180, %122 : tensor<2x5x24xf32>
    %182 = stablehlo.add %181, %47 : tensor<2x5x24xf32>
    %183 = stablehlo.divide %150, %182 : tensor<2x5x24xf32>
    %184 = stablehlo.constant dense<-483.519196> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %186 = stablehlo.multiply %185, %122 : tensor<2x5x24xf32>
    %187 = stablehlo.constant dense<-1025.09509> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %187, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %189 = stablehlo.add %186, %188 : tensor<2x5x24xf32>
    %190 = stablehlo.multiply %189, %122 : tensor<2x5x24xf32>
    %191 = stablehlo.constant dense<-637.566467> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %193 = stablehlo.add %190, %192 : tensor<2x5x24xf32>
    %194 = stablehlo.multiply %193, %122 : tensor<2x5x24xf32>
    %195 = stablehlo.constant dense<-160.636383> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %197 = stablehlo.add %194, %196 : tensor<2x5x24xf32>
    %198 = stablehlo.multiply %197, %122 : tensor<2x5x24xf32>
    %199 = stablehlo.constant dense<-17.7579556> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %201 = stablehlo.add %198, %200 : tensor<2x5x24xf32>
    %202 = stablehlo.multiply %201, %122 : tensor<2x5x24xf32>
    %203 = stablehlo.constant dense<-0.799283266> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %205 = stablehlo.add %202, %204 : tensor<2x5x24xf32>
    %206 = stablehlo.multiply %205, %122 : tensor<2x5x24xf32>
    %207 = stablehlo.constant dense<-0.0098649431> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %207, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %209 = stablehlo.add %206, %208 : tensor<2x5x24xf32>
    %210 = stablehlo.constant dense<-22.4409523> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %210, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %212 = stablehlo.multiply %211, %122 : tensor<2x5x24xf32>
    %213 = stablehlo.constant dense<474.528534> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %215 = stablehlo.add %212, %214 : tensor<2x5x24xf32>
    %216 = stablehlo.multiply %215, %122 : tensor<2x5x24xf32>
    %217 = stablehlo.constant dense<2553.05029> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %217, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %219 = stablehlo.add %216, %218 : tensor<2x5x24xf32>
    %220 = stablehlo.multiply %219, %122 : tensor<2x5x24xf32>
    %221 = stablehlo.constant dense<3199.85815> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %221, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %223 = stablehlo.add %220, %222 : tensor<2x5x24xf32>
    %224 = stablehlo.multiply %223, %122 : tensor<2x5x24xf32>
    %225 = stablehlo.constant dense<1536.72961> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %227 = stablehlo.add %224, %226 : tensor<2x5x24xf32>
    %228 = stablehlo.multiply %227, %122 : tensor<2x5x24xf32>
    %229 = stablehlo.constant dense<325.792511> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %231 = stablehlo.add %228, %230 : tensor<2x5x24xf32>
    %232 = stablehlo.multiply %231, %122 : tensor<2x5x24xf32>
    %233 = stablehlo.constant dense<30.3380604> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %235 = stablehlo.add %232, %234 : tensor<2x5x24xf32>
    %236 = stablehlo.multiply %235, %122 : tensor<2x5x24xf32>
    %237 = stablehlo.add %236, %47 : tensor<2x5x24xf32>
    %238 = stablehlo.divide %209, %237 : tensor<2x5x24xf32>
    %239 = stablehlo.select %114, %183, %238 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %240 = stablehlo.subtract %239, %121 : tensor<2x5x24xf32>
    %241 = stablehlo.constant dense<5.625000e-01> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %243 = stablehlo.subtract %240, %242 : tensor<2x5x24xf32>
    %244 = stablehlo.exponential %243 : tensor<2x5x24xf32>
    %245 = stablehlo.divide %244, %120 : tensor<2x5x24xf32>
    %246 = stablehlo.subtract %47, %245 : tensor<2x5x24xf32>
    %247 = stablehlo.select %55, %111, %246 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %248 = stablehlo.negate %247 : tensor<2x5x24xf32>
    %249 = stablehlo.select %52, %248, %247 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %250 = stablehlo.select %4, %51, %249 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %251 = stablehlo.select %0, %arg0, %250 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    return %251 : tensor<2x5x24xf32>
  }
  func.func private @ltc.gelu(%arg0: tensor<2x5x24xf32>) -> tensor<2x5x24xf32> {
    %0 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %2 = stablehlo.multiply %arg0, %1 : tensor<2x5x24xf32>
    %3 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %5 = stablehlo.multiply %arg0, %4 : tensor<2x5x24xf32>
    %6 = stablehlo.composite "ltc.erf" %5 {decomposition = @ltc.erf} : (tensor<2x5x24xf32>) -> tensor<2x5x24xf32>
    %7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<2x5x24xf32>
    %9 = stablehlo.add %6, %8 : tensor<2x5x24xf32>
    %10 = stablehlo.multiply %2, %9 : tensor<2x5x24xf32>
    return %10 : tensor<2x5x24xf32>
  }
}
