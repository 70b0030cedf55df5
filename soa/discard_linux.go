package soa

import (
	"os"
	"syscall"
)

// discard gives pages that are no file's back to the system; they read as zeros from
// then on. That it does not do so is no error: they go when unmapped.
func discard(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_DONTNEED) }

// adviseHuge asks for large pages between two addresses.
func adviseHuge(from, to uintptr) {
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}

// reserve makes f n bytes long and takes the memory or the disk for them: pages of a
// file system that is full end the process when they are written.
func reserve(f *os.File, n int) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(n))
	if err == syscall.EOPNOTSUPP || err == syscall.ENOSYS {
		return f.Truncate(int64(n))
	}
	return os.NewSyscallError("fallocate", err)
}
