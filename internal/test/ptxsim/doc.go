// Package ptxsim runs PTX, the text that a GPU's driver is handed, without a
// GPU: one thread of a block after the other, each until it has to wait for
// others. Its central type is [Module].
//
// It is a test's tool. What it reads is a subset of PTX, and all else is an
// error: parsing is a check of its own. These are faults of a run:
//
//   - an access outside of what was allocated, or not aligned to its size.
//   - a read of a block's shared memory before anything is written there.
//   - a race: two threads access the same memory, one of them writes, and no barrier
//     is between them. In global memory the threads are of two blocks.
//   - a thread that waits for what will not come.
//   - an access to the target of an asynchronous copy before it has been waited for.
//   - a change of the source of a copy that is under way.
//   - a write to what a product of warpgroups (wgmma) under way reads.
//   - a fence that is missing.
//
// Asynchronous copies (cp.async), those of boxes of matrices (cp.async.bulk.tensor) and
// products of warpgroups arrive as late as they may; sums that are read too early are
// NaNs. The order of accesses follows from barriers, of all threads or some, and from
// phases of mbarriers: see order.go. Registers that nothing has been written to are NaNs.
// A module may use only what its target has.
//
// Arithmetic is that of IEEE 754, with the roundings that the instructions name;
// there are no approximate ones. Sums of mma are rounded once, not as hardware
// does. NaNs are not those of the hardware bit by bit, nor are values that are not
// rounded to nearest.
//
// `make race` builds the package without the race detector, which makes it ten times slower.
// The detector is told of every access to global memory, by ltc/internal/trials. All else
// belongs to the goroutine of the launch.
//
// The package imports only ltc/internal/test/ptxas, ltc/internal/diag and
// ltc/internal/trials.
package ptxsim
