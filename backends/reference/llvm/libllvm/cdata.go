package libllvm

import (
	"errors"
	"unsafe"
)

var errNoObject = errors.New("make code: nothing came back")

// cString returns a copy of s for C, on the Go heap: it must be converted to
// uintptr in the argument list of the call that gets it.
func cString(s string) *byte {
	b := make([]byte, len(s)+1)
	copy(b, s)
	return &b[0]
}

// goString copies a string of C's.
func goString(p uintptr) string {
	if p == 0 {
		return ""
	}
	n := 0
	for *(*byte)(pointer(p + uintptr(n))) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(pointer(p)), n))
}

// goBytes copies n bytes of C's.
func goBytes(p uintptr, n int) ([]byte, error) {
	if p == 0 || n == 0 {
		return nil, errNoObject
	}
	return append([]byte(nil), unsafe.Slice((*byte)(pointer(p)), n)...), nil
}

// pointer makes a pointer of an address outside of the Go heap.
func pointer(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// truth is a C int that is not 0: the upper half of the register is anything.
func truth(r uintptr) bool { return uint32(r) != 0 }
