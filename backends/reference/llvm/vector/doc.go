// Package vector writes explicitly vectorised LLVM IR for one kind of machine.
// Its central type is [Builder]: a position in a function, whose methods add
// instructions on values of a number of lanes. A value of one lane is a scalar,
// and all code works on it as on a vector, so that what cannot be vectorised
// needs no code of its own.
//
//	m := vector.NewModule(vector.Machine{Level: vector.AVX512})
//	b := m.Kernel("exp") // i32 @exp(i64* args): 0 is success
//	x, y, n := b.ArgPointer(0, types.F32), b.ArgPointer(1, types.F32), b.ArgIndex(2)
//	b.Sweep(n, m.Machine.Lanes(types.F32), func(i value.Value, l vector.Lanes) {
//		v := b.LoadLanes(b.At(x, i), l)
//		r, err := b.Unary(kernel.Exponential, v)
//		b.StoreLanes(b.At(y, i), r, l)
//	})
//	b.Return(0)
//	text := m.String()
//
// [Builder.Op] adds a scalar op of the kernel IR, which computes what the evaluator
// of package reference does: integers wrap, nothing divides by zero, conversions
// saturate. Ops that have an expansion in package expand are written by it, but for
// overrides; docs/math.md has the errors of functions.
//
// In registers a bool is an i1, a bf16 or f16 an f32 that holds one of its
// values: each op rounds. In memory they are bytes and 16-bit integers.
//
// Nothing is reassociated or contracted: no instruction has a fast-math flag,
// and one is fused only where [Builder.FMA] says so. Whether code is valid for
// the data is the caller's to guard, with [Builder.Guard]: code may not fault.
//
// Pointers are typed, as llir prints them; all LLVM releases from 14 on read
// that.
//
// The package imports only ltc/backends/kit/expand, ltc/backends/kit/kernel, ltc/ir/types and
// ltc/internal/diag.
package vector
