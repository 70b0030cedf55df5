define i32 @k096fe05b99959b7fe0c47221(i64* %args) nounwind "target-cpu"="x86-64-v4" "prefer-vector-width"="512" "min-legal-vector-width"="512" "no-builtins" {
entry:
	%0 = getelementptr i64, i64* %args, i64 1
	%1 = load i64, i64* %0, align 8, !invariant.load !0
	%2 = inttoptr i64 %1 to i64*
	%3 = load i64, i64* %2, align 8, !invariant.load !0
	%4 = getelementptr i64, i64* %args, i64 1
	%5 = load i64, i64* %4, align 8, !invariant.load !0
	%6 = inttoptr i64 %5 to i64*
	%7 = getelementptr i64, i64* %6, i64 1
	%8 = load i64, i64* %7, align 8, !invariant.load !0
	%9 = load i64, i64* %args, align 8, !invariant.load !0
	%10 = inttoptr i64 %9 to i64*
	%11 = load i64, i64* %10, align 8, !invariant.load !0
	%12 = inttoptr i64 %11 to float*
	%13 = getelementptr i64, i64* %args, i64 2
	%14 = load i64, i64* %13, align 8, !invariant.load !0
	%15 = inttoptr i64 %14 to i64*
	%16 = load i64, i64* %15, align 8, !invariant.load !0
	%17 = load i64, i64* %args, align 8, !invariant.load !0
	%18 = inttoptr i64 %17 to i64*
	%19 = getelementptr i64, i64* %18, i64 1
	%20 = load i64, i64* %19, align 8, !invariant.load !0
	%21 = inttoptr i64 %20 to float*
	%22 = getelementptr i64, i64* %args, i64 2
	%23 = load i64, i64* %22, align 8, !invariant.load !0
	%24 = inttoptr i64 %23 to i64*
	%25 = getelementptr i64, i64* %24, i64 1
	%26 = load i64, i64* %25, align 8, !invariant.load !0
	%27 = getelementptr i64, i64* %args, i64 3
	%28 = load i64, i64* %27, align 8, !invariant.load !0
	%29 = inttoptr i64 %28 to float*
	%30 = mul i64 4, %8
	%31 = add i64 %30, 63
	%32 = and i64 %31, -64
	%33 = add i64 %28, %32
	%34 = mul i64 4, %3
	%35 = mul i64 %34, %8
	%36 = icmp sge i64 %35, u0x1000000
	%37 = ptrtoint float* %21 to i64
	%38 = ptrtoint float* %12 to i64
	%39 = icmp ne i64 %37, %38
	%40 = and i1 %36, %39
	%41 = getelementptr i64, i64* %args, i64 4
	%42 = load i64, i64* %41, align 8, !invariant.load !0
	%43 = getelementptr i64, i64* %args, i64 5
	%44 = load i64, i64* %43, align 8, !invariant.load !0
	%45 = icmp slt i64 %42, %44
	br i1 %45, label %46, label %50

46:
	%47 = add i64 %42, 1
	%48 = sub i64 %44, 1
	%49 = icmp ule i64 %47, %44
	br i1 %49, label %51, label %58

50:
	br i1 %40, label %509, label %510

51:
	%52 = phi i64 [ %42, %46 ], [ %361, %359 ]
	%53 = phi i64 [ %42, %46 ], [ %360, %359 ]
	%54 = mul i64 %53, %16
	%55 = add i64 0, 64
	%56 = sub i64 %8, 64
	%57 = icmp ule i64 %55, %8
	br i1 %57, label %61, label %98

58:
	%59 = phi i64 [ %42, %46 ], [ %361, %359 ]
	%60 = phi i64 [ %42, %46 ], [ %360, %359 ]
	br label %50

61:
	%62 = phi i64 [ 0, %51 ], [ %96, %61 ]
	%63 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %88, %61 ]
	%64 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %89, %61 ]
	%65 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %92, %61 ]
	%66 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %93, %61 ]
	%67 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %67, %61 ]
	%68 = phi <16 x i1> [ zeroinitializer, %51 ], [ %95, %61 ]
	%69 = getelementptr float, float* %12, i64 %54
	%70 = getelementptr float, float* %69, i64 %62
	%71 = bitcast float* %70 to <16 x float>*
	%72 = load <16 x float>, <16 x float>* %71, align 4
	%73 = getelementptr float, float* %12, i64 %54
	%74 = getelementptr float, float* %73, i64 %62
	%75 = getelementptr float, float* %74, i64 16
	%76 = bitcast float* %75 to <16 x float>*
	%77 = load <16 x float>, <16 x float>* %76, align 4
	%78 = getelementptr float, float* %12, i64 %54
	%79 = getelementptr float, float* %78, i64 %62
	%80 = getelementptr float, float* %79, i64 32
	%81 = bitcast float* %80 to <16 x float>*
	%82 = load <16 x float>, <16 x float>* %81, align 4
	%83 = getelementptr float, float* %12, i64 %54
	%84 = getelementptr float, float* %83, i64 %62
	%85 = getelementptr float, float* %84, i64 48
	%86 = bitcast float* %85 to <16 x float>*
	%87 = load <16 x float>, <16 x float>* %86, align 4
	%88 = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %72, <16 x float> %63, i32 5, <16 x float> %72, i16 -1, i32 4)
	%89 = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %77, <16 x float> %64, i32 5, <16 x float> %77, i16 -1, i32 4)
	%90 = fcmp uno <16 x float> %72, %77
	%91 = or <16 x i1> %68, %90
	%92 = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %82, <16 x float> %65, i32 5, <16 x float> %82, i16 -1, i32 4)
	%93 = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %87, <16 x float> %66, i32 5, <16 x float> %87, i16 -1, i32 4)
	%94 = fcmp uno <16 x float> %82, %87
	%95 = or <16 x i1> %91, %94
	%96 = add nuw nsw i64 %62, 64
	%97 = icmp ule i64 %96, %56
	br i1 %97, label %61, label %98, !llvm.loop !2

98:
	%99 = phi i64 [ 0, %51 ], [ %96, %61 ]
	%100 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %88, %61 ]
	%101 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %89, %61 ]
	%102 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %92, %61 ]
	%103 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %93, %61 ]
	%104 = phi <16 x float> [ splat (float 0xFFF0000000000000), %51 ], [ %67, %61 ]
	%105 = phi <16 x i1> [ zeroinitializer, %51 ], [ %95, %61 ]
	br label %106

106:
	%107 = phi i64 [ %99, %98 ], [ %131, %115 ]
	%108 = phi <16 x float> [ %100, %98 ], [ %108, %115 ]
	%109 = phi <16 x float> [ %101, %98 ], [ %109, %115 ]
	%110 = phi <16 x float> [ %102, %98 ], [ %110, %115 ]
	%111 = phi <16 x float> [ %103, %98 ], [ %111, %115 ]
	%112 = phi <16 x float> [ %104, %98 ], [ %127, %115 ]
	%113 = phi <16 x i1> [ %105, %98 ], [ %130, %115 ]
	%114 = icmp slt i64 %107, %8
	br i1 %114, label %115, label %132

115:
	%116 = sub i64 %8, %107
	%117 = call i64 @llvm.smin.i64(i64 %116, i64 16)
	%118 = shl i64 1, %117
	%119 = sub i64 %118, 1
	%120 = trunc i64 %119 to i16
	%121 = bitcast i16 %120 to <16 x i1>
	%122 = getelementptr float, float* %12, i64 %54
	%123 = getelementptr float, float* %122, i64 %107
	%124 = bitcast float* %123 to <16 x float>*
	%125 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %124, i32 4, <16 x i1> %121, <16 x float> zeroinitializer)
	%126 = call <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %125, <16 x float> %112, i32 5, <16 x float> %125, i16 -1, i32 4)
	%127 = select <16 x i1> %121, <16 x float> %126, <16 x float> %112
	%128 = fcmp uno <16 x float> %125, %125
	%129 = and <16 x i1> %128, %121
	%130 = or <16 x i1> %113, %129
	%131 = add i64 %107, 16
	br label %106

132:
	%133 = bitcast <16 x float> %108 to <16 x i32>
	%134 = icmp slt <16 x i32> %133, zeroinitializer
	%135 = select <16 x i1> %134, <16 x float> %108, <16 x float> %109
	%136 = select <16 x i1> %134, <16 x float> %109, <16 x float> %108
	%137 = fcmp ogt <16 x float> %135, %136
	%138 = select <16 x i1> %137, <16 x float> %135, <16 x float> %136
	%139 = fcmp uno <16 x float> %135, %135
	%140 = select <16 x i1> %139, <16 x float> %135, <16 x float> %138
	%141 = bitcast <16 x float> %110 to <16 x i32>
	%142 = icmp slt <16 x i32> %141, zeroinitializer
	%143 = select <16 x i1> %142, <16 x float> %110, <16 x float> %111
	%144 = select <16 x i1> %142, <16 x float> %111, <16 x float> %110
	%145 = fcmp ogt <16 x float> %143, %144
	%146 = select <16 x i1> %145, <16 x float> %143, <16 x float> %144
	%147 = fcmp uno <16 x float> %143, %143
	%148 = select <16 x i1> %147, <16 x float> %143, <16 x float> %146
	%149 = bitcast <16 x float> %140 to <16 x i32>
	%150 = icmp slt <16 x i32> %149, zeroinitializer
	%151 = select <16 x i1> %150, <16 x float> %140, <16 x float> %148
	%152 = select <16 x i1> %150, <16 x float> %148, <16 x float> %140
	%153 = fcmp ogt <16 x float> %151, %152
	%154 = select <16 x i1> %153, <16 x float> %151, <16 x float> %152
	%155 = fcmp uno <16 x float> %151, %151
	%156 = select <16 x i1> %155, <16 x float> %151, <16 x float> %154
	%157 = bitcast <16 x float> %156 to <16 x i32>
	%158 = icmp slt <16 x i32> %157, zeroinitializer
	%159 = select <16 x i1> %158, <16 x float> %156, <16 x float> %112
	%160 = select <16 x i1> %158, <16 x float> %112, <16 x float> %156
	%161 = fcmp ogt <16 x float> %159, %160
	%162 = select <16 x i1> %161, <16 x float> %159, <16 x float> %160
	%163 = fcmp uno <16 x float> %159, %159
	%164 = select <16 x i1> %163, <16 x float> %159, <16 x float> %162
	%165 = shufflevector <16 x float> %164, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
	%166 = shufflevector <16 x float> %164, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
	%167 = bitcast <8 x float> %165 to <8 x i32>
	%168 = icmp slt <8 x i32> %167, zeroinitializer
	%169 = select <8 x i1> %168, <8 x float> %165, <8 x float> %166
	%170 = select <8 x i1> %168, <8 x float> %166, <8 x float> %165
	%171 = fcmp ogt <8 x float> %169, %170
	%172 = select <8 x i1> %171, <8 x float> %169, <8 x float> %170
	%173 = fcmp uno <8 x float> %169, %169
	%174 = select <8 x i1> %173, <8 x float> %169, <8 x float> %172
	%175 = shufflevector <8 x float> %174, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
	%176 = shufflevector <8 x float> %174, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
	%177 = bitcast <4 x float> %175 to <4 x i32>
	%178 = icmp slt <4 x i32> %177, zeroinitializer
	%179 = select <4 x i1> %178, <4 x float> %175, <4 x float> %176
	%180 = select <4 x i1> %178, <4 x float> %176, <4 x float> %175
	%181 = fcmp ogt <4 x float> %179, %180
	%182 = select <4 x i1> %181, <4 x float> %179, <4 x float> %180
	%183 = fcmp uno <4 x float> %179, %179
	%184 = select <4 x i1> %183, <4 x float> %179, <4 x float> %182
	%185 = shufflevector <4 x float> %184, <4 x float> poison, <2 x i32> <i32 0, i32 1>
	%186 = shufflevector <4 x float> %184, <4 x float> poison, <2 x i32> <i32 2, i32 3>
	%187 = bitcast <2 x float> %185 to <2 x i32>
	%188 = icmp slt <2 x i32> %187, zeroinitializer
	%189 = select <2 x i1> %188, <2 x float> %185, <2 x float> %186
	%190 = select <2 x i1> %188, <2 x float> %186, <2 x float> %185
	%191 = fcmp ogt <2 x float> %189, %190
	%192 = select <2 x i1> %191, <2 x float> %189, <2 x float> %190
	%193 = fcmp uno <2 x float> %189, %189
	%194 = select <2 x i1> %193, <2 x float> %189, <2 x float> %192
	%195 = extractelement <2 x float> %194, i32 0
	%196 = extractelement <2 x float> %194, i32 1
	%197 = bitcast float %195 to i32
	%198 = icmp slt i32 %197, 0
	%199 = select i1 %198, float %195, float %196
	%200 = select i1 %198, float %196, float %195
	%201 = fcmp ogt float %199, %200
	%202 = select i1 %201, float %199, float %200
	%203 = fcmp uno float %199, %199
	%204 = select i1 %203, float %199, float %202
	%205 = bitcast <16 x i1> %113 to i16
	%206 = icmp ne i16 %205, 0
	%207 = select i1 %206, float 0x7FF8000000000000, float %204
	%208 = mul i64 %53, %16
	%209 = add i64 0, 32
	%210 = sub i64 %8, 32
	%211 = icmp ule i64 %209, %8
	br i1 %211, label %212, label %273

212:
	%213 = phi i64 [ 0, %132 ], [ %271, %212 ]
	%214 = phi <16 x float> [ zeroinitializer, %132 ], [ %269, %212 ]
	%215 = phi <16 x float> [ zeroinitializer, %132 ], [ %270, %212 ]
	%216 = phi <16 x float> [ zeroinitializer, %132 ], [ %216, %212 ]
	%217 = getelementptr float, float* %12, i64 %208
	%218 = getelementptr float, float* %217, i64 %213
	%219 = bitcast float* %218 to <16 x float>*
	%220 = load <16 x float>, <16 x float>* %219, align 4
	%221 = getelementptr float, float* %12, i64 %208
	%222 = getelementptr float, float* %221, i64 %213
	%223 = getelementptr float, float* %222, i64 16
	%224 = bitcast float* %223 to <16 x float>*
	%225 = load <16 x float>, <16 x float>* %224, align 4
	%226 = insertelement <16 x float> poison, float %207, i32 0
	%227 = shufflevector <16 x float> %226, <16 x float> poison, <16 x i32> zeroinitializer
	%228 = fsub <16 x float> %220, %227
	%229 = fsub <16 x float> %225, %227
	%230 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %228
	%231 = select <16 x i1> %230, <16 x float> splat (float 0xC05A000000000000), <16 x float> %228
	%232 = fcmp olt <16 x float> splat (float 0x4056400000000000), %231
	%233 = select <16 x i1> %232, <16 x float> splat (float 0x4056400000000000), <16 x float> %231
	%234 = call <16 x float> @llvm.fma.v16f32(<16 x float> %233, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%235 = fsub <16 x float> %234, splat (float 0x4128000000000000)
	%236 = fneg <16 x float> %235
	%237 = call <16 x float> @llvm.fma.v16f32(<16 x float> %236, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %233)
	%238 = fneg <16 x float> %235
	%239 = call <16 x float> @llvm.fma.v16f32(<16 x float> %238, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %237)
	%240 = fmul <16 x float> %239, %239
	%241 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %239, <16 x float> splat (float 0x3FE0002200000000))
	%242 = call <16 x float> @llvm.fma.v16f32(<16 x float> %240, <16 x float> %241, <16 x float> %239)
	%243 = bitcast <16 x float> %234 to <16 x i32>
	%244 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %243)
	%245 = call <16 x float> @llvm.fma.v16f32(<16 x float> %244, <16 x float> %242, <16 x float> %244)
	%246 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %245, <16 x float> %235, <16 x float> zeroinitializer, i16 -1, i32 4)
	%247 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %229
	%248 = select <16 x i1> %247, <16 x float> splat (float 0xC05A000000000000), <16 x float> %229
	%249 = fcmp olt <16 x float> splat (float 0x4056400000000000), %248
	%250 = select <16 x i1> %249, <16 x float> splat (float 0x4056400000000000), <16 x float> %248
	%251 = call <16 x float> @llvm.fma.v16f32(<16 x float> %250, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%252 = fsub <16 x float> %251, splat (float 0x4128000000000000)
	%253 = fneg <16 x float> %252
	%254 = call <16 x float> @llvm.fma.v16f32(<16 x float> %253, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %250)
	%255 = fneg <16 x float> %252
	%256 = call <16 x float> @llvm.fma.v16f32(<16 x float> %255, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %254)
	%257 = fmul <16 x float> %256, %256
	%258 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %256, <16 x float> splat (float 0x3FE0002200000000))
	%259 = call <16 x float> @llvm.fma.v16f32(<16 x float> %257, <16 x float> %258, <16 x float> %256)
	%260 = bitcast <16 x float> %251 to <16 x i32>
	%261 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %260)
	%262 = call <16 x float> @llvm.fma.v16f32(<16 x float> %261, <16 x float> %259, <16 x float> %261)
	%263 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %262, <16 x float> %252, <16 x float> zeroinitializer, i16 -1, i32 4)
	%264 = getelementptr float, float* %29, i64 %213
	%265 = bitcast float* %264 to <16 x float>*
	store <16 x float> %246, <16 x float>* %265, align 4
	%266 = getelementptr float, float* %29, i64 %213
	%267 = getelementptr float, float* %266, i64 16
	%268 = bitcast float* %267 to <16 x float>*
	store <16 x float> %263, <16 x float>* %268, align 4
	%269 = fadd <16 x float> %214, %246
	%270 = fadd <16 x float> %215, %263
	%271 = add nuw nsw i64 %213, 32
	%272 = icmp ule i64 %271, %210
	br i1 %272, label %212, label %273, !llvm.loop !4

273:
	%274 = phi i64 [ 0, %132 ], [ %271, %212 ]
	%275 = phi <16 x float> [ zeroinitializer, %132 ], [ %269, %212 ]
	%276 = phi <16 x float> [ zeroinitializer, %132 ], [ %270, %212 ]
	%277 = phi <16 x float> [ zeroinitializer, %132 ], [ %216, %212 ]
	br label %278

278:
	%279 = phi i64 [ %274, %273 ], [ %319, %284 ]
	%280 = phi <16 x float> [ %275, %273 ], [ %280, %284 ]
	%281 = phi <16 x float> [ %276, %273 ], [ %281, %284 ]
	%282 = phi <16 x float> [ %277, %273 ], [ %318, %284 ]
	%283 = icmp slt i64 %279, %8
	br i1 %283, label %284, label %320

284:
	%285 = sub i64 %8, %279
	%286 = call i64 @llvm.smin.i64(i64 %285, i64 16)
	%287 = shl i64 1, %286
	%288 = sub i64 %287, 1
	%289 = trunc i64 %288 to i16
	%290 = bitcast i16 %289 to <16 x i1>
	%291 = getelementptr float, float* %12, i64 %208
	%292 = getelementptr float, float* %291, i64 %279
	%293 = bitcast float* %292 to <16 x float>*
	%294 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %293, i32 4, <16 x i1> %290, <16 x float> zeroinitializer)
	%295 = insertelement <16 x float> poison, float %207, i32 0
	%296 = shufflevector <16 x float> %295, <16 x float> poison, <16 x i32> zeroinitializer
	%297 = fsub <16 x float> %294, %296
	%298 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %297
	%299 = select <16 x i1> %298, <16 x float> splat (float 0xC05A000000000000), <16 x float> %297
	%300 = fcmp olt <16 x float> splat (float 0x4056400000000000), %299
	%301 = select <16 x i1> %300, <16 x float> splat (float 0x4056400000000000), <16 x float> %299
	%302 = call <16 x float> @llvm.fma.v16f32(<16 x float> %301, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%303 = fsub <16 x float> %302, splat (float 0x4128000000000000)
	%304 = fneg <16 x float> %303
	%305 = call <16 x float> @llvm.fma.v16f32(<16 x float> %304, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %301)
	%306 = fneg <16 x float> %303
	%307 = call <16 x float> @llvm.fma.v16f32(<16 x float> %306, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %305)
	%308 = fmul <16 x float> %307, %307
	%309 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %307, <16 x float> splat (float 0x3FE0002200000000))
	%310 = call <16 x float> @llvm.fma.v16f32(<16 x float> %308, <16 x float> %309, <16 x float> %307)
	%311 = bitcast <16 x float> %302 to <16 x i32>
	%312 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %311)
	%313 = call <16 x float> @llvm.fma.v16f32(<16 x float> %312, <16 x float> %310, <16 x float> %312)
	%314 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %313, <16 x float> %303, <16 x float> zeroinitializer, i16 -1, i32 4)
	%315 = getelementptr float, float* %29, i64 %279
	%316 = bitcast float* %315 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %314, <16 x float>* %316, i32 4, <16 x i1> %290)
	%317 = fadd <16 x float> %282, %314
	%318 = select <16 x i1> %290, <16 x float> %317, <16 x float> %282
	%319 = add i64 %279, 16
	br label %278

320:
	%321 = fadd <16 x float> %280, %281
	%322 = fadd <16 x float> %321, %282
	%323 = shufflevector <16 x float> %322, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
	%324 = shufflevector <16 x float> %322, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
	%325 = fadd <8 x float> %323, %324
	%326 = shufflevector <8 x float> %325, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
	%327 = shufflevector <8 x float> %325, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
	%328 = fadd <4 x float> %326, %327
	%329 = shufflevector <4 x float> %328, <4 x float> poison, <2 x i32> <i32 0, i32 1>
	%330 = shufflevector <4 x float> %328, <4 x float> poison, <2 x i32> <i32 2, i32 3>
	%331 = fadd <2 x float> %329, %330
	%332 = extractelement <2 x float> %331, i32 0
	%333 = extractelement <2 x float> %331, i32 1
	%334 = fadd float %332, %333
	%335 = mul i64 %53, %26
	%336 = call float @llvm.fabs.f32(float %334)
	%337 = fcmp oge float %336, 0x3810000000000000
	%338 = fcmp ole float %336, 0x47D0000000000000
	%339 = and i1 %337, %338
	%340 = fdiv float 0x3FF0000000000000, %334
	br i1 %339, label %341, label %350

341:
	%342 = getelementptr float, float* %21, i64 %335
	%343 = ptrtoint float* %342 to i64
	%344 = and i64 %343, 63
	%345 = icmp eq i64 %344, 0
	%346 = and i1 %40, %345
	%347 = add i64 0, 64
	%348 = sub i64 %8, 64
	%349 = icmp ule i64 %347, %8
	br i1 %349, label %363, label %403

350:
	%351 = getelementptr float, float* %21, i64 %335
	%352 = ptrtoint float* %351 to i64
	%353 = and i64 %352, 63
	%354 = icmp eq i64 %353, 0
	%355 = and i1 %40, %354
	%356 = add i64 0, 64
	%357 = sub i64 %8, 64
	%358 = icmp ule i64 %356, %8
	br i1 %358, label %439, label %473

359:
	%360 = add i64 %53, 1
	%361 = add nuw nsw i64 %52, 1
	%362 = icmp ule i64 %361, %48
	br i1 %362, label %51, label %58, !llvm.loop !11

363:
	%364 = phi i64 [ 0, %341 ], [ %416, %415 ]
	%365 = getelementptr float, float* %29, i64 %364
	%366 = bitcast float* %365 to <16 x float>*
	%367 = load <16 x float>, <16 x float>* %366, align 4
	%368 = getelementptr float, float* %29, i64 %364
	%369 = getelementptr float, float* %368, i64 16
	%370 = bitcast float* %369 to <16 x float>*
	%371 = load <16 x float>, <16 x float>* %370, align 4
	%372 = getelementptr float, float* %29, i64 %364
	%373 = getelementptr float, float* %372, i64 32
	%374 = bitcast float* %373 to <16 x float>*
	%375 = load <16 x float>, <16 x float>* %374, align 4
	%376 = getelementptr float, float* %29, i64 %364
	%377 = getelementptr float, float* %376, i64 48
	%378 = bitcast float* %377 to <16 x float>*
	%379 = load <16 x float>, <16 x float>* %378, align 4
	%380 = insertelement <16 x float> poison, float %340, i32 0
	%381 = shufflevector <16 x float> %380, <16 x float> poison, <16 x i32> zeroinitializer
	%382 = fmul <16 x float> %367, %381
	%383 = insertelement <16 x float> poison, float %340, i32 0
	%384 = shufflevector <16 x float> %383, <16 x float> poison, <16 x i32> zeroinitializer
	%385 = fmul <16 x float> %371, %384
	%386 = insertelement <16 x float> poison, float %340, i32 0
	%387 = shufflevector <16 x float> %386, <16 x float> poison, <16 x i32> zeroinitializer
	%388 = fmul <16 x float> %375, %387
	%389 = insertelement <16 x float> poison, float %340, i32 0
	%390 = shufflevector <16 x float> %389, <16 x float> poison, <16 x i32> zeroinitializer
	%391 = fmul <16 x float> %379, %390
	%392 = getelementptr float, float* %21, i64 %335
	%393 = getelementptr float, float* %392, i64 %364
	%394 = getelementptr float, float* %21, i64 %335
	%395 = getelementptr float, float* %394, i64 %364
	%396 = getelementptr float, float* %395, i64 16
	%397 = getelementptr float, float* %21, i64 %335
	%398 = getelementptr float, float* %397, i64 %364
	%399 = getelementptr float, float* %398, i64 32
	%400 = getelementptr float, float* %21, i64 %335
	%401 = getelementptr float, float* %400, i64 %364
	%402 = getelementptr float, float* %401, i64 48
	br i1 %346, label %405, label %410

403:
	%404 = phi i64 [ 0, %341 ], [ %416, %415 ]
	br label %418

405:
	%406 = bitcast float* %393 to <16 x float>*
	store <16 x float> %382, <16 x float>* %406, align 64, !nontemporal !5
	%407 = bitcast float* %396 to <16 x float>*
	store <16 x float> %385, <16 x float>* %407, align 64, !nontemporal !5
	%408 = bitcast float* %399 to <16 x float>*
	store <16 x float> %388, <16 x float>* %408, align 64, !nontemporal !5
	%409 = bitcast float* %402 to <16 x float>*
	store <16 x float> %391, <16 x float>* %409, align 64, !nontemporal !5
	br label %415

410:
	%411 = bitcast float* %393 to <16 x float>*
	store <16 x float> %382, <16 x float>* %411, align 4
	%412 = bitcast float* %396 to <16 x float>*
	store <16 x float> %385, <16 x float>* %412, align 4
	%413 = bitcast float* %399 to <16 x float>*
	store <16 x float> %388, <16 x float>* %413, align 4
	%414 = bitcast float* %402 to <16 x float>*
	store <16 x float> %391, <16 x float>* %414, align 4
	br label %415

415:
	%416 = add nuw nsw i64 %364, 64
	%417 = icmp ule i64 %416, %348
	br i1 %417, label %363, label %403, !llvm.loop !7

418:
	%419 = phi i64 [ %404, %403 ], [ %437, %421 ]
	%420 = icmp slt i64 %419, %8
	br i1 %420, label %421, label %438

421:
	%422 = sub i64 %8, %419
	%423 = call i64 @llvm.smin.i64(i64 %422, i64 16)
	%424 = shl i64 1, %423
	%425 = sub i64 %424, 1
	%426 = trunc i64 %425 to i16
	%427 = bitcast i16 %426 to <16 x i1>
	%428 = getelementptr float, float* %29, i64 %419
	%429 = bitcast float* %428 to <16 x float>*
	%430 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %429, i32 4, <16 x i1> %427, <16 x float> zeroinitializer)
	%431 = insertelement <16 x float> poison, float %340, i32 0
	%432 = shufflevector <16 x float> %431, <16 x float> poison, <16 x i32> zeroinitializer
	%433 = fmul <16 x float> %430, %432
	%434 = getelementptr float, float* %21, i64 %335
	%435 = getelementptr float, float* %434, i64 %419
	%436 = bitcast float* %435 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %433, <16 x float>* %436, i32 4, <16 x i1> %427)
	%437 = add i64 %419, 16
	br label %418

438:
	br label %359

439:
	%440 = phi i64 [ 0, %350 ], [ %486, %485 ]
	%441 = getelementptr float, float* %29, i64 %440
	%442 = bitcast float* %441 to <16 x float>*
	%443 = load <16 x float>, <16 x float>* %442, align 4
	%444 = getelementptr float, float* %29, i64 %440
	%445 = getelementptr float, float* %444, i64 16
	%446 = bitcast float* %445 to <16 x float>*
	%447 = load <16 x float>, <16 x float>* %446, align 4
	%448 = getelementptr float, float* %29, i64 %440
	%449 = getelementptr float, float* %448, i64 32
	%450 = bitcast float* %449 to <16 x float>*
	%451 = load <16 x float>, <16 x float>* %450, align 4
	%452 = getelementptr float, float* %29, i64 %440
	%453 = getelementptr float, float* %452, i64 48
	%454 = bitcast float* %453 to <16 x float>*
	%455 = load <16 x float>, <16 x float>* %454, align 4
	%456 = insertelement <16 x float> poison, float %334, i32 0
	%457 = shufflevector <16 x float> %456, <16 x float> poison, <16 x i32> zeroinitializer
	%458 = fdiv <16 x float> %443, %457
	%459 = fdiv <16 x float> %447, %457
	%460 = fdiv <16 x float> %451, %457
	%461 = fdiv <16 x float> %455, %457
	%462 = getelementptr float, float* %21, i64 %335
	%463 = getelementptr float, float* %462, i64 %440
	%464 = getelementptr float, float* %21, i64 %335
	%465 = getelementptr float, float* %464, i64 %440
	%466 = getelementptr float, float* %465, i64 16
	%467 = getelementptr float, float* %21, i64 %335
	%468 = getelementptr float, float* %467, i64 %440
	%469 = getelementptr float, float* %468, i64 32
	%470 = getelementptr float, float* %21, i64 %335
	%471 = getelementptr float, float* %470, i64 %440
	%472 = getelementptr float, float* %471, i64 48
	br i1 %355, label %475, label %480

473:
	%474 = phi i64 [ 0, %350 ], [ %486, %485 ]
	br label %488

475:
	%476 = bitcast float* %463 to <16 x float>*
	store <16 x float> %458, <16 x float>* %476, align 64, !nontemporal !5
	%477 = bitcast float* %466 to <16 x float>*
	store <16 x float> %459, <16 x float>* %477, align 64, !nontemporal !5
	%478 = bitcast float* %469 to <16 x float>*
	store <16 x float> %460, <16 x float>* %478, align 64, !nontemporal !5
	%479 = bitcast float* %472 to <16 x float>*
	store <16 x float> %461, <16 x float>* %479, align 64, !nontemporal !5
	br label %485

480:
	%481 = bitcast float* %463 to <16 x float>*
	store <16 x float> %458, <16 x float>* %481, align 4
	%482 = bitcast float* %466 to <16 x float>*
	store <16 x float> %459, <16 x float>* %482, align 4
	%483 = bitcast float* %469 to <16 x float>*
	store <16 x float> %460, <16 x float>* %483, align 4
	%484 = bitcast float* %472 to <16 x float>*
	store <16 x float> %461, <16 x float>* %484, align 4
	br label %485

485:
	%486 = add nuw nsw i64 %440, 64
	%487 = icmp ule i64 %486, %357
	br i1 %487, label %439, label %473, !llvm.loop !9

488:
	%489 = phi i64 [ %474, %473 ], [ %507, %491 ]
	%490 = icmp slt i64 %489, %8
	br i1 %490, label %491, label %508

491:
	%492 = sub i64 %8, %489
	%493 = call i64 @llvm.smin.i64(i64 %492, i64 16)
	%494 = shl i64 1, %493
	%495 = sub i64 %494, 1
	%496 = trunc i64 %495 to i16
	%497 = bitcast i16 %496 to <16 x i1>
	%498 = getelementptr float, float* %29, i64 %489
	%499 = bitcast float* %498 to <16 x float>*
	%500 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %499, i32 4, <16 x i1> %497, <16 x float> zeroinitializer)
	%501 = insertelement <16 x float> poison, float %334, i32 0
	%502 = shufflevector <16 x float> %501, <16 x float> poison, <16 x i32> zeroinitializer
	%503 = fdiv <16 x float> %500, %502
	%504 = getelementptr float, float* %21, i64 %335
	%505 = getelementptr float, float* %504, i64 %489
	%506 = bitcast float* %505 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %503, <16 x float>* %506, i32 4, <16 x i1> %497)
	%507 = add i64 %489, 16
	br label %488

508:
	br label %359

509:
	call void @llvm.x86.sse.sfence()
	br label %510

510:
	ret i32 0
}

declare <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %0, <16 x float> %1, i32 %2, <16 x float> %3, i16 %4, i32 %5)

declare i64 @llvm.smin.i64(i64 %0, i64 %1)

declare <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %0, i32 %1, <16 x i1> %2, <16 x float> %3)

declare <16 x float> @llvm.fma.v16f32(<16 x float> %0, <16 x float> %1, <16 x float> %2)

declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> %0, <16 x i32> %1)

declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %0, <16 x float> %1, <16 x float> %2, i16 %3, i32 %4)

declare void @llvm.masked.store.v16f32.p0(<16 x float> %0, <16 x float>* %1, i32 %2, <16 x i1> %3)

declare float @llvm.fabs.f32(float %0)

declare void @llvm.x86.sse.sfence()

!0 = !{}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !1}
!3 = !{!"llvm.loop.unroll.disable"}
!4 = distinct !{!4, !3}
!5 = !{i32 1}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = distinct !{!7, !6}
!8 = !{!"llvm.loop.unroll.disable"}
!9 = distinct !{!9, !8}
!10 = !{!"llvm.loop.unroll.disable"}
!11 = distinct !{!11, !10}
