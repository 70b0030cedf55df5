// Package tileloops writes the loops that package tiles runs, as LLVM IR: an op of the kernel
// IR on as many elements as a tile has. Its central type is [Loop].
//
// They are compiled when this module is developed, and their objects are in package prebuilt.
// So kernels run on vectors before libLLVM has compiled them, or without it. The ops are those
// of package vector: functions have the same bits as in kernels that are compiled.
//
// The package imports only ltc/ir/types, ltc/backends/kit/kernel,
// ltc/backends/reference/llvm/vector, ltc/backends/reference/llvm/gemm and
// github.com/llir/llvm.
package tileloops
