//go:build linux && (amd64 || arm64)

package native

import (
	"unsafe"

	_ "github.com/ebitengine/purego" // makes threads that C code can run on
)

// cgocall calls the C function fn with arg as its only argument on a stack of
// the system's, and returns what it leaves in the register for an int32. The
// runtime says that this name and type stay.
//
//go:linkname cgocall runtime.cgocall
//go:noescape
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// asmcgocall does the same without telling the scheduler: it is what cgocall
// calls. Assembly may call it by its name.
//
//go:noescape
func asmcgocall(fn uintptr, arg unsafe.Pointer) int32

// call costs 25 ns and allocates nothing, which purego.SyscallN does.
func call(entry uintptr, args unsafe.Pointer) int32 { return cgocall(entry, args) }

func callShort(entry uintptr, args unsafe.Pointer) int32 { return asmcgocall(entry, args) }
