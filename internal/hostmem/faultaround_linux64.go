//go:build linux && (amd64 || arm64)

package hostmem

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// MapSingly has the system map pages of a file's mapping one at a time, when they are accessed, or no longer does. Otherwise the
// system maps up to 16 that are next to each other and in its cache. That takes less time, but code that
// reads a little in most parts of its file then holds several times what it needs.
//
// Memory that userfaultfd watches is mapped by the page. What it is watched for is writing to pages that
// are write-protected, asynchronously, so that nobody is asked. No page is: the watching changes nothing
// else. Linux has it since 6.7; where it is refused, nothing changes.
func MapSingly(mapping []byte, on bool) {
	fd := watcher()
	r := uffdRegister{start: uintptr(unsafe.Pointer(unsafe.SliceData(mapping))), length: uintptr(len(mapping)), mode: registerWrites}
	if on {
		uffdControl(fd, controlRegister, unsafe.Pointer(&r))
	} else {
		uffdControl(fd, controlUnregister, unsafe.Pointer(&r)) // reads the range alone
	}
}

// From linux/userfaultfd.h.
type (
	uffdAPI      struct{ api, features, controls uint64 }
	uffdRegister struct {
		start, length uintptr
		mode          uint64
		controls      uint64
	}
)

const (
	uffdVersion       = 0xaa
	userModeOnly      = 1
	featureAsync      = 1 << 15 // UFFD_FEATURE_WP_ASYNC
	registerWrites    = 1 << 1  // UFFDIO_REGISTER_MODE_WP
	controlAPI        = 0xc018aa3f
	controlRegister   = 0xc020aa00
	controlUnregister = 0x8010aa01
)

// watcher returns what watches the mappings, which is never closed; -1 if there is none.
var watcher = sync.OnceValue(func() int {
	number := uintptr(323)
	if runtime.GOARCH == "arm64" {
		number = 282
	}
	fd, _, failed := syscall.Syscall(number, syscall.O_CLOEXEC|syscall.O_NONBLOCK|userModeOnly, 0, 0)
	if failed != 0 {
		return -1
	}
	if a := (uffdAPI{api: uffdVersion, features: featureAsync}); !uffdControl(int(fd), controlAPI, unsafe.Pointer(&a)) {
		_ = syscall.Close(int(fd))
		return -1
	}
	return int(fd)
})

func uffdControl(fd int, control uintptr, of unsafe.Pointer) bool {
	_, _, failed := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), control, uintptr(of))
	return failed == 0
}
