define i32 @k8c4367c30f0cbb6f77c6fae1(i64* %args) nounwind "target-cpu"="x86-64" "prefer-vector-width"="128" "min-legal-vector-width"="128" "no-builtins" {
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
	br i1 %18, label %129, label %130

40:
	%41 = phi i64 [ 0, %27 ], [ %114, %112 ]
	%42 = phi i64 [ %23, %27 ], [ %113, %112 ]
	%43 = icmp eq i64 %41, 0
	%44 = select i1 %43, i64 %35, i64 %25
	%45 = add i64 %42, 1
	%46 = sub i64 %44, 1
	%47 = icmp ule i64 %45, %44
	br i1 %47, label %51, label %63

48:
	%49 = phi i64 [ 0, %27 ], [ %114, %112 ]
	%50 = phi i64 [ %23, %27 ], [ %113, %112 ]
	br label %39

51:
	%52 = phi i64 [ %42, %40 ], [ %61, %51 ]
	%53 = getelementptr float, float* %7, i64 %52
	%54 = load float, float* %53, align 4
	%55 = fmul float %54, 0x3FE6666660000000
	%56 = fadd float %55, 0x3FB99999A0000000
	%57 = fcmp ugt float %56, 0x0000000000000000
	%58 = select i1 %57, float %56, float 0x0000000000000000
	%59 = fadd float %58, %54
	%60 = getelementptr float, float* %12, i64 %52
	store float %59, float* %60, align 4
	%61 = add nuw nsw i64 %52, 1
	%62 = icmp ule i64 %61, %46
	br i1 %62, label %51, label %63, !llvm.loop !2

63:
	%64 = phi i64 [ %42, %40 ], [ %61, %51 ]
	%65 = add i64 %44, 16
	%66 = sub i64 %25, 16
	%67 = icmp ule i64 %65, %25
	br i1 %67, label %68, label %112

68:
	%69 = phi i64 [ %44, %63 ], [ %127, %126 ]
	%70 = getelementptr float, float* %7, i64 %69
	%71 = bitcast float* %70 to <4 x float>*
	%72 = load <4 x float>, <4 x float>* %71, align 4
	%73 = getelementptr float, float* %7, i64 %69
	%74 = getelementptr float, float* %73, i64 4
	%75 = bitcast float* %74 to <4 x float>*
	%76 = load <4 x float>, <4 x float>* %75, align 4
	%77 = getelementptr float, float* %7, i64 %69
	%78 = getelementptr float, float* %77, i64 8
	%79 = bitcast float* %78 to <4 x float>*
	%80 = load <4 x float>, <4 x float>* %79, align 4
	%81 = getelementptr float, float* %7, i64 %69
	%82 = getelementptr float, float* %81, i64 12
	%83 = bitcast float* %82 to <4 x float>*
	%84 = load <4 x float>, <4 x float>* %83, align 4
	%85 = fmul <4 x float> %72, splat (float 0x3FE6666660000000)
	%86 = fmul <4 x float> %76, splat (float 0x3FE6666660000000)
	%87 = fmul <4 x float> %80, splat (float 0x3FE6666660000000)
	%88 = fmul <4 x float> %84, splat (float 0x3FE6666660000000)
	%89 = fadd <4 x float> %85, splat (float 0x3FB99999A0000000)
	%90 = fadd <4 x float> %86, splat (float 0x3FB99999A0000000)
	%91 = fadd <4 x float> %87, splat (float 0x3FB99999A0000000)
	%92 = fadd <4 x float> %88, splat (float 0x3FB99999A0000000)
	%93 = fcmp ugt <4 x float> %89, zeroinitializer
	%94 = select <4 x i1> %93, <4 x float> %89, <4 x float> zeroinitializer
	%95 = fcmp ugt <4 x float> %90, zeroinitializer
	%96 = select <4 x i1> %95, <4 x float> %90, <4 x float> zeroinitializer
	%97 = fcmp ugt <4 x float> %91, zeroinitializer
	%98 = select <4 x i1> %97, <4 x float> %91, <4 x float> zeroinitializer
	%99 = fcmp ugt <4 x float> %92, zeroinitializer
	%100 = select <4 x i1> %99, <4 x float> %92, <4 x float> zeroinitializer
	%101 = fadd <4 x float> %94, %72
	%102 = fadd <4 x float> %96, %76
	%103 = fadd <4 x float> %98, %80
	%104 = fadd <4 x float> %100, %84
	%105 = getelementptr float, float* %12, i64 %69
	%106 = getelementptr float, float* %12, i64 %69
	%107 = getelementptr float, float* %106, i64 4
	%108 = getelementptr float, float* %12, i64 %69
	%109 = getelementptr float, float* %108, i64 8
	%110 = getelementptr float, float* %12, i64 %69
	%111 = getelementptr float, float* %110, i64 12
	br i1 %18, label %116, label %121

112:
	%113 = phi i64 [ %44, %63 ], [ %127, %126 ]
	%114 = add nuw nsw i64 %41, 1
	%115 = icmp ule i64 %114, %37
	br i1 %115, label %40, label %48, !llvm.loop !7

116:
	%117 = bitcast float* %105 to <4 x float>*
	store <4 x float> %101, <4 x float>* %117, align 16, !nontemporal !3
	%118 = bitcast float* %107 to <4 x float>*
	store <4 x float> %102, <4 x float>* %118, align 16, !nontemporal !3
	%119 = bitcast float* %109 to <4 x float>*
	store <4 x float> %103, <4 x float>* %119, align 16, !nontemporal !3
	%120 = bitcast float* %111 to <4 x float>*
	store <4 x float> %104, <4 x float>* %120, align 16, !nontemporal !3
	br label %126

121:
	%122 = bitcast float* %105 to <4 x float>*
	store <4 x float> %101, <4 x float>* %122, align 4
	%123 = bitcast float* %107 to <4 x float>*
	store <4 x float> %102, <4 x float>* %123, align 4
	%124 = bitcast float* %109 to <4 x float>*
	store <4 x float> %103, <4 x float>* %124, align 4
	%125 = bitcast float* %111 to <4 x float>*
	store <4 x float> %104, <4 x float>* %125, align 4
	br label %126

126:
	%127 = add nuw nsw i64 %69, 16
	%128 = icmp ule i64 %127, %66
	br i1 %128, label %68, label %112, !llvm.loop !5

129:
	call void @llvm.x86.sse.sfence()
	br label %130

130:
	ret i32 0
}

declare i64 @llvm.smin.i64(i64 %0, i64 %1)

declare void @llvm.x86.sse.sfence()

!0 = !{}
!1 = !{!"llvm.loop.unroll.disable"}
!2 = distinct !{!2, !1}
!3 = !{i32 1}
!4 = !{!"llvm.loop.unroll.disable"}
!5 = distinct !{!5, !4}
!6 = !{!"llvm.loop.unroll.disable"}
!7 = distinct !{!7, !6}
