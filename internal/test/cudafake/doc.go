// Package cudafake stands in for NVIDIA's driver in tests: it fills the table of
// package driver with functions of C's calling convention, so that all of that
// package runs as it does on a GPU. Its central type is [Fake].
//
// Kernels run in the interpreter of package ptxsim, from the very text that the
// driver would be given. Beyond what a driver does:
//
//   - Streams run late: what is queued runs when somebody waits for it, or in
//     between, in any order that events and streams leave open. The order follows
//     from a seed and from the calls alone.
//   - Two accesses to the same bytes, one of which writes, are reported if neither
//     waits for the other, whichever came first. Accesses are those of copies, fills
//     and kernels, to single bytes and within graphs, too, and allocating and freeing.
//   - Addresses are not used twice. Memory that is freed is gone; fresh memory is
//     filled with NaNs, and so are bytes of the host that are freed. Kernels that
//     read what nothing has written are reported, and so are copies to the host.
//   - Handles that were destroyed or belong to another context are reported, and
//     calls on threads that no context was made current to.
//   - Devices have as much memory as a test says, and calls fail when it says so.
//
// It stands in for cuBLASLt, too, as far as package cublaslt calls that. Layouts, sizes,
// types and addresses are checked when a product is queued. It is computed when its turn
// comes, and the bytes that it reads and writes are checked as a kernel's.
//
// What is wrong is a [Violation]; a call's result says so where a driver's would.
//
// A kernel that the interpreter finds fault with, such as one whose threads race,
// fails, where a GPU might compute something.
//
// Not modelled: the stream that the library makes itself (a null handle is an
// error), memory allocated while a stream is captured, clusters of more than one
// block, machine code, and time. What the host does to memory is not seen: reading
// too early shows as old data, since copies run late.
//
// The package imports only ltc/backends/cuda/cublaslt, ltc/backends/cuda/driver,
// ltc/internal/test/ptxsim, ltc/ir/types, ltc/internal/diag, github.com/ebitengine/purego and the
// standard library.
package cudafake
