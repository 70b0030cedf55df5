// Package attention writes the PTX of attention: one entry that keeps no scores. Its central
// type is [Op].
//
// imports only ltc/backends/cuda/ptx/internal/asm and ltc/ir/types.
package attention
