// Package kit makes kernels of StableHLO modules, for backends that schedule
// and run them: each op is a kernel first, then kernels are fused, and memory
// is planned once. Its central function is [Compile], which makes a [plan.Program] of
// package plan.
//
//	module → simplify → translate → fuse → plan.Program
//
// Kernels have no complex numbers. Package simplify writes ops on complex numbers as ops on
// their real and imaginary parts, which fuse like all others.
//
// Packages simplify and fuse have passes over the text and over kernels. This package
// translates. An op becomes a kernel, by the rule in its row (ops.go), several kernels (fft.go),
// or work that the target claims (composite.go, sort.go). Others are a loop or branch of programs
// (host.go), or a step of an evaluator. File left.go says which ops the evaluator runs.
//
// The package imports only ltc/backends, ltc/backends/kit/fourier, ltc/backends/kit/fuse,
// ltc/backends/kit/kernel, ltc/backends/kit/plan, ltc/backends/kit/simplify,
// ltc/backends/kit/simplify/program, ltc/backends/reference/eval, ltc/ir/dims, ltc/ir/types,
// ltc/mlir, ltc/soa, ltc/stablehlo and ltc/internal/minifloat.
package kit
