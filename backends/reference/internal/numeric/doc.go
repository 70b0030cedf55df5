// Package numeric has the algorithms that the evaluator runs in f64 or complex<f64>, whatever the
// elements of their op: Fourier transforms, Cholesky factors, triangular systems and batch
// normalization. They return early, with any results, once the [loops.Budget] of a run says that it is
// cancelled. Its central functions are [DFT], [Cholesky] and [Solve].
//
// The package imports only ltc/backends/reference/internal/loops.
package numeric
