//go:build !(linux && (amd64 || arm64))

package native

import (
	"unsafe"

	"github.com/ebitengine/purego"
)

func call(entry uintptr, args unsafe.Pointer) int32 {
	status, _, _ := purego.SyscallN(entry, uintptr(args))
	return int32(status)
}

func callShort(entry uintptr, args unsafe.Pointer) int32 { return call(entry, args) }
