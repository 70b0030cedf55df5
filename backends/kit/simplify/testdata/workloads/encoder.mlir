module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x5x12xf32>, %arg1: tensor<12x12xf32>, %arg2: tensor<12xf32>, %arg3: tensor<12x12xf32>, %arg4: tensor<12xf32>, %arg5: tensor<12x12xf32>, %arg6: tensor<12xf32>, %arg7: tensor<12x12xf32>, %arg8: tensor<12xf32>, %arg9: tensor<12xf32>, %arg10: tensor<12xf32>, %arg11: tensor<12x24xf32>, %arg12: tensor<24xf32>, %arg13: tensor<24x12xf32>, %arg14: tensor<12xf32>, %arg15: tensor<12xf32>, %arg16: tensor<12xf32>) -> tensor<2x5x12xf32> {
    %0 = stablehlo.reshape %arg1 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %1 = stablehlo.dot_general %arg0, %0, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %2 = stablehlo.reshape %arg2 : (tensor<12xf32>) -> tensor<3x4xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %4 = stablehlo.add %1, %3 : tensor<2x5x3x4xf32>
    %5 = stablehlo.reshape %arg3 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %6 = stablehlo.dot_general %arg0, %5, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %7 = stablehlo.reshape %arg4 : (tensor<12xf32>) -> tensor<3x4xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %9 = stablehlo.add %6, %8 : tensor<2x5x3x4xf32>
    %10 = stablehlo.dot_general %4, %9, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x5xf32>
    %11 = stablehlo.constant dense<5.000000e-01> : tensor<2x3x5x5xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<2x3x5x5xf32>
    %13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.reduce(%12 init: %13) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %16 = stablehlo.subtract %12, %15 : tensor<2x3x5x5xf32>
    %17 = stablehlo.exponential %16 : tensor<2x3x5x5xf32>
    %18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %19 = stablehlo.reduce(%17 init: %18) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %21 = stablehlo.divide %17, %20 : tensor<2x3x5x5xf32>
    %22 = stablehlo.reshape %arg5 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %23 = stablehlo.dot_general %arg0, %22, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %24 = stablehlo.reshape %arg6 : (tensor<12xf32>) -> tensor<3x4xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %26 = stablehlo.add %23, %25 : tensor<2x5x3x4xf32>
    %27 = stablehlo.dot_general %21, %26, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %28 = stablehlo.transpose %27, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %29 = stablehlo.reshape %28 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %30 = stablehlo.dot_general %29, %arg7, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %31 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %32 = stablehlo.add %30, %31 : tensor<2x5x12xf32>
    %33 = stablehlo.add %32, %arg0 : tensor<2x5x12xf32>
    %34 = stablehlo.reduce(%33 init: %18) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %35 = stablehlo.constant dense<1.200000e+01> : tensor<2x5xf32>
    %36 = stablehlo.divide %34, %35 : tensor<2x5xf32>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %38 = stablehlo.subtract %33, %37 : tensor<2x5x12xf32>
    %39 = stablehlo.multiply %38, %38 : tensor<2x5x12xf32>
    %40 = stablehlo.reduce(%39 init: %18) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %41 = stablehlo.divide %40, %35 : tensor<2x5xf32>
    %42 = stablehlo.constant dense<9.99999996E-13> : tensor<2x5xf32>
    %43 = stablehlo.add %41, %42 : tensor<2x5xf32>
    %44 = stablehlo.rsqrt %43 : tensor<2x5xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %46 = stablehlo.multiply %38, %45 : tensor<2x5x12xf32>
    %47 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %48 = stablehlo.multiply %46, %47 : tensor<2x5x12xf32>
    %49 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %50 = stablehlo.add %48, %49 : tensor<2x5x12xf32>
    %51 = stablehlo.dot_general %50, %arg11, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x24xf32>) -> tensor<2x5x24xf32>
    %52 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<24xf32>) -> tensor<2x5x24xf32>
    %53 = stablehlo.add %51, %52 : tensor<2x5x24xf32>
    %54 = stablehlo.constant dense<5.000000e-01> : tensor<2x5x24xf32>
    %55 = stablehlo.multiply %53, %54 : tensor<2x5x24xf32>
    %56 = stablehlo.constant dense<0.707106769> : tensor<2x5x24xf32>
    %57 = stablehlo.multiply %53, %56 : tensor<2x5x24xf32>
    %58 = stablehlo.compare NE, %57, %57, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %59 = stablehlo.abs %57 : tensor<2x5x24xf32>
    %60 = stablehlo.constant dense<8.437500e-01> : tensor<2x5x24xf32>
    %61 = stablehlo.compare LT, %59, %60, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %62 = stablehlo.constant dense<0.000000e+00> : tensor<2x5x24xf32>
    %63 = stablehlo.select %61, %57, %62 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %64 = stablehlo.constant dense<-2.37630175E-5> : tensor<2x5x24xf32>
    %65 = stablehlo.multiply %63, %63 : tensor<2x5x24xf32>
    %66 = stablehlo.multiply %65, %64 : tensor<2x5x24xf32>
    %67 = stablehlo.constant dense<-0.00577027025> : tensor<2x5x24xf32>
    %68 = stablehlo.add %66, %67 : tensor<2x5x24xf32>
    %69 = stablehlo.multiply %68, %65 : tensor<2x5x24xf32>
    %70 = stablehlo.constant dense<-0.0284817498> : tensor<2x5x24xf32>
    %71 = stablehlo.add %69, %70 : tensor<2x5x24xf32>
    %72 = stablehlo.multiply %71, %65 : tensor<2x5x24xf32>
    %73 = stablehlo.constant dense<-0.325042099> : tensor<2x5x24xf32>
    %74 = stablehlo.add %72, %73 : tensor<2x5x24xf32>
    %75 = stablehlo.multiply %74, %65 : tensor<2x5x24xf32>
    %76 = stablehlo.constant dense<0.128379166> : tensor<2x5x24xf32>
    %77 = stablehlo.add %75, %76 : tensor<2x5x24xf32>
    %78 = stablehlo.constant dense<-3.96022824E-6> : tensor<2x5x24xf32>
    %79 = stablehlo.multiply %65, %78 : tensor<2x5x24xf32>
    %80 = stablehlo.constant dense<1.32494737E-4> : tensor<2x5x24xf32>
    %81 = stablehlo.add %79, %80 : tensor<2x5x24xf32>
    %82 = stablehlo.multiply %81, %65 : tensor<2x5x24xf32>
    %83 = stablehlo.constant dense<0.00508130621> : tensor<2x5x24xf32>
    %84 = stablehlo.add %82, %83 : tensor<2x5x24xf32>
    %85 = stablehlo.multiply %84, %65 : tensor<2x5x24xf32>
    %86 = stablehlo.constant dense<0.0650222525> : tensor<2x5x24xf32>
    %87 = stablehlo.add %85, %86 : tensor<2x5x24xf32>
    %88 = stablehlo.multiply %87, %65 : tensor<2x5x24xf32>
    %89 = stablehlo.constant dense<0.397917211> : tensor<2x5x24xf32>
    %90 = stablehlo.add %88, %89 : tensor<2x5x24xf32>
    %91 = stablehlo.multiply %90, %65 : tensor<2x5x24xf32>
    %92 = stablehlo.constant dense<1.000000e+00> : tensor<2x5x24xf32>
    %93 = stablehlo.add %91, %92 : tensor<2x5x24xf32>
    %94 = stablehlo.divide %77, %93 : tensor<2x5x24xf32>
    %95 = stablehlo.multiply %63, %94 : tensor<2x5x24xf32>
    %96 = stablehlo.add %63, %95 : tensor<2x5x24xf32>
    %97 = stablehlo.compare LT, %57, %62, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %98 = stablehlo.constant dense<1.250000e+00> : tensor<2x5x24xf32>
    %99 = stablehlo.compare LT, %59, %98, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %100 = stablehlo.constant dense<-0.00216637552> : tensor<2x5x24xf32>
    %101 = stablehlo.minimum %59, %98 : tensor<2x5x24xf32>
    %102 = stablehlo.subtract %101, %92 : tensor<2x5x24xf32>
    %103 = stablehlo.multiply %102, %100 : tensor<2x5x24xf32>
    %104 = stablehlo.constant dense<0.0354783051> : tensor<2x5x24xf32>
    %105 = stablehlo.add %103, %104 : tensor<2x5x24xf32>
    %106 = stablehlo.multiply %105, %102 : tensor<2x5x24xf32>
    %107 = stablehlo.constant dense<-0.110894695> : tensor<2x5x24xf32>
    %108 = stablehlo.add %106, %107 : tensor<2x5x24xf32>
    %109 = stablehlo.multiply %108, %102 : tensor<2x5x24xf32>
    %110 = stablehlo.constant dense<0.31834662> : tensor<2x5x24xf32>
    %111 = stablehlo.add %109, %110 : tensor<2x5x24xf32>
    %112 = stablehlo.multiply %111, %102 : tensor<2x5x24xf32>
    %113 = stablehlo.constant dense<-0.37220788> : tensor<2x5x24xf32>
    %114 = stablehlo.add %112, %113 : tensor<2x5x24xf32>
    %115 = stablehlo.multiply %114, %102 : tensor<2x5x24xf32>
    %116 = stablehlo.constant dense<0.414856106> : tensor<2x5x24xf32>
    %117 = stablehlo.add %115, %116 : tensor<2x5x24xf32>
    %118 = stablehlo.multiply %117, %102 : tensor<2x5x24xf32>
    %119 = stablehlo.constant dense<-0.00236211857> : tensor<2x5x24xf32>
    %120 = stablehlo.add %118, %119 : tensor<2x5x24xf32>
    %121 = stablehlo.constant dense<1.198450e-02> : tensor<2x5x24xf32>
    %122 = stablehlo.multiply %102, %121 : tensor<2x5x24xf32>
    %123 = stablehlo.constant dense<0.0136370836> : tensor<2x5x24xf32>
    %124 = stablehlo.add %122, %123 : tensor<2x5x24xf32>
    %125 = stablehlo.multiply %124, %102 : tensor<2x5x24xf32>
    %126 = stablehlo.constant dense<0.126171216> : tensor<2x5x24xf32>
    %127 = stablehlo.add %125, %126 : tensor<2x5x24xf32>
    %128 = stablehlo.multiply %127, %102 : tensor<2x5x24xf32>
    %129 = stablehlo.constant dense<0.0718286559> : tensor<2x5x24xf32>
    %130 = stablehlo.add %128, %129 : tensor<2x5x24xf32>
    %131 = stablehlo.multiply %130, %102 : tensor<2x5x24xf32>
    %132 = stablehlo.constant dense<0.540397942> : tensor<2x5x24xf32>
    %133 = stablehlo.add %131, %132 : tensor<2x5x24xf32>
    %134 = stablehlo.multiply %133, %102 : tensor<2x5x24xf32>
    %135 = stablehlo.constant dense<0.106420882> : tensor<2x5x24xf32>
    %136 = stablehlo.add %134, %135 : tensor<2x5x24xf32>
    %137 = stablehlo.multiply %136, %102 : tensor<2x5x24xf32>
    %138 = stablehlo.add %137, %92 : tensor<2x5x24xf32>
    %139 = stablehlo.divide %120, %138 : tensor<2x5x24xf32>
    %140 = stablehlo.constant dense<0.845062911> : tensor<2x5x24xf32>
    %141 = stablehlo.add %139, %140 : tensor<2x5x24xf32>
    %142 = stablehlo.constant dense<2.85714293> : tensor<2x5x24xf32>
    %143 = stablehlo.compare LT, %59, %142, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %144 = stablehlo.constant dense<-9.81432914> : tensor<2x5x24xf32>
    %145 = stablehlo.maximum %59, %98 : tensor<2x5x24xf32>
    %146 = stablehlo.constant dense<6.000000e+00> : tensor<2x5x24xf32>
    %147 = stablehlo.minimum %145, %146 : tensor<2x5x24xf32>
    %148 = stablehlo.multiply %147, %147 : tensor<2x5x24xf32>
    %149 = stablehlo.divide %92, %148 : tensor<2x5x24xf32>
    %150 = stablehlo.multiply %149, %144 : tensor<2x5x24xf32>
    %151 = stablehlo.constant dense<-81.2874374> : tensor<2x5x24xf32>
    %152 = stablehlo.add %150, %151 : tensor<2x5x24xf32>
    %153 = stablehlo.multiply %152, %149 : tensor<2x5x24xf32>
    %154 = stablehlo.constant dense<-184.605087> : tensor<2x5x24xf32>
    %155 = stablehlo.add %153, %154 : tensor<2x5x24xf32>
    %156 = stablehlo.multiply %155, %149 : tensor<2x5x24xf32>
    %157 = stablehlo.constant dense<-162.396667> : tensor<2x5x24xf32>
    %158 = stablehlo.add %156, %157 : tensor<2x5x24xf32>
    %159 = stablehlo.multiply %158, %149 : tensor<2x5x24xf32>
    %160 = stablehlo.constant dense<-62.3753319> : tensor<2x5x24xf32>
    %161 = stablehlo.add %159, %160 : tensor<2x5x24xf32>
    %162 = stablehlo.multiply %161, %149 : tensor<2x5x24xf32>
    %163 = stablehlo.constant dense<-10.5586262> : tensor<2x5x24xf32>
    %164 = stablehlo.add %162, %163 : tensor<2x5x24xf32>
    %165 = stablehlo.multiply %164, %149 : tensor<2x5x24xf32>
    %166 = stablehlo.constant dense<-0.693858563> : tensor<2x5x24xf32>
    %167 = stablehlo.add %165, %166 : tensor<2x5x24xf32>
    %168 = stablehlo.multiply %167, %149 : tensor<2x5x24xf32>
    %169 = stablehlo.constant dense<-0.00986494403> : tensor<2x5x24xf32>
    %170 = stablehlo.add %168, %169 : tensor<2x5x24xf32>
    %171 = stablehlo.constant dense<-0.0604244135> : tensor<2x5x24xf32>
    %172 = stablehlo.multiply %149, %171 : tensor<2x5x24xf32>
    %173 = stablehlo.constant dense<6.57024956> : tensor<2x5x24xf32>
    %174 = stablehlo.add %172, %173 : tensor<2x5x24xf32>
    %175 = stablehlo.multiply %174, %149 : tensor<2x5x24xf32>
    %176 = stablehlo.constant dense<1.086350e+02> : tensor<2x5x24xf32>
    %177 = stablehlo.add %175, %176 : tensor<2x5x24xf32>
    %178 = stablehlo.multiply %177, %149 : tensor<2x5x24xf32>
    %179 = stablehlo.constant dense<429.008148> : tensor<2x5x24xf32>
    %180 = stablehlo.add %178, %179 : tensor<2x5x24xf32>
    %181 = stablehlo.multiply %180, %149 : tensor<2x5x24xf32>
    %182 = stablehlo.constant dense<645.387268> : tensor<2x5x24xf32>
    %183 = stablehlo.add %181, %182 : tensor<2x5x24xf32>
    %184 = stablehlo.multiply %183, %149 : tensor<2x5x24xf32>
    %185 = stablehlo.constant dense<434.565887> : tensor<2x5x24xf32>
    %186 = stablehlo.add %184, %185 : tensor<2x5x24xf32>
    %187 = stablehlo.multiply %186, %149 : tensor<2x5x24xf32>
    %188 = stablehlo.constant dense<137.657761> : tensor<2x5x24xf32>
    %189 = stablehlo.add %187, %188 : tensor<2x5x24xf32>
    %190 = stablehlo.multiply %189, %149 : tensor<2x5x24xf32>
    %191 = stablehlo.constant dense<19.6512718> : tensor<2x5x24xf32>
    %192 = stablehlo.add %190, %191 : tensor<2x5x24xf32>
    %193 = stablehlo.multiply %192, %149 : tensor<2x5x24xf32>
    %194 = stablehlo.add %193, %92 : tensor<2x5x24xf32>
    %195 = stablehlo.divide %170, %194 : tensor<2x5x24xf32>
    %196 = stablehlo.constant dense<-483.519196> : tensor<2x5x24xf32>
    %197 = stablehlo.multiply %149, %196 : tensor<2x5x24xf32>
    %198 = stablehlo.constant dense<-1025.09509> : tensor<2x5x24xf32>
    %199 = stablehlo.add %197, %198 : tensor<2x5x24xf32>
    %200 = stablehlo.multiply %199, %149 : tensor<2x5x24xf32>
    %201 = stablehlo.constant dense<-637.566467> : tensor<2x5x24xf32>
    %202 = stablehlo.add %200, %201 : tensor<2x5x24xf32>
    %203 = stablehlo.multiply %202, %149 : tensor<2x5x24xf32>
    %204 = stablehlo.constant dense<-160.636383> : tensor<2x5x24xf32>
    %205 = stablehlo.add %203, %204 : tensor<2x5x24xf32>
    %206 = stablehlo.multiply %205, %149 : tensor<2x5x24xf32>
    %207 = stablehlo.constant dense<-17.7579556> : tensor<2x5x24xf32>
    %208 = stablehlo.add %206, %207 : tensor<2x5x24xf32>
    %209 = stablehlo.multiply %208, %149 : tensor<2x5x24xf32>
    %210 = stablehlo.constant dense<-0.799283266> : tensor<2x5x24xf32>
    %211 = stablehlo.add %209, %210 : tensor<2x5x24xf32>
    %212 = stablehlo.multiply %211, %149 : tensor<2x5x24xf32>
    %213 = stablehlo.constant dense<-0.0098649431> : tensor<2x5x24xf32>
    %214 = stablehlo.add %212, %213 : tensor<2x5x24xf32>
    %215 = stablehlo.constant dense<-22.4409523> : tensor<2x5x24xf32>
    %216 = stablehlo.multiply %149, %215 : tensor<2x5x24xf32>
    %217 = stablehlo.constant dense<474.528534> : tensor<2x5x24xf32>
    %218 = stablehlo.add %216, %217 : tensor<2x5x24xf32>
    %219 = stablehlo.multiply %218, %149 : tensor<2x5x24xf32>
    %220 = stablehlo.constant dense<2553.05029> : tensor<2x5x24xf32>
    %221 = stablehlo.add %219, %220 : tensor<2x5x24xf32>
    %222 = stablehlo.multiply %221, %149 : tensor<2x5x24xf32>
    %223 = stablehlo.constant dense<3199.85815> : tensor<2x5x24xf32>
    %224 = stablehlo.add %222, %223 : tensor<2x5x24xf32>
    %225 = stablehlo.multiply %224, %149 : tensor<2x5x24xf32>
    %226 = stablehlo.constant dense<1536.72961> : tensor<2x5x24xf32>
    %227 = stablehlo.add %225, %226 : tensor<2x5x24xf32>
    %228 = stablehlo.multiply %227, %149 : tensor<2x5x24xf32>
    %229 = stablehlo.constant dense<325.792511> : tensor<2x5x24xf32>
    %230 = stablehlo.add %228, %229 : tensor<2x5x24xf32>
    %231 = stablehlo.multiply %230, %149 : tensor<2x5x24xf32>
    %232 = stablehlo.constant dense<30.3380604> : tensor<2x5x24xf32>
    %233 = stablehlo.add %231, %232 : tensor<2x5x24xf32>
    %234 = stablehlo.multiply %233, %149 : tensor<2x5x24xf32>
    %235 = stablehlo.add %234, %92 : tensor<2x5x24xf32>
    %236 = stablehlo.divide %214, %235 : tensor<2x5x24xf32>
    %237 = stablehlo.select %143, %195, %236 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %238 = stablehlo.subtract %237, %148 : tensor<2x5x24xf32>
    %239 = stablehlo.constant dense<5.625000e-01> : tensor<2x5x24xf32>
    %240 = stablehlo.subtract %238, %239 : tensor<2x5x24xf32>
    %241 = stablehlo.exponential %240 : tensor<2x5x24xf32>
    %242 = stablehlo.divide %241, %147 : tensor<2x5x24xf32>
    %243 = stablehlo.subtract %92, %242 : tensor<2x5x24xf32>
    %244 = stablehlo.select %99, %141, %243 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %245 = stablehlo.negate %244 : tensor<2x5x24xf32>
    %246 = stablehlo.select %97, %245, %244 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %247 = stablehlo.select %61, %96, %246 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %248 = stablehlo.select %58, %57, %247 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %249 = stablehlo.add %248, %92 : tensor<2x5x24xf32>
    %250 = stablehlo.multiply %55, %249 : tensor<2x5x24xf32>
    %251 = stablehlo.dot_general %250, %arg13, contracting_dims = [2] x [0] : (tensor<2x5x24xf32>, tensor<24x12xf32>) -> tensor<2x5x12xf32>
    %252 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %253 = stablehlo.add %251, %252 : tensor<2x5x12xf32>
    %254 = stablehlo.add %253, %50 : tensor<2x5x12xf32>
    %255 = stablehlo.reduce(%254 init: %18) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %256 = stablehlo.divide %255, %35 : tensor<2x5xf32>
    %257 = stablehlo.broadcast_in_dim %256, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %258 = stablehlo.subtract %254, %257 : tensor<2x5x12xf32>
    %259 = stablehlo.multiply %258, %258 : tensor<2x5x12xf32>
    %260 = stablehlo.reduce(%259 init: %18) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %261 = stablehlo.divide %260, %35 : tensor<2x5xf32>
    %262 = stablehlo.add %261, %42 : tensor<2x5xf32>
    %263 = stablehlo.rsqrt %262 : tensor<2x5xf32>
    %264 = stablehlo.broadcast_in_dim %263, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %265 = stablehlo.multiply %258, %264 : tensor<2x5x12xf32>
    %266 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %267 = stablehlo.multiply %265, %266 : tensor<2x5x12xf32>
    %268 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %269 = stablehlo.add %267, %268 : tensor<2x5x12xf32>
    return %269 : tensor<2x5x12xf32>
  }
}
