package eval

import (
	"unsafe"

	"ltc/backends/reference/internal/loops"
)

// What moves much memory at a time does it in stretches, between which the run
// can be cancelled. Whoever goes on after one that ended early finds the fuel
// used up, and so ends at the next look; see loops.Budget.

// stretchBytes is what is cleared or copied at a time: memory that the system
// hands out only now takes about a millisecond.
const stretchBytes = 1 << 20

// stretches runs something for n things, at most so many at a time, and reports
// whether the run was cancelled.
func (f *frame) stretches(n, most int, run func(i, n int)) bool {
	if f.ws.Done == nil || n <= most {
		run(0, n)
		return false
	}
	for i := 0; i < n; i += most {
		if run(i, min(most, n-i)); f.due(loops.Tank) {
			return true
		}
	}
	return false
}

func (f *frame) clear(to unsafe.Pointer, bytes int) bool {
	return f.stretches(bytes, stretchBytes, func(i, n int) { clear(unsafe.Slice((*byte)(unsafe.Add(to, i)), n)) })
}

func (f *frame) copy(to, from unsafe.Pointer, bytes int) bool {
	if bytes <= stretchBytes { // as a loop's counter is
		loops.CopyBytes(to, from, bytes)
		return false
	}
	return f.stretches(bytes, stretchBytes, func(i, n int) { loops.CopyBytes(unsafe.Add(to, i), unsafe.Add(from, i), n) })
}

// fill runs a kernel of Fill for n elements of the given size.
func (f *frame) fill(k loops.Loop1, size int, to, value unsafe.Pointer, n int) bool {
	return f.stretches(n, stretchBytes/size, func(i, n int) { k(unsafe.Add(to, i*size), value, n) })
}

// convert runs a kernel whose results and operands have the given sizes.
func (f *frame) convert(k loops.Loop1, toSize, fromSize int, to, from unsafe.Pointer, n int) bool {
	return f.stretches(n, loops.Tank, func(i, n int) { k(unsafe.Add(to, i*toSize), unsafe.Add(from, i*fromSize), n) })
}

// combine runs a kernel whose first operand is its result, of elements of the
// given size.
func (f *frame) combine(k loops.Loop2, size int, acc, x unsafe.Pointer, n int) bool {
	if n <= loops.Tank {
		k(acc, acc, x, n)
		return false
	}
	return f.stretches(n, loops.Tank, func(i, n int) {
		p := unsafe.Add(acc, i*size)
		k(p, p, unsafe.Add(x, i*size), n)
	})
}
