module attributes {ltc.version = 1 : i32} {
  func.func @main(%arg0: tensor<100xf32>, %arg1: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %2 = stablehlo.multiply %1, %arg0 : tensor<100xf32>
    %3 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %5 = stablehlo.multiply %arg1, %4 : tensor<100xf32>
    %6 = stablehlo.multiply %2, %5 : tensor<100xf32>
    %7 = stablehlo.constant dense<0.707106769> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %9 = stablehlo.multiply %arg1, %8 : tensor<100xf32>
    %10 = stablehlo.multiply %9, %9 : tensor<100xf32>
    %11 = stablehlo.negate %10 : tensor<100xf32>
    %12 = stablehlo.exponential %11 : tensor<100xf32>
    %13 = stablehlo.constant dense<1.12837923> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %15 = stablehlo.multiply %12, %14 : tensor<100xf32>
    %16 = stablehlo.multiply %6, %15 : tensor<100xf32>
    %17 = stablehlo.multiply %16, %8 : tensor<100xf32>
    %18 = stablehlo.composite "ltc.erf" %9 {decomposition = @ltc.erf} : (tensor<100xf32>) -> tensor<100xf32>
    %19 = stablehlo.add %18, %1 : tensor<100xf32>
    %20 = stablehlo.multiply %2, %19 : tensor<100xf32>
    %21 = stablehlo.multiply %20, %4 : tensor<100xf32>
    %22 = stablehlo.add %17, %21 : tensor<100xf32>
    return %22 : tensor<100xf32>
  }
  func.func private @ltc.erf(%arg0: tensor<100xf32>) -> tensor<100xf32> {
    %0 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
    %1 = stablehlo.abs %arg0 : tensor<100xf32>
    %2 = stablehlo.constant dense<8.437500e-01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %4 = stablehlo.compare LT, %1, %3, FLOAT : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
    %5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %7 = stablehlo.select %4, %arg0, %6 : tensor<100xi1>, tensor<100xf32>
    %8 = stablehlo.constant dense<-2.37630175E-5> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %10 = stablehlo.multiply %7, %7 : tensor<100xf32>
    %11 = stablehlo.multiply %9, %10 : tensor<100xf32>
    %12 = stablehlo.constant dense<-0.00577027025> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %14 = stablehlo.add %11, %13 : tensor<100xf32>
    %15 = stablehlo.multiply %14, %10 : tensor<100xf32>
    %16 = stablehlo.constant dense<-0.0284817498> : tensor<f32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %18 = stablehlo.add %15, %17 : tensor<100xf32>
    %19 = stablehlo.multiply %18, %10 : tensor<100xf32>
    %20 = stablehlo.constant dense<-0.325042099> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %22 = stablehlo.add %19, %21 : tensor<100xf32>
    %23 = stablehlo.multiply %22, %10 : tensor<100xf32>
    %24 = stablehlo.constant dense<0.128379166> : tensor<f32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %26 = stablehlo.add %23, %25 : tensor<100xf32>
    %27 = stablehlo.constant dense<-3.96022824E-6> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %29 = stablehlo.multiply %28, %10 : tensor<100xf32>
    %30 = stablehlo.constant dense<1.32494737E-4> : tensor<f32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %32 = stablehlo.add %29, %31 : tensor<100xf32>
    %33 = stablehlo.multiply %32, %10 : tensor<100xf32>
    %34 = stablehlo.constant dense<0.00508130621> : tensor<f32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %36 = stablehlo.add %33, %35 : tensor<100xf32>
    %37 = stablehlo.multiply %36, %10 : tensor<100xf32>
    %38 = stablehlo.constant dense<0.0650222525> : tensor<f32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %40 = stablehlo.add %37, %39 : tensor<100xf32>
    %41 = stablehlo.multiply %40, %10 : tensor<100xf32>
    %42 = stablehlo.constant dense<0.397917211> : tensor<f32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %44 = stablehlo.add %41, %43 : tensor<100xf32>
    %45 = stablehlo.multiply %44, %10 : tensor<100xf32>
    %46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %48 = stablehlo.add %45, %47 : tensor<100xf32>
    %49 = stablehlo.divide %26, %48 : tensor<100xf32>
    %50 = stablehlo.multiply %7, %49 : tensor<100xf32>
    %51 = stablehlo.add %7, %50 : tensor<100xf32>
    %52 = stablehlo.compare LT, %arg0, %6, FLOAT : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
    %53 = stablehlo.constant dense<1.250000e+00> : tensor<f32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %55 = stablehlo.compare LT, %1, %54, FLOAT : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
    %56 = stablehlo.constant dense<-0.00216637552> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %58 = stablehlo.minimum %1, %54 : tensor<100xf32>
    %59 = stablehlo.subtract %58, %47 : tensor<100xf32>
    %60 = stablehlo.multiply %57, %59 : tensor<100xf32>
    %61 = stablehlo.constant dense<0.0354783051> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %63 = stablehlo.add %60, %62 : tensor<100xf32>
    %64 = stablehlo.multiply %63, %59 : tensor<100xf32>
    %65 = stablehlo.constant dense<-0.110894695> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %65, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %67 = stablehlo.add %64, %66 : tensor<100xf32>
    %68 = stablehlo.multiply %67, %59 : tensor<100xf32>
    %69 = stablehlo.constant dense<0.31834662> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %71 = stablehlo.add %68, %70 : tensor<100xf32>
    %72 = stablehlo.multiply %71, %59 : tensor<100xf32>
    %73 = stablehlo.constant dense<-0.37220788> : tensor<f32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %75 = stablehlo.add %72, %74 : tensor<100xf32>
    %76 = stablehlo.multiply %75, %59 : tensor<100xf32>
    %77 = stablehlo.constant dense<0.414856106> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %79 = stablehlo.add %76, %78 : tensor<100xf32>
    %80 = stablehlo.multiply %79, %59 : tensor<100xf32>
    %81 = stablehlo.constant dense<-0.00236211857> : tensor<f32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %83 = stablehlo.add %80, %82 : tensor<100xf32>
    %84 = stablehlo.constant dense<1.198450e-02> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %86 = stablehlo.multiply %85, %59 : tensor<100xf32>
    %87 = stablehlo.constant dense<0.0136370836> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %89 = stablehlo.add %86, %88 : tensor<100xf32>
    %90 = stablehlo.multiply %89, %59 : tensor<100xf32>
    %91 = stablehlo.constant dense<0.126171216> : tensor<f32>
    %92 = stablehlo.broadcast_in_dim %91, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %93 = stablehlo.add %90, %92 : tensor<100xf32>
    %94 = stablehlo.multiply %93, %59 : tensor<100xf32>
    %95 = stablehlo.constant dense<0.0718286559> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %97 = stablehlo.add %94, %96 : tensor<100xf32>
    %98 = stablehlo.multiply %97, %59 : tensor<100xf32>
    %99 = stablehlo.constant dense<0.540397942> : tensor<f32>
    %100 = stablehlo.broadcast_in_dim %99, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %101 = stablehlo.add %98, %100 : tensor<100xf32>
    %102 = stablehlo.multiply %101, %59 : tensor<100xf32>
    %103 = stablehlo.constant dense<0.106420882> : tensor<f32>
    %104 = stablehlo.broadcast_in_dim %103, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %105 = stablehlo.add %102, %104 : tensor<100xf32>
    %106 = stablehlo.multiply %105, %59 : tensor<100xf32>
    %107 = stablehlo.add %106, %47 : tensor<100xf32>
    %108 = stablehlo.divide %83, %107 : tensor<100xf32>
    %109 = stablehlo.constant dense<0.845062911> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %109, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %111 = stablehlo.add %108, %110 : tensor<100xf32>
    %112 = stablehlo.constant dense<2.85714293> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %114 = stablehlo.compare LT, %1, %113, FLOAT : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xi1>
    %115 = stablehlo.constant dense<-9.81432914> : tensor<f32>
    %116 = stablehlo.broadcast_in_dim %115, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %117 = stablehlo.maximum %1, %54 : tensor<100xf32>
    %118 = stablehlo.constant dense<6.000000e+00> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %118, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %120 = stablehlo.minimum %117, %119 : tensor<100xf32>
    %121 = stablehlo.multiply %120, %120 : tensor<100xf32>
    %122 = stablehlo.divide %47, %121 : tensor<100xf32>
    %123 = stablehlo.multiply %116, %122 : tensor<100xf32>
    %124 = stablehlo.constant dense<-81.2874374> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %126 = stablehlo.add %123, %125 : tensor<100xf32>
    %127 = stablehlo.multiply %126, %122 : tensor<100xf32>
    %128 = stablehlo.constant dense<-184.605087> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %128, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %130 = stablehlo.add %127, %129 : tensor<100xf32>
    %131 = stablehlo.multiply %130, %122 : tensor<100xf32>
    %132 = stablehlo.constant dense<-162.396667> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %132, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %134 = stablehlo.add %131, %133 : tensor<100xf32>
    %135 = stablehlo.multiply %134, %122 : tensor<100xf32>
    %136 = stablehlo.constant dense<-62.3753319> : tensor<f32>
    %137 = stablehlo.broadcast_in_dim %136, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %138 = stablehlo.add %135, %137 : tensor<100xf32>
    %139 = stablehlo.multiply %138, %122 : tensor<100xf32>
    %140 = stablehlo.constant dense<-10.5586262> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %142 = stablehlo.add %139, %141 : tensor<100xf32>
    %143 = stablehlo.multiply %142, %122 : tensor<100xf32>
    %144 = stablehlo.constant dense<-0.693858563> : tensor<f32>
    %145 = stablehlo.broadcast_in_dim %144, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %146 = stablehlo.add %143, %145 : tensor<100xf32>
    %147 = stablehlo.multiply %146, %122 : tensor<100xf32>
    %148 = stablehlo.constant dense<-0.00986494403> : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %150 = stablehlo.add %147, %149 : tensor<100xf32>
    %151 = stablehlo.constant dense<-0.0604244135> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %151, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %153 = stablehlo.multiply %152, %122 : tensor<100xf32>
    %154 = stablehlo.constant dense<6.57024956> : tensor<f32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %156 = stablehlo.add %153, %155 : tensor<100xf32>
    %157 = stablehlo.multiply %156, %122 : tensor<100xf32>
    %158 = stablehlo.constant dense<1.086350e+02> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %158, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %160 = stablehlo.add %157, %159 : tensor<100xf32>
    %161 = stablehlo.multiply %160, %122 : tensor<100xf32>
    %162 = stablehlo.constant dense<429.008148> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %162, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %164 = stablehlo.add %161, %163 : tensor<100xf32>
    %165 = stablehlo.multiply %164, %122 : tensor<100xf32>
    %166 = stablehlo.constant dense<645.387268> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %168 = stablehlo.add %165, %167 : tensor<100xf32>
    %169 = stablehlo.multiply %168, %122 : tensor<100xf32>
    %170 = stablehlo.constant dense<434.565887> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %172 = stablehlo.add %169, %171 : tensor<100xf32>
    %173 = stablehlo.multiply %172, %122 : tensor<100xf32>
    %174 = stablehlo.constant dense<137.657761> : tensor<f32>
    %175 = stablehlo.broadcast_in_dim %174, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %176 = stablehlo.add %173, %175 : tensor<100xf32>
    %177 = stablehlo.multiply %176, %122 : tensor<100xf32>
    %178 = stablehlo.constant dense<19.6512718> : tensor<f32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %180 = stablehlo.add %177, %179 : tensor<100xf32>
    %181 = stablehlo.multiply %180, %122 : tensor<100xf32>
    %182 = stablehlo.add %181, %47 : tensor<100xf32>
    %183 = stablehlo.divide %150, %182 : tensor<100xf32>
    %184 = stablehlo.constant dense<-483.519196> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %186 = stablehlo.multiply %185, %122 : tensor<100xf32>
    %187 = stablehlo.constant dense<-1025.09509> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %187, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %189 = stablehlo.add %186, %188 : tensor<100xf32>
    %190 = stablehlo.multiply %189, %122 : tensor<100xf32>
    %191 = stablehlo.constant dense<-637.566467> : tensor<f32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %193 = stablehlo.add %190, %192 : tensor<100xf32>
    %194 = stablehlo.multiply %193, %122 : tensor<100xf32>
    %195 = stablehlo.constant dense<-160.636383> : tensor<f32>
    %196 = stablehlo.broadcast_in_dim %195, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %197 = stablehlo.add %194, %196 : tensor<100xf32>
    %198 = stablehlo.multiply %197, %122 : tensor<100xf32>
    %199 = stablehlo.constant dense<-17.7579556> : tensor<f32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %201 = stablehlo.add %198, %200 : tensor<100xf32>
    %202 = stablehlo.multiply %201, %122 : tensor<100xf32>
    %203 = stablehlo.constant dense<-0.799283266> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %203, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %205 = stablehlo.add %202, %204 : tensor<100xf32>
    %206 = stablehlo.multiply %205, %122 : tensor<100xf32>
    %207 = stablehlo.constant dense<-0.0098649431> : tensor<f32>
    %208 = stablehlo.broadcast_in_dim %207, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %209 = stablehlo.add %206, %208 : tensor<100xf32>
    %210 = stablehlo.constant dense<-22.4409523> : tensor<f32>
    %211 = stablehlo.broadcast_in_dim %210, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %212 = stablehlo.multiply %211, %122 : tensor<100xf32>
    %213 = stablehlo.constant dense<474.528534> : tensor<f32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %215 = stablehlo.add %212, %214 : tensor<100xf32>
    %216 = stablehlo.multiply %215, %122 : tensor<100xf32>
    %217 = stablehlo.constant dense<2553.05029> : tensor<f32>
    %218 = stablehlo.broadcast_in_dim %217, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %219 = stablehlo.add %216, %218 : tensor<100xf32>
    %220 = stablehlo.multiply %219, %122 : tensor<100xf32>
    %221 = stablehlo.constant dense<3199.85815> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %221, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %223 = stablehlo.add %220, %222 : tensor<100xf32>
    %224 = stablehlo.multiply %223, %122 : tensor<100xf32>
    %225 = stablehlo.constant dense<1536.72961> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %227 = stablehlo.add %224, %226 : tensor<100xf32>
    %228 = stablehlo.multiply %227, %122 : tensor<100xf32>
    %229 = stablehlo.constant dense<325.792511> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %229, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %231 = stablehlo.add %228, %230 : tensor<100xf32>
    %232 = stablehlo.multiply %231, %122 : tensor<100xf32>
    %233 = stablehlo.constant dense<30.3380604> : tensor<f32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %235 = stablehlo.add %232, %234 : tensor<100xf32>
    %236 = stablehlo.multiply %235, %122 : tensor<100xf32>
    %237 = stablehlo.add %236, %47 : tensor<100xf32>
    %238 = stablehlo.divide %209, %237 : tensor<100xf32>
    %239 = stablehlo.select %114, %183, %238 : tensor<100xi1>, tensor<100xf32>
    %240 = stablehlo.subtract %239, %121 : tensor<100xf32>
    %241 = stablehlo.constant dense<5.625000e-01> : tensor<f32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [] : (tensor<f32>) -> tensor<100xf32>
    %243 = stablehlo.subtract %240, %242 : tensor<100xf32>
    %244 = stablehlo.exponential %243 : tensor<100xf32>
    %245 = stablehlo.divide %244, %120 : tensor<100xf32>
    %246 = stablehlo.subtract %47, %245 : tensor<100xf32>
    %247 = stablehlo.select %55, %111, %246 : tensor<100xi1>, tensor<100xf32>
    %248 = stablehlo.negate %247 : tensor<100xf32>
    %249 = stablehlo.select %52, %248, %247 : tensor<100xi1>, tensor<100xf32>
    %250 = stablehlo.select %4, %51, %249 : tensor<100xi1>, tensor<100xf32>
    %251 = stablehlo.select %0, %arg0, %250 : tensor<100xi1>, tensor<100xf32>
    return %251 : tensor<100xf32>
  }
}
