; Kernels that need every kind of relocation that objects for an image may have.
; Their arguments are 64-bit words.

; table holds addresses of constants, so that it is relocated itself.
@one = internal constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 64
@two = internal constant [4 x float] [float 10.0, float 20.0, float 30.0, float 40.0], align 32
@table = internal constant [2 x ptr] [ptr @one, ptr @two]
; shown can be replaced from outside, so it is reached through the table of addresses.
@shown = constant [4 x i32] [i32 5, i32 6, i32 7, i32 8]
@bytes = internal constant [3 x i8] c"\01\02\03"
@halves = internal constant [3 x i16] [i16 100, i16 200, i16 300]
@words = internal constant [3 x i64] [i64 1000, i64 2000, i64 3000]

; status returns its first argument.
define i32 @status(ptr %args) nounwind {
  %v = load i32, ptr %args
  ret i32 %v
}

; affine: args[2][i] = args[1][i] * 3.25 + 0.5 for i in 0..args[0], in vectors of
; 4 with constants in memory; n is a multiple of 4.
define i32 @affine(ptr noalias %args) nounwind {
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
  %v = load <4 x float>, ptr %p, align 4
  %s = fmul <4 x float> %v, <float 3.25, float 3.25, float 3.25, float 3.25>
  %r = fadd <4 x float> %s, <float 0.5, float 0.25, float 0.125, float 0.0625>
  store <4 x float> %r, ptr %q, align 4
  %next = add i64 %i, 4
  br label %head
done:
  ret i32 0
}

; lookup: args[2] = table[args[0]][args[1]] as a float.
define i32 @lookup(ptr %args) nounwind {
  %row = load i64, ptr %args
  %cp = getelementptr i64, ptr %args, i64 1
  %col = load i64, ptr %cp
  %rp = getelementptr [2 x ptr], ptr @table, i64 0, i64 %row
  %r = load ptr, ptr %rp
  %ep = getelementptr float, ptr %r, i64 %col
  %e = load float, ptr %ep
  %op = getelementptr i64, ptr %args, i64 2
  store float %e, ptr %op
  ret i32 0
}

; sizes returns a sum over constants of 1, 2, 4 and 8 bytes.
define i32 @sizes(ptr %args) nounwind {
  %i = load i64, ptr %args
  %bp = getelementptr i8, ptr @bytes, i64 %i
  %b = load i8, ptr %bp
  %hp = getelementptr i16, ptr @halves, i64 %i
  %h = load i16, ptr %hp
  %wp = getelementptr i64, ptr @words, i64 %i
  %w = load i64, ptr %wp
  %sp = getelementptr i32, ptr @shown, i64 %i
  %s = load i32, ptr %sp
  %b4 = zext i8 %b to i32
  %h4 = zext i16 %h to i32
  %w4 = trunc i64 %w to i32
  %t1 = add i32 %b4, %h4
  %t2 = add i32 %w4, %s
  %t = add i32 %t1, %t2
  ret i32 %t
}

; fixed returns what it loads from constants at fixed places.
define i32 @fixed(ptr %args) nounwind {
  %b = load volatile i8, ptr getelementptr ([3 x i8], ptr @bytes, i64 0, i64 1)
  %h = load volatile i16, ptr getelementptr ([3 x i16], ptr @halves, i64 0, i64 1)
  %s = load volatile i32, ptr getelementptr ([4 x i32], ptr @shown, i64 0, i64 1)
  %w = load volatile i64, ptr getelementptr ([3 x i64], ptr @words, i64 0, i64 1)
  %b4 = zext i8 %b to i32
  %h4 = zext i16 %h to i32
  %w4 = trunc i64 %w to i32
  %t1 = add i32 %b4, %h4
  %t2 = add i32 %w4, %s
  %t = add i32 %t1, %t2
  ret i32 %t
}

; chosen jumps through a table of its cases.
define i32 @chosen(ptr %args) nounwind {
  %i = load i64, ptr %args
  switch i64 %i, label %other [ i64 0, label %a  i64 1, label %b  i64 2, label %c  i64 3, label %d  i64 4, label %e ]
a:
  call void @fill(ptr %args, i64 11)
  ret i32 1
b:
  call void @fill(ptr %args, i64 22)
  ret i32 2
c:
  call void @fill(ptr %args, i64 33)
  ret i32 3
d:
  call void @fill(ptr %args, i64 44)
  ret i32 5
e:
  call void @fill(ptr %args, i64 55)
  ret i32 8
other:
  ret i32 -1
}

; fill is called, not inlined, and not from outside.
define internal void @fill(ptr %p, i64 %v) noinline nounwind {
  store volatile i64 %v, ptr %p
  ret void
}

; exported is called by another kernel of the same object.
define i32 @exported(ptr %args) noinline nounwind {
  %v = load volatile i32, ptr %args
  %w = add i32 %v, 1
  ret i32 %w
}

define i32 @caller(ptr %args) nounwind {
  %v = call i32 @exported(ptr %args)
  %w = mul i32 %v, 2
  ret i32 %w
}
