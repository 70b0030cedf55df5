//go:build linux || darwin || freebsd || netbsd || openbsd

package soa

import (
	"os"
	"syscall"
)

// canMap says that buffers can be off the Go heap on this system.
const canMap = true

func mapAnonymous(n int) ([]byte, error) {
	return syscall.Mmap(-1, 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
}

func mapFile(f *os.File, n int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE)
}

// mapShared maps a file that processes share. Without write, the mapping is private: it shows
// the file's pages until it is written. A stray write then changes a private copy, instead of
// ending the process.
func mapShared(f *os.File, n int, write bool) ([]byte, error) {
	flags := syscall.MAP_SHARED
	if !write {
		flags = syscall.MAP_PRIVATE
	}
	return syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ|syscall.PROT_WRITE, flags)
}

// unmap ends a mapping. It panics if mem is not one, which is a bug of this package.
func unmap(mem []byte) {
	if err := syscall.Munmap(mem); err != nil {
		panic("soa: unmap: " + err.Error())
	}
}
