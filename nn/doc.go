// Package nn has the layers, activations and losses of neural networks as functions of
// lazy tensors. Its rows in the op table (ir/ops/nn.go) say what each takes and returns;
// the functions here say how it is computed from the ops of package lazy.
//
// Activations and norms have the shape of x. A loss that is reduced is a scalar, and with
// ReduceNone it has an element for each term or row.
//
// The package imports only ltc/lazy, ltc/ir/ops, ltc/ir/types, ltc/internal/diag and ltc/internal/functions.
package nn
