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
	br i1 %40, label %512, label %513

51:
	%52 = phi i64 [ %42, %46 ], [ %364, %362 ]
	%53 = phi i64 [ %42, %46 ], [ %363, %362 ]
	%54 = mul i64 %53, %16
	%55 = add i64 0, 64
	%56 = sub i64 %8, 64
	%57 = icmp ule i64 %55, %8
	br i1 %57, label %61, label %98

58:
	%59 = phi i64 [ %42, %46 ], [ %364, %362 ]
	%60 = phi i64 [ %42, %46 ], [ %363, %362 ]
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
	%209 = mul i64 %8, 4
	%210 = icmp ule i64 %209, 65536
	%211 = select i1 %210, i64 %16, i64 0
	%212 = add i64 0, 32
	%213 = sub i64 %8, 32
	%214 = icmp ule i64 %212, %8
	br i1 %214, label %215, label %279

215:
	%216 = phi i64 [ 0, %132 ], [ %277, %215 ]
	%217 = phi <16 x float> [ zeroinitializer, %132 ], [ %275, %215 ]
	%218 = phi <16 x float> [ zeroinitializer, %132 ], [ %276, %215 ]
	%219 = phi <16 x float> [ zeroinitializer, %132 ], [ %219, %215 ]
	%220 = getelementptr float, float* %12, i64 %208
	%221 = getelementptr float, float* %220, i64 %216
	%222 = bitcast float* %221 to <16 x float>*
	%223 = load <16 x float>, <16 x float>* %222, align 4
	%224 = getelementptr float, float* %12, i64 %208
	%225 = getelementptr float, float* %224, i64 %216
	%226 = getelementptr float, float* %225, i64 16
	%227 = bitcast float* %226 to <16 x float>*
	%228 = load <16 x float>, <16 x float>* %227, align 4
	%229 = insertelement <16 x float> poison, float %207, i32 0
	%230 = shufflevector <16 x float> %229, <16 x float> poison, <16 x i32> zeroinitializer
	%231 = fsub <16 x float> %223, %230
	%232 = fsub <16 x float> %228, %230
	%233 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %231
	%234 = select <16 x i1> %233, <16 x float> splat (float 0xC05A000000000000), <16 x float> %231
	%235 = call <16 x float> @llvm.fma.v16f32(<16 x float> %234, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%236 = fsub <16 x float> %235, splat (float 0x4128000000000000)
	%237 = fneg <16 x float> %236
	%238 = call <16 x float> @llvm.fma.v16f32(<16 x float> %237, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %234)
	%239 = call <16 x float> @llvm.fma.v16f32(<16 x float> %237, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %238)
	%240 = fmul <16 x float> %239, %239
	%241 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %239, <16 x float> splat (float 0x3FE0002200000000))
	%242 = call <16 x float> @llvm.fma.v16f32(<16 x float> %240, <16 x float> %241, <16 x float> %239)
	%243 = bitcast <16 x float> %235 to <16 x i32>
	%244 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %243)
	%245 = call <16 x float> @llvm.fma.v16f32(<16 x float> %244, <16 x float> %242, <16 x float> %244)
	%246 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %245, <16 x float> %236, <16 x float> zeroinitializer, i16 -1, i32 4)
	%247 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %232
	%248 = select <16 x i1> %247, <16 x float> splat (float 0xC05A000000000000), <16 x float> %232
	%249 = call <16 x float> @llvm.fma.v16f32(<16 x float> %248, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%250 = fsub <16 x float> %249, splat (float 0x4128000000000000)
	%251 = fneg <16 x float> %250
	%252 = call <16 x float> @llvm.fma.v16f32(<16 x float> %251, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %248)
	%253 = call <16 x float> @llvm.fma.v16f32(<16 x float> %251, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %252)
	%254 = fmul <16 x float> %253, %253
	%255 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %253, <16 x float> splat (float 0x3FE0002200000000))
	%256 = call <16 x float> @llvm.fma.v16f32(<16 x float> %254, <16 x float> %255, <16 x float> %253)
	%257 = bitcast <16 x float> %249 to <16 x i32>
	%258 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %257)
	%259 = call <16 x float> @llvm.fma.v16f32(<16 x float> %258, <16 x float> %256, <16 x float> %258)
	%260 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %259, <16 x float> %250, <16 x float> zeroinitializer, i16 -1, i32 4)
	%261 = getelementptr float, float* %29, i64 %216
	%262 = bitcast float* %261 to <16 x float>*
	store <16 x float> %246, <16 x float>* %262, align 4
	%263 = getelementptr float, float* %29, i64 %216
	%264 = getelementptr float, float* %263, i64 16
	%265 = bitcast float* %264 to <16 x float>*
	store <16 x float> %260, <16 x float>* %265, align 4
	%266 = getelementptr float, float* %12, i64 %208
	%267 = getelementptr float, float* %266, i64 %216
	%268 = getelementptr float, float* %267, i64 %211
	%269 = bitcast float* %268 to i8*
	call void @llvm.prefetch.p0(i8* %269, i32 0, i32 3, i32 1)
	%270 = getelementptr float, float* %12, i64 %208
	%271 = getelementptr float, float* %270, i64 %216
	%272 = getelementptr float, float* %271, i64 16
	%273 = getelementptr float, float* %272, i64 %211
	%274 = bitcast float* %273 to i8*
	call void @llvm.prefetch.p0(i8* %274, i32 0, i32 3, i32 1)
	%275 = fadd <16 x float> %217, %246
	%276 = fadd <16 x float> %218, %260
	%277 = add nuw nsw i64 %216, 32
	%278 = icmp ule i64 %277, %213
	br i1 %278, label %215, label %279, !llvm.loop !4

279:
	%280 = phi i64 [ 0, %132 ], [ %277, %215 ]
	%281 = phi <16 x float> [ zeroinitializer, %132 ], [ %275, %215 ]
	%282 = phi <16 x float> [ zeroinitializer, %132 ], [ %276, %215 ]
	%283 = phi <16 x float> [ zeroinitializer, %132 ], [ %219, %215 ]
	br label %284

284:
	%285 = phi i64 [ %280, %279 ], [ %322, %290 ]
	%286 = phi <16 x float> [ %281, %279 ], [ %286, %290 ]
	%287 = phi <16 x float> [ %282, %279 ], [ %287, %290 ]
	%288 = phi <16 x float> [ %283, %279 ], [ %321, %290 ]
	%289 = icmp slt i64 %285, %8
	br i1 %289, label %290, label %323

290:
	%291 = sub i64 %8, %285
	%292 = call i64 @llvm.smin.i64(i64 %291, i64 16)
	%293 = shl i64 1, %292
	%294 = sub i64 %293, 1
	%295 = trunc i64 %294 to i16
	%296 = bitcast i16 %295 to <16 x i1>
	%297 = getelementptr float, float* %12, i64 %208
	%298 = getelementptr float, float* %297, i64 %285
	%299 = bitcast float* %298 to <16 x float>*
	%300 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %299, i32 4, <16 x i1> %296, <16 x float> zeroinitializer)
	%301 = insertelement <16 x float> poison, float %207, i32 0
	%302 = shufflevector <16 x float> %301, <16 x float> poison, <16 x i32> zeroinitializer
	%303 = fsub <16 x float> %300, %302
	%304 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %303
	%305 = select <16 x i1> %304, <16 x float> splat (float 0xC05A000000000000), <16 x float> %303
	%306 = call <16 x float> @llvm.fma.v16f32(<16 x float> %305, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%307 = fsub <16 x float> %306, splat (float 0x4128000000000000)
	%308 = fneg <16 x float> %307
	%309 = call <16 x float> @llvm.fma.v16f32(<16 x float> %308, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %305)
	%310 = call <16 x float> @llvm.fma.v16f32(<16 x float> %308, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %309)
	%311 = fmul <16 x float> %310, %310
	%312 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %310, <16 x float> splat (float 0x3FE0002200000000))
	%313 = call <16 x float> @llvm.fma.v16f32(<16 x float> %311, <16 x float> %312, <16 x float> %310)
	%314 = bitcast <16 x float> %306 to <16 x i32>
	%315 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %314)
	%316 = call <16 x float> @llvm.fma.v16f32(<16 x float> %315, <16 x float> %313, <16 x float> %315)
	%317 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %316, <16 x float> %307, <16 x float> zeroinitializer, i16 -1, i32 4)
	%318 = getelementptr float, float* %29, i64 %285
	%319 = bitcast float* %318 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %317, <16 x float>* %319, i32 4, <16 x i1> %296)
	%320 = fadd <16 x float> %288, %317
	%321 = select <16 x i1> %296, <16 x float> %320, <16 x float> %288
	%322 = add i64 %285, 16
	br label %284

323:
	%324 = fadd <16 x float> %286, %287
	%325 = fadd <16 x float> %324, %288
	%326 = shufflevector <16 x float> %325, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
	%327 = shufflevector <16 x float> %325, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
	%328 = fadd <8 x float> %326, %327
	%329 = shufflevector <8 x float> %328, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
	%330 = shufflevector <8 x float> %328, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
	%331 = fadd <4 x float> %329, %330
	%332 = shufflevector <4 x float> %331, <4 x float> poison, <2 x i32> <i32 0, i32 1>
	%333 = shufflevector <4 x float> %331, <4 x float> poison, <2 x i32> <i32 2, i32 3>
	%334 = fadd <2 x float> %332, %333
	%335 = extractelement <2 x float> %334, i32 0
	%336 = extractelement <2 x float> %334, i32 1
	%337 = fadd float %335, %336
	%338 = mul i64 %53, %26
	%339 = call float @llvm.fabs.f32(float %337)
	%340 = fcmp oge float %339, 0x3810000000000000
	%341 = fcmp ole float %339, 0x47D0000000000000
	%342 = and i1 %340, %341
	%343 = fdiv float 0x3FF0000000000000, %337
	br i1 %342, label %344, label %353

344:
	%345 = getelementptr float, float* %21, i64 %338
	%346 = ptrtoint float* %345 to i64
	%347 = and i64 %346, 63
	%348 = icmp eq i64 %347, 0
	%349 = and i1 %40, %348
	%350 = add i64 0, 64
	%351 = sub i64 %8, 64
	%352 = icmp ule i64 %350, %8
	br i1 %352, label %366, label %406

353:
	%354 = getelementptr float, float* %21, i64 %338
	%355 = ptrtoint float* %354 to i64
	%356 = and i64 %355, 63
	%357 = icmp eq i64 %356, 0
	%358 = and i1 %40, %357
	%359 = add i64 0, 64
	%360 = sub i64 %8, 64
	%361 = icmp ule i64 %359, %8
	br i1 %361, label %442, label %476

362:
	%363 = add i64 %53, 1
	%364 = add nuw nsw i64 %52, 1
	%365 = icmp ule i64 %364, %48
	br i1 %365, label %51, label %58, !llvm.loop !11

366:
	%367 = phi i64 [ 0, %344 ], [ %419, %418 ]
	%368 = getelementptr float, float* %29, i64 %367
	%369 = bitcast float* %368 to <16 x float>*
	%370 = load <16 x float>, <16 x float>* %369, align 4
	%371 = getelementptr float, float* %29, i64 %367
	%372 = getelementptr float, float* %371, i64 16
	%373 = bitcast float* %372 to <16 x float>*
	%374 = load <16 x float>, <16 x float>* %373, align 4
	%375 = getelementptr float, float* %29, i64 %367
	%376 = getelementptr float, float* %375, i64 32
	%377 = bitcast float* %376 to <16 x float>*
	%378 = load <16 x float>, <16 x float>* %377, align 4
	%379 = getelementptr float, float* %29, i64 %367
	%380 = getelementptr float, float* %379, i64 48
	%381 = bitcast float* %380 to <16 x float>*
	%382 = load <16 x float>, <16 x float>* %381, align 4
	%383 = insertelement <16 x float> poison, float %343, i32 0
	%384 = shufflevector <16 x float> %383, <16 x float> poison, <16 x i32> zeroinitializer
	%385 = fmul <16 x float> %370, %384
	%386 = insertelement <16 x float> poison, float %343, i32 0
	%387 = shufflevector <16 x float> %386, <16 x float> poison, <16 x i32> zeroinitializer
	%388 = fmul <16 x float> %374, %387
	%389 = insertelement <16 x float> poison, float %343, i32 0
	%390 = shufflevector <16 x float> %389, <16 x float> poison, <16 x i32> zeroinitializer
	%391 = fmul <16 x float> %378, %390
	%392 = insertelement <16 x float> poison, float %343, i32 0
	%393 = shufflevector <16 x float> %392, <16 x float> poison, <16 x i32> zeroinitializer
	%394 = fmul <16 x float> %382, %393
	%395 = getelementptr float, float* %21, i64 %338
	%396 = getelementptr float, float* %395, i64 %367
	%397 = getelementptr float, float* %21, i64 %338
	%398 = getelementptr float, float* %397, i64 %367
	%399 = getelementptr float, float* %398, i64 16
	%400 = getelementptr float, float* %21, i64 %338
	%401 = getelementptr float, float* %400, i64 %367
	%402 = getelementptr float, float* %401, i64 32
	%403 = getelementptr float, float* %21, i64 %338
	%404 = getelementptr float, float* %403, i64 %367
	%405 = getelementptr float, float* %404, i64 48
	br i1 %349, label %408, label %413

406:
	%407 = phi i64 [ 0, %344 ], [ %419, %418 ]
	br label %421

408:
	%409 = bitcast float* %396 to <16 x float>*
	store <16 x float> %385, <16 x float>* %409, align 64, !nontemporal !5
	%410 = bitcast float* %399 to <16 x float>*
	store <16 x float> %388, <16 x float>* %410, align 64, !nontemporal !5
	%411 = bitcast float* %402 to <16 x float>*
	store <16 x float> %391, <16 x float>* %411, align 64, !nontemporal !5
	%412 = bitcast float* %405 to <16 x float>*
	store <16 x float> %394, <16 x float>* %412, align 64, !nontemporal !5
	br label %418

413:
	%414 = bitcast float* %396 to <16 x float>*
	store <16 x float> %385, <16 x float>* %414, align 4
	%415 = bitcast float* %399 to <16 x float>*
	store <16 x float> %388, <16 x float>* %415, align 4
	%416 = bitcast float* %402 to <16 x float>*
	store <16 x float> %391, <16 x float>* %416, align 4
	%417 = bitcast float* %405 to <16 x float>*
	store <16 x float> %394, <16 x float>* %417, align 4
	br label %418

418:
	%419 = add nuw nsw i64 %367, 64
	%420 = icmp ule i64 %419, %351
	br i1 %420, label %366, label %406, !llvm.loop !7

421:
	%422 = phi i64 [ %407, %406 ], [ %440, %424 ]
	%423 = icmp slt i64 %422, %8
	br i1 %423, label %424, label %441

424:
	%425 = sub i64 %8, %422
	%426 = call i64 @llvm.smin.i64(i64 %425, i64 16)
	%427 = shl i64 1, %426
	%428 = sub i64 %427, 1
	%429 = trunc i64 %428 to i16
	%430 = bitcast i16 %429 to <16 x i1>
	%431 = getelementptr float, float* %29, i64 %422
	%432 = bitcast float* %431 to <16 x float>*
	%433 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %432, i32 4, <16 x i1> %430, <16 x float> zeroinitializer)
	%434 = insertelement <16 x float> poison, float %343, i32 0
	%435 = shufflevector <16 x float> %434, <16 x float> poison, <16 x i32> zeroinitializer
	%436 = fmul <16 x float> %433, %435
	%437 = getelementptr float, float* %21, i64 %338
	%438 = getelementptr float, float* %437, i64 %422
	%439 = bitcast float* %438 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %436, <16 x float>* %439, i32 4, <16 x i1> %430)
	%440 = add i64 %422, 16
	br label %421

441:
	br label %362

442:
	%443 = phi i64 [ 0, %353 ], [ %489, %488 ]
	%444 = getelementptr float, float* %29, i64 %443
	%445 = bitcast float* %444 to <16 x float>*
	%446 = load <16 x float>, <16 x float>* %445, align 4
	%447 = getelementptr float, float* %29, i64 %443
	%448 = getelementptr float, float* %447, i64 16
	%449 = bitcast float* %448 to <16 x float>*
	%450 = load <16 x float>, <16 x float>* %449, align 4
	%451 = getelementptr float, float* %29, i64 %443
	%452 = getelementptr float, float* %451, i64 32
	%453 = bitcast float* %452 to <16 x float>*
	%454 = load <16 x float>, <16 x float>* %453, align 4
	%455 = getelementptr float, float* %29, i64 %443
	%456 = getelementptr float, float* %455, i64 48
	%457 = bitcast float* %456 to <16 x float>*
	%458 = load <16 x float>, <16 x float>* %457, align 4
	%459 = insertelement <16 x float> poison, float %337, i32 0
	%460 = shufflevector <16 x float> %459, <16 x float> poison, <16 x i32> zeroinitializer
	%461 = fdiv <16 x float> %446, %460
	%462 = fdiv <16 x float> %450, %460
	%463 = fdiv <16 x float> %454, %460
	%464 = fdiv <16 x float> %458, %460
	%465 = getelementptr float, float* %21, i64 %338
	%466 = getelementptr float, float* %465, i64 %443
	%467 = getelementptr float, float* %21, i64 %338
	%468 = getelementptr float, float* %467, i64 %443
	%469 = getelementptr float, float* %468, i64 16
	%470 = getelementptr float, float* %21, i64 %338
	%471 = getelementptr float, float* %470, i64 %443
	%472 = getelementptr float, float* %471, i64 32
	%473 = getelementptr float, float* %21, i64 %338
	%474 = getelementptr float, float* %473, i64 %443
	%475 = getelementptr float, float* %474, i64 48
	br i1 %358, label %478, label %483

476:
	%477 = phi i64 [ 0, %353 ], [ %489, %488 ]
	br label %491

478:
	%479 = bitcast float* %466 to <16 x float>*
	store <16 x float> %461, <16 x float>* %479, align 64, !nontemporal !5
	%480 = bitcast float* %469 to <16 x float>*
	store <16 x float> %462, <16 x float>* %480, align 64, !nontemporal !5
	%481 = bitcast float* %472 to <16 x float>*
	store <16 x float> %463, <16 x float>* %481, align 64, !nontemporal !5
	%482 = bitcast float* %475 to <16 x float>*
	store <16 x float> %464, <16 x float>* %482, align 64, !nontemporal !5
	br label %488

483:
	%484 = bitcast float* %466 to <16 x float>*
	store <16 x float> %461, <16 x float>* %484, align 4
	%485 = bitcast float* %469 to <16 x float>*
	store <16 x float> %462, <16 x float>* %485, align 4
	%486 = bitcast float* %472 to <16 x float>*
	store <16 x float> %463, <16 x float>* %486, align 4
	%487 = bitcast float* %475 to <16 x float>*
	store <16 x float> %464, <16 x float>* %487, align 4
	br label %488

488:
	%489 = add nuw nsw i64 %443, 64
	%490 = icmp ule i64 %489, %360
	br i1 %490, label %442, label %476, !llvm.loop !9

491:
	%492 = phi i64 [ %477, %476 ], [ %510, %494 ]
	%493 = icmp slt i64 %492, %8
	br i1 %493, label %494, label %511

494:
	%495 = sub i64 %8, %492
	%496 = call i64 @llvm.smin.i64(i64 %495, i64 16)
	%497 = shl i64 1, %496
	%498 = sub i64 %497, 1
	%499 = trunc i64 %498 to i16
	%500 = bitcast i16 %499 to <16 x i1>
	%501 = getelementptr float, float* %29, i64 %492
	%502 = bitcast float* %501 to <16 x float>*
	%503 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %502, i32 4, <16 x i1> %500, <16 x float> zeroinitializer)
	%504 = insertelement <16 x float> poison, float %337, i32 0
	%505 = shufflevector <16 x float> %504, <16 x float> poison, <16 x i32> zeroinitializer
	%506 = fdiv <16 x float> %503, %505
	%507 = getelementptr float, float* %21, i64 %338
	%508 = getelementptr float, float* %507, i64 %492
	%509 = bitcast float* %508 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %506, <16 x float>* %509, i32 4, <16 x i1> %500)
	%510 = add i64 %492, 16
	br label %491

511:
	br label %362

512:
	call void @llvm.x86.sse.sfence()
	br label %513

513:
	ret i32 0
}

declare <16 x float> @llvm.x86.avx512.mask.range.ps.512(<16 x float> %0, <16 x float> %1, i32 %2, <16 x float> %3, i16 %4, i32 %5)

declare i64 @llvm.smin.i64(i64 %0, i64 %1)

declare <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %0, i32 %1, <16 x i1> %2, <16 x float> %3)

declare <16 x float> @llvm.fma.v16f32(<16 x float> %0, <16 x float> %1, <16 x float> %2)

declare <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> %0, <16 x i32> %1)

declare <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %0, <16 x float> %1, <16 x float> %2, i16 %3, i32 %4)

declare void @llvm.prefetch.p0(i8* %0, i32 %1, i32 %2, i32 %3)

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
