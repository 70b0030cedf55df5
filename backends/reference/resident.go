package reference

import (
	"log/slog"
	"reflect"

	"ltc/backends/kit/exec"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/plan"
	"ltc/backends/reference/eval"
	"ltc/internal/footprint"
	"ltc/internal/spare"
	"ltc/mlir"
)

// heap counts what one program takes beside what programs share. Modules, kernels, graphs
// and code say themselves what they take: to read their types takes as long as to plan a
// small program.
var heap = footprint.New(append([]reflect.Type{
	reflect.TypeFor[*eval.Backend](),
	reflect.TypeFor[*exec.Machine](),
	reflect.TypeFor[*exec.Variants[*compiled]](), // they count as they are made
	reflect.TypeFor[*spare.Pool[launcher]](),     // runs take from it
	reflect.TypeFor[*slog.Logger](),              // the user's
	reflect.TypeFor[*keeper](),                   // runs add to it
	reflect.TypeFor[*mlir.Module](),
	reflect.TypeFor[mlir.Location](), // of the module, as ops and values are
	reflect.TypeFor[mlir.Op](),
	reflect.TypeFor[mlir.Value](),
	reflect.TypeFor[*kernel.Kernel](),
	reflect.TypeFor[kernel.Compiler](),
	reflect.TypeFor[kernel.Code](),
	reflect.TypeFor[plan.Origin](),
}, eval.Shared...)...)

// resident returns what can be reached from a program. The parts of its module are
// allocated many together, of which the last are not used.
func resident(x any) int {
	const unused = 1 << 10
	return heap.Of(x) + unused
}

// residentBeside returns what can be reached from x and not from a program.
func residentBeside(x, program any) int {
	return heap.Of([2]any{program, x}) - heap.Of(program)
}

// runBytes is what one run of a variant works with, which is kept for the next.
func (e *compiled) runBytes() int { return spareBytes(e.pool, e) }

// runBytes is as that of [compiled].
func (f *form) runBytes() int { return spareBytes(f.runs, f) }

func spareBytes[T any](p *spare.Pool[T], of any) int {
	x := p.Get()
	defer p.Put(x)
	return residentBeside(x, of)
}

// ResidentBytes implements [backends.Resident]: the program with its module, the code
// of its kernels, and what is made of constants. What runs work with is the garbage
// collector's while nobody runs.
func (e *compiled) ResidentBytes() int { return resident(e) }

// ResidentBytes implements [backends.Resident].
func (s *openExecutable) ResidentBytes() int { return resident(s) }

// ResidentBytes is what has been made of constants until the program was ready.
func (k *keeper) ResidentBytes() int {
	n := int(k.made.Load())
	if k.of != nil {
		n += k.of.ResidentBytes()
	}
	return n
}
