package cuda

import (
	"context"
	"reflect"

	"ltc/backends/kit/kernel"
	"ltc/internal/footprint"
)

// common are the types of what programs share.
var common = []reflect.Type{
	reflect.TypeFor[*Device](),
	reflect.TypeFor[*launches](),
	reflect.TypeFor[context.Context](),
	reflect.TypeFor[kernel.Code](),
}

// ResidentBytes implements [backends.Resident]: the program with its module, the text
// of its kernels, about as much code on the device, and constants there. What runs
// work with, graphs too, is the device's memory and kept while programs are.
func (e *executable) ResidentBytes() int { return footprint.Of(e, common...) + e.onDevice() }

// ResidentBytes implements [backends.Resident].
func (s *sized) ResidentBytes() int { return footprint.Of(s, common...) + s.code.onDevice() }

// onDevice is about what code and constants take there.
func (x *code) onDevice() int {
	n := len(x.of.machine)
	if n == 0 {
		for _, t := range x.of.texts {
			n += len(t)
		}
	}
	for _, c := range x.of.all {
		n += c.sized
	}
	return n
}
