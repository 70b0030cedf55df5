package reference

import (
	"reflect"

	"ltc/backends/kit/kernel"
	"ltc/internal/footprint"
)

// common are the types of what programs share. Code says itself what it takes.
var common = []reflect.Type{
	reflect.TypeFor[*Backend](),
	reflect.TypeFor[kernel.Compiler](),
	reflect.TypeFor[kernel.Code](),
}

// resident returns what can be reached from a program. The parts of its module are
// allocated many together, of which the last are not used.
func resident(x any) int {
	const unused = 1 << 10
	return footprint.Of(x, common...) + unused
}

// ResidentBytes implements [backends.Resident]: the program with its module, the code
// of its kernels, and what is made of constants. What runs work with is the garbage
// collector's while nobody runs.
func (e *compiled) ResidentBytes() int { return resident(e) }

// ResidentBytes implements [backends.Resident].
func (s *sized) ResidentBytes() int { return resident(s) }

// ResidentBytes implements [backends.Resident]. An op is a function with what it
// captures.
func (e *executable) ResidentBytes() int {
	const captured = 256
	return resident(e) + captured*len(e.code.steps)
}

// ResidentBytes implements [backends.Resident].
func (e *openExecutable) ResidentBytes() int { return resident(e) }
