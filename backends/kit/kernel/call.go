package kernel

import (
	"context"
	"time"
	"unsafe"
)

// Code is a kernel that a CPU can run: interpreted, or compiled. It is
// immutable; any number of goroutines may use it at once.
type Code interface {
	// Parts returns how many parts, at least 1, a launch of these sizes is best split
	// into for so many threads. The number is 1 for one thread. For more threads it
	// exceeds the number of threads where that costs nothing, since a thread that
	// finishes early takes another part. The parts may run at the same time and in any
	// order; the stored values do not depend on their number.
	Parts(sizes []int64, threads int) int
	// Scratch returns how many bytes each part needs besides its operands, of which
	// nothing has to be kept from one part to the next.
	Scratch(sizes []int64, parts int) int
	// Run runs what the call says of a launch. It allocates nothing.
	Run(c *Call) error
}

// Brief is [Code] whose launches may take less time than to wake a thread for a
// part.
type Brief interface {
	Code
	// Brief reports whether a launch of these sizes does: its parts are for threads
	// that are awake.
	Brief(sizes []int64) bool
}

// Compiler makes kernels runnable.
type Compiler interface {
	// Compile returns the code of each kernel. A nil entry is a kernel that it
	// leaves to the next slower way.
	Compile(ctx context.Context, kernels []*Kernel) ([]Code, error)
}

// Packer is a [Compiler] whose code computes factors of contractions as it packs
// them, and not for each product anew.
type Packer interface {
	Compiler
	// Packs returns how often the code of a [Contraction], for these sizes and strides,
	// computes each element of its factors A and B. It returns 0 if the code would not
	// pack, if there cannot be code, or if ctx ends before that is known.
	Packs(ctx context.Context, k *Kernel, sizes, strides []int64) (a, b int)
}

// Rower is a [Compiler] whose code of many sums in one stage keeps them in registers,
// for vectors along the kernel's axes.
type Rower interface {
	Compiler
	// Columns returns how many sums a product may have for each row to run in such
	// code faster than by itself. It returns 0 if there cannot be code, or if ctx ends
	// before that is known.
	Columns(ctx context.Context) int
}

// Call is one part of a launch or some, with memory that the caller owns and may use
// again for the next.
type Call struct {
	Mem     []unsafe.Pointer // the first element of each operand
	Sizes   []int64          // the run-time sizes
	Strides []int64          // the run-time strides, in elements; see [Kernel.StrideArgs]
	Scratch unsafe.Pointer   // aligned to 64 bytes
	Part    int              // which of Parts
	More    int              // how many of those behind it this call runs, too
	Parts   int
	// Done, if not nil, is closed when the run has been given up: code that
	// runs for long looks at it now and then and returns at once, with an error or
	// without.
	Done <-chan struct{}
	// Block is what generated code is handed.
	Block Block
}

// Context returns a context that ends when the run is given up, for code that waits.
func (c *Call) Context() context.Context { return running{c.Done} }

// running is the context of a run of which only Done is known. It has one pointer, so
// that as an interface it takes no memory.
type running struct{ done <-chan struct{} }

func (running) Deadline() (time.Time, bool) { return time.Time{}, false }
func (r running) Done() <-chan struct{}     { return r.done }
func (running) Value(any) any               { return nil }

func (r running) Err() error {
	select {
	case <-r.done: // never, if it is nil
		return context.Canceled
	default:
		return nil
	}
}

// Share returns which of n items are the call's, from one to before another: each
// part has as many, or one more if it is among the first.
func (c *Call) Share(n int64) (from, to int64) {
	each, rest, p := n/int64(c.Parts), n%int64(c.Parts), int64(c.Part)
	q := p + 1 + int64(c.More)
	return p*each + min(p, rest), q*each + min(q, rest)
}

// Block is the memory that a call of generated code, i32 f(ptr), points to.
type Block struct {
	Mem      *unsafe.Pointer // Call.Mem
	Sizes    *int64
	Strides  *int64
	Scratch  unsafe.Pointer
	From, To int64    // the range of the axis that the schedule cuts
	At       [8]int64 // where the host's own loops over axes are
}

// Binder is a [Code] that can keep operands that are the same in all runs in a
// form that suits it better than that of memory, such as packed matrices.
type Binder interface {
	Code
	// Bind returns code that does the same, to the bit. mem has the first element
	// of each operand that will not change, nil for the others. These operands
	// stay where they are; runs are given them, too, but need not read them.
	// k keeps the forms that the code makes of them. Code that has no use for any
	// of the operands returns itself. A [Preparer] is bound before it prepares.
	Bind(mem []unsafe.Pointer, k Keeper) Code
}

// Keeper keeps operands that do not change in other forms, each once for all code of a
// program. Any goroutine may use it.
type Keeper interface {
	// Keep returns memory of so many bytes, aligned to 64, that write has written:
	// that of an earlier call with the same key if there was one. It outlives the
	// code. The key says all that the bytes depend on, by addresses what operands
	// they are made of.
	Keep(key string, bytes int, write func(unsafe.Pointer)) unsafe.Pointer
}

// Preparer is a [Code] that must know sizes before it runs: what it returns
// runs launches of these sizes and strides, and no others. It does not run itself. Any
// number of goroutines may have it prepare.
type Preparer interface {
	Code
	// Prepare returns code for sizes and strides. Last is nil, or what the same code
	// prepared before and nobody needs any more: it may become what is returned, so
	// that preparing for one size after the other allocates nothing.
	Prepare(ctx context.Context, sizes, strides []int64, last Code) (Code, error)
}

// Holder is a [Code] that, prepared, has memory besides that of its runs, such as
// tables of where things are.
type Holder interface {
	Code
	// HeldBytes is how much that is, for as long as the code is there.
	HeldBytes() int
}
