package soa

import (
	"syscall"
	"unsafe"
)

const (
	hugePage = 2 << 20 // bytes of a huge page where other pages have 4 KiB
	// hugeFrom is from how many bytes on memory is to have huge pages: what they
	// cannot cover at its ends is a quarter of it at most.
	hugeFrom = 8 << 20
)

// huge asks the system for huge pages behind mem, where nothing has been
// written yet. If the system says no, all is as it was.
func huge(mem []byte) {
	if len(mem) >= hugeFrom {
		_ = syscall.Madvise(hugePages(mem), syscall.MADV_HUGEPAGE)
	}
}

// hugePages returns the part of mem that is whole huge pages.
func hugePages(mem []byte) []byte {
	before := int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (hugePage - 1))
	return mem[before : before+(len(mem)-before)&^(hugePage-1)]
}
