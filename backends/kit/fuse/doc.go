// Package fuse makes few kernels of many. Its central type is [Graph], a function that has
// a node for each op at first: [Graph.Fuse] merges nodes by passes, and [Graph.Program]
// writes down what is left as a program of package plan.
//
// The passes (passes.go) are, in this order:
//
//   - updated: what an op writes over parts of an operand whose memory can be the
//     result's is written over a copy of it (updates.go);
//   - copied: a result that is an argument, a constant or another result gets a
//     node that copies it (results.go);
//   - unwrapped: reads bypass reshapes that only add or drop dimensions of one element
//     (unwrap.go);
//   - inlined: what is cheap to compute is computed where it is used (inline.go);
//   - split: a long reduction to few elements is one of parts, and one of what
//     these give (split.go); the sums of a product are cut likewise, for targets that
//     ask for it (splitproduct.go);
//   - merged: a reduction and what uses it, or a product and what follows, are
//     stages of one kernel (merge.go);
//   - chained: products of few columns that follow each other are one kernel of
//     their rows, for targets that ask for it (chain.go);
//   - private: what only one kernel uses stays within it (privatise.go);
//   - packed: what computes a factor of a product is done as the factor is packed,
//     for targets that can (packed.go);
//   - joined: nodes that read the same elements, and compute each by itself, are one
//     of several results (siblings.go);
//   - pitched: operands of products are laid out with rows as far apart as the target
//     wants them (pitch.go);
//   - delayed: what takes over arguments is written last (inplace.go);
//   - placed: copies that are written over are nodes of their own, or nothing, where
//     the operand is not needed any more (placement.go);
//   - cut: stages that the target wants apart are nodes of their own (cut.go);
//   - hoisted: loop-invariant values of a stage of sums, such as scales of blocks, have a stage
//     of their own (hoist.go).
//
// [Graph.Program] writes kernels so that equal ones are the same text whatever their
// sizes (normalise.go). A program keeps its graph, for variants of other layouts
// (variant.go).
//
// The package imports only ltc/backends, ltc/backends/kit/kernel, ltc/backends/kit/plan,
// ltc/internal/footprint, ltc/internal/halt, ltc/ir/dims, ltc/ir/types, ltc/mlir, ltc/soa and
// ltc/internal/diag.
package fuse
