package driver

import (
	"fmt"
	"strings"
	"unsafe"
)

// Code is what a function of the library returns. As an error it is what [Error]
// wraps, so that errors.Is(err, [OutOfMemory]) tells.
type Code int32

// Name returns the name in NVIDIA's header; empty if it is newer than this
// package.
func (c Code) Name() string { return codes[c].name }

func (c Code) Error() string {
	if name := c.Name(); name != "" {
		return fmt.Sprintf("%s (%d)", name, int32(c))
	}
	return fmt.Sprintf("code %d", int32(c))
}

// Lost reports whether the context in which it was returned cannot be used any
// more.
func (c Code) Lost() bool { return codes[c].lost }

// Error is a call that failed.
type Error struct {
	Call string // the function, as the library names it
	Code Code
	Text string // what the library says of a code that this package does not know
	What string // what the call was for; may be empty
	// Log is what the compiler in the driver said about a module; may be empty.
	Log string
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "cuda: %s: %v", e.Call, e.Code)
	for _, s := range []string{e.Text, codes[e.Code].advice, e.What} {
		if s != "" {
			b.WriteString(": " + s)
		}
	}
	if e.Log != "" {
		b.WriteString("\n" + e.Log)
	}
	return b.String()
}

// Unwrap returns the code.
func (e *Error) Unwrap() error { return e.Code }

// LostError is what every call in a context returns after the one that lost it.
type LostError struct {
	Device int
	First  *Error
}

func (e *LostError) Error() string {
	return fmt.Sprintf("cuda: the context of device %d was lost before, and with it all of its memory; only a new process gets another: %v", e.Device, e.First)
}

// Unwrap returns the error of the call that lost it, or first told.
func (e *LostError) Unwrap() error { return e.First }

// fail makes the error of a call.
func (d *Driver) fail(e entry, code Code) *Error {
	err := &Error{Call: entries[e].Name, Code: code}
	if code.Name() == "" {
		err.Text = strings.TrimSpace(d.said(cuGetErrorName, code) + " " + d.said(cuGetErrorString, code))
	}
	return err
}

// said asks the library about a code.
func (d *Driver) said(e entry, code Code) string {
	f := newFrame()
	defer f.free()
	if d.fn[e] == 0 || d.set(e, f, uintptr(code), uintptr(unsafe.Pointer(&f.ptr))) != Success || f.ptr == nil {
		return ""
	}
	return goString(f.ptr)
}

// goString copies a string of C's.
func goString(p unsafe.Pointer) string {
	n := 0
	for *(*byte)(unsafe.Add(p, n)) != 0 {
		n++
	}
	return string(unsafe.Slice((*byte)(p), n))
}
