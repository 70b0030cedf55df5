define i32 @k8c4367c30f0cbb6f77c6fae1(i64* %args) nounwind "target-cpu"="generic" "target-features"="+neon" "prefer-vector-width"="128" "min-legal-vector-width"="128" "no-builtins" {
entry:
	%0 = getelementptr i64, i64* %args, i64 1
	%1 = load i64, i64* %0, align 8, !invariant.load !0
	%2 = inttoptr i64 %1 to i64*
	%3 = load i64, i64* %2, align 8, !invariant.load !0
	%4 = load i64, i64* %args, align 8, !invariant.load !0
	%5 = inttoptr i64 %4 to i64*
	%6 = load i64, i64* %5, align 8, !invariant.load !0
	%7 = inttoptr i64 %6 to float*
	%8 = load i64, i64* %args, align 8, !invariant.load !0
	%9 = inttoptr i64 %8 to i64*
	%10 = getelementptr i64, i64* %9, i64 1
	%11 = load i64, i64* %10, align 8, !invariant.load !0
	%12 = inttoptr i64 %11 to float*
	%13 = mul i64 4, %3
	%14 = icmp sge i64 %13, u0x1000000
	%15 = ptrtoint float* %12 to i64
	%16 = ptrtoint float* %7 to i64
	%17 = icmp ne i64 %15, %16
	%18 = and i1 %14, %17
	%19 = getelementptr i64, i64* %args, i64 4
	%20 = load i64, i64* %19, align 8, !invariant.load !0
	%21 = getelementptr i64, i64* %args, i64 5
	%22 = load i64, i64* %21, align 8, !invariant.load !0
	%23 = mul i64 %20, 1024
	%24 = mul i64 %22, 1024
	%25 = call i64 @llvm.smin.i64(i64 %24, i64 %3)
	%26 = icmp slt i64 %23, %25
	br i1 %26, label %27, label %39

27:
	%28 = getelementptr float, float* %12, i64 %23
	%29 = ptrtoint float* %28 to i64
	%30 = sub i64 0, %29
	%31 = and i64 %30, 15
	%32 = udiv i64 %31, 4
	%33 = select i1 %18, i64 %32, i64 0
	%34 = add i64 %23, %33
	%35 = call i64 @llvm.smin.i64(i64 %34, i64 %25)
	%36 = add i64 0, 1
	%37 = sub i64 2, 1
	%38 = icmp ule i64 %36, 2
	br i1 %38, label %40, label %48

39:
	ret i32 0

40:
	%41 = phi i64 [ 0, %27 ], [ %109, %107 ]
	%42 = phi i64 [ %23, %27 ], [ %108, %107 ]
	%43 = icmp eq i64 %41, 0
	%44 = select i1 %43, i64 %35, i64 %25
	%45 = add i64 %42, 1
	%46 = sub i64 %44, 1
	%47 = icmp ule i64 %45, %44
	br i1 %47, label %51, label %62

48:
	%49 = phi i64 [ 0, %27 ], [ %109, %107 ]
	%50 = phi i64 [ %23, %27 ], [ %108, %107 ]
	br label %39

51:
	%52 = phi i64 [ %42, %40 ], [ %60, %51 ]
	%53 = getelementptr float, float* %7, i64 %52
	%54 = load float, float* %53, align 4
	%55 = call float @llvm.fma.f32(float %54, float 0x3FE6666660000000, float 0x3FB99999A0000000)
	%56 = fcmp ugt float %55, 0x0000000000000000
	%57 = select i1 %56, float %55, float 0x0000000000000000
	%58 = fadd float %57, %54
	%59 = getelementptr float, float* %12, i64 %52
	store float %58, float* %59, align 4
	%60 = add nuw nsw i64 %52, 1
	%61 = icmp ule i64 %60, %46
	br i1 %61, label %51, label %62, !llvm.loop !2

62:
	%63 = phi i64 [ %42, %40 ], [ %60, %51 ]
	%64 = add i64 %44, 16
	%65 = sub i64 %25, 16
	%66 = icmp ule i64 %64, %25
	br i1 %66, label %67, label %107

67:
	%68 = phi i64 [ %44, %62 ], [ %122, %121 ]
	%69 = getelementptr float, float* %7, i64 %68
	%70 = bitcast float* %69 to <4 x float>*
	%71 = load <4 x float>, <4 x float>* %70, align 4
	%72 = getelementptr float, float* %7, i64 %68
	%73 = getelementptr float, float* %72, i64 4
	%74 = bitcast float* %73 to <4 x float>*
	%75 = load <4 x float>, <4 x float>* %74, align 4
	%76 = getelementptr float, float* %7, i64 %68
	%77 = getelementptr float, float* %76, i64 8
	%78 = bitcast float* %77 to <4 x float>*
	%79 = load <4 x float>, <4 x float>* %78, align 4
	%80 = getelementptr float, float* %7, i64 %68
	%81 = getelementptr float, float* %80, i64 12
	%82 = bitcast float* %81 to <4 x float>*
	%83 = load <4 x float>, <4 x float>* %82, align 4
	%84 = call <4 x float> @llvm.fma.v4f32(<4 x float> %71, <4 x float> splat (float 0x3FE6666660000000), <4 x float> splat (float 0x3FB99999A0000000))
	%85 = call <4 x float> @llvm.fma.v4f32(<4 x float> %75, <4 x float> splat (float 0x3FE6666660000000), <4 x float> splat (float 0x3FB99999A0000000))
	%86 = call <4 x float> @llvm.fma.v4f32(<4 x float> %79, <4 x float> splat (float 0x3FE6666660000000), <4 x float> splat (float 0x3FB99999A0000000))
	%87 = call <4 x float> @llvm.fma.v4f32(<4 x float> %83, <4 x float> splat (float 0x3FE6666660000000), <4 x float> splat (float 0x3FB99999A0000000))
	%88 = fcmp ugt <4 x float> %84, zeroinitializer
	%89 = select <4 x i1> %88, <4 x float> %84, <4 x float> zeroinitializer
	%90 = fcmp ugt <4 x float> %85, zeroinitializer
	%91 = select <4 x i1> %90, <4 x float> %85, <4 x float> zeroinitializer
	%92 = fcmp ugt <4 x float> %86, zeroinitializer
	%93 = select <4 x i1> %92, <4 x float> %86, <4 x float> zeroinitializer
	%94 = fcmp ugt <4 x float> %87, zeroinitializer
	%95 = select <4 x i1> %94, <4 x float> %87, <4 x float> zeroinitializer
	%96 = fadd <4 x float> %89, %71
	%97 = fadd <4 x float> %91, %75
	%98 = fadd <4 x float> %93, %79
	%99 = fadd <4 x float> %95, %83
	%100 = getelementptr float, float* %12, i64 %68
	%101 = getelementptr float, float* %12, i64 %68
	%102 = getelementptr float, float* %101, i64 4
	%103 = getelementptr float, float* %12, i64 %68
	%104 = getelementptr float, float* %103, i64 8
	%105 = getelementptr float, float* %12, i64 %68
	%106 = getelementptr float, float* %105, i64 12
	br i1 %18, label %111, label %116

107:
	%108 = phi i64 [ %44, %62 ], [ %122, %121 ]
	%109 = add nuw nsw i64 %41, 1
	%110 = icmp ule i64 %109, %37
	br i1 %110, label %40, label %48, !llvm.loop !7

111:
	%112 = bitcast float* %100 to <4 x float>*
	store <4 x float> %96, <4 x float>* %112, align 16, !nontemporal !3
	%113 = bitcast float* %102 to <4 x float>*
	store <4 x float> %97, <4 x float>* %113, align 16, !nontemporal !3
	%114 = bitcast float* %104 to <4 x float>*
	store <4 x float> %98, <4 x float>* %114, align 16, !nontemporal !3
	%115 = bitcast float* %106 to <4 x float>*
	store <4 x float> %99, <4 x float>* %115, align 16, !nontemporal !3
	br label %121

116:
	%117 = bitcast float* %100 to <4 x float>*
	store <4 x float> %96, <4 x float>* %117, align 4
	%118 = bitcast float* %102 to <4 x float>*
	store <4 x float> %97, <4 x float>* %118, align 4
	%119 = bitcast float* %104 to <4 x float>*
	store <4 x float> %98, <4 x float>* %119, align 4
	%120 = bitcast float* %106 to <4 x float>*
	store <4 x float> %99, <4 x float>* %120, align 4
	br label %121

121:
	%122 = add nuw nsw i64 %68, 16
	%123 = icmp ule i64 %122, %65
	br i1 %123, label %67, label %107, !llvm.loop !5
}

declare i64 @llvm.smin.i64(i64 %0, i64 %1)

declare float @llvm.fma.f32(float %0, float %1, float %2)

declare <4 x float> @llvm.fma.v4f32(<4 x float> %0, <4 x float> %1, <4 x float> %2)

!0 = !{}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !1}
!3 = !{i32 1}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !4}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = distinct !{!7, !6}
