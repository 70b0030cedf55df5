//go:build linux || darwin || freebsd || netbsd || openbsd

package soa

import (
	"os"
	"syscall"
)

// canMap is whether buffers can be off the Go heap here.
const canMap = true

func mapAnonymous(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func mapFile(f *os.File, n int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
}

// mapShared maps memory that processes share. To read only, a mapping of the process's own
// that is not written shows the file's pages. A write that should not be there changes a
// copy rather than end the process.
func mapShared(f *os.File, n int, write bool) ([]byte, error) {
	flags := syscall.MAP_SHARED
	if !write {
		flags = syscall.MAP_PRIVATE
	}
	return syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, flags)
}

// unmap panics when mem is no mapping, which is an error of this package.
func unmap(mem []byte) {
	if err := syscall.Munmap(mem); err != nil {
		panic("soa: unmap: " + err.Error())
	}
}
