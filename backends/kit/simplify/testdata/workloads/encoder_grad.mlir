module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x5x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<2x5x12xf32>, %arg3: tensor<12x12xf32>, %arg4: tensor<12xf32>, %arg5: tensor<12x12xf32>, %arg6: tensor<12xf32>, %arg7: tensor<12x12xf32>, %arg8: tensor<12xf32>, %arg9: tensor<12x12xf32>, %arg10: tensor<12xf32>, %arg11: tensor<12xf32>, %arg12: tensor<12xf32>, %arg13: tensor<12x24xf32>, %arg14: tensor<24xf32>, %arg15: tensor<24x12xf32>, %arg16: tensor<12xf32>) -> (tensor<2x5x12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x24xf32>, tensor<24xf32>, tensor<24x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<2x5x12xf32>
    %2 = stablehlo.reshape %arg3 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %3 = stablehlo.dot_general %arg2, %2, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %4 = stablehlo.reshape %arg4 : (tensor<12xf32>) -> tensor<3x4xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %6 = stablehlo.add %3, %5 : tensor<2x5x3x4xf32>
    %7 = stablehlo.reshape %arg5 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %8 = stablehlo.dot_general %arg2, %7, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %9 = stablehlo.reshape %arg6 : (tensor<12xf32>) -> tensor<3x4xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %11 = stablehlo.add %8, %10 : tensor<2x5x3x4xf32>
    %12 = stablehlo.dot_general %6, %11, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x5xf32>
    %13 = stablehlo.constant dense<5.000000e-01> : tensor<2x3x5x5xf32>
    %14 = stablehlo.multiply %12, %13 : tensor<2x3x5x5xf32>
    %15 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %16 = stablehlo.reduce(%14 init: %15) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %18 = stablehlo.subtract %14, %17 : tensor<2x3x5x5xf32>
    %19 = stablehlo.exponential %18 : tensor<2x3x5x5xf32>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%19 init: %20) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %23 = stablehlo.divide %19, %22 : tensor<2x3x5x5xf32>
    %24 = stablehlo.reshape %arg7 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %25 = stablehlo.dot_general %arg2, %24, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %26 = stablehlo.reshape %arg8 : (tensor<12xf32>) -> tensor<3x4xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %28 = stablehlo.add %25, %27 : tensor<2x5x3x4xf32>
    %29 = stablehlo.dot_general %23, %28, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %30 = stablehlo.transpose %29, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %31 = stablehlo.reshape %30 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %32 = stablehlo.dot_general %31, %arg9, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %33 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %34 = stablehlo.add %32, %33 : tensor<2x5x12xf32>
    %35 = stablehlo.add %34, %arg2 : tensor<2x5x12xf32>
    %36 = stablehlo.reduce(%35 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %37 = stablehlo.constant dense<1.200000e+01> : tensor<2x5xf32>
    %38 = stablehlo.divide %36, %37 : tensor<2x5xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %40 = stablehlo.subtract %35, %39 : tensor<2x5x12xf32>
    %41 = stablehlo.multiply %40, %40 : tensor<2x5x12xf32>
    %42 = stablehlo.reduce(%41 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %43 = stablehlo.divide %42, %37 : tensor<2x5xf32>
    %44 = stablehlo.constant dense<9.99999996E-13> : tensor<2x5xf32>
    %45 = stablehlo.add %43, %44 : tensor<2x5xf32>
    %46 = stablehlo.rsqrt %45 : tensor<2x5xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %48 = stablehlo.multiply %40, %47 : tensor<2x5x12xf32>
    %49 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %50 = stablehlo.multiply %48, %49 : tensor<2x5x12xf32>
    %51 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %52 = stablehlo.add %50, %51 : tensor<2x5x12xf32>
    %53 = stablehlo.dot_general %52, %arg13, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x24xf32>) -> tensor<2x5x24xf32>
    %54 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<24xf32>) -> tensor<2x5x24xf32>
    %55 = stablehlo.add %53, %54 : tensor<2x5x24xf32>
    %56 = stablehlo.constant dense<5.000000e-01> : tensor<2x5x24xf32>
    %57 = stablehlo.multiply %55, %56 : tensor<2x5x24xf32>
    %58 = stablehlo.constant dense<0.707106769> : tensor<2x5x24xf32>
    %59 = stablehlo.multiply %55, %58 : tensor<2x5x24xf32>
    %60 = stablehlo.compare NE, %59, %59, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %61 = stablehlo.abs %59 : tensor<2x5x24xf32>
    %62 = stablehlo.constant dense<8.437500e-01> : tensor<2x5x24xf32>
    %63 = stablehlo.compare LT, %61, %62, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %64 = stablehlo.constant dense<0.000000e+00> : tensor<2x5x24xf32>
    %65 = stablehlo.select %63, %59, %64 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %66 = stablehlo.constant dense<-2.37630175E-5> : tensor<2x5x24xf32>
    %67 = stablehlo.multiply %65, %65 : tensor<2x5x24xf32>
    %68 = stablehlo.multiply %67, %66 : tensor<2x5x24xf32>
    %69 = stablehlo.constant dense<-0.00577027025> : tensor<2x5x24xf32>
    %70 = stablehlo.add %68, %69 : tensor<2x5x24xf32>
    %71 = stablehlo.multiply %70, %67 : tensor<2x5x24xf32>
    %72 = stablehlo.constant dense<-0.0284817498> : tensor<2x5x24xf32>
    %73 = stablehlo.add %71, %72 : tensor<2x5x24xf32>
    %74 = stablehlo.multiply %73, %67 : tensor<2x5x24xf32>
    %75 = stablehlo.constant dense<-0.325042099> : tensor<2x5x24xf32>
    %76 = stablehlo.add %74, %75 : tensor<2x5x24xf32>
    %77 = stablehlo.multiply %76, %67 : tensor<2x5x24xf32>
    %78 = stablehlo.constant dense<0.128379166> : tensor<2x5x24xf32>
    %79 = stablehlo.add %77, %78 : tensor<2x5x24xf32>
    %80 = stablehlo.constant dense<-3.96022824E-6> : tensor<2x5x24xf32>
    %81 = stablehlo.multiply %67, %80 : tensor<2x5x24xf32>
    %82 = stablehlo.constant dense<1.32494737E-4> : tensor<2x5x24xf32>
    %83 = stablehlo.add %81, %82 : tensor<2x5x24xf32>
    %84 = stablehlo.multiply %83, %67 : tensor<2x5x24xf32>
    %85 = stablehlo.constant dense<0.00508130621> : tensor<2x5x24xf32>
    %86 = stablehlo.add %84, %85 : tensor<2x5x24xf32>
    %87 = stablehlo.multiply %86, %67 : tensor<2x5x24xf32>
    %88 = stablehlo.constant dense<0.0650222525> : tensor<2x5x24xf32>
    %89 = stablehlo.add %87, %88 : tensor<2x5x24xf32>
    %90 = stablehlo.multiply %89, %67 : tensor<2x5x24xf32>
    %91 = stablehlo.constant dense<0.397917211> : tensor<2x5x24xf32>
    %92 = stablehlo.add %90, %91 : tensor<2x5x24xf32>
    %93 = stablehlo.multiply %92, %67 : tensor<2x5x24xf32>
    %94 = stablehlo.constant dense<1.000000e+00> : tensor<2x5x24xf32>
    %95 = stablehlo.add %93, %94 : tensor<2x5x24xf32>
    %96 = stablehlo.divide %79, %95 : tensor<2x5x24xf32>
    %97 = stablehlo.multiply %65, %96 : tensor<2x5x24xf32>
    %98 = stablehlo.add %65, %97 : tensor<2x5x24xf32>
    %99 = stablehlo.compare LT, %59, %64, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %100 = stablehlo.constant dense<1.250000e+00> : tensor<2x5x24xf32>
    %101 = stablehlo.compare LT, %61, %100, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %102 = stablehlo.constant dense<-0.00216637552> : tensor<2x5x24xf32>
    %103 = stablehlo.minimum %61, %100 : tensor<2x5x24xf32>
    %104 = stablehlo.subtract %103, %94 : tensor<2x5x24xf32>
    %105 = stablehlo.multiply %104, %102 : tensor<2x5x24xf32>
    %106 = stablehlo.constant dense<0.0354783051> : tensor<2x5x24xf32>
    %107 = stablehlo.add %105, %106 : tensor<2x5x24xf32>
    %108 = stablehlo.multiply %107, %104 : tensor<2x5x24xf32>
    %109 = stablehlo.constant dense<-0.110894695> : tensor<2x5x24xf32>
    %110 = stablehlo.add %108, %109 : tensor<2x5x24xf32>
    %111 = stablehlo.multiply %110, %104 : tensor<2x5x24xf32>
    %112 = stablehlo.constant dense<0.31834662> : tensor<2x5x24xf32>
    %113 = stablehlo.add %111, %112 : tensor<2x5x24xf32>
    %114 = stablehlo.multiply %113, %104 : tensor<2x5x24xf32>
    %115 = stablehlo.constant dense<-0.37220788> : tensor<2x5x24xf32>
    %116 = stablehlo.add %114, %115 : tensor<2x5x24xf32>
    %117 = stablehlo.multiply %116, %104 : tensor<2x5x24xf32>
    %118 = stablehlo.constant dense<0.414856106> : tensor<2x5x24xf32>
    %119 = stablehlo.add %117, %118 : tensor<2x5x24xf32>
    %120 = stablehlo.multiply %119, %104 : tensor<2x5x24xf32>
    %121 = stablehlo.constant dense<-0.00236211857> : tensor<2x5x24xf32>
    %122 = stablehlo.add %120, %121 : tensor<2x5x24xf32>
    %123 = stablehlo.constant dense<1.198450e-02> : tensor<2x5x24xf32>
    %124 = stablehlo.multiply %104, %123 : tensor<2x5x24xf32>
    %125 = stablehlo.constant dense<0.0136370836> : tensor<2x5x24xf32>
    %126 = stablehlo.add %124, %125 : tensor<2x5x24xf32>
    %127 = stablehlo.multiply %126, %104 : tensor<2x5x24xf32>
    %128 = stablehlo.constant dense<0.126171216> : tensor<2x5x24xf32>
    %129 = stablehlo.add %127, %128 : tensor<2x5x24xf32>
    %130 = stablehlo.multiply %129, %104 : tensor<2x5x24xf32>
    %131 = stablehlo.constant dense<0.0718286559> : tensor<2x5x24xf32>
    %132 = stablehlo.add %130, %131 : tensor<2x5x24xf32>
    %133 = stablehlo.multiply %132, %104 : tensor<2x5x24xf32>
    %134 = stablehlo.constant dense<0.540397942> : tensor<2x5x24xf32>
    %135 = stablehlo.add %133, %134 : tensor<2x5x24xf32>
    %136 = stablehlo.multiply %135, %104 : tensor<2x5x24xf32>
    %137 = stablehlo.constant dense<0.106420882> : tensor<2x5x24xf32>
    %138 = stablehlo.add %136, %137 : tensor<2x5x24xf32>
    %139 = stablehlo.multiply %138, %104 : tensor<2x5x24xf32>
    %140 = stablehlo.add %139, %94 : tensor<2x5x24xf32>
    %141 = stablehlo.divide %122, %140 : tensor<2x5x24xf32>
    %142 = stablehlo.constant dense<0.845062911> : tensor<2x5x24xf32>
    %143 = stablehlo.add %141, %142 : tensor<2x5x24xf32>
    %144 = stablehlo.constant dense<2.85714293> : tensor<2x5x24xf32>
    %145 = stablehlo.compare LT, %61, %144, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %146 = stablehlo.constant dense<-9.81432914> : tensor<2x5x24xf32>
    %147 = stablehlo.maximum %61, %100 : tensor<2x5x24xf32>
    %148 = stablehlo.constant dense<6.000000e+00> : tensor<2x5x24xf32>
    %149 = stablehlo.minimum %147, %148 : tensor<2x5x24xf32>
    %150 = stablehlo.multiply %149, %149 : tensor<2x5x24xf32>
    %151 = stablehlo.divide %94, %150 : tensor<2x5x24xf32>
    %152 = stablehlo.multiply %151, %146 : tensor<2x5x24xf32>
    %153 = stablehlo.constant dense<-81.2874374> : tensor<2x5x24xf32>
    %154 = stablehlo.add %152, %153 : tensor<2x5x24xf32>
    %155 = stablehlo.multiply %154, %151 : tensor<2x5x24xf32>
    %156 = stablehlo.constant dense<-184.605087> : tensor<2x5x24xf32>
    %157 = stablehlo.add %155, %156 : tensor<2x5x24xf32>
    %158 = stablehlo.multiply %157, %151 : tensor<2x5x24xf32>
    %159 = stablehlo.constant dense<-162.396667> : tensor<2x5x24xf32>
    %160 = stablehlo.add %158, %159 : tensor<2x5x24xf32>
    %161 = stablehlo.multiply %160, %151 : tensor<2x5x24xf32>
    %162 = stablehlo.constant dense<-62.3753319> : tensor<2x5x24xf32>
    %163 = stablehlo.add %161, %162 : tensor<2x5x24xf32>
    %164 = stablehlo.multiply %163, %151 : tensor<2x5x24xf32>
    %165 = stablehlo.constant dense<-10.5586262> : tensor<2x5x24xf32>
    %166 = stablehlo.add %164, %165 : tensor<2x5x24xf32>
    %167 = stablehlo.multiply %166, %151 : tensor<2x5x24xf32>
    %168 = stablehlo.constant dense<-0.693858563> : tensor<2x5x24xf32>
    %169 = stablehlo.add %167, %168 : tensor<2x5x24xf32>
    %170 = stablehlo.multiply %169, %151 : tensor<2x5x24xf32>
    %171 = stablehlo.constant dense<-0.00986494403> : tensor<2x5x24xf32>
    %172 = stablehlo.add %170, %171 : tensor<2x5x24xf32>
    %173 = stablehlo.constant dense<-0.0604244135> : tensor<2x5x24xf32>
    %174 = stablehlo.multiply %151, %173 : tensor<2x5x24xf32>
    %175 = stablehlo.constant dense<6.57024956> : tensor<2x5x24xf32>
    %176 = stablehlo.add %174, %175 : tensor<2x5x24xf32>
    %177 = stablehlo.multiply %176, %151 : tensor<2x5x24xf32>
    %178 = stablehlo.constant dense<1.086350e+02> : tensor<2x5x24xf32>
    %179 = stablehlo.add %177, %178 : tensor<2x5x24xf32>
    %180 = stablehlo.multiply %179, %151 : tensor<2x5x24xf32>
    %181 = stablehlo.constant dense<429.008148> : tensor<2x5x24xf32>
    %182 = stablehlo.add %180, %181 : tensor<2x5x24xf32>
    %183 = stablehlo.multiply %182, %151 : tensor<2x5x24xf32>
    %184 = stablehlo.constant dense<645.387268> : tensor<2x5x24xf32>
    %185 = stablehlo.add %183, %184 : tensor<2x5x24xf32>
    %186 = stablehlo.multiply %185, %151 : tensor<2x5x24xf32>
    %187 = stablehlo.constant dense<434.565887> : tensor<2x5x24xf32>
    %188 = stablehlo.add %186, %187 : tensor<2x5x24xf32>
    %189 = stablehlo.multiply %188, %151 : tensor<2x5x24xf32>
    %190 = stablehlo.constant dense<137.657761> : tensor<2x5x24xf32>
    %191 = stablehlo.add %189, %190 : tensor<2x5x24xf32>
    %192 = stablehlo.multiply %191, %151 : tensor<2x5x24xf32>
    %193 = stablehlo.constant dense<19.6512718> : tensor<2x5x24xf32>
    %194 = stablehlo.add %192, %193 : tensor<2x5x24xf32>
    %195 = stablehlo.multiply %194, %151 : tensor<2x5x24xf32>
    %196 = stablehlo.add %195, %94 : tensor<2x5x24xf32>
    %197 = stablehlo.divide %172, %196 : tensor<2x5x24xf32>
    %198 = stablehlo.constant dense<-483.519196> : tensor<2x5x24xf32>
    %199 = stablehlo.multiply %151, %198 : tensor<2x5x24xf32>
    %200 = stablehlo.constant dense<-1025.09509> : tensor<2x5x24xf32>
    %201 = stablehlo.add %199, %200 : tensor<2x5x24xf32>
    %202 = stablehlo.multiply %201, %151 : tensor<2x5x24xf32>
    %203 = stablehlo.constant dense<-637.566467> : tensor<2x5x24xf32>
    %204 = stablehlo.add %202, %203 : tensor<2x5x24xf32>
    %205 = stablehlo.multiply %204, %151 : tensor<2x5x24xf32>
    %206 = stablehlo.constant dense<-160.636383> : tensor<2x5x24xf32>
    %207 = stablehlo.add %205, %206 : tensor<2x5x24xf32>
    %208 = stablehlo.multiply %207, %151 : tensor<2x5x24xf32>
    %209 = stablehlo.constant dense<-17.7579556> : tensor<2x5x24xf32>
    %210 = stablehlo.add %208, %209 : tensor<2x5x24xf32>
    %211 = stablehlo.multiply %210, %151 : tensor<2x5x24xf32>
    %212 = stablehlo.constant dense<-0.799283266> : tensor<2x5x24xf32>
    %213 = stablehlo.add %211, %212 : tensor<2x5x24xf32>
    %214 = stablehlo.multiply %213, %151 : tensor<2x5x24xf32>
    %215 = stablehlo.constant dense<-0.0098649431> : tensor<2x5x24xf32>
    %216 = stablehlo.add %214, %215 : tensor<2x5x24xf32>
    %217 = stablehlo.constant dense<-22.4409523> : tensor<2x5x24xf32>
    %218 = stablehlo.multiply %151, %217 : tensor<2x5x24xf32>
    %219 = stablehlo.constant dense<474.528534> : tensor<2x5x24xf32>
    %220 = stablehlo.add %218, %219 : tensor<2x5x24xf32>
    %221 = stablehlo.multiply %220, %151 : tensor<2x5x24xf32>
    %222 = stablehlo.constant dense<2553.05029> : tensor<2x5x24xf32>
    %223 = stablehlo.add %221, %222 : tensor<2x5x24xf32>
    %224 = stablehlo.multiply %223, %151 : tensor<2x5x24xf32>
    %225 = stablehlo.constant dense<3199.85815> : tensor<2x5x24xf32>
    %226 = stablehlo.add %224, %225 : tensor<2x5x24xf32>
    %227 = stablehlo.multiply %226, %151 : tensor<2x5x24xf32>
    %228 = stablehlo.constant dense<1536.72961> : tensor<2x5x24xf32>
    %229 = stablehlo.add %227, %228 : tensor<2x5x24xf32>
    %230 = stablehlo.multiply %229, %151 : tensor<2x5x24xf32>
    %231 = stablehlo.constant dense<325.792511> : tensor<2x5x24xf32>
    %232 = stablehlo.add %230, %231 : tensor<2x5x24xf32>
    %233 = stablehlo.multiply %232, %151 : tensor<2x5x24xf32>
    %234 = stablehlo.constant dense<30.3380604> : tensor<2x5x24xf32>
    %235 = stablehlo.add %233, %234 : tensor<2x5x24xf32>
    %236 = stablehlo.multiply %235, %151 : tensor<2x5x24xf32>
    %237 = stablehlo.add %236, %94 : tensor<2x5x24xf32>
    %238 = stablehlo.divide %216, %237 : tensor<2x5x24xf32>
    %239 = stablehlo.select %145, %197, %238 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %240 = stablehlo.subtract %239, %150 : tensor<2x5x24xf32>
    %241 = stablehlo.constant dense<5.625000e-01> : tensor<2x5x24xf32>
    %242 = stablehlo.subtract %240, %241 : tensor<2x5x24xf32>
    %243 = stablehlo.exponential %242 : tensor<2x5x24xf32>
    %244 = stablehlo.divide %243, %149 : tensor<2x5x24xf32>
    %245 = stablehlo.subtract %94, %244 : tensor<2x5x24xf32>
    %246 = stablehlo.select %101, %143, %245 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %247 = stablehlo.negate %246 : tensor<2x5x24xf32>
    %248 = stablehlo.select %99, %247, %246 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %249 = stablehlo.select %63, %98, %248 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %250 = stablehlo.select %60, %59, %249 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %251 = stablehlo.add %250, %94 : tensor<2x5x24xf32>
    %252 = stablehlo.multiply %57, %251 : tensor<2x5x24xf32>
    %253 = stablehlo.dot_general %252, %arg15, contracting_dims = [2] x [0] : (tensor<2x5x24xf32>, tensor<24x12xf32>) -> tensor<2x5x12xf32>
    %254 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %255 = stablehlo.add %253, %254 : tensor<2x5x12xf32>
    %256 = stablehlo.add %255, %52 : tensor<2x5x12xf32>
    %257 = stablehlo.reduce(%256 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %258 = stablehlo.divide %257, %37 : tensor<2x5xf32>
    %259 = stablehlo.broadcast_in_dim %258, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %260 = stablehlo.subtract %256, %259 : tensor<2x5x12xf32>
    %261 = stablehlo.multiply %260, %260 : tensor<2x5x12xf32>
    %262 = stablehlo.reduce(%261 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %263 = stablehlo.divide %262, %37 : tensor<2x5xf32>
    %264 = stablehlo.add %263, %44 : tensor<2x5xf32>
    %265 = stablehlo.rsqrt %264 : tensor<2x5xf32>
    %266 = stablehlo.broadcast_in_dim %265, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %267 = stablehlo.multiply %1, %266 : tensor<2x5x12xf32>
    %268 = stablehlo.multiply %1, %260 : tensor<2x5x12xf32>
    %269 = stablehlo.reduce(%268 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %270 = stablehlo.multiply %269, %265 : tensor<2x5xf32>
    %271 = stablehlo.constant dense<-5.000000e-01> : tensor<2x5xf32>
    %272 = stablehlo.multiply %270, %271 : tensor<2x5xf32>
    %273 = stablehlo.divide %272, %264 : tensor<2x5xf32>
    %274 = stablehlo.divide %273, %37 : tensor<2x5xf32>
    %275 = stablehlo.broadcast_in_dim %274, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %276 = stablehlo.multiply %275, %260 : tensor<2x5x12xf32>
    %277 = stablehlo.add %267, %276 : tensor<2x5x12xf32>
    %278 = stablehlo.add %277, %276 : tensor<2x5x12xf32>
    %279 = stablehlo.negate %278 : tensor<2x5x12xf32>
    %280 = stablehlo.reduce(%279 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %281 = stablehlo.divide %280, %37 : tensor<2x5xf32>
    %282 = stablehlo.broadcast_in_dim %281, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %283 = stablehlo.add %278, %282 : tensor<2x5x12xf32>
    %284 = stablehlo.dot_general %283, %arg15, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<24x12xf32>) -> tensor<2x5x24xf32>
    %285 = stablehlo.multiply %284, %57 : tensor<2x5x24xf32>
    %286 = stablehlo.multiply %59, %59 : tensor<2x5x24xf32>
    %287 = stablehlo.negate %286 : tensor<2x5x24xf32>
    %288 = stablehlo.exponential %287 : tensor<2x5x24xf32>
    %289 = stablehlo.constant dense<1.12837923> : tensor<2x5x24xf32>
    %290 = stablehlo.multiply %288, %289 : tensor<2x5x24xf32>
    %291 = stablehlo.multiply %285, %290 : tensor<2x5x24xf32>
    %292 = stablehlo.multiply %291, %58 : tensor<2x5x24xf32>
    %293 = stablehlo.multiply %284, %251 : tensor<2x5x24xf32>
    %294 = stablehlo.multiply %293, %56 : tensor<2x5x24xf32>
    %295 = stablehlo.add %292, %294 : tensor<2x5x24xf32>
    %296 = stablehlo.dot_general %295, %arg13, contracting_dims = [2] x [1] : (tensor<2x5x24xf32>, tensor<12x24xf32>) -> tensor<2x5x12xf32>
    %297 = stablehlo.add %283, %296 : tensor<2x5x12xf32>
    %298 = stablehlo.multiply %297, %49 : tensor<2x5x12xf32>
    %299 = stablehlo.multiply %298, %47 : tensor<2x5x12xf32>
    %300 = stablehlo.multiply %298, %40 : tensor<2x5x12xf32>
    %301 = stablehlo.reduce(%300 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %302 = stablehlo.multiply %301, %46 : tensor<2x5xf32>
    %303 = stablehlo.multiply %302, %271 : tensor<2x5xf32>
    %304 = stablehlo.divide %303, %45 : tensor<2x5xf32>
    %305 = stablehlo.divide %304, %37 : tensor<2x5xf32>
    %306 = stablehlo.broadcast_in_dim %305, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %307 = stablehlo.multiply %306, %40 : tensor<2x5x12xf32>
    %308 = stablehlo.add %299, %307 : tensor<2x5x12xf32>
    %309 = stablehlo.add %308, %307 : tensor<2x5x12xf32>
    %310 = stablehlo.negate %309 : tensor<2x5x12xf32>
    %311 = stablehlo.reduce(%310 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %312 = stablehlo.divide %311, %37 : tensor<2x5xf32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %314 = stablehlo.add %309, %313 : tensor<2x5x12xf32>
    %315 = stablehlo.reshape %arg9 : (tensor<12x12xf32>) -> tensor<3x4x12xf32>
    %316 = stablehlo.dot_general %314, %315, contracting_dims = [2] x [2] : (tensor<2x5x12xf32>, tensor<3x4x12xf32>) -> tensor<2x5x3x4xf32>
    %317 = stablehlo.dot_general %23, %316, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %318 = stablehlo.transpose %317, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %319 = stablehlo.reshape %318 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %320 = stablehlo.dot_general %319, %arg7, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %321 = stablehlo.add %314, %320 : tensor<2x5x12xf32>
    %322 = stablehlo.dot_general %316, %28, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x5xf32>
    %323 = stablehlo.multiply %322, %23 : tensor<2x3x5x5xf32>
    %324 = stablehlo.reduce(%323 init: %20) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %325 = stablehlo.broadcast_in_dim %324, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %326 = stablehlo.subtract %322, %325 : tensor<2x3x5x5xf32>
    %327 = stablehlo.multiply %23, %326 : tensor<2x3x5x5xf32>
    %328 = stablehlo.multiply %327, %13 : tensor<2x3x5x5xf32>
    %329 = stablehlo.dot_general %328, %6, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %330 = stablehlo.transpose %329, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %331 = stablehlo.reshape %330 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %332 = stablehlo.dot_general %331, %arg5, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %333 = stablehlo.add %321, %332 : tensor<2x5x12xf32>
    %334 = stablehlo.dot_general %328, %11, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %335 = stablehlo.transpose %334, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %336 = stablehlo.reshape %335 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %337 = stablehlo.dot_general %336, %arg3, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %338 = stablehlo.add %333, %337 : tensor<2x5x12xf32>
    %339 = stablehlo.reshape %arg2 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %340 = stablehlo.reshape %335 : (tensor<2x5x3x4xf32>) -> tensor<10x12xf32>
    %341 = stablehlo.dot_general %339, %340, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %342 = stablehlo.reduce(%334 init: %20) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %343 = stablehlo.reshape %342 : (tensor<3x4xf32>) -> tensor<12xf32>
    %344 = stablehlo.reshape %330 : (tensor<2x5x3x4xf32>) -> tensor<10x12xf32>
    %345 = stablehlo.dot_general %339, %344, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %346 = stablehlo.reduce(%329 init: %20) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %347 = stablehlo.reshape %346 : (tensor<3x4xf32>) -> tensor<12xf32>
    %348 = stablehlo.reshape %318 : (tensor<2x5x3x4xf32>) -> tensor<10x12xf32>
    %349 = stablehlo.dot_general %339, %348, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %350 = stablehlo.reduce(%317 init: %20) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %351 = stablehlo.reshape %350 : (tensor<3x4xf32>) -> tensor<12xf32>
    %352 = stablehlo.transpose %29, dims = [1, 3, 0, 2] : (tensor<2x3x5x4xf32>) -> tensor<3x4x2x5xf32>
    %353 = stablehlo.reshape %352 : (tensor<3x4x2x5xf32>) -> tensor<12x10xf32>
    %354 = stablehlo.reshape %314 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %355 = stablehlo.dot_general %353, %354, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %356 = stablehlo.reduce(%314 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %357 = stablehlo.multiply %297, %48 : tensor<2x5x12xf32>
    %358 = stablehlo.reduce(%357 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %359 = stablehlo.reduce(%297 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %360 = stablehlo.reshape %52 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %361 = stablehlo.reshape %295 : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
    %362 = stablehlo.dot_general %360, %361, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x24xf32>) -> tensor<12x24xf32>
    %363 = stablehlo.reduce(%295 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x24xf32>, tensor<f32>) -> tensor<24xf32>
    %364 = stablehlo.reshape %252 : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
    %365 = stablehlo.reshape %283 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %366 = stablehlo.dot_general %364, %365, contracting_dims = [0] x [0] : (tensor<10x24xf32>, tensor<10x12xf32>) -> tensor<24x12xf32>
    %367 = stablehlo.reduce(%283 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %368 = stablehlo.multiply %260, %266 : tensor<2x5x12xf32>
    %369 = stablehlo.multiply %arg0, %368 : tensor<2x5x12xf32>
    %370 = stablehlo.reduce(%369 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %371 = stablehlo.reduce(%arg0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    return %338, %341, %343, %345, %347, %349, %351, %355, %356, %358, %359, %362, %363, %366, %367, %370, %371 : tensor<2x5x12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x24xf32>, tensor<24xf32>, tensor<24x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
}
