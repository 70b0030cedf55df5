package kernel

import (
	"context"
	"time"
	"unsafe"
)

// Code is a kernel that a CPU can run, interpreted or compiled. A Code is immutable; any number
// of goroutines may use it at once. A launch is one run of the kernel, cut into parts: chunks
// for threads.
type Code interface {
	// Parts returns the number of parts, at least 1, into which a launch of these sizes is best
	// cut for a number of threads. The number is 1 for one thread. For more threads there are
	// more parts than threads if the further parts cost nothing, so that a thread that finishes
	// early takes another part. Parts may run at the same time and in any order. The stored
	// values do not depend on the number of parts.
	Parts(sizes []int64, threads int) int
	// Scratch returns how many bytes of scratch memory each part needs. When a part starts, its
	// scratch memory has undefined contents.
	Scratch(sizes []int64, parts int) int
	// Run runs the parts of a launch that the call names. Run allocates nothing.
	Run(c *Call) error
}

// ShortLauncher is [Code] with launches that may take less time than waking a thread.
type ShortLauncher interface {
	Code
	// IsShort reports whether a launch of these sizes may take less time than waking a thread.
	// Only threads that are awake should run the parts of such a launch.
	IsShort(sizes []int64) bool
}

// Compiler makes code of kernels that a CPU can run.
type Compiler interface {
	// Compile returns the code of each kernel, in their order. An entry is nil if the compiler
	// has no code for the kernel: the caller then uses a slower compiler.
	Compile(ctx context.Context, kernels []*Kernel) ([]Code, error)
}

// Packer is a [Compiler] whose code can compute the factors of a contraction while it packs
// them, instead of once for each product. To pack a factor is to copy it into the order in which
// the code reads it.
type Packer interface {
	Compiler
	// Packs returns, for the factors A and B of a [Contraction], how many times the code packs
	// each element, for these sizes and run-time strides. The number is 0 for a factor that is
	// not packed. Both numbers are 0 if there is no code, or if ctx ends before they are
	// known.
	Packs(ctx context.Context, k *Kernel, sizes, strides []int64) (a, b int)
}

// RowCompiler is a [Compiler] that can keep many accumulators of one stage in registers while it
// vectorises over the kernel's axes. Its code computes a row of a matrix product at a time.
type RowCompiler interface {
	Compiler
	// Columns returns a number of columns. Of a matrix product with at most so many columns, code
	// that computes a row at a time, with one accumulator for each column, is faster than a
	// contraction. The result is 0 if there is no such code, or if ctx ends before the result is known.
	Columns(ctx context.Context) int
}

// PlanKeeper is a [Compiler] that keeps on disk what programs became on their way to kernels, for
// processes of the same executable.
type PlanKeeper interface {
	Compiler
	// KeptPlan returns what KeepPlan was given for a program, if Packs and Columns would answer
	// then as they do now.
	KeptPlan(program string) (plan []byte, ok bool)
	// KeepPlan keeps a plan. The program stands for all that the plan depends on besides the
	// executable and the compiler. The label says to people what it is.
	KeepPlan(program, label string, plan []byte)
}

// Call names the parts of a launch that are to run, which are consecutive. A launch is one run
// of the kernel, cut into parts for threads: see [Code]. The caller owns the memory of the Call
// and may use the Call again.
type Call struct {
	Mem     []unsafe.Pointer // the first element of each operand
	Sizes   []int64          // the run-time sizes
	Strides []int64          // the run-time strides, in elements; see [Kernel.StrideArgs]
	Scratch unsafe.Pointer   // as many bytes as Code.Scratch says, aligned to 64 bytes
	Part    int              // the first part to run, from 0 to Parts-1
	More    int              // the number of further parts to run after it
	Parts   int              // the number of parts of the launch
	// Done, if not nil, is closed when the run is cancelled. Long-running code polls it
	// and then returns early, with or without an error.
	Done <-chan struct{}
	// Block holds the arguments of generated code.
	Block Block
}

// Context returns a context that ends when the run is cancelled, for code that waits.
func (c *Call) Context() context.Context { return running{c.Done} }

// running is a context made of a Done channel. It is one pointer, so that converting it
// to an interface does not allocate.
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

// Share returns the call's share of n items: the range [from, to). Items are dealt evenly to the
// parts: the first n mod Parts parts have one item more than the others.
func (c *Call) Share(n int64) (from, to int64) {
	each, rest, p := n/int64(c.Parts), n%int64(c.Parts), int64(c.Part)
	q := p + 1 + int64(c.More)
	return p*each + min(p, rest), q*each + min(q, rest)
}

// Block holds the arguments of generated code: its function, i32 f(ptr), gets a pointer to
// a Block.
type Block struct {
	Mem      *unsafe.Pointer // the first element of Call.Mem; Sizes and Strides likewise
	Sizes    *int64
	Strides  *int64
	Scratch  unsafe.Pointer
	From, To int64    // the range of the axis that the schedule cuts
	At       [8]int64 // the point of the axes that the host loops over
}

// Binder is a [Code] that can keep constant operands in a form of its own, such as packed
// matrices.
type Binder interface {
	Code
	// Bind returns code that computes the same bits. Mem has the first element of each operand
	// that does not change, and nil for the others. The operands must stay at these addresses.
	// Later runs are given the operands too, but need not read them. K keeps the copies that the
	// code makes. Code that needs none of the operands returns itself. Call Bind of a [Preparer]
	// before its Prepare.
	Bind(mem []unsafe.Pointer, k Keeper) Code
}

// Keeper keeps the copies of constant operands that a [Binder] makes, so that all code of a
// program shares these copies. Programs of one process may share them, too. Any goroutine may
// use a Keeper.
type Keeper interface {
	// Keep returns memory that has what f.Write writes. A later call for a form with the same
	// key, of the same operands, returns the same memory and does not call Write. The memory
	// outlives the code. Nobody may write to it.
	Keep(f Form) unsafe.Pointer
}

// Form is a copy of constant operands in the order in which code reads them.
type Form struct {
	// Key names all that the bytes depend on besides the elements of the operands.
	Key string
	// Of has the first element of each operand.
	Of []unsafe.Pointer
	// Sample is a hash of some of the elements. Operands with the same elements have the same
	// Sample, in one process.
	Sample uint64
	// Bytes is the size of the form.
	Bytes int
	// Write writes the form to memory that is zero, and aligned to 64 bytes.
	Write func(to unsafe.Pointer)
}

// Preparer is a [Code] that has to be prepared for sizes and strides. Call Run on the Code that
// Prepare returns, and not on the Preparer. Any number of goroutines may call Prepare at once.
type Preparer interface {
	Code
	// Prepare returns code that runs launches of these sizes and strides, and no others.
	// Last is nil, or code that an earlier Prepare returned and that is no longer used.
	// Prepare may reuse it and return it, so that preparing again allocates nothing.
	Prepare(ctx context.Context, sizes, strides []int64, last Code) (Code, error)
}

// Holder is a [Code] from [Preparer.Prepare] that holds memory of its own between runs,
// such as tables of addresses.
type Holder interface {
	Code
	// HeldBytes returns the number of bytes that the code holds as long as it is used.
	HeldBytes() int
}
