//go:build linux && (amd64 || arm64)

package libllvm

import (
	"path/filepath"
	"unsafe"

	"github.com/ebitengine/purego"
)

// linkMap is the start of the linker's struct link_map, which handles of glibc
// and musl point to.
type linkMap struct {
	base uintptr
	name uintptr // a string
}

// fileOf returns the file that a handle of the linker's was loaded from; name
// if that cannot be told.
func fileOf(handle uintptr, name string) string {
	const requestLinkMap = 2 // RTLD_DI_LINKMAP
	dlinfo, err := purego.Dlsym(purego.RTLD_DEFAULT, "dlinfo")
	if err != nil {
		return name
	}
	var m *linkMap
	if truth(fn(dlinfo).call(handle, requestLinkMap, uintptr(unsafe.Pointer(&m)))) || m == nil {
		return name
	}
	file := goString(m.name)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return name
}
