// Package backends is the interface between the tensor library and the devices that it runs on.
// It says what a backend is, and how a backend registers ([Register]) and is opened ([Open]).
// The central type is [Backend].
//
// The input of a backend is the text of an MLIR module and nothing else. A program is such a
// module, and its results must be those that the text defines.
//
// The package imports only ltc/mlir, ltc/soa, ltc/stablehlo, ltc/stablehlo/verify, ltc/ir/dims, ltc/ir/types,
// ltc/internal/callsite, ltc/internal/diag and ltc/internal/env.
package backends

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"ltc/ir/types"
	"ltc/soa"
)

// Backend compiles modules for its devices. Any goroutine may call the methods of a Backend.
type Backend interface {
	// Name returns the name that the backend was registered under.
	Name() string
	// Devices returns the devices that programs can run on, at least one.
	Devices() []Device
	// Compile checks and compiles a module. A mistake of the text is an *mlir.Error, with
	// its position. Ops that the backend cannot run are reported all at once, by an
	// *UnsupportedError.
	Compile(ctx context.Context, m Module, o Options) (Executable, error)
	// Capabilities returns the optional abilities of the backend, which never change.
	Capabilities() Capabilities
}

// Capabilities are the optional abilities of a backend. The zero value has no optional
// abilities. Callers decide by these fields alone, and not by the name or the type of a backend.
type Capabilities struct {
	// Immediate says that a run is shorter than waking a goroutine: callers need not run
	// programs in the background.
	Immediate bool
	// Allocator allocates memory of the device. It is nil if the device uses the host's memory.
	Allocator Allocator
	// Queue orders the copies to and from the memory of Allocator. That memory is also freed in
	// this queue. Execute with this queue returns as soon as the run is queued, and readers of
	// the results wait for the queue. If Queue.Wait returns an error other than its context's,
	// the results of queued runs are undefined. If Queue or Allocator is nil, a run is done when
	// Execute returns.
	Queue Queue
	// Loader loads artifacts. If it is nil, programs are always compiled.
	Loader Loader
}

// Executable is a compiled program. An Executable is immutable; any number of goroutines may use
// it at once.
type Executable interface {
	// Signature returns the types of arguments and results. Callers must not change the
	// signature.
	Signature() *Signature
	// Bind returns an executable with fixed values for arguments that the text marks
	// ltc.constant. The keys are the positions of arguments. The backend may fold or pack the
	// values once, and any run may read them in the caller's memory. That memory must not change
	// as long as the executable is used. After a release of the memory, further runs may return
	// errors. Runs ignore Call.Args at bound positions.
	Bind(ctx context.Context, constants map[int]soa.View) (Executable, error)
	// Execute runs the program. An Execute that fails has written no result and no donated
	// argument; if it may have, its error wraps [ErrWritten]. When ctx ends before the first
	// write, Execute returns the cause of ctx. A queue that the backend has not made is an error.
	Execute(ctx context.Context, c *Call) error
	// Artifact returns the executable as bytes, for [Loader]. The error wraps
	// errors.ErrUnsupported if the backend's executables have no form as bytes.
	Artifact() ([]byte, error)
}

// Module is a program: the text of an MLIR module with a public function main.
type Module struct{ text string }

// NewModule returns the module with the given text.
func NewModule(text string) Module { return Module{text} }

// Text returns the text.
func (m Module) Text() string { return m.text }

// Options are the options of a compile. In a program's results, options can change nothing but
// the rounding.
type Options struct {
	Name    string // of the program, for error messages; "module.mlir" if empty
	Threads int    // the most threads that one Execute may use; 0: the backend's default
	Profile bool   // measure each step; see [Profiler]
	// TF32 lets matrix products of f32 read their factors with 11 bits of precision instead
	// of 24, on devices whose tensor cores are then faster. Sums stay f32. Other devices
	// ignore it.
	TF32 bool
	// Ordered makes the additions of a scatter-add of floats follow the order of the updates, so
	// that all runs give the same bits. By default a device may add in any order.
	Ordered bool
	// Compiled makes Compile return a *[FallbackError] if the evaluator would run the program or
	// an op of the program. By default the FallbackError is a warning.
	Compiled bool
	// Tiers lets any slower code stand in for code of the program that the backend is still
	// compiling. The last bits of results may then depend on when that is ready. By default only
	// code that gives the same bits, but for those of a NaN, stands in, and Compile returns when
	// all other code is compiled. See [Tiered]. Backends that compile little or nothing ignore it.
	Tiers bool
	// Warn is called with the warning, once for each program. If Warn is nil, Logger logs the
	// warning.
	Warn func(*FallbackError)
	// Logger is the logger of the backend and of the program's runs. If Logger is nil, each log
	// message goes to [slog.Default] as it is then.
	Logger *slog.Logger
}

// File returns Name, or what stands for it in error messages if it is empty.
func (o *Options) File() string { return cmp.Or(o.Name, "module.mlir") }

// Log returns Logger, or [slog.Default] if Logger is nil.
func (o *Options) Log() *slog.Logger {
	if o.Logger != nil {
		return o.Logger
	}
	return slog.Default()
}

// Device is a device that programs run on.
type Device struct {
	Name       string            // such as cpu or cuda:0
	Memory     int64             // bytes; 0 if unknown
	Properties map[string]string // further properties, with names that the backend chooses
}

// AnySize stands for an open size in the types of a [Signature]: each call chooses the size
// of the dimension. Only some backends compile programs with open sizes.
const AnySize = -1

// Signature has the arguments and results of an executable, in order.
type Signature struct {
	Args    []Arg
	Results []Result
}

// Arg describes an argument of main.
type Arg struct {
	Name     string // ltc.name; empty if the text has no name
	Type     types.Type
	Alias    int  // the result that takes over the argument's memory (tf.aliasing_output); -1 if no result does
	Constant bool // ltc.constant: [Executable].Bind may fix it
}

// Result describes a result of main.
type Result struct {
	Name  string // ltc.name; empty if the text has no name
	Type  types.Type
	Alias int // the argument whose memory the result takes over; -1 if there is no such argument
}

// Call has the arguments and results of one run of an executable. A Call may be used again after
// Execute has returned.
type Call struct {
	// Args are the arguments, which are only read. Each may have any strides, and a table of
	// column addresses ([soa.View].Table). Dense views are read in place. A backend may copy
	// other views in each run: the backend cpu reads most of these in place, and eval copies all
	// of them. See [Copying].
	Args []soa.View
	// Results are the views that the results are written to. A read-only view is an error
	// ([soa.View.ReadOnly]). Execute replaces a zero view by a fresh dense view, and an empty
	// list by a list of fresh views. For a result that takes over a donated argument, a zero
	// view becomes the argument's view. If the caller gives such a result a view, the argument
	// keeps its value. A result may share memory with the argument that it takes over, and with
	// no other argument.
	Results []soa.View
	// Alloc, if not nil, allocates the results whose view is zero. It returns a dense view of
	// the given type, with undefined contents. Backends with results in the host's memory call
	// Alloc through [Call.Make].
	Alloc func(types.Type) soa.View
	// If Resident is set, the results whose view is zero stay in the memory of the device, for
	// the device's next program: see [soa.View.Remote]. A donated argument in the host's memory
	// then keeps its value. If Resident is not set, such results are in the host's memory.
	Resident bool
	// Queue orders this run with other runs on the device. If Queue is nil, Execute returns when
	// the run is done. With or without a queue, results in the host's memory have their values
	// when Execute returns.
	Queue Queue
}

// Make allocates memory of the host for a result whose view is zero, by Alloc if Alloc is set.
// The contents are undefined.
func (c *Call) Make(t types.Type) soa.View {
	if c.Alloc != nil {
		return c.Alloc(t)
	}
	return soa.Make(t)
}

// Allocator allocates memory of a device that does not use the host's memory.
type Allocator interface {
	// Make returns a dense view of fresh memory of the device, with undefined contents. The
	// memory is freed after the last view of the memory is unreachable: see [soa.View.Remote].
	Make(t types.Type) (soa.View, error)
}

// Loader loads the artifacts of [Executable].Artifact, also artifacts that another process has
// made.
type Loader interface {
	// Load returns the executable that Compile would return, but takes the compiled code from an
	// artifact. The module and the options must be those that the artifact was made of. The
	// error wraps [ErrArtifact] if the artifact is of another program or for another device.
	Load(ctx context.Context, m Module, o Options, artifact []byte) (Executable, error)
}

// ErrArtifact is wrapped by errors of [Loader] for an artifact that is of another program or for
// another device.
var ErrArtifact = errors.New("the artifact does not fit")

// ErrExhausted is wrapped by errors of [Backend.Compile] if the system refuses memory for code,
// or another memory mapping for it. A caller that keeps idle executables can drop them and
// compile again.
var ErrExhausted = fmt.Errorf("%w: none is left for compiled code", soa.ErrMemory)

// Sized is an [Executable] that knows how much memory a run takes.
type Sized interface {
	// WorkspaceBytes returns the bytes of a run's workspace: the memory of the run besides
	// arguments and results.
	WorkspaceBytes() int
}

// Resident is an [Executable] that knows how much memory it holds between runs.
type Resident interface {
	// ResidentBytes returns an estimate of the bytes that the executable holds as long as it is
	// kept: the program's representations, code and constants, on the host and on the device.
	// The workspace of runs does not count. Callers call ResidentBytes once, before the first
	// run.
	ResidentBytes() int
}

// Growing is a [Resident] that compiles further code during its calls, for instance for
// views of another layout or size.
type Growing interface {
	Resident
	// Grown returns the counter of the bytes beyond ResidentBytes; nil if the executable cannot
	// grow. Callers call Grown once, and read the counter after each run.
	Grown() *atomic.Int64
}

// Tiered is an [Executable] whose code may still be compiled; see [Options.Tiers].
type Tiered interface {
	// Finish waits until all code of the executable is compiled. From then on runs are as fast as
	// they get, and have the same bits whatever [Options.Tiers] is. Code that cannot be compiled is
	// logged, and its stand-in stays. When ctx ends before, Finish returns the cause.
	Finish(ctx context.Context) error
}

// Copying is an [Executable] that counts the bytes that its runs copy.
type Copying interface {
	// CopiedBytes returns how many bytes all runs so far have copied: arguments that were not
	// read in place, and results that were not written in place. An executable that Bind has
	// returned has a count of its own.
	CopiedBytes() int64
}

// Varying is an [Executable] that compiles further code when a call has views that are not
// dense: one variant for each combination of layouts, that is, of the strides of arguments and
// results.
type Varying interface {
	// Variants counts the combinations of layouts that have compiled code (made), and the
	// combinations whose compile failed (failed). The views of a combination without code are
	// copied ([Copying]). Views are also copied when their combination is beyond the number of
	// combinations that the backend compiles.
	Variants() (made, failed int)
}

// Sizing is an [Executable] with open sizes that checks the sizes of a call without a run.
type Sizing interface {
	// CheckSizes returns the error that Execute would return for the types and sizes of a
	// call. It runs nothing and reads no element.
	CheckSizes(c *Call) error
}

// Queue is an ordered list of work on a device, such as a CUDA stream. A backend accepts nil
// and the queues that it has made itself.
type Queue interface {
	// Wait returns when all queued work is done, with the first error of that work. If ctx
	// ends earlier, it returns the cause of ctx.
	Wait(ctx context.Context) error
}

// ErrWritten is wrapped by the error of a run that has failed and may have written over donated
// arguments, or over results that the caller gave. It is for failures that no backend foresees:
// a run that may fail in other ways writes nothing before.
var ErrWritten = errors.New("the run had begun to write over memory of its caller")

// RunError is the failure of an op while a program ran. An error that says more of the failure,
// such as [ErrWritten], is in Reason.
type RunError struct {
	Op     int    // ordinal of the op in the text (mlir.Op.Ordinal); -1 if unknown
	At     string // file:line of the op: of the program that recorded it, or of the text; "" if unknown
	Reason error
}

func (e *RunError) Error() string {
	if e.At != "" {
		return fmt.Sprintf("%s: %v", e.At, e.Reason)
	}
	if e.Op < 0 {
		return fmt.Sprint(e.Reason)
	}
	return fmt.Sprintf("op %d: %v", e.Op, e.Reason)
}

// Unwrap returns the reason.
func (e *RunError) Unwrap() error { return e.Reason }

// BoundError is the reason of a [RunError] of a size that follows from data and is larger than the
// text has room for.
type BoundError struct{ Size, Bound int64 }

func (e *BoundError) Error() string {
	return fmt.Sprintf("a size that follows from data is %d, and can be at most %d; give it a larger bound, or select fewer elements", e.Size, e.Bound)
}

// NotImplemented has every method of [Backend]. A backend that embeds it still builds when
// methods are added to the interface.
type NotImplemented struct{}

// Name returns "".
func (NotImplemented) Name() string { return "" }

// Devices returns one device, whose memory is unknown.
func (NotImplemented) Devices() []Device { return []Device{{Name: "device"}} }

// Capabilities returns the zero value.
func (NotImplemented) Capabilities() Capabilities { return Capabilities{} }

// Compile returns an error wrapping [errors.ErrUnsupported].
func (NotImplemented) Compile(context.Context, Module, Options) (Executable, error) {
	return nil, fmt.Errorf("compile: %w", errors.ErrUnsupported)
}
