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

// ResidentBytes implements [backends.Resident]: the program with its module, the code
// of its kernels, and what is made of constants. What runs work with is the garbage
// collector's while nobody runs.
func (e *compiled) ResidentBytes() int { return footprint.Of(e, common...) }

// ResidentBytes implements [backends.Resident].
func (s *sized) ResidentBytes() int { return footprint.Of(s, common...) }

// ResidentBytes implements [backends.Resident]. An op is a function with what it
// captures.
func (e *executable) ResidentBytes() int {
	const captured = 256
	return footprint.Of(e, common...) + captured*len(e.code.steps)
}

// ResidentBytes implements [backends.Resident].
func (e *openExecutable) ResidentBytes() int { return footprint.Of(e, common...) }
