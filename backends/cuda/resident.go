package cuda

import (
	"context"
	"log/slog"
	"reflect"
	"slices"

	"ltc/backends/kit/kernel"
	"ltc/internal/footprint"
)

// common are the types of what programs share.
var common = []reflect.Type{
	reflect.TypeFor[*Device](),
	reflect.TypeFor[*launches](),
	reflect.TypeFor[*resource](), // which leads to those of all programs
	reflect.TypeFor[context.Context](),
	reflect.TypeFor[kernel.Code](),
	reflect.TypeFor[*slog.Logger](), // the user's
}

// heap counts what one program takes beside what programs share; ofSize what a program
// for all sizes keeps of one size beside that.
var (
	heap   = footprint.New(common...)
	ofSize = footprint.New(append(slices.Clone(common), reflect.TypeFor[*entry]())...)
)

// ResidentBytes implements [backends.Resident]: the program with its module, the text
// of its kernels, about as much code on the device, and constants there. What runs
// work with, graphs too, is the device's memory and kept while programs are.
func (e *executable) ResidentBytes() int { return heap.Of(e) + e.onDevice() }

// ResidentBytes implements [backends.Resident].
func (s *sized) ResidentBytes() int { return heap.Of(s) + s.code.onDevice() }

// size is about what a variant of a program takes. Kernels that it has in common with
// the program count again.
func (x *code) size() int { return heap.Of(x) + x.onDevice() }

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
