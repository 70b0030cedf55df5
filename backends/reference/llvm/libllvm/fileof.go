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
	base    uintptr
	name    uintptr // a string
	dynamic uintptr
	next    *linkMap // the library that was loaded after this one
}

// loadedFile is a library in memory.
type loadedFile struct {
	name string // for the linker
	file string
	base uintptr
}

// loadedBy returns the library that a handle of the linker's is of, and all that were loaded after it.
// It returns none if that cannot be told.
func loadedBy(handle uintptr) (all []loadedFile) {
	const requestLinkMap = 2 // RTLD_DI_LINKMAP
	dlinfo, err := purego.Dlsym(purego.RTLD_DEFAULT, "dlinfo")
	if err != nil {
		return nil
	}
	var m *linkMap
	if truth(fn(dlinfo).call(handle, requestLinkMap, uintptr(unsafe.Pointer(&m)))) {
		return nil
	}
	for ; m != nil; m = m.next {
		name := goString(m.name)
		file, err := filepath.EvalSymlinks(name)
		if err != nil {
			return all
		}
		all = append(all, loadedFile{filepath.Base(name), file, m.base})
	}
	return all
}
