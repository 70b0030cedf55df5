; y[i] = x[i]*x[i] + 0.5: args hold n, x and y.
define i32 @add(ptr noalias %args) nounwind {
entry:
  %n = load i64, ptr %args
  %xp = getelementptr i64, ptr %args, i64 1
  %yp = getelementptr i64, ptr %args, i64 2
  %x = load ptr, ptr %xp
  %y = load ptr, ptr %yp
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr float, ptr %x, i64 %i
  %q = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %p, align 4
  %s = fmul float %v, %v
  %r = fadd float %s, 0.5
  store float %r, ptr %q, align 4
  %next = add i64 %i, 1
  br label %head
done:
  ret i32 0
}
