package libraries

import (
	"fmt"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Entry is a function of a library.
type Entry struct {
	Name string
	// Args has a letter for each argument, and Result one for what is returned: those
	// of package driver's table, and l for a signed number of 64 bits.
	Args, Result string
}

// Status is what functions of a library return, 0 where nothing is wrong. As an error
// it is what [Error] wraps.
type Status interface {
	~int32
	error
}

// Functions are those of a library, by their places E in its table.
type Functions[E ~int, S Status] struct {
	library, path string
	entries       []Entry
	at            []uintptr
}

// Find looks the functions of a table up in a library that errors name so. lookup returns
// the address of a function, which follows the calling convention of C, or 0 if there is
// none, see [Functions.Missing]. path says which library it is.
func Find[E ~int, S Status](library, path string, entries []Entry, lookup func(name string) uintptr) *Functions[E, S] {
	f := &Functions[E, S]{library: library, path: path, entries: entries, at: make([]uintptr, len(entries))}
	for e := range entries {
		f.at[e] = lookup(entries[e].Name)
	}
	return f
}

// Path says which library it is.
func (f *Functions[E, S]) Path() string { return f.path }

// Has reports whether the library has a function.
func (f *Functions[E, S]) Has(e E) bool { return f.at[e] != 0 }

// Missing names the first function of the table that the library lacks; "": none.
func (f *Functions[E, S]) Missing() string {
	for e, p := range f.at {
		if p == 0 {
			return f.entries[e].Name
		}
	}
	return ""
}

// Number calls a function that takes nothing and returns a number.
func (f *Functions[E, S]) Number(e E) int {
	n, _, _ := purego.SyscallN(f.at[e])
	return int(n)
}

// Frame holds what a call passes and gets. It is to be on the heap: stacks move, and
// libraries write to addresses that they were given as numbers.
type Frame struct {
	Args [16]uintptr
	Out  uint64 // where a handle or a number comes back
	In   uint64 // where what is handed over by its address may be
}

// Result is the address of Out.
func (a *Frame) Result() uintptr { return uintptr(unsafe.Pointer(&a.Out)) }

// Call calls a function with the first n arguments of a frame. It allocates nothing as
// long as nothing fails.
func (f *Functions[E, S]) Call(e E, a *Frame, n int) error {
	r, _, _ := purego.SyscallN(f.at[e], a.Args[:n]...)
	runtime.KeepAlive(a)
	if s := S(int32(r)); s != 0 {
		return f.Failed(e, s, "")
	}
	return nil
}

// Set is [Functions.Call] with the arguments listed; for what is not called often.
func (f *Functions[E, S]) Set(e E, a *Frame, args ...uintptr) error {
	copy(a.Args[:], args)
	return f.Call(e, a, len(args))
}

// Failed returns the error of a call that returned a status, and what it was for.
func (f *Functions[E, S]) Failed(e E, s S, what string) error {
	return &Error{Library: f.library, Call: f.entries[e].Name, Status: s, What: what}
}

// Error is a call that failed. It wraps its status.
type Error struct {
	Library string
	Call    string // the function, as the library names it
	Status  error  // of the library's own type
	What    string // what the call was for; may be empty
}

func (e *Error) Error() string {
	s := fmt.Sprintf("%s: %s: %v", e.Library, e.Call, e.Status)
	if e.What != "" {
		s += ": " + e.What
	}
	return s
}

// Unwrap returns the status.
func (e *Error) Unwrap() error { return e.Status }
