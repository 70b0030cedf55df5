//go:build linux && (amd64 || arm64)

package soa

import (
	"syscall"
	"unsafe"
)

// leave replaces the mapping of a file at mem by memory of zeros at the same addresses. The
// file may then be truncated, and is not written any more. A failure changes nothing.
func leave(mem []byte) {
	_, _, _ = syscall.Syscall6(syscall.SYS_MMAP, uintptr(unsafe.Pointer(unsafe.SliceData(mem))), uintptr(len(mem)),
		syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_FIXED, ^uintptr(0), 0)
}
