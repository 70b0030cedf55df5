// Package linalg has the linear algebra of torch.linalg as functions of lazy tensors:
// decompositions, solutions of systems, determinants and functions of matrices. Its rows in the op
// table (ir/ops/linalg.go) say what each takes and returns; the functions here say how it is computed
// from the ops of package lazy.
//
// Matrices are the last two axes of a tensor, whose axes before them are a batch. They are real or complex;
// those of 16 bits are computed in f32 and rounded once. Decompositions are loops over whole batches
// that any backend runs. LU has partial pivoting, QR is by Householder reflectors, both in blocks of columns.
// Eigh and SVD are by Jacobi rotations of n/2 pairs at a time; the backend cpu has functions for smaller matrices. A matrix with NaNs or infinities
// gives NaNs.
//
// Eig is by the QR algorithm. LDL is not here: it only saves half of the work of LU.
//
// The package imports only ltc/lazy, ltc/ir/ops, ltc/ir/types and ltc/internal/functions.
package linalg
