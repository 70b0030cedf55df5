module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x5x12xf32>, %arg1: tensor<12x12xf32>, %arg2: tensor<12xf32>, %arg3: tensor<12x12xf32>, %arg4: tensor<12xf32>, %arg5: tensor<12x12xf32>, %arg6: tensor<12xf32>, %arg7: tensor<12x12xf32>, %arg8: tensor<12xf32>, %arg9: tensor<12xf32>, %arg10: tensor<12xf32>, %arg11: tensor<12x24xf32>, %arg12: tensor<24xf32>, %arg13: tensor<24x12xf32>, %arg14: tensor<12xf32>, %arg15: tensor<12xf32>, %arg16: tensor<12xf32>) -> tensor<2x5x12xf32> {
    %0 = stablehlo.reshape %arg1 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %2 = stablehlo.reshape %arg2 : (tensor<12xf32>) -> tensor<3x4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %v3_0 = stablehlo.add %1, %3 : tensor<2x5x3x4xf32>
    %4 = stablehlo.reshape %arg3 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %5 = stablehlo.dot_general %arg0, %4, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %6 = stablehlo.reshape %arg4 : (tensor<12xf32>) -> tensor<3x4xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %8 = stablehlo.add %5, %7 : tensor<2x5x3x4xf32>
    %11 = stablehlo.dot_general %v3_0, %8, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x5xf32>
    %13 = stablehlo.constant dense<5.000000e-01> : tensor<2x3x5x5xf32>
    %14 = stablehlo.multiply %11, %13 : tensor<2x3x5x5xf32>
    %9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %10 = stablehlo.reduce(%14 init: %9) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %15 = stablehlo.subtract %14, %12 : tensor<2x3x5x5xf32>
    %16 = stablehlo.exponential %15 : tensor<2x3x5x5xf32>
    %17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.reduce(%16 init: %17) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %20 = stablehlo.divide %16, %19 : tensor<2x3x5x5xf32>
    %21 = stablehlo.reshape %arg5 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %22 = stablehlo.dot_general %arg0, %21, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %23 = stablehlo.reshape %arg6 : (tensor<12xf32>) -> tensor<3x4xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %v19_0 = stablehlo.add %22, %24 : tensor<2x5x3x4xf32>
    %v21_0 = stablehlo.dot_general %20, %v19_0, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %v22_0 = stablehlo.transpose %v21_0, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %v23_0 = stablehlo.reshape %v22_0 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %v24_0 = stablehlo.dot_general %v23_0, %arg7, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %25 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %26 = stablehlo.add %v24_0, %25 : tensor<2x5x12xf32>
    %27 = stablehlo.add %26, %arg0 : tensor<2x5x12xf32>
    %28 = stablehlo.reduce(%27 init: %17) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %29 = stablehlo.constant dense<1.200000e+01> : tensor<2x5xf32>
    %30 = stablehlo.divide %28, %29 : tensor<2x5xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %32 = stablehlo.subtract %27, %31 : tensor<2x5x12xf32>
    %33 = stablehlo.multiply %32, %32 : tensor<2x5x12xf32>
    %34 = stablehlo.reduce(%33 init: %17) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %35 = stablehlo.divide %34, %29 : tensor<2x5xf32>
    %36 = stablehlo.constant dense<9.99999996E-13> : tensor<2x5xf32>
    %37 = stablehlo.add %35, %36 : tensor<2x5xf32>
    %38 = stablehlo.rsqrt %37 : tensor<2x5xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %40 = stablehlo.multiply %32, %39 : tensor<2x5x12xf32>
    %41 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %42 = stablehlo.multiply %40, %41 : tensor<2x5x12xf32>
    %43 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %44 = stablehlo.add %42, %43 : tensor<2x5x12xf32>
    %v29_0 = stablehlo.dot_general %44, %arg11, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x24xf32>) -> tensor<2x5x24xf32>
    %v30_0 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<24xf32>) -> tensor<2x5x24xf32>
    %v31_0 = stablehlo.add %v29_0, %v30_0 : tensor<2x5x24xf32>
    %45 = stablehlo.constant dense<5.000000e-01> : tensor<2x5x24xf32>
    %46 = stablehlo.multiply %v31_0, %45 : tensor<2x5x24xf32>
    %47 = stablehlo.constant dense<0.707106769> : tensor<2x5x24xf32>
    %48 = stablehlo.multiply %v31_0, %47 : tensor<2x5x24xf32>
    %49 = stablehlo.compare NE, %48, %48, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %50 = stablehlo.abs %48 : tensor<2x5x24xf32>
    %51 = stablehlo.constant dense<8.437500e-01> : tensor<2x5x24xf32>
    %52 = stablehlo.compare LT, %50, %51, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %53 = stablehlo.constant dense<0.000000e+00> : tensor<2x5x24xf32>
    %54 = stablehlo.select %52, %48, %53 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %55 = stablehlo.constant dense<-2.37630175E-5> : tensor<2x5x24xf32>
    %56 = stablehlo.multiply %54, %54 : tensor<2x5x24xf32>
    %57 = stablehlo.multiply %56, %55 : tensor<2x5x24xf32>
    %58 = stablehlo.constant dense<-0.00577027025> : tensor<2x5x24xf32>
    %59 = stablehlo.add %57, %58 : tensor<2x5x24xf32>
    %60 = stablehlo.multiply %59, %56 : tensor<2x5x24xf32>
    %61 = stablehlo.constant dense<-0.0284817498> : tensor<2x5x24xf32>
    %62 = stablehlo.add %60, %61 : tensor<2x5x24xf32>
    %63 = stablehlo.multiply %62, %56 : tensor<2x5x24xf32>
    %64 = stablehlo.constant dense<-0.325042099> : tensor<2x5x24xf32>
    %65 = stablehlo.add %63, %64 : tensor<2x5x24xf32>
    %66 = stablehlo.multiply %65, %56 : tensor<2x5x24xf32>
    %67 = stablehlo.constant dense<0.128379166> : tensor<2x5x24xf32>
    %68 = stablehlo.add %66, %67 : tensor<2x5x24xf32>
    %69 = stablehlo.constant dense<-3.96022824E-6> : tensor<2x5x24xf32>
    %70 = stablehlo.multiply %56, %69 : tensor<2x5x24xf32>
    %71 = stablehlo.constant dense<1.32494737E-4> : tensor<2x5x24xf32>
    %72 = stablehlo.add %70, %71 : tensor<2x5x24xf32>
    %73 = stablehlo.multiply %72, %56 : tensor<2x5x24xf32>
    %74 = stablehlo.constant dense<0.00508130621> : tensor<2x5x24xf32>
    %75 = stablehlo.add %73, %74 : tensor<2x5x24xf32>
    %76 = stablehlo.multiply %75, %56 : tensor<2x5x24xf32>
    %77 = stablehlo.constant dense<0.0650222525> : tensor<2x5x24xf32>
    %78 = stablehlo.add %76, %77 : tensor<2x5x24xf32>
    %79 = stablehlo.multiply %78, %56 : tensor<2x5x24xf32>
    %80 = stablehlo.constant dense<0.397917211> : tensor<2x5x24xf32>
    %81 = stablehlo.add %79, %80 : tensor<2x5x24xf32>
    %82 = stablehlo.multiply %81, %56 : tensor<2x5x24xf32>
    %83 = stablehlo.constant dense<1.000000e+00> : tensor<2x5x24xf32>
    %84 = stablehlo.add %82, %83 : tensor<2x5x24xf32>
    %85 = stablehlo.divide %68, %84 : tensor<2x5x24xf32>
    %86 = stablehlo.multiply %54, %85 : tensor<2x5x24xf32>
    %87 = stablehlo.add %54, %86 : tensor<2x5x24xf32>
    %88 = stablehlo.compare LT, %48, %53, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %89 = stablehlo.constant dense<1.250000e+00> : tensor<2x5x24xf32>
    %90 = stablehlo.compare LT, %50, %89, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %91 = stablehlo.constant dense<-0.00216637552> : tensor<2x5x24xf32>
    %92 = stablehlo.minimum %50, %89 : tensor<2x5x24xf32>
    %93 = stablehlo.subtract %92, %83 : tensor<2x5x24xf32>
    %94 = stablehlo.multiply %93, %91 : tensor<2x5x24xf32>
    %95 = stablehlo.constant dense<0.0354783051> : tensor<2x5x24xf32>
    %96 = stablehlo.add %94, %95 : tensor<2x5x24xf32>
    %97 = stablehlo.multiply %96, %93 : tensor<2x5x24xf32>
    %98 = stablehlo.constant dense<-0.110894695> : tensor<2x5x24xf32>
    %99 = stablehlo.add %97, %98 : tensor<2x5x24xf32>
    %100 = stablehlo.multiply %99, %93 : tensor<2x5x24xf32>
    %101 = stablehlo.constant dense<0.31834662> : tensor<2x5x24xf32>
    %102 = stablehlo.add %100, %101 : tensor<2x5x24xf32>
    %103 = stablehlo.multiply %102, %93 : tensor<2x5x24xf32>
    %104 = stablehlo.constant dense<-0.37220788> : tensor<2x5x24xf32>
    %105 = stablehlo.add %103, %104 : tensor<2x5x24xf32>
    %106 = stablehlo.multiply %105, %93 : tensor<2x5x24xf32>
    %107 = stablehlo.constant dense<0.414856106> : tensor<2x5x24xf32>
    %108 = stablehlo.add %106, %107 : tensor<2x5x24xf32>
    %109 = stablehlo.multiply %108, %93 : tensor<2x5x24xf32>
    %110 = stablehlo.constant dense<-0.00236211857> : tensor<2x5x24xf32>
    %111 = stablehlo.add %109, %110 : tensor<2x5x24xf32>
    %112 = stablehlo.constant dense<1.198450e-02> : tensor<2x5x24xf32>
    %113 = stablehlo.multiply %93, %112 : tensor<2x5x24xf32>
    %114 = stablehlo.constant dense<0.0136370836> : tensor<2x5x24xf32>
    %115 = stablehlo.add %113, %114 : tensor<2x5x24xf32>
    %116 = stablehlo.multiply %115, %93 : tensor<2x5x24xf32>
    %117 = stablehlo.constant dense<0.126171216> : tensor<2x5x24xf32>
    %118 = stablehlo.add %116, %117 : tensor<2x5x24xf32>
    %119 = stablehlo.multiply %118, %93 : tensor<2x5x24xf32>
    %120 = stablehlo.constant dense<0.0718286559> : tensor<2x5x24xf32>
    %121 = stablehlo.add %119, %120 : tensor<2x5x24xf32>
    %122 = stablehlo.multiply %121, %93 : tensor<2x5x24xf32>
    %123 = stablehlo.constant dense<0.540397942> : tensor<2x5x24xf32>
    %124 = stablehlo.add %122, %123 : tensor<2x5x24xf32>
    %125 = stablehlo.multiply %124, %93 : tensor<2x5x24xf32>
    %126 = stablehlo.constant dense<0.106420882> : tensor<2x5x24xf32>
    %127 = stablehlo.add %125, %126 : tensor<2x5x24xf32>
    %128 = stablehlo.multiply %127, %93 : tensor<2x5x24xf32>
    %129 = stablehlo.add %128, %83 : tensor<2x5x24xf32>
    %130 = stablehlo.divide %111, %129 : tensor<2x5x24xf32>
    %131 = stablehlo.constant dense<0.845062911> : tensor<2x5x24xf32>
    %132 = stablehlo.add %130, %131 : tensor<2x5x24xf32>
    %133 = stablehlo.constant dense<2.85714293> : tensor<2x5x24xf32>
    %134 = stablehlo.compare LT, %50, %133, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %135 = stablehlo.constant dense<-9.81432914> : tensor<2x5x24xf32>
    %136 = stablehlo.maximum %50, %89 : tensor<2x5x24xf32>
    %137 = stablehlo.constant dense<6.000000e+00> : tensor<2x5x24xf32>
    %138 = stablehlo.minimum %136, %137 : tensor<2x5x24xf32>
    %139 = stablehlo.multiply %138, %138 : tensor<2x5x24xf32>
    %140 = stablehlo.divide %83, %139 : tensor<2x5x24xf32>
    %141 = stablehlo.multiply %140, %135 : tensor<2x5x24xf32>
    %142 = stablehlo.constant dense<-81.2874374> : tensor<2x5x24xf32>
    %143 = stablehlo.add %141, %142 : tensor<2x5x24xf32>
    %144 = stablehlo.multiply %143, %140 : tensor<2x5x24xf32>
    %145 = stablehlo.constant dense<-184.605087> : tensor<2x5x24xf32>
    %146 = stablehlo.add %144, %145 : tensor<2x5x24xf32>
    %147 = stablehlo.multiply %146, %140 : tensor<2x5x24xf32>
    %148 = stablehlo.constant dense<-162.396667> : tensor<2x5x24xf32>
    %149 = stablehlo.add %147, %148 : tensor<2x5x24xf32>
    %150 = stablehlo.multiply %149, %140 : tensor<2x5x24xf32>
    %151 = stablehlo.constant dense<-62.3753319> : tensor<2x5x24xf32>
    %152 = stablehlo.add %150, %151 : tensor<2x5x24xf32>
    %153 = stablehlo.multiply %152, %140 : tensor<2x5x24xf32>
    %154 = stablehlo.constant dense<-10.5586262> : tensor<2x5x24xf32>
    %155 = stablehlo.add %153, %154 : tensor<2x5x24xf32>
    %156 = stablehlo.multiply %155, %140 : tensor<2x5x24xf32>
    %157 = stablehlo.constant dense<-0.693858563> : tensor<2x5x24xf32>
    %158 = stablehlo.add %156, %157 : tensor<2x5x24xf32>
    %159 = stablehlo.multiply %158, %140 : tensor<2x5x24xf32>
    %160 = stablehlo.constant dense<-0.00986494403> : tensor<2x5x24xf32>
    %161 = stablehlo.add %159, %160 : tensor<2x5x24xf32>
    %162 = stablehlo.constant dense<-0.0604244135> : tensor<2x5x24xf32>
    %163 = stablehlo.multiply %140, %162 : tensor<2x5x24xf32>
    %164 = stablehlo.constant dense<6.57024956> : tensor<2x5x24xf32>
    %165 = stablehlo.add %163, %164 : tensor<2x5x24xf32>
    %166 = stablehlo.multiply %165, %140 : tensor<2x5x24xf32>
    %167 = stablehlo.constant dense<1.086350e+02> : tensor<2x5x24xf32>
    %168 = stablehlo.add %166, %167 : tensor<2x5x24xf32>
    %169 = stablehlo.multiply %168, %140 : tensor<2x5x24xf32>
    %170 = stablehlo.constant dense<429.008148> : tensor<2x5x24xf32>
    %171 = stablehlo.add %169, %170 : tensor<2x5x24xf32>
    %172 = stablehlo.multiply %171, %140 : tensor<2x5x24xf32>
    %173 = stablehlo.constant dense<645.387268> : tensor<2x5x24xf32>
    %174 = stablehlo.add %172, %173 : tensor<2x5x24xf32>
    %175 = stablehlo.multiply %174, %140 : tensor<2x5x24xf32>
    %176 = stablehlo.constant dense<434.565887> : tensor<2x5x24xf32>
    %177 = stablehlo.add %175, %176 : tensor<2x5x24xf32>
    %178 = stablehlo.multiply %177, %140 : tensor<2x5x24xf32>
    %179 = stablehlo.constant dense<137.657761> : tensor<2x5x24xf32>
    %180 = stablehlo.add %178, %179 : tensor<2x5x24xf32>
    %181 = stablehlo.multiply %180, %140 : tensor<2x5x24xf32>
    %182 = stablehlo.constant dense<19.6512718> : tensor<2x5x24xf32>
    %183 = stablehlo.add %181, %182 : tensor<2x5x24xf32>
    %184 = stablehlo.multiply %183, %140 : tensor<2x5x24xf32>
    %185 = stablehlo.add %184, %83 : tensor<2x5x24xf32>
    %186 = stablehlo.divide %161, %185 : tensor<2x5x24xf32>
    %187 = stablehlo.constant dense<-483.519196> : tensor<2x5x24xf32>
    %188 = stablehlo.multiply %140, %187 : tensor<2x5x24xf32>
    %189 = stablehlo.constant dense<-1025.09509> : tensor<2x5x24xf32>
    %190 = stablehlo.add %188, %189 : tensor<2x5x24xf32>
    %191 = stablehlo.multiply %190, %140 : tensor<2x5x24xf32>
    %192 = stablehlo.constant dense<-637.566467> : tensor<2x5x24xf32>
    %193 = stablehlo.add %191, %192 : tensor<2x5x24xf32>
    %194 = stablehlo.multiply %193, %140 : tensor<2x5x24xf32>
    %195 = stablehlo.constant dense<-160.636383> : tensor<2x5x24xf32>
    %196 = stablehlo.add %194, %195 : tensor<2x5x24xf32>
    %197 = stablehlo.multiply %196, %140 : tensor<2x5x24xf32>
    %198 = stablehlo.constant dense<-17.7579556> : tensor<2x5x24xf32>
    %199 = stablehlo.add %197, %198 : tensor<2x5x24xf32>
    %200 = stablehlo.multiply %199, %140 : tensor<2x5x24xf32>
    %201 = stablehlo.constant dense<-0.799283266> : tensor<2x5x24xf32>
    %202 = stablehlo.add %200, %201 : tensor<2x5x24xf32>
    %203 = stablehlo.multiply %202, %140 : tensor<2x5x24xf32>
    %204 = stablehlo.constant dense<-0.0098649431> : tensor<2x5x24xf32>
    %205 = stablehlo.add %203, %204 : tensor<2x5x24xf32>
    %206 = stablehlo.constant dense<-22.4409523> : tensor<2x5x24xf32>
    %207 = stablehlo.multiply %140, %206 : tensor<2x5x24xf32>
    %208 = stablehlo.constant dense<474.528534> : tensor<2x5x24xf32>
    %209 = stablehlo.add %207, %208 : tensor<2x5x24xf32>
    %210 = stablehlo.multiply %209, %140 : tensor<2x5x24xf32>
    %211 = stablehlo.constant dense<2553.05029> : tensor<2x5x24xf32>
    %212 = stablehlo.add %210, %211 : tensor<2x5x24xf32>
    %213 = stablehlo.multiply %212, %140 : tensor<2x5x24xf32>
    %214 = stablehlo.constant dense<3199.85815> : tensor<2x5x24xf32>
    %215 = stablehlo.add %213, %214 : tensor<2x5x24xf32>
    %216 = stablehlo.multiply %215, %140 : tensor<2x5x24xf32>
    %217 = stablehlo.constant dense<1536.72961> : tensor<2x5x24xf32>
    %218 = stablehlo.add %216, %217 : tensor<2x5x24xf32>
    %219 = stablehlo.multiply %218, %140 : tensor<2x5x24xf32>
    %220 = stablehlo.constant dense<325.792511> : tensor<2x5x24xf32>
    %221 = stablehlo.add %219, %220 : tensor<2x5x24xf32>
    %222 = stablehlo.multiply %221, %140 : tensor<2x5x24xf32>
    %223 = stablehlo.constant dense<30.3380604> : tensor<2x5x24xf32>
    %224 = stablehlo.add %222, %223 : tensor<2x5x24xf32>
    %225 = stablehlo.multiply %224, %140 : tensor<2x5x24xf32>
    %226 = stablehlo.add %225, %83 : tensor<2x5x24xf32>
    %227 = stablehlo.divide %205, %226 : tensor<2x5x24xf32>
    %228 = stablehlo.select %134, %186, %227 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %229 = stablehlo.subtract %228, %139 : tensor<2x5x24xf32>
    %230 = stablehlo.constant dense<5.625000e-01> : tensor<2x5x24xf32>
    %231 = stablehlo.subtract %229, %230 : tensor<2x5x24xf32>
    %232 = stablehlo.exponential %231 : tensor<2x5x24xf32>
    %233 = stablehlo.divide %232, %138 : tensor<2x5x24xf32>
    %234 = stablehlo.subtract %83, %233 : tensor<2x5x24xf32>
    %235 = stablehlo.select %90, %132, %234 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %236 = stablehlo.negate %235 : tensor<2x5x24xf32>
    %237 = stablehlo.select %88, %236, %235 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %238 = stablehlo.select %52, %87, %237 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %239 = stablehlo.select %49, %48, %238 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %240 = stablehlo.add %239, %83 : tensor<2x5x24xf32>
    %241 = stablehlo.multiply %46, %240 : tensor<2x5x24xf32>
    %v33_0 = stablehlo.dot_general %241, %arg13, contracting_dims = [2] x [0] : (tensor<2x5x24xf32>, tensor<24x12xf32>) -> tensor<2x5x12xf32>
    %v34_0 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %v35_0 = stablehlo.add %v33_0, %v34_0 : tensor<2x5x12xf32>
    %v36_0 = stablehlo.add %v35_0, %44 : tensor<2x5x12xf32>
    %242 = stablehlo.reduce(%v36_0 init: %17) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %243 = stablehlo.divide %242, %29 : tensor<2x5xf32>
    %244 = stablehlo.broadcast_in_dim %243, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %245 = stablehlo.subtract %v36_0, %244 : tensor<2x5x12xf32>
    %246 = stablehlo.multiply %245, %245 : tensor<2x5x12xf32>
    %247 = stablehlo.reduce(%246 init: %17) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %248 = stablehlo.divide %247, %29 : tensor<2x5xf32>
    %249 = stablehlo.add %248, %36 : tensor<2x5xf32>
    %250 = stablehlo.rsqrt %249 : tensor<2x5xf32>
    %251 = stablehlo.broadcast_in_dim %250, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %252 = stablehlo.multiply %245, %251 : tensor<2x5x12xf32>
    %253 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %254 = stablehlo.multiply %252, %253 : tensor<2x5x12xf32>
    %255 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %256 = stablehlo.add %254, %255 : tensor<2x5x12xf32>
    return %256 : tensor<2x5x12xf32>
  }
}
