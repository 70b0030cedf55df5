//go:build linux && (amd64 || arm64)

package driver

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// library loads a library and returns what finds its functions.
func library(name string) (func(name string) uintptr, error) {
	runtime.LockOSThread() // of which dlerror is: why there is no library
	defer runtime.UnlockOSThread()
	handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	return func(name string) uintptr {
		p, err := purego.Dlsym(handle, name)
		if err != nil {
			return 0
		}
		return p
	}, nil
}
