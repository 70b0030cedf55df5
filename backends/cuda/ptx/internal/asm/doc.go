// Package asm writes the instructions of PTX entries. Its central type is [Writer]: the
// text of one entry, whose methods return names of registers, or literals. A value that
// has been computed is not computed again.
//
// It has the arithmetic of numbers of all types, which the scalar ops of the kernel IR
// are made of, memory, loops, copies to a block's memory, and products of tensor cores.
//
// The package imports only ltc/backends/kit/expand, ltc/backends/kit/kernel and ltc/ir/types.
package asm
