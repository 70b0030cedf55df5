// Package cuda runs programs on NVIDIA's GPUs: it registers the backend cuda,
// whose kernels are PTX that the driver compiles. Its central type is [Device]. Tests run
// the kernels in an interpreter of PTX, on a driver that stands in for NVIDIA's, or on a
// GPU, which gives the same bits.
//
// Ops without a kernel are steps of the program that the evaluator runs on the host:
// package kit brings it, and programs that import this package alone have it.
// Copies of their operands take their turn in the queue, and the profile lists the
// steps as the evaluator's. Loops and branches are driven by the host. Arguments and
// results are in the host's memory or in the device's: see [Device.Make].
//
// A queue orders what is done on a device; what two queues do is in no order but
// where one waits for the other. Memory is allocated and freed in the order of a
// queue. Devices may be used from any goroutine, queues by several at a time, in
// the order in which they come.
//
// The package imports only ltc/backends, ltc/backends/cuda/cublaslt, ltc/backends/cuda/driver,
// ltc/backends/cuda/ptx, ltc/backends/cuda/ptx/attention, ltc/backends/cuda/ptx/gemm,
// ltc/backends/cuda/ptx/sorts, ltc/backends/kit, ltc/backends/kit/exec, ltc/backends/kit/fuse,
// ltc/backends/kit/kernel, ltc/backends/kit/plan, ltc/backends/kit/stages, ltc/mlir, ltc/soa, ltc/ir/types,
// ltc/internal/env, ltc/internal/footprint, ltc/internal/diag and the standard library.
package cuda
