package driver

import (
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// frame holds what a call passes and gets. It is on the heap: stacks move, and
// the library writes to addresses that it was given as numbers.
type frame struct {
	args [12]uintptr
	out  [4]uint64      // where numbers and handles come back
	ptr  unsafe.Pointer // where an address of the host's memory comes back
	keep [2]unsafe.Pointer
}

var frames = sync.Pool{New: func() any { return new(frame) }}

func newFrame() *frame {
	f := frames.Get().(*frame)
	f.out = [4]uint64{}
	return f
}

func (f *frame) free() {
	f.ptr, f.keep = nil, [2]unsafe.Pointer{}
	frames.Put(f)
}

// result is the address of an out parameter.
func (f *frame) result(i int) uintptr { return uintptr(unsafe.Pointer(&f.out[i])) }

// int is an out parameter of 32 bits: the library writes half of a place.
func (f *frame) int(i int) int { return int(*(*int32)(unsafe.Pointer(&f.out[i]))) }

func (f *frame) handle(i int) uintptr { return uintptr(f.out[i]) }

// pin makes what p points to escape to the heap and live as long as the frame is
// in use, and returns its address.
func (f *frame) pin(i int, p unsafe.Pointer) uintptr {
	f.keep[i] = p
	return uintptr(p)
}

// text pins a string as C has it.
func (f *frame) text(i int, s string) uintptr {
	b := append([]byte(s), 0)
	return f.pin(i, unsafe.Pointer(&b[0]))
}

// call calls the library with the first n arguments of a frame.
func (d *Driver) call(e entry, f *frame, n int) Code {
	r, _, _ := purego.SyscallN(d.fn[e], f.args[:n]...)
	return Code(int32(r))
}

// set is call with the arguments listed; for what is not called often.
func (d *Driver) set(e entry, f *frame, args ...uintptr) Code {
	copy(f.args[:], args)
	return d.call(e, f, len(args))
}
