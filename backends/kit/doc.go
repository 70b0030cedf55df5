// Package kit makes kernels of StableHLO modules, for backends that schedule
// and run them: each op is a kernel first, then kernels are fused, and memory
// is planned once. Its central type is [Program].
//
//	module → simplify → a graph of kernels → inline → merge → private → Program
//
// A value that is cheap to compute is computed where it is used (inline.go); a
// reduction and what uses it, or a product and what follows, are stages of one
// kernel (merge.go); what only one kernel uses stays within it (privatise.go).
// Then kernels are written so that equal ones are the same text whatever their
// sizes (normalise.go). An op that is no kernel is left to an evaluator that the
// backend names, one op a step.
//
// imports only ltc/backends, ltc/backends/kit/kernel, ltc/backends/kit/simplify,
// ltc/ir/types and ltc/mlir.
package kit
