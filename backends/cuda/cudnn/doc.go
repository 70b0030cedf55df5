// Package cudnn calls NVIDIA's library for convolutions, cuDNN, which it opens when
// [Open] is called and not before, without cgo. Its central type is [Convolution], a
// convolution of some shape that can be queued.
//
// What is called is the library's older interface, of version 9 (cudnnConvolutionForward
// and descriptors), and not its graphs, whose descriptors have attributes in the
// hundreds: NVIDIA calls it deprecated, and says that parts of it go as graphs take over
// what they can do, so that another major version is refused. Which functions are called,
// and with what, is one table, see [Entries]; tests compare it, and all numbers that the
// package has of the library's, with NVIDIA's headers where these are installed. Whoever
// fills the table with functions of its own stands in for the library: see [Use].
//
// The library uses the context that is current on the calling thread: what makes or
// destroys a [Handle], asks for an [Algorithm] or queues a convolution is called between
// driver.Context.Enter and Leave. A handle may be used from any goroutine, a convolution
// by one at a time. Nothing is released by the garbage collector: what is made is
// destroyed by whoever made it.
//
// imports only ltc/backends/cuda/libraries, ltc/internal/env and the standard library.
package cudnn
