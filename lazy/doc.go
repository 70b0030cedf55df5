// Package lazy is the tensor library: operations on a [Tensor] record what is
// to be computed, and [Trace.MarkStep] compiles and runs it.
//
// A [Device] is where programs run and variables live. A [Trace] records one
// program after another, a step each; it belongs to one goroutine at a time.
// Tensors made from host data, variables and the tensors given to MarkStep have
// values that can be read; other tensors live as long as the step they were
// recorded in.
//
// Steps run one after the other, in the background unless they are short:
// MarkStep returns when the step is queued, reading a root waits for it, and
// [Trace.Wait] and [Device.Wait] for all. What goes wrong meanwhile is a
// [*StepError], which comes back once.
//
// A bad operation gives a tensor that holds an [*OpError]; operations on it
// pass the error on, and MarkStep, Value and Err return it.
//
// imports only ltc/ir, ltc/shapeinfer, ltc/autodiff, ltc/lower, ltc/backends, ltc/internal/border,
// ltc/lazy/internal/guard, ltc/lazy/internal/memory, ltc/lazy/internal/metrics,
// ltc/lazy/internal/opbyop, ltc/lazy/internal/philox, ltc/lazy/internal/programs,
// ltc/lazy/internal/sched, ltc/lazy/internal/strided, ltc/soa and the packages below them; never a backend: a
// program imports the ones it wants for their side effect, as with database/sql.
package lazy
