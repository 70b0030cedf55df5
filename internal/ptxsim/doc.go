// Package ptxsim runs PTX, the text that a GPU's driver is handed, without a
// GPU: one thread of a block after the other, each until it has to wait for
// others. Its central type is [Module].
//
// It is a test's tool. What it reads is a subset of PTX, and all else is an
// error, so that parsing is a check of its own. What it runs is checked: each
// access is inside what was allocated and aligned to its size, memory shared by
// a block is not read before it is written, nothing is read or written by two
// threads of which one writes without a barrier between them (or, in global
// memory, by two blocks), and threads that wait for what will not come are
// reported. Copies that run beside the threads (cp.async) arrive as late as they
// may: who touches what they copy to before they have been waited for is found.
// So do copies of boxes of matrices (cp.async.bulk.tensor), which mbarriers count, and
// products of warpgroups (wgmma): who reads their sums too early has NaNs, who writes
// what they read is found, and so are fences that are missing. What comes before what
// follows from barriers, of all threads or some, and from phases of mbarriers: see
// order.go.
// Registers that nothing has been written to are NaNs, sources of copies must not change
// while these are under way, and a module may use what its target has.
// Arithmetic is that of IEEE 754, with the roundings that the instructions name;
// there are no approximate ones. Sums of mma are rounded once, not as hardware
// does. NaNs are not those of the hardware bit by bit, nor are values that are not
// rounded to nearest.
//
// imports only ltc/internal/ptxas.
package ptxsim
