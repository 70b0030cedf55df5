// Package optim updates variables from the gradients of a loss. Its central
// type is [SGD].
//
// An optimizer records its update in the step of the loss: the step's MarkStep
// compiles it together with the forward and backward pass and runs it.
//
// The package imports only ltc/lazy and ltc/ir/types.
package optim
