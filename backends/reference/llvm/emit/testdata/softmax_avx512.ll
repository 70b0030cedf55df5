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
	br i1 %40, label %515, label %516

51:
	%52 = phi i64 [ %42, %46 ], [ %367, %365 ]
	%53 = phi i64 [ %42, %46 ], [ %366, %365 ]
	%54 = mul i64 %53, %16
	%55 = add i64 0, 64
	%56 = sub i64 %8, 64
	%57 = icmp ule i64 %55, %8
	br i1 %57, label %61, label %98

58:
	%59 = phi i64 [ %42, %46 ], [ %367, %365 ]
	%60 = phi i64 [ %42, %46 ], [ %366, %365 ]
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
	br i1 %214, label %215, label %281

215:
	%216 = phi i64 [ 0, %132 ], [ %279, %215 ]
	%217 = phi <16 x float> [ zeroinitializer, %132 ], [ %277, %215 ]
	%218 = phi <16 x float> [ zeroinitializer, %132 ], [ %278, %215 ]
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
	%239 = fneg <16 x float> %236
	%240 = call <16 x float> @llvm.fma.v16f32(<16 x float> %239, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %238)
	%241 = fmul <16 x float> %240, %240
	%242 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %240, <16 x float> splat (float 0x3FE0002200000000))
	%243 = call <16 x float> @llvm.fma.v16f32(<16 x float> %241, <16 x float> %242, <16 x float> %240)
	%244 = bitcast <16 x float> %235 to <16 x i32>
	%245 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %244)
	%246 = call <16 x float> @llvm.fma.v16f32(<16 x float> %245, <16 x float> %243, <16 x float> %245)
	%247 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %246, <16 x float> %236, <16 x float> zeroinitializer, i16 -1, i32 4)
	%248 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %232
	%249 = select <16 x i1> %248, <16 x float> splat (float 0xC05A000000000000), <16 x float> %232
	%250 = call <16 x float> @llvm.fma.v16f32(<16 x float> %249, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%251 = fsub <16 x float> %250, splat (float 0x4128000000000000)
	%252 = fneg <16 x float> %251
	%253 = call <16 x float> @llvm.fma.v16f32(<16 x float> %252, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %249)
	%254 = fneg <16 x float> %251
	%255 = call <16 x float> @llvm.fma.v16f32(<16 x float> %254, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %253)
	%256 = fmul <16 x float> %255, %255
	%257 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %255, <16 x float> splat (float 0x3FE0002200000000))
	%258 = call <16 x float> @llvm.fma.v16f32(<16 x float> %256, <16 x float> %257, <16 x float> %255)
	%259 = bitcast <16 x float> %250 to <16 x i32>
	%260 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %259)
	%261 = call <16 x float> @llvm.fma.v16f32(<16 x float> %260, <16 x float> %258, <16 x float> %260)
	%262 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %261, <16 x float> %251, <16 x float> zeroinitializer, i16 -1, i32 4)
	%263 = getelementptr float, float* %29, i64 %216
	%264 = bitcast float* %263 to <16 x float>*
	store <16 x float> %247, <16 x float>* %264, align 4
	%265 = getelementptr float, float* %29, i64 %216
	%266 = getelementptr float, float* %265, i64 16
	%267 = bitcast float* %266 to <16 x float>*
	store <16 x float> %262, <16 x float>* %267, align 4
	%268 = getelementptr float, float* %12, i64 %208
	%269 = getelementptr float, float* %268, i64 %216
	%270 = getelementptr float, float* %269, i64 %211
	%271 = bitcast float* %270 to i8*
	call void @llvm.prefetch.p0(i8* %271, i32 0, i32 3, i32 1)
	%272 = getelementptr float, float* %12, i64 %208
	%273 = getelementptr float, float* %272, i64 %216
	%274 = getelementptr float, float* %273, i64 16
	%275 = getelementptr float, float* %274, i64 %211
	%276 = bitcast float* %275 to i8*
	call void @llvm.prefetch.p0(i8* %276, i32 0, i32 3, i32 1)
	%277 = fadd <16 x float> %217, %247
	%278 = fadd <16 x float> %218, %262
	%279 = add nuw nsw i64 %216, 32
	%280 = icmp ule i64 %279, %213
	br i1 %280, label %215, label %281, !llvm.loop !4

281:
	%282 = phi i64 [ 0, %132 ], [ %279, %215 ]
	%283 = phi <16 x float> [ zeroinitializer, %132 ], [ %277, %215 ]
	%284 = phi <16 x float> [ zeroinitializer, %132 ], [ %278, %215 ]
	%285 = phi <16 x float> [ zeroinitializer, %132 ], [ %219, %215 ]
	br label %286

286:
	%287 = phi i64 [ %282, %281 ], [ %325, %292 ]
	%288 = phi <16 x float> [ %283, %281 ], [ %288, %292 ]
	%289 = phi <16 x float> [ %284, %281 ], [ %289, %292 ]
	%290 = phi <16 x float> [ %285, %281 ], [ %324, %292 ]
	%291 = icmp slt i64 %287, %8
	br i1 %291, label %292, label %326

292:
	%293 = sub i64 %8, %287
	%294 = call i64 @llvm.smin.i64(i64 %293, i64 16)
	%295 = shl i64 1, %294
	%296 = sub i64 %295, 1
	%297 = trunc i64 %296 to i16
	%298 = bitcast i16 %297 to <16 x i1>
	%299 = getelementptr float, float* %12, i64 %208
	%300 = getelementptr float, float* %299, i64 %287
	%301 = bitcast float* %300 to <16 x float>*
	%302 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %301, i32 4, <16 x i1> %298, <16 x float> zeroinitializer)
	%303 = insertelement <16 x float> poison, float %207, i32 0
	%304 = shufflevector <16 x float> %303, <16 x float> poison, <16 x i32> zeroinitializer
	%305 = fsub <16 x float> %302, %304
	%306 = fcmp ogt <16 x float> splat (float 0xC05A000000000000), %305
	%307 = select <16 x i1> %306, <16 x float> splat (float 0xC05A000000000000), <16 x float> %305
	%308 = call <16 x float> @llvm.fma.v16f32(<16 x float> %307, <16 x float> splat (float 0x3FF7154760000000), <16 x float> splat (float 0x4128000000000000))
	%309 = fsub <16 x float> %308, splat (float 0x4128000000000000)
	%310 = fneg <16 x float> %309
	%311 = call <16 x float> @llvm.fma.v16f32(<16 x float> %310, <16 x float> splat (float 0x3FE62E4000000000), <16 x float> %307)
	%312 = fneg <16 x float> %309
	%313 = call <16 x float> @llvm.fma.v16f32(<16 x float> %312, <16 x float> splat (float 0x3EB7F7D1C0000000), <16 x float> %311)
	%314 = fmul <16 x float> %313, %313
	%315 = call <16 x float> @llvm.fma.v16f32(<16 x float> splat (float 0x3FC5556620000000), <16 x float> %313, <16 x float> splat (float 0x3FE0002200000000))
	%316 = call <16 x float> @llvm.fma.v16f32(<16 x float> %314, <16 x float> %315, <16 x float> %313)
	%317 = bitcast <16 x float> %308 to <16 x i32>
	%318 = call <16 x float> @llvm.x86.avx512.permvar.sf.512(<16 x float> <float 0x3FF0000000000000, float 0x3FF0B55860000000, float 0x3FF172B840000000, float 0x3FF2387A60000000, float 0x3FF306FE00000000, float 0x3FF3DEA640000000, float 0x3FF4BFDAE0000000, float 0x3FF5AB07E0000000, float 0x3FF6A09E60000000, float 0x3FF7A11480000000, float 0x3FF8ACE540000000, float 0x3FF9C49180000000, float 0x3FFAE89FA0000000, float 0x3FFC199BE0000000, float 0x3FFD5818E0000000, float 0x3FFEA4AFA0000000>, <16 x i32> %317)
	%319 = call <16 x float> @llvm.fma.v16f32(<16 x float> %318, <16 x float> %316, <16 x float> %318)
	%320 = call <16 x float> @llvm.x86.avx512.mask.scalef.ps.512(<16 x float> %319, <16 x float> %309, <16 x float> zeroinitializer, i16 -1, i32 4)
	%321 = getelementptr float, float* %29, i64 %287
	%322 = bitcast float* %321 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %320, <16 x float>* %322, i32 4, <16 x i1> %298)
	%323 = fadd <16 x float> %290, %320
	%324 = select <16 x i1> %298, <16 x float> %323, <16 x float> %290
	%325 = add i64 %287, 16
	br label %286

326:
	%327 = fadd <16 x float> %288, %289
	%328 = fadd <16 x float> %327, %290
	%329 = shufflevector <16 x float> %328, <16 x float> poison, <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>
	%330 = shufflevector <16 x float> %328, <16 x float> poison, <8 x i32> <i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15>
	%331 = fadd <8 x float> %329, %330
	%332 = shufflevector <8 x float> %331, <8 x float> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 3>
	%333 = shufflevector <8 x float> %331, <8 x float> poison, <4 x i32> <i32 4, i32 5, i32 6, i32 7>
	%334 = fadd <4 x float> %332, %333
	%335 = shufflevector <4 x float> %334, <4 x float> poison, <2 x i32> <i32 0, i32 1>
	%336 = shufflevector <4 x float> %334, <4 x float> poison, <2 x i32> <i32 2, i32 3>
	%337 = fadd <2 x float> %335, %336
	%338 = extractelement <2 x float> %337, i32 0
	%339 = extractelement <2 x float> %337, i32 1
	%340 = fadd float %338, %339
	%341 = mul i64 %53, %26
	%342 = call float @llvm.fabs.f32(float %340)
	%343 = fcmp oge float %342, 0x3810000000000000
	%344 = fcmp ole float %342, 0x47D0000000000000
	%345 = and i1 %343, %344
	%346 = fdiv float 0x3FF0000000000000, %340
	br i1 %345, label %347, label %356

347:
	%348 = getelementptr float, float* %21, i64 %341
	%349 = ptrtoint float* %348 to i64
	%350 = and i64 %349, 63
	%351 = icmp eq i64 %350, 0
	%352 = and i1 %40, %351
	%353 = add i64 0, 64
	%354 = sub i64 %8, 64
	%355 = icmp ule i64 %353, %8
	br i1 %355, label %369, label %409

356:
	%357 = getelementptr float, float* %21, i64 %341
	%358 = ptrtoint float* %357 to i64
	%359 = and i64 %358, 63
	%360 = icmp eq i64 %359, 0
	%361 = and i1 %40, %360
	%362 = add i64 0, 64
	%363 = sub i64 %8, 64
	%364 = icmp ule i64 %362, %8
	br i1 %364, label %445, label %479

365:
	%366 = add i64 %53, 1
	%367 = add nuw nsw i64 %52, 1
	%368 = icmp ule i64 %367, %48
	br i1 %368, label %51, label %58, !llvm.loop !11

369:
	%370 = phi i64 [ 0, %347 ], [ %422, %421 ]
	%371 = getelementptr float, float* %29, i64 %370
	%372 = bitcast float* %371 to <16 x float>*
	%373 = load <16 x float>, <16 x float>* %372, align 4
	%374 = getelementptr float, float* %29, i64 %370
	%375 = getelementptr float, float* %374, i64 16
	%376 = bitcast float* %375 to <16 x float>*
	%377 = load <16 x float>, <16 x float>* %376, align 4
	%378 = getelementptr float, float* %29, i64 %370
	%379 = getelementptr float, float* %378, i64 32
	%380 = bitcast float* %379 to <16 x float>*
	%381 = load <16 x float>, <16 x float>* %380, align 4
	%382 = getelementptr float, float* %29, i64 %370
	%383 = getelementptr float, float* %382, i64 48
	%384 = bitcast float* %383 to <16 x float>*
	%385 = load <16 x float>, <16 x float>* %384, align 4
	%386 = insertelement <16 x float> poison, float %346, i32 0
	%387 = shufflevector <16 x float> %386, <16 x float> poison, <16 x i32> zeroinitializer
	%388 = fmul <16 x float> %373, %387
	%389 = insertelement <16 x float> poison, float %346, i32 0
	%390 = shufflevector <16 x float> %389, <16 x float> poison, <16 x i32> zeroinitializer
	%391 = fmul <16 x float> %377, %390
	%392 = insertelement <16 x float> poison, float %346, i32 0
	%393 = shufflevector <16 x float> %392, <16 x float> poison, <16 x i32> zeroinitializer
	%394 = fmul <16 x float> %381, %393
	%395 = insertelement <16 x float> poison, float %346, i32 0
	%396 = shufflevector <16 x float> %395, <16 x float> poison, <16 x i32> zeroinitializer
	%397 = fmul <16 x float> %385, %396
	%398 = getelementptr float, float* %21, i64 %341
	%399 = getelementptr float, float* %398, i64 %370
	%400 = getelementptr float, float* %21, i64 %341
	%401 = getelementptr float, float* %400, i64 %370
	%402 = getelementptr float, float* %401, i64 16
	%403 = getelementptr float, float* %21, i64 %341
	%404 = getelementptr float, float* %403, i64 %370
	%405 = getelementptr float, float* %404, i64 32
	%406 = getelementptr float, float* %21, i64 %341
	%407 = getelementptr float, float* %406, i64 %370
	%408 = getelementptr float, float* %407, i64 48
	br i1 %352, label %411, label %416

409:
	%410 = phi i64 [ 0, %347 ], [ %422, %421 ]
	br label %424

411:
	%412 = bitcast float* %399 to <16 x float>*
	store <16 x float> %388, <16 x float>* %412, align 64, !nontemporal !5
	%413 = bitcast float* %402 to <16 x float>*
	store <16 x float> %391, <16 x float>* %413, align 64, !nontemporal !5
	%414 = bitcast float* %405 to <16 x float>*
	store <16 x float> %394, <16 x float>* %414, align 64, !nontemporal !5
	%415 = bitcast float* %408 to <16 x float>*
	store <16 x float> %397, <16 x float>* %415, align 64, !nontemporal !5
	br label %421

416:
	%417 = bitcast float* %399 to <16 x float>*
	store <16 x float> %388, <16 x float>* %417, align 4
	%418 = bitcast float* %402 to <16 x float>*
	store <16 x float> %391, <16 x float>* %418, align 4
	%419 = bitcast float* %405 to <16 x float>*
	store <16 x float> %394, <16 x float>* %419, align 4
	%420 = bitcast float* %408 to <16 x float>*
	store <16 x float> %397, <16 x float>* %420, align 4
	br label %421

421:
	%422 = add nuw nsw i64 %370, 64
	%423 = icmp ule i64 %422, %354
	br i1 %423, label %369, label %409, !llvm.loop !7

424:
	%425 = phi i64 [ %410, %409 ], [ %443, %427 ]
	%426 = icmp slt i64 %425, %8
	br i1 %426, label %427, label %444

427:
	%428 = sub i64 %8, %425
	%429 = call i64 @llvm.smin.i64(i64 %428, i64 16)
	%430 = shl i64 1, %429
	%431 = sub i64 %430, 1
	%432 = trunc i64 %431 to i16
	%433 = bitcast i16 %432 to <16 x i1>
	%434 = getelementptr float, float* %29, i64 %425
	%435 = bitcast float* %434 to <16 x float>*
	%436 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %435, i32 4, <16 x i1> %433, <16 x float> zeroinitializer)
	%437 = insertelement <16 x float> poison, float %346, i32 0
	%438 = shufflevector <16 x float> %437, <16 x float> poison, <16 x i32> zeroinitializer
	%439 = fmul <16 x float> %436, %438
	%440 = getelementptr float, float* %21, i64 %341
	%441 = getelementptr float, float* %440, i64 %425
	%442 = bitcast float* %441 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %439, <16 x float>* %442, i32 4, <16 x i1> %433)
	%443 = add i64 %425, 16
	br label %424

444:
	br label %365

445:
	%446 = phi i64 [ 0, %356 ], [ %492, %491 ]
	%447 = getelementptr float, float* %29, i64 %446
	%448 = bitcast float* %447 to <16 x float>*
	%449 = load <16 x float>, <16 x float>* %448, align 4
	%450 = getelementptr float, float* %29, i64 %446
	%451 = getelementptr float, float* %450, i64 16
	%452 = bitcast float* %451 to <16 x float>*
	%453 = load <16 x float>, <16 x float>* %452, align 4
	%454 = getelementptr float, float* %29, i64 %446
	%455 = getelementptr float, float* %454, i64 32
	%456 = bitcast float* %455 to <16 x float>*
	%457 = load <16 x float>, <16 x float>* %456, align 4
	%458 = getelementptr float, float* %29, i64 %446
	%459 = getelementptr float, float* %458, i64 48
	%460 = bitcast float* %459 to <16 x float>*
	%461 = load <16 x float>, <16 x float>* %460, align 4
	%462 = insertelement <16 x float> poison, float %340, i32 0
	%463 = shufflevector <16 x float> %462, <16 x float> poison, <16 x i32> zeroinitializer
	%464 = fdiv <16 x float> %449, %463
	%465 = fdiv <16 x float> %453, %463
	%466 = fdiv <16 x float> %457, %463
	%467 = fdiv <16 x float> %461, %463
	%468 = getelementptr float, float* %21, i64 %341
	%469 = getelementptr float, float* %468, i64 %446
	%470 = getelementptr float, float* %21, i64 %341
	%471 = getelementptr float, float* %470, i64 %446
	%472 = getelementptr float, float* %471, i64 16
	%473 = getelementptr float, float* %21, i64 %341
	%474 = getelementptr float, float* %473, i64 %446
	%475 = getelementptr float, float* %474, i64 32
	%476 = getelementptr float, float* %21, i64 %341
	%477 = getelementptr float, float* %476, i64 %446
	%478 = getelementptr float, float* %477, i64 48
	br i1 %361, label %481, label %486

479:
	%480 = phi i64 [ 0, %356 ], [ %492, %491 ]
	br label %494

481:
	%482 = bitcast float* %469 to <16 x float>*
	store <16 x float> %464, <16 x float>* %482, align 64, !nontemporal !5
	%483 = bitcast float* %472 to <16 x float>*
	store <16 x float> %465, <16 x float>* %483, align 64, !nontemporal !5
	%484 = bitcast float* %475 to <16 x float>*
	store <16 x float> %466, <16 x float>* %484, align 64, !nontemporal !5
	%485 = bitcast float* %478 to <16 x float>*
	store <16 x float> %467, <16 x float>* %485, align 64, !nontemporal !5
	br label %491

486:
	%487 = bitcast float* %469 to <16 x float>*
	store <16 x float> %464, <16 x float>* %487, align 4
	%488 = bitcast float* %472 to <16 x float>*
	store <16 x float> %465, <16 x float>* %488, align 4
	%489 = bitcast float* %475 to <16 x float>*
	store <16 x float> %466, <16 x float>* %489, align 4
	%490 = bitcast float* %478 to <16 x float>*
	store <16 x float> %467, <16 x float>* %490, align 4
	br label %491

491:
	%492 = add nuw nsw i64 %446, 64
	%493 = icmp ule i64 %492, %363
	br i1 %493, label %445, label %479, !llvm.loop !9

494:
	%495 = phi i64 [ %480, %479 ], [ %513, %497 ]
	%496 = icmp slt i64 %495, %8
	br i1 %496, label %497, label %514

497:
	%498 = sub i64 %8, %495
	%499 = call i64 @llvm.smin.i64(i64 %498, i64 16)
	%500 = shl i64 1, %499
	%501 = sub i64 %500, 1
	%502 = trunc i64 %501 to i16
	%503 = bitcast i16 %502 to <16 x i1>
	%504 = getelementptr float, float* %29, i64 %495
	%505 = bitcast float* %504 to <16 x float>*
	%506 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %505, i32 4, <16 x i1> %503, <16 x float> zeroinitializer)
	%507 = insertelement <16 x float> poison, float %340, i32 0
	%508 = shufflevector <16 x float> %507, <16 x float> poison, <16 x i32> zeroinitializer
	%509 = fdiv <16 x float> %506, %508
	%510 = getelementptr float, float* %21, i64 %341
	%511 = getelementptr float, float* %510, i64 %495
	%512 = bitcast float* %511 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %509, <16 x float>* %512, i32 4, <16 x i1> %503)
	%513 = add i64 %495, 16
	br label %494

514:
	br label %365

515:
	call void @llvm.x86.sse.sfence()
	br label %516

516:
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
