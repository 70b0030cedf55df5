// Package llvm compiles kernels to machine code: package emit writes LLVM IR
// for them, libLLVM makes an object of that, and package native maps and calls
// it. Its central type is [Compiler].
//
// imports only ltc/backends/kit/kernel, ltc/backends/reference/llvm/emit,
// ltc/backends/reference/llvm/libllvm, ltc/backends/reference/llvm/native,
// ltc/backends/reference/llvm/vector.
package llvm
