package soa

import "syscall"

// discard gives pages back to the system; they read as zeros, or as the file,
// from then on. That it does not do so is no error: they go when unmapped.
func discard(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_DONTNEED) }

// adviseHuge asks for large pages.
func adviseHuge(mem []byte) { _ = syscall.Madvise(mem, syscall.MADV_HUGEPAGE) }
