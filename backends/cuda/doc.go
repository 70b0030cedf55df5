// Package cuda runs programs on NVIDIA's GPUs. So far it has what they will run
// on: devices, memory in the order of queues, copies between a device and the
// host, and kernels. Its central type is [Device].
//
// A queue orders what is done on a device; what two queues do is in no order but
// where one waits for the other. Memory is allocated and freed in the order of a
// queue. Devices may be used from any goroutine, queues by several at a time, in
// the order in which they come.
//
// imports only ltc/backends, ltc/backends/cuda/driver, ltc/backends/cuda/ptx,
// ltc/backends/kit/kernel, ltc/soa and the standard library.
package cuda
