; Needs two functions that no image has.
declare float @expf(float)
declare i32 @helper(ptr)

define i32 @needs(ptr %args) nounwind {
  %x = load float, ptr %args
  %y = call float @expf(float %x)
  store float %y, ptr %args
  %s = call i32 @helper(ptr %args)
  ret i32 %s
}
