// Package layers has the layers of neural networks as modules: structs of options whose variables
// module.Build makes, with a method Forward. A typical one is [Linear].
//
//	net := layers.Sequential{
//		&layers.Conv{In: 1, Out: 8, Kernel: []int{3, 3}},
//		layers.ReLU(),
//		layers.Flatten(1),
//		&layers.Linear{In: 8 * 26 * 26, Out: 10},
//	}
//	err := module.Build(net, dev)
//
// The zero value of an option is what PyTorch does by default, with three exceptions. Probabilities of dropout are 0, [EmbeddingBag]
// adds up, and the batch is the first axis of attention and transformers. The names, shapes and first values of
// variables are PyTorch's: its weights load under their own names. Options are not to be changed after Build. Package nn has
// the mathematics of the layers, activations and losses as functions.
//
// Layers belong to one goroutine at a time while they are built or change their mode. Forward may be
// called from any, each with a trace of its own, unless it draws or assigns: dropout and batch norm
// in training.
//
// The package imports only ltc/internal/diag, ltc/internal/functions, ltc/lazy, ltc/nn, ltc/nn/module and
// ltc/ir/types.
package layers
