package reference

import (
	"reflect"
	"sync/atomic"

	"ltc/backends/kit/kernel"
	"ltc/internal/footprint"
)

// heap counts what one program takes beside what programs share. Code says itself what
// it takes.
var heap = footprint.New(
	reflect.TypeFor[*Backend](),
	reflect.TypeFor[kernel.Compiler](),
	reflect.TypeFor[kernel.Code](),
	reflect.TypeFor[*keeper](), // runs add to it
)

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

// Grown implements [backends.Growing].
func (e *compiled) Grown() *atomic.Int64 { return e.grown }

// ResidentBytes implements [backends.Resident].
func (s *sized) ResidentBytes() int { return resident(s) }

// Grown implements [backends.Growing].
func (s *sized) Grown() *atomic.Int64 { return s.grown }

// ResidentBytes is what has been made of constants.
func (k *keeper) ResidentBytes() int {
	n := int(k.made.Load())
	if k.of != nil {
		n += k.of.ResidentBytes()
	}
	return n
}

// ResidentBytes implements [backends.Resident]. An op is a function with what it
// captures.
func (e *executable) ResidentBytes() int {
	const captured = 256
	return resident(e) + captured*len(e.code.steps)
}

// ResidentBytes implements [backends.Resident].
func (e *openExecutable) ResidentBytes() int { return resident(e) }
