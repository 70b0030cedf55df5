// Package cublaslt calls NVIDIA's library for products of matrices, cuBLASLt, which
// it opens when [Open] is called and not before, without cgo. Its central type is
// [Product], a product of matrices of some shape that can be queued.
//
// Which functions of the library are called, and with what, is one table, see
// [Entries]; tests compare it, and all numbers that the package has of the library's,
// with NVIDIA's headers where these are installed. Whoever fills the table with
// functions of its own stands in for the library: see [Use].
//
// The library uses the context that is current on the calling thread: what makes or
// destroys a [Handle], asks for an [Algorithm] or queues a product is called between
// driver.Context.Enter and Leave. A handle may be used from any goroutine, a product
// by one at a time. Nothing is released by the garbage collector: what is made is
// destroyed by whoever made it.
//
// The package imports only ltc/backends/cuda/libraries, ltc/internal/env, ltc/internal/diag and the
// standard library.
package cublaslt
