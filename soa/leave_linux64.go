//go:build linux && (amd64 || arm64)

package soa

import (
	"syscall"
	"unsafe"
)

// leave ends the mapping of a file at mem, whose addresses read as zeros from then
// on: the file may be made shorter, and is not written any more. If the system says
// no, all is as it was.
func leave(mem []byte) {
	_, _, _ = syscall.Syscall6(syscall.SYS_MMAP, uintptr(unsafe.Pointer(unsafe.SliceData(mem))), uintptr(len(mem)),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_FIXED, ^uintptr(0), 0)
}
