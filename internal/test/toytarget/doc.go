// Package toytarget is a target for tests: a device with memory of its own, whose kernels
// are interpreted. It shows what a target takes, as package kit/exec runs it, and tests
// have its methods fail. Its central type is [Device].
//
// The package imports only ltc/backends, ltc/backends/kit, ltc/backends/kit/exec,
// ltc/backends/kit/kernel, ltc/backends/kit/plan, ltc/backends/reference/tiles, ltc/ir/types,
// ltc/soa and the standard library.
package toytarget
