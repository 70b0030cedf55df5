package plan

import (
	"log/slog"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/ir/types"
	"ltc/mlir"
)

// Program is a module made of kernels: what a backend schedules, compiles and
// runs. It is immutable.
type Program struct {
	Signature *backends.Signature
	Values    []Value
	Kernels   []*kernel.Kernel // each once
	Steps     []Step           // in order
	Args      []ValueID
	Results   []ValueID
	// SizeArgs are the last of Args, i32s that follow from the size of a [Family]:
	// who runs the program brings them.
	SizeArgs []int64
	// Arena is how many bytes the values of kind Temporary take together.
	Arena int
	// LastFallible is the last step that can fail; -1 if none can. Results that
	// are first written by later steps can be written where the caller wants
	// them.
	LastFallible int
	// Logger gets what is logged of the program's runs; nil: [slog.Default]. It is that of
	// the context that it was compiled under.
	Logger *slog.Logger

	// From is what the program was made from; nil: there are no variants of it.
	From Origin
	// Decoded says that the program is a variant that was read, and checked for typical sizes then.
	Decoded bool
}

// ValueID is an index of [Program.Values].
type ValueID int32

// None is no value.
const None ValueID = -1

// Kind says where a value is.
type Kind uint8

// The kinds.
const (
	Temporary Kind = iota // in the arena, at Offset
	Argument              // the caller's
	Result                // the caller's, or fresh
	Constant              // in Data
	// Table is, of the columns of the argument or result Index of Values, which
	// lie anywhere, how many elements from the first each begins: i64s that the
	// caller's view says.
	Table
)

// Value is a tensor in memory, dense and row-major but for those with a Layout.
type Value struct {
	Kind   Kind
	Type   types.Type
	Index  int     // which argument or result; of a Table, of which value
	Offset int     // of a temporary: bytes from the arena's start
	Over   ValueID // of a temporary: the value whose place it takes; -1 if none
	Data   []byte  // of a constant; one element for each that it has, or one for all
	// First and Last are the steps that write and read it first and last; -1
	// for what is there before the first step.
	First, Last int
	// Layout is how an argument or result lies; nil: dense. See [Program.Variant].
	Layout Layout
	// Table is, of what has a layout with a table, the value of that kind.
	Table ValueID
	// Views are the layouts that steps take of an argument or result: bit 0 any strides,
	// bit 1+d a table for dimension d. See [Program.TakesView].
	Views uint64
}

// Step is one step of a program.
type Step struct {
	Work    Work
	Ordinal int           // of the op of the text whose failure it would report
	Loc     mlir.Location // of that op; nil if the text does not tell
	// Together says that the step may run at the same time as the step before it: their
	// temporaries are apart from each other. See [Program.BringTogether].
	Together bool
}

// Failed returns the error of a run in which the step failed.
func (s *Step) Failed(err error) *backends.RunError {
	return &backends.RunError{Op: s.Ordinal, At: backends.LineOf(s.Loc), Reason: err}
}

// Launch runs a kernel.
type Launch struct {
	Kernel   int
	Operands []Operand
	Sizes    []int64 // the kernel's run-time sizes
	Strides  []int64 // its run-time strides, in elements, but for Moving
	Moving   []Moving
	// Copies says that the kernel stores each element that it loads at the same place
	// of another value: where both have the same memory there is nothing to do.
	Copies bool
	// Parts is into how many parts of K a product is cut whose sums a later step adds; 0:
	// it is not cut. See fuse.Options.ProductParts.
	Parts int
	// Pitches says that the kernel copies an operand of a later product to rows that the
	// target reads best. See fuse.Options.Pitch.
	Pitches bool
}

// Operand is a value as a kernel sees it.
type Operand struct {
	Value  ValueID
	Offset int64    // in elements
	By     []Factor // and so many of the value's strides more
}

// Moving is a run-time stride that depends on how a value lies: it is Strides[At]
// and so many times the strides of the operand's value.
type Moving struct {
	At, Operand int
	By          []Factor
}

// Host is an op that the evaluator runs.
type Host struct {
	Op     mlir.Code
	Reason string // why it is not a kernel
	// Why is the reason as its user is told; empty where the host is where the op belongs:
	// messages, tokens and functions of the host.
	Why  string
	Text string // a module with the op in its main
	// Threads is how many threads the op may use; 0 if that is not said.
	Threads int
	Run     backends.Executable
	Args    []HostArg
	Outs    []ValueID
}

// HostArg is a value in the shape in which an op reads it.
type HostArg struct {
	Value ValueID
	Type  types.Type
}

// Ordinals are those of the ops of a region in the text of the program, by their
// ordinals in the text that the region was compiled as.
type Ordinals []int

// of returns what an op of the region is in the program's text; -1 if that is unknown.
// Without a region the text is the program's.
func (o Ordinals) of(op int) int {
	switch {
	case o == nil:
		return op
	case op >= 0 && op < len(o):
		return o[op]
	}
	return -1
}

// in returns the ordinals in the text of the program of a region of a region.
func (o Ordinals) in(outer Ordinals) Ordinals {
	all := make(Ordinals, len(o))
	for i, op := range o {
		all[i] = outer.of(op)
	}
	return all
}

// Loop is a while: Body makes the next values of what is carried as long as
// Cond says so. Both take what is carried, then Captured.
type Loop struct {
	Cond, Body *Program
	// Init is what is carried at first: see [Loop.Undefined].
	Init     []HostArg
	Captured []HostArg
	Outs     []ValueID // what is carried at last
	// Stays says of each value that is carried that the body writes its next value
	// over it: it stays where Outs is, and takes no other memory.
	Stays []bool
	// CondOps and BodyOps say what the ops of both are in the program's text.
	CondOps, BodyOps Ordinals
}

// Undefined reports whether carried value i may be anything at first: it is what the memory of its
// output has, and iterations write all of that before they read it.
func (l *Loop) Undefined(i int) bool { return l.Init[i].Value == l.Outs[i] }

// Branch is an if or a case: the scalar Index chooses what makes Outs of
// Captured. A bool that is true chooses the first; an integer that is out of
// range the last.
type Branch struct {
	Index    HostArg
	Branches []*Program
	Ops      []Ordinals // what the ops of each branch are in the program's text
	Captured []HostArg
	Outs     []ValueID
}

// HostSteps returns the steps that the evaluator runs, those of regions of loops and
// branches included.
func (p *Program) HostSteps() []*Host {
	var all []*Host
	p.Each(func(s *Step) {
		if h := s.Host(); h != nil {
			all = append(all, h)
		}
	})
	return all
}

// Each calls visit with every step, and after a loop or a branch with those of
// its regions.
func (p *Program) Each(visit func(s *Step)) {
	for i := range p.Steps {
		s := &p.Steps[i]
		visit(s)
		for _, r := range s.Regions() {
			r.Each(visit)
		}
	}
}
