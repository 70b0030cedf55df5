//go:build linux && (amd64 || arm64)

package native

import "unsafe"

// chain is a C function: it calls the kernels of a [Chain], which is its argument, and
// returns the status of the one that failed or 0. Its machine code depends on the fields of
// Chain and [Link].
func chain()

// chainEntry is the address of chain.
var chainEntry uintptr

func callChain(c *Chain) int32 { return asmcgocall(chainEntry, unsafe.Pointer(c)) }
