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

// ResidentBytes implements [backends.Resident]: the program, the text
// of its kernels, about as much code on the device, and constants there. The blocks of
// memory that runs work in are the queue's. Runners count as they are made: see
// [executable.count].
func (e *executable) ResidentBytes() int { return heap.Of(e) + e.onDevice() }

// ResidentBytes implements [backends.Resident].
func (s *openExecutable) ResidentBytes() int { return heap.Of(s) + s.code.onDevice() }

// size is about what a variant of a program takes. Kernels that it has in common with
// the program count again.
func (x *code) size() int { return heap.Of(x) + x.onDevice() }

// launchBytes is about what a launch takes in a runner: the launch with its arguments, here
// and in a graph of the driver's.
const launchBytes = 512

// takes returns about how many bytes a runner takes.
func (r *runner) takes() int {
	n := 0
	for i := range r.launches {
		if r.launches[i] != nil {
			n += 1 + len(r.then[i])
		}
		if r.byMaps[i] != nil {
			n++
		}
	}
	const address = 8
	return n*launchBytes + len(r.Mem)*address
}

// onDevice is about what code and constants take there.
func (x *code) onDevice() int {
	n := len(x.of.machine)
	if n == 0 {
		for _, t := range x.of.texts {
			n += len(t)
		}
	}
	for _, c := range x.of.all {
		n += c.constantBytes
	}
	return n
}
