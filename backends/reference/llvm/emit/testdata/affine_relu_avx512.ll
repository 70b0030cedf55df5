define i32 @k8c4367c30f0cbb6f77c6fae1(i64* %args) nounwind "target-cpu"="x86-64-v4" "prefer-vector-width"="512" "min-legal-vector-width"="512" "no-builtins" {
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
	%31 = and i64 %30, 63
	%32 = udiv i64 %31, 4
	%33 = select i1 %18, i64 %32, i64 0
	%34 = add i64 %23, %33
	%35 = call i64 @llvm.smin.i64(i64 %34, i64 %25)
	%36 = add i64 0, 1
	%37 = sub i64 2, 1
	%38 = icmp ule i64 %36, 2
	br i1 %38, label %40, label %45

39:
	br i1 %18, label %129, label %130

40:
	%41 = phi i64 [ 0, %27 ], [ %114, %112 ]
	%42 = phi i64 [ %23, %27 ], [ %113, %112 ]
	%43 = icmp eq i64 %41, 0
	%44 = select i1 %43, i64 %35, i64 %25
	br label %48

45:
	%46 = phi i64 [ 0, %27 ], [ %114, %112 ]
	%47 = phi i64 [ %23, %27 ], [ %113, %112 ]
	br label %39

48:
	%49 = phi i64 [ %42, %40 ], [ %67, %51 ]
	%50 = icmp slt i64 %49, %44
	br i1 %50, label %51, label %68

51:
	%52 = sub i64 %44, %49
	%53 = call i64 @llvm.smin.i64(i64 %52, i64 16)
	%54 = shl i64 1, %53
	%55 = sub i64 %54, 1
	%56 = trunc i64 %55 to i16
	%57 = bitcast i16 %56 to <16 x i1>
	%58 = getelementptr float, float* %7, i64 %49
	%59 = bitcast float* %58 to <16 x float>*
	%60 = call <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %59, i32 4, <16 x i1> %57, <16 x float> zeroinitializer)
	%61 = call <16 x float> @llvm.fma.v16f32(<16 x float> %60, <16 x float> splat (float 0x3FE6666660000000), <16 x float> splat (float 0x3FB99999A0000000))
	%62 = fcmp ugt <16 x float> %61, zeroinitializer
	%63 = select <16 x i1> %62, <16 x float> %61, <16 x float> zeroinitializer
	%64 = fadd <16 x float> %63, %60
	%65 = getelementptr float, float* %12, i64 %49
	%66 = bitcast float* %65 to <16 x float>*
	call void @llvm.masked.store.v16f32.p0(<16 x float> %64, <16 x float>* %66, i32 4, <16 x i1> %57)
	%67 = add i64 %49, 16
	br label %48

68:
	%69 = add i64 %44, 64
	%70 = sub i64 %25, 64
	%71 = icmp ule i64 %69, %25
	br i1 %71, label %72, label %112

72:
	%73 = phi i64 [ %44, %68 ], [ %127, %126 ]
	%74 = getelementptr float, float* %7, i64 %73
	%75 = bitcast float* %74 to <16 x float>*
	%76 = load <16 x float>, <16 x float>* %75, align 4
	%77 = getelementptr float, float* %7, i64 %73
	%78 = getelementptr float, float* %77, i64 16
	%79 = bitcast float* %78 to <16 x float>*
	%80 = load <16 x float>, <16 x float>* %79, align 4
	%81 = getelementptr float, float* %7, i64 %73
	%82 = getelementptr float, float* %81, i64 32
	%83 = bitcast float* %82 to <16 x float>*
	%84 = load <16 x float>, <16 x float>* %83, align 4
	%85 = getelementptr float, float* %7, i64 %73
	%86 = getelementptr float, float* %85, i64 48
	%87 = bitcast float* %86 to <16 x float>*
	%88 = load <16 x float>, <16 x float>* %87, align 4
	%89 = call <16 x float> @llvm.fma.v16f32(<16 x float> %76, <16 x float> splat (float 0x3FE6666660000000), <16 x float> splat (float 0x3FB99999A0000000))
	%90 = call <16 x float> @llvm.fma.v16f32(<16 x float> %80, <16 x float> splat (float 0x3FE6666660000000), <16 x float> splat (float 0x3FB99999A0000000))
	%91 = call <16 x float> @llvm.fma.v16f32(<16 x float> %84, <16 x float> splat (float 0x3FE6666660000000), <16 x float> splat (float 0x3FB99999A0000000))
	%92 = call <16 x float> @llvm.fma.v16f32(<16 x float> %88, <16 x float> splat (float 0x3FE6666660000000), <16 x float> splat (float 0x3FB99999A0000000))
	%93 = fcmp ugt <16 x float> %89, zeroinitializer
	%94 = select <16 x i1> %93, <16 x float> %89, <16 x float> zeroinitializer
	%95 = fcmp ugt <16 x float> %90, zeroinitializer
	%96 = select <16 x i1> %95, <16 x float> %90, <16 x float> zeroinitializer
	%97 = fcmp ugt <16 x float> %91, zeroinitializer
	%98 = select <16 x i1> %97, <16 x float> %91, <16 x float> zeroinitializer
	%99 = fcmp ugt <16 x float> %92, zeroinitializer
	%100 = select <16 x i1> %99, <16 x float> %92, <16 x float> zeroinitializer
	%101 = fadd <16 x float> %94, %76
	%102 = fadd <16 x float> %96, %80
	%103 = fadd <16 x float> %98, %84
	%104 = fadd <16 x float> %100, %88
	%105 = getelementptr float, float* %12, i64 %73
	%106 = getelementptr float, float* %12, i64 %73
	%107 = getelementptr float, float* %106, i64 16
	%108 = getelementptr float, float* %12, i64 %73
	%109 = getelementptr float, float* %108, i64 32
	%110 = getelementptr float, float* %12, i64 %73
	%111 = getelementptr float, float* %110, i64 48
	br i1 %18, label %116, label %121

112:
	%113 = phi i64 [ %44, %68 ], [ %127, %126 ]
	%114 = add nuw nsw i64 %41, 1
	%115 = icmp ule i64 %114, %37
	br i1 %115, label %40, label %45, !llvm.loop !5

116:
	%117 = bitcast float* %105 to <16 x float>*
	store <16 x float> %101, <16 x float>* %117, align 64, !nontemporal !1
	%118 = bitcast float* %107 to <16 x float>*
	store <16 x float> %102, <16 x float>* %118, align 64, !nontemporal !1
	%119 = bitcast float* %109 to <16 x float>*
	store <16 x float> %103, <16 x float>* %119, align 64, !nontemporal !1
	%120 = bitcast float* %111 to <16 x float>*
	store <16 x float> %104, <16 x float>* %120, align 64, !nontemporal !1
	br label %126

121:
	%122 = bitcast float* %105 to <16 x float>*
	store <16 x float> %101, <16 x float>* %122, align 4
	%123 = bitcast float* %107 to <16 x float>*
	store <16 x float> %102, <16 x float>* %123, align 4
	%124 = bitcast float* %109 to <16 x float>*
	store <16 x float> %103, <16 x float>* %124, align 4
	%125 = bitcast float* %111 to <16 x float>*
	store <16 x float> %104, <16 x float>* %125, align 4
	br label %126

126:
	%127 = add nuw nsw i64 %73, 64
	%128 = icmp ule i64 %127, %70
	br i1 %128, label %72, label %112, !llvm.loop !3

129:
	call void @llvm.x86.sse.sfence()
	br label %130

130:
	ret i32 0
}

declare i64 @llvm.smin.i64(i64 %0, i64 %1)

declare <16 x float> @llvm.masked.load.v16f32.p0(<16 x float>* %0, i32 %1, <16 x i1> %2, <16 x float> %3)

declare <16 x float> @llvm.fma.v16f32(<16 x float> %0, <16 x float> %1, <16 x float> %2)

declare void @llvm.masked.store.v16f32.p0(<16 x float> %0, <16 x float>* %1, i32 %2, <16 x i1> %3)

declare void @llvm.x86.sse.sfence()

!0 = !{}
!1 = !{i32 1}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !2}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !4}
