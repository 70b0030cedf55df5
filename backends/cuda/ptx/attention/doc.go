// Package attention writes the PTX of attention: one entry that keeps no scores. Its central
// type is [Op].
//
// The package imports only ltc/backends/cuda/ptx/internal/asm, ltc/ir/types and ltc/internal/diag.
package attention
