//go:build linux && (amd64 || arm64)

package hostmem

import (
	"runtime"
	"sync"
	"syscall"
	"unsafe"
)

// SetFaultAround sets whether an access to a file's mapping also maps neighbouring pages that are in the
// system's cache, up to 16, which is the default. Without it each access maps its own page: code that reads
// a little in most parts of its file then holds several times less, and takes more page faults.
//
// Memory registered with userfaultfd has no fault-around. It is registered for asynchronous faults of
// write-protected pages, and no page is write-protected: nothing else changes. Linux has such faults since
// 6.7. Where the system refuses, fault-around stays.
func SetFaultAround(mapping []byte, on bool) {
	fd := watcher()
	r := uffdRegister{start: uintptr(unsafe.Pointer(unsafe.SliceData(mapping))), length: uintptr(len(mapping)), mode: registerWrites}
	if on {
		uffdControl(fd, controlUnregister, unsafe.Pointer(&r)) // reads the range alone
	} else {
		uffdControl(fd, controlRegister, unsafe.Pointer(&r))
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

// watcher returns the userfaultfd of the mappings, which is never closed; -1 if there is none.
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
