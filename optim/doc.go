// Package optim updates variables from the gradients of a loss, by the rules and with
// the defaults of PyTorch's torch.optim. Its central type is [Optimizer], which
// [NewSGD], [NewAdamW] and their kin make. [LBFGS] calls the loss again and again, and
// is a type of its own.
//
// An optimizer records its update in the step of the loss: the step's MarkStep
// compiles it together with the forward and backward pass and runs it. All state is
// variables from the start, so that a training run is one program. Learning rates and
// momentum are arguments of that program: a [Schedule] compiles nothing.
//
// # Groups and schedules
//
// The parameters of a [Group] have a rate, a weight decay and momentum of their own.
// A [Schedule] is a function from the step to a number, for [Optimizer.SetLR] and
// [Optimizer.SetMomentum].
//
// # Gradients
//
// [Optimizer.Step] differentiates the loss. To clip or accumulate gradients, take them
// by [Optimizer.Grads], change them by [ClipNorm], [ClipValue] or an [Accumulator], and
// give them to [Optimizer.StepGrads]. [Optimizer.StepBackward] takes those that
// [lazy.Tensor.Backward] has added to the parameters, as PyTorch's optimizers do.
//
// # Kernels
//
// The update of a parameter is one kernel, of rules without norms and products. The backend cpu runs a step's updates
// as one chain of machine code. The backend cuda launches them as one graph, after the first steps.
//
// # Fields of zero
//
// A field of a config that is 0 has PyTorch's default, which the field's comment
// gives. To set a number to 0, use [Zero].
//
// # 16-bit parameters
//
// Parameters of 16 bits are updated in f32 and rounded once, and their state is f32. The
// field Master of a config keeps the parameters themselves in a wider dtype, too.
//
// The package imports only ltc/internal/diag, ltc/ir/types, ltc/lazy and ltc/optim/internal/state.
package optim
