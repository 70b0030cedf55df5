// Package backends is the border between the tensor library and the devices
// it runs on: what a backend is, how one registers, and how programs are
// handed to it. Its central type is [Backend].
//
// A backend gets the text of an MLIR module and nothing else. Its results must
// be what that text says.
//
// imports only ltc/mlir, ltc/soa, ltc/stablehlo, ltc/stablehlo/verify, ltc/ir/types,
// ltc/internal/diag and ltc/internal/env.
package backends

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"ltc/ir/types"
	"ltc/soa"
)

// Backend compiles modules for its devices. Its methods may be called from
// any goroutine.
type Backend interface {
	// Name is the name it was registered under.
	Name() string
	// Devices lists what programs can run on; never empty.
	Devices() []Device
	// Compile checks the module and makes it runnable. An error of the text
	// is positional (*mlir.Error); ops that the backend lacks are reported all
	// at once (*UnsupportedError).
	Compile(ctx context.Context, m Module, o Options) (Executable, error)
	// Capabilities says what the backend can do beyond these methods. It does not change.
	Capabilities() Capabilities
}

// Capabilities are what a backend can do beyond the methods of [Backend]. The zero value
// is a backend that can do nothing more: callers ask neither for its name nor its type.
type Capabilities struct {
	// Immediate says that a run costs less than waking a goroutine for it, so that callers
	// need not run programs in the background.
	Immediate bool
	// Allocator gives memory of the device; nil: the device uses the host's.
	Allocator Allocator
	// Queue is the one in which the device copies from and to the memory of Allocator, and
	// gives it back: a run in it returns when it is queued, and whoever reads its results
	// waits. What a queued run was to write is undefined once Queue.Wait returns an error
	// other than its context's. nil, or without Allocator: a run has ended when it returns.
	Queue Queue
	// Loader loads artifacts; nil: programs are always compiled.
	Loader Loader
}

// Executable is a compiled program. It is immutable: any number of goroutines
// may use it at once.
type Executable interface {
	Signature() *Signature
	// Bind fixes arguments that the text marks ltc.constant, by position, and
	// returns an executable that takes their values from here. The backend may
	// fold and pack them once, and any run may read them in the caller's memory.
	// That memory must not change as long as the executable is used; if it is
	// released, further runs may be errors. Call.Args at bound positions are
	// ignored and may be zero views.
	Bind(ctx context.Context, constants map[int]soa.View) (Executable, error)
	// Execute runs the program. When it fails no result and no donated
	// argument has been written.
	Execute(ctx context.Context, c *Call) error
	// Artifact returns what a [Loader] loads later without compiling; an error wrapping
	// errors.ErrUnsupported when the backend has no such form.
	Artifact() ([]byte, error)
}

// Module is a program: the text of an MLIR module with a public function main.
type Module struct{ text string }

// NewModule returns the module with the given text.
func NewModule(text string) Module { return Module{text} }

// Text returns the text.
func (m Module) Text() string { return m.text }

// Options steer a compile without changing what the program computes, but for how it
// is rounded.
type Options struct {
	Name    string // of the program, for error messages; "module.mlir" if empty
	Threads int    // most threads one Execute may use; 0: the backend's default
	Profile bool   // measure each step; see [Profiler]
	// TF32 lets products of f32 take 11 of the 24 bits of their factors where the
	// device's tensor cores are faster then; sums are of f32. Others ignore it.
	TF32 bool
	// Ordered has floats that a scatter adds to one element added in the order of the
	// updates, so that every run gives the same bits, where a device would otherwise
	// add them as they come.
	Ordered bool
	// Compiled makes it an error of Compile, a *[FallbackError], that the evaluator
	// would run the program or an op of it. Where it is not set that is a warning.
	Compiled bool
	// Warn gets the warning, once a program; nil: it is logged to Logger.
	Warn func(*FallbackError)
	// Logger gets what the backend and the program log; nil: [slog.Default], as it is at
	// each record.
	Logger *slog.Logger
}

// Log returns the logger.
func (o *Options) Log() *slog.Logger {
	if o.Logger != nil {
		return o.Logger
	}
	return slog.Default()
}

// Device is something programs run on.
type Device struct {
	Name       string            // cpu, cuda:0
	Memory     int64             // bytes; 0 if unknown
	Properties map[string]string // what else the backend tells
}

// AnySize is a dimension in a [Signature] whose size every call chooses for
// itself. A program has such dimensions only where its backend runs them.
const AnySize = -1

// Signature says what an executable takes and gives.
type Signature struct {
	Args    []Arg
	Results []Result
}

// Arg describes an argument of main.
type Arg struct {
	Name     string // ltc.name; empty if the text has none
	Type     types.Type
	Alias    int  // the result that takes over the argument's memory (tf.aliasing_output); -1 if none
	Constant bool // ltc.constant: may be bound
}

// Result describes a result of main.
type Result struct {
	Name  string // ltc.name; empty if the text has none
	Type  types.Type
	Alias int // the argument whose memory it takes over; -1 if none
}

// Call is one run of an executable. It may be used again after Execute has
// returned.
type Call struct {
	// Args are only read; strides and pointer tables are the caller's choice.
	// Dense ones are read where they lie. A backend may copy others in each run,
	// where its kernels cannot read them: cpu reads most of them where they lie,
	// eval copies all. See [Copying].
	Args []soa.View
	// Results are written where they lie, which must not be memory that is to be read
	// only ([soa.View.ReadOnly]). A zero view is replaced by a fresh dense one, and an
	// empty list by a full one. The result of a donated argument is zero, and becomes that
	// argument's view; or it is a view of its own, and the argument keeps its value. A
	// result may share memory with no argument but that one.
	Results []soa.View
	// Alloc, if set, gives the memory of results whose view is zero: dense, of
	// the type asked for, contents undefined. A backend whose results are in
	// memory that Go sees asks for it with [Call.Make].
	Alloc func(types.Type) soa.View
	// Resident leaves results whose view is zero in the memory of the device that
	// computes them, where its next program finds them: see [soa.View.Remote]. A
	// donated argument that is in the host's memory then keeps its value. Without
	// it, and on devices whose memory is the host's, Go sees them.
	Resident bool
	// Queue orders this run with others on the device; nil: run at once and
	// return when done. What is in the host's memory is there when Execute returns,
	// in any case.
	Queue Queue
}

// Make returns memory for a result that the caller leaves to the backend; its
// contents are undefined.
func (c *Call) Make(t types.Type) soa.View {
	if c.Alloc != nil {
		return c.Alloc(t)
	}
	return soa.Make(t)
}

// Allocator is the memory of a device that does not use the host's.
type Allocator interface {
	// Make returns fresh memory of the device for a value, dense, contents undefined,
	// which is freed after its last view is gone: see [soa.View.Remote].
	Make(t types.Type) (soa.View, error)
}

// Loader makes programs runnable with what [Executable.Artifact] has returned, also of
// another process.
type Loader interface {
	// Load is Compile of the module, with the options, that the artifact was made of,
	// but takes the code from there. The error wraps [ErrArtifact] if the artifact is
	// of a program whose code differs, or for another device.
	Load(ctx context.Context, m Module, o Options, artifact []byte) (Executable, error)
}

// ErrArtifact is what errors of [Loader] wrap for artifacts that do not fit.
var ErrArtifact = errors.New("the artifact does not fit")

// ErrExhausted is what errors of [Backend.Compile] wrap where the system refuses the
// memory or the mappings that code needs. There may be some when executables are
// dropped that nobody runs: who keeps some drops these, and compiles again.
var ErrExhausted = fmt.Errorf("%w: none is left for compiled code", soa.ErrMemory)

// Sized is an [Executable] that knows how much memory a run takes.
type Sized interface {
	// WorkspaceBytes is what a run takes besides arguments and results.
	WorkspaceBytes() int
}

// Resident is an [Executable] that knows how much memory it takes itself.
type Resident interface {
	// ResidentBytes is what the executable takes as long as it is kept, by
	// the backend's own reckoning: the program in its forms, code and constants, on
	// the host and on the device. Memory that only runs need does not count. It is
	// asked for once, before the first run.
	ResidentBytes() int
}

// Growing is a [Resident] that takes more as calls come for which it has no code yet,
// such as those with views of another layout, or of another size.
type Growing interface {
	Resident
	// Grown returns where it counts what it takes beyond ResidentBytes, in bytes; nil
	// if it cannot grow. It is asked for once. The number is read after each run.
	Grown() *atomic.Int64
}

// Copying is an [Executable] that knows how much its runs copy.
type Copying interface {
	// CopiedBytes is how many bytes all runs so far have copied between the
	// caller's memory and their own. They are arguments that are not read where they
	// lie, and results that are not computed where they are to be. What has been bound
	// is another executable and counts for itself.
	CopiedBytes() int64
}

// Varying is an [Executable] that makes code for views that are not dense when calls
// bring them, for each way in which all of a call lie.
type Varying interface {
	// Variants is for how many ways it has made code, and for how many it could make
	// none, so that their runs copy ([Copying]). There are no more ways than it keeps
	// code for: runs of further ones copy, too.
	Variants() (made, failed int)
}

// Sizing is an [Executable] that knows without a run which sizes go together, where
// its program leaves one open.
type Sizing interface {
	// CheckSizes reports what Execute would of the types and sizes of a call. It
	// runs nothing and reads no element.
	CheckSizes(c *Call) error
}

// Queue is an ordered list of work on a device, such as a CUDA stream. A
// backend accepts the queues that it made and nil.
type Queue interface {
	// Wait returns when all that was queued is done, with its first error; or when
	// the context ends, with its cause.
	Wait(ctx context.Context) error
}

// RunError is a failure while a program ran.
type RunError struct {
	Op     int // ordinal of the op in the text's order (mlir.Op.Ordinal); -1 if unknown
	Reason error
}

func (e *RunError) Error() string {
	if e.Op < 0 {
		return fmt.Sprint(e.Reason)
	}
	return fmt.Sprintf("op %d: %v", e.Op, e.Reason)
}

// Unwrap returns the reason.
func (e *RunError) Unwrap() error { return e.Reason }

// NotImplemented answers every method of [Backend]: embed it so that a
// backend keeps compiling as the interface grows.
type NotImplemented struct{}

// Name returns "".
func (NotImplemented) Name() string { return "" }

// Devices returns one device without properties.
func (NotImplemented) Devices() []Device { return []Device{{Name: "device"}} }

// Capabilities returns none.
func (NotImplemented) Capabilities() Capabilities { return Capabilities{} }

// Compile returns an error wrapping [errors.ErrUnsupported].
func (NotImplemented) Compile(context.Context, Module, Options) (Executable, error) {
	return nil, fmt.Errorf("compile: %w", errors.ErrUnsupported)
}
