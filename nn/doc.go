// Package nn has the layers, activations and losses of neural networks as functions of
// lazy tensors. Its rows in the op table (ir/ops/nn.go) say what each takes and returns;
// the functions here say how it is computed from the ops of package lazy.
//
// The package imports only ltc/lazy, ltc/ir/ops, ltc/ir/types and ltc/internal/functions.
package nn
