package eval

import (
	"log/slog"
	"reflect"
	"slices"
	"sync/atomic"

	"ltc/internal/footprint"
	"ltc/mlir"
)

// Shared are the types of what runs of a program add to: a counter of what the program
// takes does not enter it.
var Shared = []reflect.Type{reflect.TypeFor[*opCache]()}

// heap counts what one program takes beside what programs share.
var heap = footprint.New(append(slices.Clip(Shared), reflect.TypeFor[*Backend](), reflect.TypeFor[*slog.Logger]())...)

// ofOp counts what an op takes that a run has prepared, beside the program.
var ofOp = footprint.New(reflect.TypeFor[mlir.Op](), reflect.TypeFor[mlir.Value](), reflect.TypeFor[*compiler]())

// closureBytes is about what a function takes that is a step of the evaluator's.
const closureBytes = 256

// ResidentBytes implements [backends.Resident]. Tables are counted apart: the functions that hold them
// hide them.
func (e *executable) ResidentBytes() int {
	return resident(e) + e.code.tables + closureBytes*len(e.code.steps)
}

// Grown implements [backends.Growing]: it counts ops that runs prepare.
func (e *executable) Grown() *atomic.Int64 { return e.grown }

// Grown implements [backends.Growing].
func (e *openExecutable) Grown() *atomic.Int64 { return e.program.grown }

// residentOp returns about what a prepared op takes, with its key.
func residentOp(key opKey, made *opCode) int {
	const apart = 512 // the pool, the entry and the function's own compiler
	return apart + ofOp.Of(made.code) + made.code.tables + closureBytes*len(made.code.steps) + len(key.types)
}

// ResidentBytes implements [backends.Resident].
func (e *openExecutable) ResidentBytes() int { return resident(e) }

// resident returns what can be reached from a program. The parts of its module are
// allocated many together, of which the last are not used.
func resident(x any) int {
	const unused = 1 << 10
	return heap.Of(x) + unused
}
