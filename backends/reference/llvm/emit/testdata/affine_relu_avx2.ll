define i32 @k8c4367c30f0cbb6f77c6fae1(i64* %args) nounwind "target-cpu"="x86-64-v3" "prefer-vector-width"="256" "min-legal-vector-width"="256" "no-builtins" {
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
	%31 = and i64 %30, 31
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
	%53 = call i64 @llvm.smin.i64(i64 %52, i64 8)
	%54 = trunc i64 %53 to i32
	%55 = insertelement <8 x i32> poison, i32 %54, i32 0
	%56 = shufflevector <8 x i32> %55, <8 x i32> poison, <8 x i32> zeroinitializer
	%57 = icmp ult <8 x i32> <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7>, %56
	%58 = getelementptr float, float* %7, i64 %49
	%59 = bitcast float* %58 to <8 x float>*
	%60 = call <8 x float> @llvm.masked.load.v8f32.p0(<8 x float>* %59, i32 4, <8 x i1> %57, <8 x float> zeroinitializer)
	%61 = call <8 x float> @llvm.fma.v8f32(<8 x float> %60, <8 x float> splat (float 0x3FE6666660000000), <8 x float> splat (float 0x3FB99999A0000000))
	%62 = fcmp ugt <8 x float> %61, zeroinitializer
	%63 = select <8 x i1> %62, <8 x float> %61, <8 x float> zeroinitializer
	%64 = fadd <8 x float> %63, %60
	%65 = getelementptr float, float* %12, i64 %49
	%66 = bitcast float* %65 to <8 x float>*
	call void @llvm.masked.store.v8f32.p0(<8 x float> %64, <8 x float>* %66, i32 4, <8 x i1> %57)
	%67 = add i64 %49, 8
	br label %48

68:
	%69 = add i64 %44, 32
	%70 = sub i64 %25, 32
	%71 = icmp ule i64 %69, %25
	br i1 %71, label %72, label %112

72:
	%73 = phi i64 [ %44, %68 ], [ %127, %126 ]
	%74 = getelementptr float, float* %7, i64 %73
	%75 = bitcast float* %74 to <8 x float>*
	%76 = load <8 x float>, <8 x float>* %75, align 4
	%77 = getelementptr float, float* %7, i64 %73
	%78 = getelementptr float, float* %77, i64 8
	%79 = bitcast float* %78 to <8 x float>*
	%80 = load <8 x float>, <8 x float>* %79, align 4
	%81 = getelementptr float, float* %7, i64 %73
	%82 = getelementptr float, float* %81, i64 16
	%83 = bitcast float* %82 to <8 x float>*
	%84 = load <8 x float>, <8 x float>* %83, align 4
	%85 = getelementptr float, float* %7, i64 %73
	%86 = getelementptr float, float* %85, i64 24
	%87 = bitcast float* %86 to <8 x float>*
	%88 = load <8 x float>, <8 x float>* %87, align 4
	%89 = call <8 x float> @llvm.fma.v8f32(<8 x float> %76, <8 x float> splat (float 0x3FE6666660000000), <8 x float> splat (float 0x3FB99999A0000000))
	%90 = call <8 x float> @llvm.fma.v8f32(<8 x float> %80, <8 x float> splat (float 0x3FE6666660000000), <8 x float> splat (float 0x3FB99999A0000000))
	%91 = call <8 x float> @llvm.fma.v8f32(<8 x float> %84, <8 x float> splat (float 0x3FE6666660000000), <8 x float> splat (float 0x3FB99999A0000000))
	%92 = call <8 x float> @llvm.fma.v8f32(<8 x float> %88, <8 x float> splat (float 0x3FE6666660000000), <8 x float> splat (float 0x3FB99999A0000000))
	%93 = fcmp ugt <8 x float> %89, zeroinitializer
	%94 = select <8 x i1> %93, <8 x float> %89, <8 x float> zeroinitializer
	%95 = fcmp ugt <8 x float> %90, zeroinitializer
	%96 = select <8 x i1> %95, <8 x float> %90, <8 x float> zeroinitializer
	%97 = fcmp ugt <8 x float> %91, zeroinitializer
	%98 = select <8 x i1> %97, <8 x float> %91, <8 x float> zeroinitializer
	%99 = fcmp ugt <8 x float> %92, zeroinitializer
	%100 = select <8 x i1> %99, <8 x float> %92, <8 x float> zeroinitializer
	%101 = fadd <8 x float> %94, %76
	%102 = fadd <8 x float> %96, %80
	%103 = fadd <8 x float> %98, %84
	%104 = fadd <8 x float> %100, %88
	%105 = getelementptr float, float* %12, i64 %73
	%106 = getelementptr float, float* %12, i64 %73
	%107 = getelementptr float, float* %106, i64 8
	%108 = getelementptr float, float* %12, i64 %73
	%109 = getelementptr float, float* %108, i64 16
	%110 = getelementptr float, float* %12, i64 %73
	%111 = getelementptr float, float* %110, i64 24
	br i1 %18, label %116, label %121

112:
	%113 = phi i64 [ %44, %68 ], [ %127, %126 ]
	%114 = add nuw nsw i64 %41, 1
	%115 = icmp ule i64 %114, %37
	br i1 %115, label %40, label %45, !llvm.loop !5

116:
	%117 = bitcast float* %105 to <8 x float>*
	store <8 x float> %101, <8 x float>* %117, align 32, !nontemporal !1
	%118 = bitcast float* %107 to <8 x float>*
	store <8 x float> %102, <8 x float>* %118, align 32, !nontemporal !1
	%119 = bitcast float* %109 to <8 x float>*
	store <8 x float> %103, <8 x float>* %119, align 32, !nontemporal !1
	%120 = bitcast float* %111 to <8 x float>*
	store <8 x float> %104, <8 x float>* %120, align 32, !nontemporal !1
	br label %126

121:
	%122 = bitcast float* %105 to <8 x float>*
	store <8 x float> %101, <8 x float>* %122, align 4
	%123 = bitcast float* %107 to <8 x float>*
	store <8 x float> %102, <8 x float>* %123, align 4
	%124 = bitcast float* %109 to <8 x float>*
	store <8 x float> %103, <8 x float>* %124, align 4
	%125 = bitcast float* %111 to <8 x float>*
	store <8 x float> %104, <8 x float>* %125, align 4
	br label %126

126:
	%127 = add nuw nsw i64 %73, 32
	%128 = icmp ule i64 %127, %70
	br i1 %128, label %72, label %112, !llvm.loop !3

129:
	call void @llvm.x86.sse.sfence()
	br label %130

130:
	ret i32 0
}

declare i64 @llvm.smin.i64(i64 %0, i64 %1)

declare <8 x float> @llvm.masked.load.v8f32.p0(<8 x float>* %0, i32 %1, <8 x i1> %2, <8 x float> %3)

declare <8 x float> @llvm.fma.v8f32(<8 x float> %0, <8 x float> %1, <8 x float> %2)

declare void @llvm.masked.store.v8f32.p0(<8 x float> %0, <8 x float>* %1, i32 %2, <8 x i1> %3)

declare void @llvm.x86.sse.sfence()

!0 = !{}
!1 = !{i32 1}
!2 = !{!"llvm.loop.unroll.disable"}
!3 = distinct !{!3, !2}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !4}
