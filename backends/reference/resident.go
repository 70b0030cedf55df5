package reference

import (
	"log/slog"
	"reflect"
	"sync/atomic"

	"ltc/backends/kit/kernel"
	"ltc/internal/footprint"
	"ltc/mlir"
)

// heap counts what one program takes beside what programs share. Code says itself what
// it takes.
var heap = footprint.New(
	reflect.TypeFor[*Backend](),
	reflect.TypeFor[kernel.Compiler](),
	reflect.TypeFor[kernel.Code](),
	reflect.TypeFor[*keeper](),      // runs add to it
	reflect.TypeFor[*opCache](),     // likewise
	reflect.TypeFor[*slog.Logger](), // the user's
)

// ofOp counts what an op takes that a run has prepared, beside the program.
var ofOp = footprint.New(reflect.TypeFor[mlir.Op](), reflect.TypeFor[mlir.Value](), reflect.TypeFor[*compiler]())

// tiles counts what tiles take beside their kernel, which is the program's.
var tiles = footprint.New(reflect.TypeFor[kernel.Kernel]())

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

// ResidentBytes implements [backends.Resident]: the program with its module, the code
// of its kernels, and what is made of constants. What runs work with is the garbage
// collector's while nobody runs.
func (e *compiled) ResidentBytes() int { return resident(e) }

// ResidentBytes implements [backends.Resident].
func (s *sized) ResidentBytes() int { return resident(s) }

// ResidentBytes is what has been made of constants until the program was ready.
func (k *keeper) ResidentBytes() int {
	n := int(k.made.Load())
	if k.of != nil {
		n += k.of.ResidentBytes()
	}
	return n
}

// closureBytes is about what a function takes that is a step of the evaluator's.
const closureBytes = 256

// ResidentBytes implements [backends.Resident].
func (e *executable) ResidentBytes() int { return resident(e) + closureBytes*len(e.code.steps) }

// Grown implements [backends.Growing]: it counts ops that runs prepare.
func (e *executable) Grown() *atomic.Int64 { return e.grown }

// Grown implements [backends.Growing].
func (e *openExecutable) Grown() *atomic.Int64 { return e.program.grown }

// residentOp returns about what a prepared op takes, with its key.
func residentOp(key opKey, made *opCode) int {
	const apart = 512 // the pool, the entry and the function's own compiler
	return apart + ofOp.Of(made.code) + closureBytes*len(made.code.steps) + len(key.types)
}

// ResidentBytes implements [backends.Resident].
func (e *openExecutable) ResidentBytes() int { return resident(e) }
