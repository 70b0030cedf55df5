module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<2x5x12xf32>, %arg1: tensor<12xf32>, %arg2: tensor<2x5x12xf32>, %arg3: tensor<12x12xf32>, %arg4: tensor<12xf32>, %arg5: tensor<12x12xf32>, %arg6: tensor<12xf32>, %arg7: tensor<12x12xf32>, %arg8: tensor<12xf32>, %arg9: tensor<12x12xf32>, %arg10: tensor<12xf32>, %arg11: tensor<12xf32>, %arg12: tensor<12xf32>, %arg13: tensor<12x24xf32>, %arg14: tensor<24xf32>, %arg15: tensor<24x12xf32>, %arg16: tensor<12xf32>) -> (tensor<2x5x12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x24xf32>, tensor<24xf32>, tensor<24x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
    %3 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %4 = stablehlo.multiply %arg0, %3 : tensor<2x5x12xf32>
    %0 = stablehlo.reshape %arg3 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %1 = stablehlo.dot_general %arg2, %0, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %2 = stablehlo.reshape %arg4 : (tensor<12xf32>) -> tensor<3x4xf32>
    %5 = stablehlo.broadcast_in_dim %2, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %8 = stablehlo.add %1, %5 : tensor<2x5x3x4xf32>
    %6 = stablehlo.reshape %arg5 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %7 = stablehlo.dot_general %arg2, %6, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %9 = stablehlo.reshape %arg6 : (tensor<12xf32>) -> tensor<3x4xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %13 = stablehlo.add %7, %10 : tensor<2x5x3x4xf32>
    %16 = stablehlo.dot_general %8, %13, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x5xf32>
    %18 = stablehlo.constant dense<5.000000e-01> : tensor<2x3x5x5xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<2x3x5x5xf32>
    %11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %12 = stablehlo.reduce(%19 init: %11) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %15 = stablehlo.subtract %19, %14 : tensor<2x3x5x5xf32>
    %17 = stablehlo.exponential %15 : tensor<2x3x5x5xf32>
    %20 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %21 = stablehlo.reduce(%17 init: %20) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %23 = stablehlo.divide %17, %22 : tensor<2x3x5x5xf32>
    %24 = stablehlo.reshape %arg7 : (tensor<12x12xf32>) -> tensor<12x3x4xf32>
    %25 = stablehlo.dot_general %arg2, %24, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x3x4xf32>) -> tensor<2x5x3x4xf32>
    %26 = stablehlo.reshape %arg8 : (tensor<12xf32>) -> tensor<3x4xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [2, 3] : (tensor<3x4xf32>) -> tensor<2x5x3x4xf32>
    %v24_0 = stablehlo.add %25, %27 : tensor<2x5x3x4xf32>
    %v26_0 = stablehlo.dot_general %23, %v24_0, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %v27_0 = stablehlo.transpose %v26_0, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %28 = stablehlo.reshape %v27_0 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %29 = stablehlo.dot_general %28, %arg9, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %30 = stablehlo.broadcast_in_dim %arg10, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %31 = stablehlo.add %29, %30 : tensor<2x5x12xf32>
    %32 = stablehlo.add %31, %arg2 : tensor<2x5x12xf32>
    %33 = stablehlo.reduce(%32 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %34 = stablehlo.constant dense<1.200000e+01> : tensor<2x5xf32>
    %35 = stablehlo.divide %33, %34 : tensor<2x5xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %37 = stablehlo.subtract %32, %36 : tensor<2x5x12xf32>
    %38 = stablehlo.multiply %37, %37 : tensor<2x5x12xf32>
    %39 = stablehlo.reduce(%38 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %40 = stablehlo.divide %39, %34 : tensor<2x5xf32>
    %41 = stablehlo.constant dense<9.99999996E-13> : tensor<2x5xf32>
    %42 = stablehlo.add %40, %41 : tensor<2x5xf32>
    %43 = stablehlo.rsqrt %42 : tensor<2x5xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %45 = stablehlo.multiply %37, %44 : tensor<2x5x12xf32>
    %46 = stablehlo.broadcast_in_dim %arg11, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %47 = stablehlo.multiply %45, %46 : tensor<2x5x12xf32>
    %48 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %49 = stablehlo.add %47, %48 : tensor<2x5x12xf32>
    %v34_0 = stablehlo.dot_general %49, %arg13, contracting_dims = [2] x [0] : (tensor<2x5x12xf32>, tensor<12x24xf32>) -> tensor<2x5x24xf32>
    %v35_0 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<24xf32>) -> tensor<2x5x24xf32>
    %v36_0 = stablehlo.add %v34_0, %v35_0 : tensor<2x5x24xf32>
    %50 = stablehlo.constant dense<5.000000e-01> : tensor<2x5x24xf32>
    %51 = stablehlo.multiply %v36_0, %50 : tensor<2x5x24xf32>
    %52 = stablehlo.constant dense<0.707106769> : tensor<2x5x24xf32>
    %53 = stablehlo.multiply %v36_0, %52 : tensor<2x5x24xf32>
    %54 = stablehlo.compare NE, %53, %53, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %55 = stablehlo.abs %53 : tensor<2x5x24xf32>
    %56 = stablehlo.constant dense<8.437500e-01> : tensor<2x5x24xf32>
    %57 = stablehlo.compare LT, %55, %56, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %58 = stablehlo.constant dense<0.000000e+00> : tensor<2x5x24xf32>
    %59 = stablehlo.select %57, %53, %58 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %60 = stablehlo.constant dense<-2.37630175E-5> : tensor<2x5x24xf32>
    %61 = stablehlo.multiply %59, %59 : tensor<2x5x24xf32>
    %62 = stablehlo.multiply %61, %60 : tensor<2x5x24xf32>
    %63 = stablehlo.constant dense<-0.00577027025> : tensor<2x5x24xf32>
    %64 = stablehlo.add %62, %63 : tensor<2x5x24xf32>
    %65 = stablehlo.multiply %64, %61 : tensor<2x5x24xf32>
    %66 = stablehlo.constant dense<-0.0284817498> : tensor<2x5x24xf32>
    %67 = stablehlo.add %65, %66 : tensor<2x5x24xf32>
    %68 = stablehlo.multiply %67, %61 : tensor<2x5x24xf32>
    %69 = stablehlo.constant dense<-0.325042099> : tensor<2x5x24xf32>
    %70 = stablehlo.add %68, %69 : tensor<2x5x24xf32>
    %71 = stablehlo.multiply %70, %61 : tensor<2x5x24xf32>
    %72 = stablehlo.constant dense<0.128379166> : tensor<2x5x24xf32>
    %73 = stablehlo.add %71, %72 : tensor<2x5x24xf32>
    %74 = stablehlo.constant dense<-3.96022824E-6> : tensor<2x5x24xf32>
    %75 = stablehlo.multiply %61, %74 : tensor<2x5x24xf32>
    %76 = stablehlo.constant dense<1.32494737E-4> : tensor<2x5x24xf32>
    %77 = stablehlo.add %75, %76 : tensor<2x5x24xf32>
    %78 = stablehlo.multiply %77, %61 : tensor<2x5x24xf32>
    %79 = stablehlo.constant dense<0.00508130621> : tensor<2x5x24xf32>
    %80 = stablehlo.add %78, %79 : tensor<2x5x24xf32>
    %81 = stablehlo.multiply %80, %61 : tensor<2x5x24xf32>
    %82 = stablehlo.constant dense<0.0650222525> : tensor<2x5x24xf32>
    %83 = stablehlo.add %81, %82 : tensor<2x5x24xf32>
    %84 = stablehlo.multiply %83, %61 : tensor<2x5x24xf32>
    %85 = stablehlo.constant dense<0.397917211> : tensor<2x5x24xf32>
    %86 = stablehlo.add %84, %85 : tensor<2x5x24xf32>
    %87 = stablehlo.multiply %86, %61 : tensor<2x5x24xf32>
    %88 = stablehlo.constant dense<1.000000e+00> : tensor<2x5x24xf32>
    %89 = stablehlo.add %87, %88 : tensor<2x5x24xf32>
    %90 = stablehlo.divide %73, %89 : tensor<2x5x24xf32>
    %91 = stablehlo.multiply %59, %90 : tensor<2x5x24xf32>
    %92 = stablehlo.add %59, %91 : tensor<2x5x24xf32>
    %93 = stablehlo.compare LT, %53, %58, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %94 = stablehlo.constant dense<1.250000e+00> : tensor<2x5x24xf32>
    %95 = stablehlo.compare LT, %55, %94, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %96 = stablehlo.constant dense<-0.00216637552> : tensor<2x5x24xf32>
    %97 = stablehlo.minimum %55, %94 : tensor<2x5x24xf32>
    %98 = stablehlo.subtract %97, %88 : tensor<2x5x24xf32>
    %99 = stablehlo.multiply %98, %96 : tensor<2x5x24xf32>
    %100 = stablehlo.constant dense<0.0354783051> : tensor<2x5x24xf32>
    %101 = stablehlo.add %99, %100 : tensor<2x5x24xf32>
    %102 = stablehlo.multiply %101, %98 : tensor<2x5x24xf32>
    %103 = stablehlo.constant dense<-0.110894695> : tensor<2x5x24xf32>
    %104 = stablehlo.add %102, %103 : tensor<2x5x24xf32>
    %105 = stablehlo.multiply %104, %98 : tensor<2x5x24xf32>
    %106 = stablehlo.constant dense<0.31834662> : tensor<2x5x24xf32>
    %107 = stablehlo.add %105, %106 : tensor<2x5x24xf32>
    %108 = stablehlo.multiply %107, %98 : tensor<2x5x24xf32>
    %109 = stablehlo.constant dense<-0.37220788> : tensor<2x5x24xf32>
    %110 = stablehlo.add %108, %109 : tensor<2x5x24xf32>
    %111 = stablehlo.multiply %110, %98 : tensor<2x5x24xf32>
    %112 = stablehlo.constant dense<0.414856106> : tensor<2x5x24xf32>
    %113 = stablehlo.add %111, %112 : tensor<2x5x24xf32>
    %114 = stablehlo.multiply %113, %98 : tensor<2x5x24xf32>
    %115 = stablehlo.constant dense<-0.00236211857> : tensor<2x5x24xf32>
    %116 = stablehlo.add %114, %115 : tensor<2x5x24xf32>
    %117 = stablehlo.constant dense<1.198450e-02> : tensor<2x5x24xf32>
    %118 = stablehlo.multiply %98, %117 : tensor<2x5x24xf32>
    %119 = stablehlo.constant dense<0.0136370836> : tensor<2x5x24xf32>
    %120 = stablehlo.add %118, %119 : tensor<2x5x24xf32>
    %121 = stablehlo.multiply %120, %98 : tensor<2x5x24xf32>
    %122 = stablehlo.constant dense<0.126171216> : tensor<2x5x24xf32>
    %123 = stablehlo.add %121, %122 : tensor<2x5x24xf32>
    %124 = stablehlo.multiply %123, %98 : tensor<2x5x24xf32>
    %125 = stablehlo.constant dense<0.0718286559> : tensor<2x5x24xf32>
    %126 = stablehlo.add %124, %125 : tensor<2x5x24xf32>
    %127 = stablehlo.multiply %126, %98 : tensor<2x5x24xf32>
    %128 = stablehlo.constant dense<0.540397942> : tensor<2x5x24xf32>
    %129 = stablehlo.add %127, %128 : tensor<2x5x24xf32>
    %130 = stablehlo.multiply %129, %98 : tensor<2x5x24xf32>
    %131 = stablehlo.constant dense<0.106420882> : tensor<2x5x24xf32>
    %132 = stablehlo.add %130, %131 : tensor<2x5x24xf32>
    %133 = stablehlo.multiply %132, %98 : tensor<2x5x24xf32>
    %134 = stablehlo.add %133, %88 : tensor<2x5x24xf32>
    %135 = stablehlo.divide %116, %134 : tensor<2x5x24xf32>
    %136 = stablehlo.constant dense<0.845062911> : tensor<2x5x24xf32>
    %137 = stablehlo.add %135, %136 : tensor<2x5x24xf32>
    %138 = stablehlo.constant dense<2.85714293> : tensor<2x5x24xf32>
    %139 = stablehlo.compare LT, %55, %138, FLOAT : (tensor<2x5x24xf32>, tensor<2x5x24xf32>) -> tensor<2x5x24xi1>
    %140 = stablehlo.constant dense<-9.81432914> : tensor<2x5x24xf32>
    %141 = stablehlo.maximum %55, %94 : tensor<2x5x24xf32>
    %142 = stablehlo.constant dense<6.000000e+00> : tensor<2x5x24xf32>
    %143 = stablehlo.minimum %141, %142 : tensor<2x5x24xf32>
    %144 = stablehlo.multiply %143, %143 : tensor<2x5x24xf32>
    %145 = stablehlo.divide %88, %144 : tensor<2x5x24xf32>
    %146 = stablehlo.multiply %145, %140 : tensor<2x5x24xf32>
    %147 = stablehlo.constant dense<-81.2874374> : tensor<2x5x24xf32>
    %148 = stablehlo.add %146, %147 : tensor<2x5x24xf32>
    %149 = stablehlo.multiply %148, %145 : tensor<2x5x24xf32>
    %150 = stablehlo.constant dense<-184.605087> : tensor<2x5x24xf32>
    %151 = stablehlo.add %149, %150 : tensor<2x5x24xf32>
    %152 = stablehlo.multiply %151, %145 : tensor<2x5x24xf32>
    %153 = stablehlo.constant dense<-162.396667> : tensor<2x5x24xf32>
    %154 = stablehlo.add %152, %153 : tensor<2x5x24xf32>
    %155 = stablehlo.multiply %154, %145 : tensor<2x5x24xf32>
    %156 = stablehlo.constant dense<-62.3753319> : tensor<2x5x24xf32>
    %157 = stablehlo.add %155, %156 : tensor<2x5x24xf32>
    %158 = stablehlo.multiply %157, %145 : tensor<2x5x24xf32>
    %159 = stablehlo.constant dense<-10.5586262> : tensor<2x5x24xf32>
    %160 = stablehlo.add %158, %159 : tensor<2x5x24xf32>
    %161 = stablehlo.multiply %160, %145 : tensor<2x5x24xf32>
    %162 = stablehlo.constant dense<-0.693858563> : tensor<2x5x24xf32>
    %163 = stablehlo.add %161, %162 : tensor<2x5x24xf32>
    %164 = stablehlo.multiply %163, %145 : tensor<2x5x24xf32>
    %165 = stablehlo.constant dense<-0.00986494403> : tensor<2x5x24xf32>
    %166 = stablehlo.add %164, %165 : tensor<2x5x24xf32>
    %167 = stablehlo.constant dense<-0.0604244135> : tensor<2x5x24xf32>
    %168 = stablehlo.multiply %145, %167 : tensor<2x5x24xf32>
    %169 = stablehlo.constant dense<6.57024956> : tensor<2x5x24xf32>
    %170 = stablehlo.add %168, %169 : tensor<2x5x24xf32>
    %171 = stablehlo.multiply %170, %145 : tensor<2x5x24xf32>
    %172 = stablehlo.constant dense<1.086350e+02> : tensor<2x5x24xf32>
    %173 = stablehlo.add %171, %172 : tensor<2x5x24xf32>
    %174 = stablehlo.multiply %173, %145 : tensor<2x5x24xf32>
    %175 = stablehlo.constant dense<429.008148> : tensor<2x5x24xf32>
    %176 = stablehlo.add %174, %175 : tensor<2x5x24xf32>
    %177 = stablehlo.multiply %176, %145 : tensor<2x5x24xf32>
    %178 = stablehlo.constant dense<645.387268> : tensor<2x5x24xf32>
    %179 = stablehlo.add %177, %178 : tensor<2x5x24xf32>
    %180 = stablehlo.multiply %179, %145 : tensor<2x5x24xf32>
    %181 = stablehlo.constant dense<434.565887> : tensor<2x5x24xf32>
    %182 = stablehlo.add %180, %181 : tensor<2x5x24xf32>
    %183 = stablehlo.multiply %182, %145 : tensor<2x5x24xf32>
    %184 = stablehlo.constant dense<137.657761> : tensor<2x5x24xf32>
    %185 = stablehlo.add %183, %184 : tensor<2x5x24xf32>
    %186 = stablehlo.multiply %185, %145 : tensor<2x5x24xf32>
    %187 = stablehlo.constant dense<19.6512718> : tensor<2x5x24xf32>
    %188 = stablehlo.add %186, %187 : tensor<2x5x24xf32>
    %189 = stablehlo.multiply %188, %145 : tensor<2x5x24xf32>
    %190 = stablehlo.add %189, %88 : tensor<2x5x24xf32>
    %191 = stablehlo.divide %166, %190 : tensor<2x5x24xf32>
    %192 = stablehlo.constant dense<-483.519196> : tensor<2x5x24xf32>
    %193 = stablehlo.multiply %145, %192 : tensor<2x5x24xf32>
    %194 = stablehlo.constant dense<-1025.09509> : tensor<2x5x24xf32>
    %195 = stablehlo.add %193, %194 : tensor<2x5x24xf32>
    %196 = stablehlo.multiply %195, %145 : tensor<2x5x24xf32>
    %197 = stablehlo.constant dense<-637.566467> : tensor<2x5x24xf32>
    %198 = stablehlo.add %196, %197 : tensor<2x5x24xf32>
    %199 = stablehlo.multiply %198, %145 : tensor<2x5x24xf32>
    %200 = stablehlo.constant dense<-160.636383> : tensor<2x5x24xf32>
    %201 = stablehlo.add %199, %200 : tensor<2x5x24xf32>
    %202 = stablehlo.multiply %201, %145 : tensor<2x5x24xf32>
    %203 = stablehlo.constant dense<-17.7579556> : tensor<2x5x24xf32>
    %204 = stablehlo.add %202, %203 : tensor<2x5x24xf32>
    %205 = stablehlo.multiply %204, %145 : tensor<2x5x24xf32>
    %206 = stablehlo.constant dense<-0.799283266> : tensor<2x5x24xf32>
    %207 = stablehlo.add %205, %206 : tensor<2x5x24xf32>
    %208 = stablehlo.multiply %207, %145 : tensor<2x5x24xf32>
    %209 = stablehlo.constant dense<-0.0098649431> : tensor<2x5x24xf32>
    %210 = stablehlo.add %208, %209 : tensor<2x5x24xf32>
    %211 = stablehlo.constant dense<-22.4409523> : tensor<2x5x24xf32>
    %212 = stablehlo.multiply %145, %211 : tensor<2x5x24xf32>
    %213 = stablehlo.constant dense<474.528534> : tensor<2x5x24xf32>
    %214 = stablehlo.add %212, %213 : tensor<2x5x24xf32>
    %215 = stablehlo.multiply %214, %145 : tensor<2x5x24xf32>
    %216 = stablehlo.constant dense<2553.05029> : tensor<2x5x24xf32>
    %217 = stablehlo.add %215, %216 : tensor<2x5x24xf32>
    %218 = stablehlo.multiply %217, %145 : tensor<2x5x24xf32>
    %219 = stablehlo.constant dense<3199.85815> : tensor<2x5x24xf32>
    %220 = stablehlo.add %218, %219 : tensor<2x5x24xf32>
    %221 = stablehlo.multiply %220, %145 : tensor<2x5x24xf32>
    %222 = stablehlo.constant dense<1536.72961> : tensor<2x5x24xf32>
    %223 = stablehlo.add %221, %222 : tensor<2x5x24xf32>
    %224 = stablehlo.multiply %223, %145 : tensor<2x5x24xf32>
    %225 = stablehlo.constant dense<325.792511> : tensor<2x5x24xf32>
    %226 = stablehlo.add %224, %225 : tensor<2x5x24xf32>
    %227 = stablehlo.multiply %226, %145 : tensor<2x5x24xf32>
    %228 = stablehlo.constant dense<30.3380604> : tensor<2x5x24xf32>
    %229 = stablehlo.add %227, %228 : tensor<2x5x24xf32>
    %230 = stablehlo.multiply %229, %145 : tensor<2x5x24xf32>
    %231 = stablehlo.add %230, %88 : tensor<2x5x24xf32>
    %232 = stablehlo.divide %210, %231 : tensor<2x5x24xf32>
    %233 = stablehlo.select %139, %191, %232 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %234 = stablehlo.subtract %233, %144 : tensor<2x5x24xf32>
    %235 = stablehlo.constant dense<5.625000e-01> : tensor<2x5x24xf32>
    %236 = stablehlo.subtract %234, %235 : tensor<2x5x24xf32>
    %237 = stablehlo.exponential %236 : tensor<2x5x24xf32>
    %238 = stablehlo.divide %237, %143 : tensor<2x5x24xf32>
    %239 = stablehlo.subtract %88, %238 : tensor<2x5x24xf32>
    %240 = stablehlo.select %95, %137, %239 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %241 = stablehlo.negate %240 : tensor<2x5x24xf32>
    %242 = stablehlo.select %93, %241, %240 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %243 = stablehlo.select %57, %92, %242 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %244 = stablehlo.select %54, %53, %243 : tensor<2x5x24xi1>, tensor<2x5x24xf32>
    %245 = stablehlo.add %244, %88 : tensor<2x5x24xf32>
    %246 = stablehlo.multiply %51, %245 : tensor<2x5x24xf32>
    %v38_0 = stablehlo.dot_general %246, %arg15, contracting_dims = [2] x [0] : (tensor<2x5x24xf32>, tensor<24x12xf32>) -> tensor<2x5x12xf32>
    %v39_0 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<12xf32>) -> tensor<2x5x12xf32>
    %v40_0 = stablehlo.add %v38_0, %v39_0 : tensor<2x5x12xf32>
    %v41_0 = stablehlo.add %v40_0, %49 : tensor<2x5x12xf32>
    %v43_0 = stablehlo.reduce(%v41_0 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %v46_0 = stablehlo.divide %v43_0, %34 : tensor<2x5xf32>
    %v48_0 = stablehlo.broadcast_in_dim %v46_0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %v49_0 = stablehlo.subtract %v41_0, %v48_0 : tensor<2x5x12xf32>
    %v50_0 = stablehlo.multiply %v49_0, %v49_0 : tensor<2x5x12xf32>
    %v52_0 = stablehlo.reduce(%v50_0 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %v53_0 = stablehlo.divide %v52_0, %34 : tensor<2x5xf32>
    %247 = stablehlo.add %v53_0, %41 : tensor<2x5xf32>
    %248 = stablehlo.rsqrt %247 : tensor<2x5xf32>
    %v59_0 = stablehlo.broadcast_in_dim %248, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %v60_0 = stablehlo.multiply %4, %v59_0 : tensor<2x5x12xf32>
    %v61_0 = stablehlo.multiply %4, %v49_0 : tensor<2x5x12xf32>
    %v63_0 = stablehlo.reduce(%v61_0 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %249 = stablehlo.multiply %v63_0, %248 : tensor<2x5xf32>
    %250 = stablehlo.constant dense<-5.000000e-01> : tensor<2x5xf32>
    %251 = stablehlo.multiply %249, %250 : tensor<2x5xf32>
    %v70_0 = stablehlo.divide %251, %247 : tensor<2x5xf32>
    %v71_0 = stablehlo.divide %v70_0, %34 : tensor<2x5xf32>
    %v72_0 = stablehlo.broadcast_in_dim %v71_0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %v73_0 = stablehlo.multiply %v72_0, %v49_0 : tensor<2x5x12xf32>
    %v74_0 = stablehlo.add %v60_0, %v73_0 : tensor<2x5x12xf32>
    %v75_0 = stablehlo.add %v74_0, %v73_0 : tensor<2x5x12xf32>
    %v76_0 = stablehlo.negate %v75_0 : tensor<2x5x12xf32>
    %v78_0 = stablehlo.reduce(%v76_0 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %v81_0 = stablehlo.divide %v78_0, %34 : tensor<2x5xf32>
    %v82_0 = stablehlo.broadcast_in_dim %v81_0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %v83_0 = stablehlo.add %v75_0, %v82_0 : tensor<2x5x12xf32>
    %v85_0 = stablehlo.dot_general %v83_0, %arg15, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<24x12xf32>) -> tensor<2x5x24xf32>
    %v88_0 = stablehlo.multiply %v85_0, %51 : tensor<2x5x24xf32>
    %v92_0 = stablehlo.multiply %53, %53 : tensor<2x5x24xf32>
    %v93_0 = stablehlo.negate %v92_0 : tensor<2x5x24xf32>
    %v94_0 = stablehlo.exponential %v93_0 : tensor<2x5x24xf32>
    %v96_0 = stablehlo.constant dense<1.12837923> : tensor<2x5x24xf32>
    %v97_0 = stablehlo.multiply %v94_0, %v96_0 : tensor<2x5x24xf32>
    %v98_0 = stablehlo.multiply %v88_0, %v97_0 : tensor<2x5x24xf32>
    %v99_0 = stablehlo.multiply %v98_0, %52 : tensor<2x5x24xf32>
    %v103_0 = stablehlo.multiply %v85_0, %245 : tensor<2x5x24xf32>
    %v104_0 = stablehlo.multiply %v103_0, %50 : tensor<2x5x24xf32>
    %v105_0 = stablehlo.add %v99_0, %v104_0 : tensor<2x5x24xf32>
    %v107_0 = stablehlo.dot_general %v105_0, %arg13, contracting_dims = [2] x [1] : (tensor<2x5x24xf32>, tensor<12x24xf32>) -> tensor<2x5x12xf32>
    %v108_0 = stablehlo.add %v83_0, %v107_0 : tensor<2x5x12xf32>
    %v110_0 = stablehlo.multiply %v108_0, %46 : tensor<2x5x12xf32>
    %v125_0 = stablehlo.multiply %v110_0, %44 : tensor<2x5x12xf32>
    %v126_0 = stablehlo.multiply %v110_0, %37 : tensor<2x5x12xf32>
    %v128_0 = stablehlo.reduce(%v126_0 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %252 = stablehlo.multiply %v128_0, %43 : tensor<2x5xf32>
    %253 = stablehlo.multiply %252, %250 : tensor<2x5xf32>
    %v133_0 = stablehlo.divide %253, %42 : tensor<2x5xf32>
    %v134_0 = stablehlo.divide %v133_0, %34 : tensor<2x5xf32>
    %v135_0 = stablehlo.broadcast_in_dim %v134_0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %v136_0 = stablehlo.multiply %v135_0, %37 : tensor<2x5x12xf32>
    %v137_0 = stablehlo.add %v125_0, %v136_0 : tensor<2x5x12xf32>
    %v138_0 = stablehlo.add %v137_0, %v136_0 : tensor<2x5x12xf32>
    %v139_0 = stablehlo.negate %v138_0 : tensor<2x5x12xf32>
    %v141_0 = stablehlo.reduce(%v139_0 init: %20) applies stablehlo.add across dimensions = [2] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<2x5xf32>
    %v144_0 = stablehlo.divide %v141_0, %34 : tensor<2x5xf32>
    %v145_0 = stablehlo.broadcast_in_dim %v144_0, dims = [0, 1] : (tensor<2x5xf32>) -> tensor<2x5x12xf32>
    %v146_0 = stablehlo.add %v138_0, %v145_0 : tensor<2x5x12xf32>
    %254 = stablehlo.reshape %arg9 : (tensor<12x12xf32>) -> tensor<3x4x12xf32>
    %v150_0 = stablehlo.dot_general %v146_0, %254, contracting_dims = [2] x [2] : (tensor<2x5x12xf32>, tensor<3x4x12xf32>) -> tensor<2x5x3x4xf32>
    %v152_0 = stablehlo.dot_general %23, %v150_0, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %v153_0 = stablehlo.transpose %v152_0, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %v154_0 = stablehlo.reshape %v153_0 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %v156_0 = stablehlo.dot_general %v154_0, %arg7, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %v157_0 = stablehlo.add %v146_0, %v156_0 : tensor<2x5x12xf32>
    %v160_0 = stablehlo.dot_general %v150_0, %v24_0, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x5x3x4xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x5xf32>
    %v161_0 = stablehlo.multiply %v160_0, %23 : tensor<2x3x5x5xf32>
    %v163_0 = stablehlo.reduce(%v161_0 init: %20) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x5xf32>, tensor<f32>) -> tensor<2x3x5xf32>
    %v165_0 = stablehlo.broadcast_in_dim %v163_0, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x5xf32>
    %v166_0 = stablehlo.subtract %v160_0, %v165_0 : tensor<2x3x5x5xf32>
    %v167_0 = stablehlo.multiply %23, %v166_0 : tensor<2x3x5x5xf32>
    %v168_0 = stablehlo.multiply %v167_0, %18 : tensor<2x3x5x5xf32>
    %255 = stablehlo.dot_general %v168_0, %8, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %v171_0 = stablehlo.transpose %255, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %v172_0 = stablehlo.reshape %v171_0 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %v174_0 = stablehlo.dot_general %v172_0, %arg5, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %v175_0 = stablehlo.add %v157_0, %v174_0 : tensor<2x5x12xf32>
    %v177_0 = stablehlo.dot_general %v168_0, %13, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1] : (tensor<2x3x5x5xf32>, tensor<2x5x3x4xf32>) -> tensor<2x3x5x4xf32>
    %v178_0 = stablehlo.transpose %v177_0, dims = [0, 2, 1, 3] : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
    %v179_0 = stablehlo.reshape %v178_0 : (tensor<2x5x3x4xf32>) -> tensor<2x5x12xf32>
    %v181_0 = stablehlo.dot_general %v179_0, %arg3, contracting_dims = [2] x [1] : (tensor<2x5x12xf32>, tensor<12x12xf32>) -> tensor<2x5x12xf32>
    %v182_0 = stablehlo.add %v175_0, %v181_0 : tensor<2x5x12xf32>
    %v183_0 = stablehlo.reshape %arg2 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %v185_0 = stablehlo.reshape %v178_0 : (tensor<2x5x3x4xf32>) -> tensor<10x12xf32>
    %v186_0 = stablehlo.dot_general %v183_0, %v185_0, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %256 = stablehlo.reduce(%v177_0 init: %20) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %v188_0 = stablehlo.reshape %256 : (tensor<3x4xf32>) -> tensor<12xf32>
    %v189_0 = stablehlo.reshape %v171_0 : (tensor<2x5x3x4xf32>) -> tensor<10x12xf32>
    %v190_0 = stablehlo.dot_general %v183_0, %v189_0, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %257 = stablehlo.reduce(%255 init: %20) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %v192_0 = stablehlo.reshape %257 : (tensor<3x4xf32>) -> tensor<12xf32>
    %v193_0 = stablehlo.reshape %v153_0 : (tensor<2x5x3x4xf32>) -> tensor<10x12xf32>
    %v194_0 = stablehlo.dot_general %v183_0, %v193_0, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %258 = stablehlo.reduce(%v152_0 init: %20) applies stablehlo.add across dimensions = [0, 2] : (tensor<2x3x5x4xf32>, tensor<f32>) -> tensor<3x4xf32>
    %v196_0 = stablehlo.reshape %258 : (tensor<3x4xf32>) -> tensor<12xf32>
    %259 = stablehlo.transpose %v26_0, dims = [1, 3, 0, 2] : (tensor<2x3x5x4xf32>) -> tensor<3x4x2x5xf32>
    %v198_0 = stablehlo.reshape %259 : (tensor<3x4x2x5xf32>) -> tensor<12x10xf32>
    %v199_0 = stablehlo.reshape %v146_0 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %v200_0 = stablehlo.dot_general %v198_0, %v199_0, contracting_dims = [1] x [0] : (tensor<12x10xf32>, tensor<10x12xf32>) -> tensor<12x12xf32>
    %v202_0 = stablehlo.reduce(%v146_0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %v204_0 = stablehlo.multiply %v108_0, %45 : tensor<2x5x12xf32>
    %v206_0 = stablehlo.reduce(%v204_0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %v208_0 = stablehlo.reduce(%v108_0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %v209_0 = stablehlo.reshape %49 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %v211_0 = stablehlo.reshape %v105_0 : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
    %v212_0 = stablehlo.dot_general %v209_0, %v211_0, contracting_dims = [0] x [0] : (tensor<10x12xf32>, tensor<10x24xf32>) -> tensor<12x24xf32>
    %v214_0 = stablehlo.reduce(%v105_0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x24xf32>, tensor<f32>) -> tensor<24xf32>
    %v215_0 = stablehlo.reshape %246 : (tensor<2x5x24xf32>) -> tensor<10x24xf32>
    %v217_0 = stablehlo.reshape %v83_0 : (tensor<2x5x12xf32>) -> tensor<10x12xf32>
    %v218_0 = stablehlo.dot_general %v215_0, %v217_0, contracting_dims = [0] x [0] : (tensor<10x24xf32>, tensor<10x12xf32>) -> tensor<24x12xf32>
    %v220_0 = stablehlo.reduce(%v83_0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %v221_0 = stablehlo.multiply %v49_0, %v59_0 : tensor<2x5x12xf32>
    %v222_0 = stablehlo.multiply %arg0, %v221_0 : tensor<2x5x12xf32>
    %v224_0 = stablehlo.reduce(%v222_0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    %v226_0 = stablehlo.reduce(%arg0 init: %20) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x5x12xf32>, tensor<f32>) -> tensor<12xf32>
    return %v182_0, %v186_0, %v188_0, %v190_0, %v192_0, %v194_0, %v196_0, %v200_0, %v202_0, %v206_0, %v208_0, %v212_0, %v214_0, %v218_0, %v220_0, %v224_0, %v226_0 : tensor<2x5x12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12x24xf32>, tensor<24xf32>, tensor<24x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
  }
}
