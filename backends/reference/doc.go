// Package reference runs StableHLO modules on the CPU: it registers the backend cpu.
// That makes kernels of programs and runs them by the compiler that the program imports,
// or else in plain Go by package tiles. Its central type is [Backend].
//
// Where package kit makes no kernel, and for programs that it cannot compile, the
// evaluator runs what is left: package eval, which is registered by importing this one.
//
// The package imports only ltc/backends, ltc/backends/kit, ltc/backends/kit/exec,
// ltc/backends/kit/fuse, ltc/backends/kit/kernel, ltc/backends/kit/plan, ltc/backends/kit/stages,
// ltc/backends/reference/eval, ltc/backends/reference/tiles, ltc/backends/reference/internal/dense,
// ltc/backends/reference/internal/loops, ltc/backends/reference/internal/spectral, ltc/soa,
// ltc/ir/dims, ltc/ir/types, ltc/internal/diag, ltc/internal/env, ltc/internal/footprint, ltc/internal/halt,
// ltc/internal/hostmem and ltc/internal/spare.
package reference
