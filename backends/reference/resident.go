package reference

import (
	"log/slog"
	"reflect"
	"unsafe"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/internal/footprint"
	"ltc/internal/spare"
)

// heap counts what one program takes beside what programs share. Code says itself what
// it takes.
var heap = footprint.New(append([]reflect.Type{
	reflect.TypeFor[*eval.Backend](),
	reflect.TypeFor[kernel.Compiler](),
	reflect.TypeFor[kernel.Code](),
	reflect.TypeFor[*keeper](),      // runs add to it
	reflect.TypeFor[*deferral](),    // runs begin its work
	reflect.TypeFor[*slog.Logger](), // the user's
}, eval.Shared...)...)

// unused is about what is not used of memory that the parts of a program's module are
// allocated in, many together.
const unused = 1 << 10

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
// collector's while nobody runs. Its parts are added up, and not walked by heap: that would
// read the types of all, which the first program of a process would wait for.
func (e *compiled) ResidentBytes() int {
	n := int(unsafe.Sizeof(*e)) + unused + e.Plan.Program.ResidentBytes()
	n += footprint.Slice(e.steps) + footprint.Slice(e.codes) + footprint.Slice(e.compilers) + footprint.Slice(e.Bound)
	for _, v := range e.Known {
		n += v.Type.Bytes()
	}
	for i := range e.steps {
		n += footprint.Slice(e.steps[i].sizes)
	}
	n += footprint.Slice(e.codeOf) + footprint.Slice(e.hosted)
	for _, c := range e.codeOf {
		n += int(unsafe.Sizeof(*c)) + footprint.Slice(c.void) + footprint.Slice(c.prepared) + footprint.Slice(c.steps)
	}
	for _, c := range e.codes {
		if r, ok := c.(interface{ ResidentBytes() int }); ok {
			n += r.ResidentBytes()
		}
	}
	for _, regions := range e.Regions {
		for _, x := range regions {
			if r, ok := x.(backends.Resident); ok {
				n += r.ResidentBytes()
			}
		}
	}
	if e.keeper != nil {
		n += e.keeper.ResidentBytes()
	}
	return n
}

// ResidentBytes implements [backends.Resident].
func (s *openExecutable) ResidentBytes() int { return heap.Of(s) + unused }

// ResidentBytes is what has been made of constants until the program was ready.
func (k *keeper) ResidentBytes() int {
	n := int(k.made.Load())
	if k.of != nil {
		n += k.of.ResidentBytes()
	}
	return n
}
