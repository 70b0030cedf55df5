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
	br i1 %40, label %521, label %522

51:
	%52 = phi i64 [ %42, %46 ], [ %373, %371 ]
	%53 = phi i64 [ %42, %46 ], [ %372, %371 ]
	%54 = mul i64 %53, %16
	%55 = add i64 0, 64
	%56 = sub i64 %8, 64
	%57 = icmp ule i64 %55, %8
	br i1 %57, label %61, label %98

58:
	%59 = phi i64 [ %42, %46 ], [ %373, %371 ]
	%60 = phi i64 [ %42, %46 ], [ %372, %371 ]
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
	br i1 %214, label %215, label %285

215:
	%216 = phi i64 [ 0, %132 ], [ %283, %215 ]
	%217 = phi <16 x float> [ zeroinitializer, %132 ], [ %281, %215 ]
	%218 = phi <16 x float> [ zeroinitializer, %132 ], [ %282, %215 ]
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
	%235 = fcmp olt <16 x float> splat (float 0x4056400000000000), %234
	%236 = select <16 x i1> %235, <16 x float> splat (float 0x4056400000000000), <16 x float> %234
	%237 = call <16 x float> @llvm.fma.v16f32(<16 x float> %236, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%238 = fsub <16 x float> %237, splat (float 0x4128000000000000)
	%239 = fneg <16 x float> %238
	%240 = call <16 x float> @llvm.fma.v16f32(<16 x float> %239, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %236)
	%241 = fneg <16 x float> %238
	%242 = call <16 x float> @llvm.fma.v16f32(<16 x float> %241, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %240)
	%243 = fmul <16 x float> %242, %242
	%244 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %242, <16 x float> splat (float 0x3FE0002200000000))
	%245 = call <16 x float> @llvm.fma.v16f32(<16 x float> %243, <16 x float> %244, <16 x float> %242)
	%246 = bitcast <16 x float> %237 to <16 x i32>
	%247 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %246)
	%248 = call <16 x float> @llvm.fma.v16f32(<16 x float> %247, <16 x float> %245, <16 x float> %247)
	%249 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %248, <16 x float> %238, <16 x float> zeroinitializer, i16 -1, i32 4)
	%250 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %232
	%251 = select <16 x i1> %250, <16 x float> splat (float 0xC05A000000000000), <16 x float> %232
	%252 = fcmp olt <16 x float> splat (float 0x4056400000000000), %251
	%253 = select <16 x i1> %252, <16 x float> splat (float 0x4056400000000000), <16 x float> %251
	%254 = call <16 x float> @llvm.fma.v16f32(<16 x float> %253, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%255 = fsub <16 x float> %254, splat (float 0x4128000000000000)
	%256 = fneg <16 x float> %255
	%257 = call <16 x float> @llvm.fma.v16f32(<16 x float> %256, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %253)
	%258 = fneg <16 x float> %255
	%259 = call <16 x float> @llvm.fma.v16f32(<16 x float> %258, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %257)
	%260 = fmul <16 x float> %259, %259
	%261 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %259, <16 x float> splat (float 0x3FE0002200000000))
	%262 = call <16 x float> @llvm.fma.v16f32(<16 x float> %260, <16 x float> %261, <16 x float> %259)
	%263 = bitcast <16 x float> %254 to <16 x i32>
	%264 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %263)
	%265 = call <16 x float> @llvm.fma.v16f32(<16 x float> %264, <16 x float> %262, <16 x float> %264)
	%266 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %265, <16 x float> %255, <16 x float> zeroinitializer, i16 -1, i32 4)
	%267 = getelementptr float, float* %29, i64 %216
	%268 = bitcast float* %267 to <16 x float>*
	store <16 x float> %249, <16 x float>* %268, align 4
	%269 = getelementptr float, float* %29, i64 %216
	%270 = getelementptr float, float* %269, i64 16
	%271 = bitcast float* %270 to <16 x float>*
	store <16 x float> %266, <16 x float>* %271, align 4
	%272 = getelementptr float, float* %12, i64 %208
	%273 = getelementptr float, float* %272, i64 %216
	%274 = getelementptr float, float* %273, i64 %211
	%275 = bitcast float* %274 to i8*
	call void @llvm.prefetch.p0(i8* %275, i32 0, i32 3, i32 1)
	%276 = getelementptr float, float* %12, i64 %208
	%277 = getelementptr float, float* %276, i64 %216
	%278 = getelementptr float, float* %277, i64 16
	%279 = getelementptr float, float* %278, i64 %211
	%280 = bitcast float* %279 to i8*
	call void @llvm.prefetch.p0(i8* %280, i32 0, i32 3, i32 1)
	%281 = fadd <16 x float> %217, %249
	%282 = fadd <16 x float> %218, %266
	%283 = add nuw nsw i64 %216, 32
	%284 = icmp ule i64 %283, %213
	br i1 %284, label %215, label %285, !llvm.loop !4

285:
	%286 = phi i64 [ 0, %132 ], [ %283, %215 ]
	%287 = phi <16 x float> [ zeroinitializer, %132 ], [ %281, %215 ]
	%288 = phi <16 x float> [ zeroinitializer, %132 ], [ %282, %215 ]
	%289 = phi <16 x float> [ zeroinitializer, %132 ], [ %219, %215 ]
	br label %290

290:
	%291 = phi i64 [ %286, %285 ], [ %331, %296 ]
	%292 = phi <16 x float> [ %287, %285 ], [ %292, %296 ]
	%293 = phi <16 x float> [ %288, %285 ], [ %293, %296 ]
	%294 = phi <16 x float> [ %289, %285 ], [ %330, %296 ]
	%295 = icmp slt i64 %291, %8
	br i1 %295, label %296, label %332

296:
	%297 = sub i64 %8, %291
	%298 = call i64 @llvm.smin.i64(i64 %297, i64 16)
	%299 = shl i64 1, %298
	%300 = sub i64 %299, 1
	%301 = trunc i64 %300 to i16
	%302 = bitcast i16 %301 to <16 x i1>
	%303 = getelementptr float, float* %12, i64 %208
	%304 = getelementptr float, float* %303, i64 %291
	%305 = bitcast float* %304 to <16 x float>*
	%306 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %305, i32 4, <16 x i1> %302, <16 x float> zeroinitializer)
	%307 = insertelement <16 x float> poison, float %207, i32 0
	%308 = shufflevector <16 x float> %307, <16 x float> poison, <16 x i32> zeroinitializer
	%309 = fsub <16 x float> %306, %308
	%310 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %309
	%311 = select <16 x i1> %310, <16 x float> splat (float 0xC05A000000000000), <16 x float> %309
	%312 = fcmp olt <16 x float> splat (float 0x4056400000000000), %311
	%313 = select <16 x i1> %312, <16 x float> splat (float 0x4056400000000000), <16 x float> %311
	%314 = call <16 x float> @llvm.fma.v16f32(<16 x float> %313, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%315 = fsub <16 x float> %314, splat (float 0x4128000000000000)
	%316 = fneg <16 x float> %315
	%317 = call <16 x float> @llvm.fma.v16f32(<16 x float> %316, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %313)
	%318 = fneg <16 x float> %315
	%319 = call <16 x float> @llvm.fma.v16f32(<16 x float> %318, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %317)
	%320 = fmul <16 x float> %319, %319
	%321 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %319, <16 x float> splat (float 0x3FE0002200000000))
	%322 = call <16 x float> @llvm.fma.v16f32(<16 x float> %320, <16 x float> %321, <16 x float> %319)
	%323 = bitcast <16 x float> %314 to <16 x i32>
	%324 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %323)
	%325 = call <16 x float> @llvm.fma.v16f32(<16 x float> %324, <16 x float> %322, <16 x float> %324)
	%326 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %325, <16 x float> %315, <16 x float> zeroinitializer, i16 -1, i32 4)
	%327 = getelementptr float, float* %29, i64 %291
	%328 = bitcast float* %327 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %326, <16 x float>* %328, i32 4, <16 x i1> %302)
	%329 = fadd <16 x float> %294, %326
	%330 = select <16 x i1> %302, <16 x float> %329, <16 x float> %294
	%331 = add i64 %291, 16
	br label %290

332:
	%333 = fadd <16 x float> %292, %293
	%334 = fadd <16 x float> %333, %294
	%335 = shufflevector <16 x float> %334, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
	%336 = shufflevector <16 x float> %334, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
	%337 = fadd <8 x float> %335, %336
	%338 = shufflevector <8 x float> %337, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
	%339 = shufflevector <8 x float> %337, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
	%340 = fadd <4 x float> %338, %339
	%341 = shufflevector <4 x float> %340, <4 x float> poison, <2 x i32> <i32 0, i32 1>
	%342 = shufflevector <4 x float> %340, <4 x float> poison, <2 x i32> <i32 2, i32 3>
	%343 = fadd <2 x float> %341, %342
	%344 = extractelement <2 x float> %343, i32 0
	%345 = extractelement <2 x float> %343, i32 1
	%346 = fadd float %344, %345
	%347 = mul i64 %53, %26
	%348 = call float @llvm.fabs.f32(float %346)
	%349 = fcmp oge float %348, 0x3810000000000000
	%350 = fcmp ole float %348, 0x47D0000000000000
	%351 = and i1 %349, %350
	%352 = fdiv float 0x3FF0000000000000, %346
	br i1 %351, label %353, label %362

353:
	%354 = getelementptr float, float* %21, i64 %347
	%355 = ptrtoint float* %354 to i64
	%356 = and i64 %355, 63
	%357 = icmp eq i64 %356, 0
	%358 = and i1 %40, %357
	%359 = add i64 0, 64
	%360 = sub i64 %8, 64
	%361 = icmp ule i64 %359, %8
	br i1 %361, label %375, label %415

362:
	%363 = getelementptr float, float* %21, i64 %347
	%364 = ptrtoint float* %363 to i64
	%365 = and i64 %364, 63
	%366 = icmp eq i64 %365, 0
	%367 = and i1 %40, %366
	%368 = add i64 0, 64
	%369 = sub i64 %8, 64
	%370 = icmp ule i64 %368, %8
	br i1 %370, label %451, label %485

371:
	%372 = add i64 %53, 1
	%373 = add nuw nsw i64 %52, 1
	%374 = icmp ule i64 %373, %48
	br i1 %374, label %51, label %58, !llvm.loop !11

375:
	%376 = phi i64 [ 0, %353 ], [ %428, %427 ]
	%377 = getelementptr float, float* %29, i64 %376
	%378 = bitcast float* %377 to <16 x float>*
	%379 = load <16 x float>, <16 x float>* %378, align 4
	%380 = getelementptr float, float* %29, i64 %376
	%381 = getelementptr float, float* %380, i64 16
	%382 = bitcast float* %381 to <16 x float>*
	%383 = load <16 x float>, <16 x float>* %382, align 4
	%384 = getelementptr float, float* %29, i64 %376
	%385 = getelementptr float, float* %384, i64 32
	%386 = bitcast float* %385 to <16 x float>*
	%387 = load <16 x float>, <16 x float>* %386, align 4
	%388 = getelementptr float, float* %29, i64 %376
	%389 = getelementptr float, float* %388, i64 48
	%390 = bitcast float* %389 to <16 x float>*
	%391 = load <16 x float>, <16 x float>* %390, align 4
	%392 = insertelement <16 x float> poison, float %352, i32 0
	%393 = shufflevector <16 x float> %392, <16 x float> poison, <16 x i32> zeroinitializer
	%394 = fmul <16 x float> %379, %393
	%395 = insertelement <16 x float> poison, float %352, i32 0
	%396 = shufflevector <16 x float> %395, <16 x float> poison, <16 x i32> zeroinitializer
	%397 = fmul <16 x float> %383, %396
	%398 = insertelement <16 x float> poison, float %352, i32 0
	%399 = shufflevector <16 x float> %398, <16 x float> poison, <16 x i32> zeroinitializer
	%400 = fmul <16 x float> %387, %399
	%401 = insertelement <16 x float> poison, float %352, i32 0
	%402 = shufflevector <16 x float> %401, <16 x float> poison, <16 x i32> zeroinitializer
	%403 = fmul <16 x float> %391, %402
	%404 = getelementptr float, float* %21, i64 %347
	%405 = getelementptr float, float* %404, i64 %376
	%406 = getelementptr float, float* %21, i64 %347
	%407 = getelementptr float, float* %406, i64 %376
	%408 = getelementptr float, float* %407, i64 16
	%409 = getelementptr float, float* %21, i64 %347
	%410 = getelementptr float, float* %409, i64 %376
	%411 = getelementptr float, float* %410, i64 32
	%412 = getelementptr float, float* %21, i64 %347
	%413 = getelementptr float, float* %412, i64 %376
	%414 = getelementptr float, float* %413, i64 48
	br i1 %358, label %417, label %422

415:
	%416 = phi i64 [ 0, %353 ], [ %428, %427 ]
	br label %430

417:
	%418 = bitcast float* %405 to <16 x float>*
	store <16 x float> %394, <16 x float>* %418, align 64, !nontemporal !5
	%419 = bitcast float* %408 to <16 x float>*
	store <16 x float> %397, <16 x float>* %419, align 64, !nontemporal !5
	%420 = bitcast float* %411 to <16 x float>*
	store <16 x float> %400, <16 x float>* %420, align 64, !nontemporal !5
	%421 = bitcast float* %414 to <16 x float>*
	store <16 x float> %403, <16 x float>* %421, align 64, !nontemporal !5
	br label %427

422:
	%423 = bitcast float* %405 to <16 x float>*
	store <16 x float> %394, <16 x float>* %423, align 4
	%424 = bitcast float* %408 to <16 x float>*
	store <16 x float> %397, <16 x float>* %424, align 4
	%425 = bitcast float* %411 to <16 x float>*
	store <16 x float> %400, <16 x float>* %425, align 4
	%426 = bitcast float* %414 to <16 x float>*
	store <16 x float> %403, <16 x float>* %426, align 4
	br label %427

427:
	%428 = add nuw nsw i64 %376, 64
	%429 = icmp ule i64 %428, %360
	br i1 %429, label %375, label %415, !llvm.loop !7

430:
	%431 = phi i64 [ %416, %415 ], [ %449, %433 ]
	%432 = icmp slt i64 %431, %8
	br i1 %432, label %433, label %450

433:
	%434 = sub i64 %8, %431
	%435 = call i64 @llvm.smin.i64(i64 %434, i64 16)
	%436 = shl i64 1, %435
	%437 = sub i64 %436, 1
	%438 = trunc i64 %437 to i16
	%439 = bitcast i16 %438 to <16 x i1>
	%440 = getelementptr float, float* %29, i64 %431
	%441 = bitcast float* %440 to <16 x float>*
	%442 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %441, i32 4, <16 x i1> %439, <16 x float> zeroinitializer)
	%443 = insertelement <16 x float> poison, float %352, i32 0
	%444 = shufflevector <16 x float> %443, <16 x float> poison, <16 x i32> zeroinitializer
	%445 = fmul <16 x float> %442, %444
	%446 = getelementptr float, float* %21, i64 %347
	%447 = getelementptr float, float* %446, i64 %431
	%448 = bitcast float* %447 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %445, <16 x float>* %448, i32 4, <16 x i1> %439)
	%449 = add i64 %431, 16
	br label %430

450:
	br label %371

451:
	%452 = phi i64 [ 0, %362 ], [ %498, %497 ]
	%453 = getelementptr float, float* %29, i64 %452
	%454 = bitcast float* %453 to <16 x float>*
	%455 = load <16 x float>, <16 x float>* %454, align 4
	%456 = getelementptr float, float* %29, i64 %452
	%457 = getelementptr float, float* %456, i64 16
	%458 = bitcast float* %457 to <16 x float>*
	%459 = load <16 x float>, <16 x float>* %458, align 4
	%460 = getelementptr float, float* %29, i64 %452
	%461 = getelementptr float, float* %460, i64 32
	%462 = bitcast float* %461 to <16 x float>*
	%463 = load <16 x float>, <16 x float>* %462, align 4
	%464 = getelementptr float, float* %29, i64 %452
	%465 = getelementptr float, float* %464, i64 48
	%466 = bitcast float* %465 to <16 x float>*
	%467 = load <16 x float>, <16 x float>* %466, align 4
	%468 = insertelement <16 x float> poison, float %346, i32 0
	%469 = shufflevector <16 x float> %468, <16 x float> poison, <16 x i32> zeroinitializer
	%470 = fdiv <16 x float> %455, %469
	%471 = fdiv <16 x float> %459, %469
	%472 = fdiv <16 x float> %463, %469
	%473 = fdiv <16 x float> %467, %469
	%474 = getelementptr float, float* %21, i64 %347
	%475 = getelementptr float, float* %474, i64 %452
	%476 = getelementptr float, float* %21, i64 %347
	%477 = getelementptr float, float* %476, i64 %452
	%478 = getelementptr float, float* %477, i64 16
	%479 = getelementptr float, float* %21, i64 %347
	%480 = getelementptr float, float* %479, i64 %452
	%481 = getelementptr float, float* %480, i64 32
	%482 = getelementptr float, float* %21, i64 %347
	%483 = getelementptr float, float* %482, i64 %452
	%484 = getelementptr float, float* %483, i64 48
	br i1 %367, label %487, label %492

485:
	%486 = phi i64 [ 0, %362 ], [ %498, %497 ]
	br label %500

487:
	%488 = bitcast float* %475 to <16 x float>*
	store <16 x float> %470, <16 x float>* %488, align 64, !nontemporal !5
	%489 = bitcast float* %478 to <16 x float>*
	store <16 x float> %471, <16 x float>* %489, align 64, !nontemporal !5
	%490 = bitcast float* %481 to <16 x float>*
	store <16 x float> %472, <16 x float>* %490, align 64, !nontemporal !5
	%491 = bitcast float* %484 to <16 x float>*
	store <16 x float> %473, <16 x float>* %491, align 64, !nontemporal !5
	br label %497

492:
	%493 = bitcast float* %475 to <16 x float>*
	store <16 x float> %470, <16 x float>* %493, align 4
	%494 = bitcast float* %478 to <16 x float>*
	store <16 x float> %471, <16 x float>* %494, align 4
	%495 = bitcast float* %481 to <16 x float>*
	store <16 x float> %472, <16 x float>* %495, align 4
	%496 = bitcast float* %484 to <16 x float>*
	store <16 x float> %473, <16 x float>* %496, align 4
	br label %497

497:
	%498 = add nuw nsw i64 %452, 64
	%499 = icmp ule i64 %498, %369
	br i1 %499, label %451, label %485, !llvm.loop !9

500:
	%501 = phi i64 [ %486, %485 ], [ %519, %503 ]
	%502 = icmp slt i64 %501, %8
	br i1 %502, label %503, label %520

503:
	%504 = sub i64 %8, %501
	%505 = call i64 @llvm.smin.i64(i64 %504, i64 16)
	%506 = shl i64 1, %505
	%507 = sub i64 %506, 1
	%508 = trunc i64 %507 to i16
	%509 = bitcast i16 %508 to <16 x i1>
	%510 = getelementptr float, float* %29, i64 %501
	%511 = bitcast float* %510 to <16 x float>*
	%512 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %511, i32 4, <16 x i1> %509, <16 x float> zeroinitializer)
	%513 = insertelement <16 x float> poison, float %346, i32 0
	%514 = shufflevector <16 x float> %513, <16 x float> poison, <16 x i32> zeroinitializer
	%515 = fdiv <16 x float> %512, %514
	%516 = getelementptr float, float* %21, i64 %347
	%517 = getelementptr float, float* %516, i64 %501
	%518 = bitcast float* %517 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %515, <16 x float>* %518, i32 4, <16 x i1> %509)
	%519 = add i64 %501, 16
	br label %500

520:
	br label %371

521:
	call void @llvm.x86.sse.sfence()
	br label %522

522:
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
