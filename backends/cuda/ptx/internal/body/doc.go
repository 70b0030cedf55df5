// Package body writes what the stages of a kernel do at a point, for all schedules of
// kernels: loads and stores, scalar ops, scans, and lanes that move vectors. Its central
// type is [Writer]: the entry of one kernel.
//
// The package imports only ltc/backends/cuda/ptx/internal/asm, ltc/backends/kit/expand,
// ltc/backends/kit/kernel and ltc/ir/types.
package body
