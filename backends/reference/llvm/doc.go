// Package llvm compiles kernels to machine code: package emit writes LLVM IR
// for them, libLLVM makes an object of that, and package native maps and calls
// it. It exports nothing.
//
// Importing this package makes the backend cpu use it:
//
//	import _ "ltc/backends/reference/llvm"
//
// The package imports only ltc/backends, ltc/soa, ltc/backends/kit/kernel, ltc/internal/spare,
// ltc/backends/objcache, ltc/backends/reference, ltc/backends/reference/tiles,
// ltc/backends/reference/llvm/blockdot, ltc/backends/reference/llvm/emit, ltc/backends/reference/llvm/gemm,
// ltc/backends/reference/llvm/libllvm, ltc/backends/reference/llvm/native,
// ltc/backends/reference/llvm/prebuilt, ltc/backends/reference/llvm/triangular,
// ltc/backends/reference/llvm/rowsort, ltc/backends/reference/llvm/tileloops, ltc/backends/reference/llvm/vector, ltc/ir/types,
// ltc/internal/env, ltc/internal/halt and ltc/internal/ctxmutex.
package llvm
