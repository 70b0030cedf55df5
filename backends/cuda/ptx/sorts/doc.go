// Package sorts writes the PTX of sorts, and of the first few elements of them. Its central
// type is [Sort].
//
// The package imports only ltc/backends/cuda/ptx/internal/asm, ltc/backends/kit/expand,
// ltc/backends/kit/kernel, ltc/ir/types and ltc/internal/diag.
package sorts
