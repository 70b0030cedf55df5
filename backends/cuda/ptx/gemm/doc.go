// Package gemm writes the PTX of products of matrices, and of convolutions as products: by
// tiles on tensor cores (mma, wgmma), by tiles of exact f32, and by squares of all other
// types. What follows a product, its epilogue, is of the same entry. The central type is
// [Schedule]: which tiles there are, of which a launch takes the one for its sizes.
//
// The package imports only ltc/backends/cuda/ptx/internal/asm, ltc/backends/cuda/ptx/internal/body,
// ltc/backends/kit/kernel and ltc/ir/types.
package gemm
