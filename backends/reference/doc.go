// Package reference runs StableHLO modules on the CPU in plain Go. Its central
// type is [Backend]; it is registered as eval, the evaluator that every other
// backend is measured against, and as cpu, which is the same evaluator until a
// program imports a compiler for it.
//
// A module is parsed, verified and turned once into a list of prepared steps
// over dense row-major memory. What a step computes is StableHLO's
// specification, with these choices where it leaves one:
//   - f16 and bf16 are computed in f32 and rounded after each op; sums and
//     products of many elements (reduce with a body of one op, dot_general)
//     are accumulated in f32 and rounded once.
//   - Integers wrap. Division by zero gives all bits set, the remainder then is
//     the dividend; the lowest integer divided by -1 is itself.
//   - A shift by the width or more gives 0, or the sign for an arithmetic one.
//   - A conversion to an integer truncates and saturates; NaN becomes 0.
//   - The order of a reduction is fixed: see reduce.go and gemm.go. No result
//     depends on the number of threads.
//
// imports only ltc/backends, ltc/mlir, ltc/mlir/chlo, ltc/soa, ltc/soa/npy and ltc/ir/types.
package reference
