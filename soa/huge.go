package soa

import (
	"fmt"
	"unsafe"
)

// HugePage is what [HugePages] aligns to: the size of a large page of amd64 and,
// with 4 KiB small ones, arm64.
const HugePage = 2 << 20

// HugePages returns a zeroed buffer of n bytes off the Go heap, as [OffHeap]
// does, that starts at a multiple of [HugePage] and for which the system is
// asked to use large pages: fewer misses of the processor's page table when
// columns are read in parallel. It is no error when the system does not.
func HugePages(n int) (*Buffer, error) {
	if n < 1 || !canMap {
		return OffHeap(n)
	}
	whole := (n + 2*HugePage - 1) &^ (HugePage - 1)
	if whole < n {
		return nil, fmt.Errorf("%w: map %d bytes", ErrMemory, n)
	}
	press(n)
	all, err := mapAnonymous(whole)
	if err != nil {
		return nil, fmt.Errorf("%w: map %s: %w", ErrMemory, bytes(n), err)
	}
	skip := toHugePage(all)
	mem := all[skip : skip+n : skip+n]
	adviseHuge(all[skip : skip+(n+HugePage-1)&^(HugePage-1)])
	return mapped(mem, all), nil
}

// hugeFrom is from how many bytes on all memory is to have large pages: what
// they cannot cover at its ends is a quarter of it at most.
const hugeFrom = 4 * HugePage

// huge asks the system for large pages behind mem, where nothing has been
// written yet. If the system says no, all is as it was.
func huge(mem []byte) {
	if len(mem) >= hugeFrom {
		adviseHuge(hugePages(mem))
	}
}

// hugePages returns the part of mem that is whole large pages.
func hugePages(mem []byte) []byte {
	skip := toHugePage(mem)
	return mem[skip : skip+(len(mem)-skip)&^(HugePage-1)]
}

// toHugePage returns how many bytes of mem lie before its first large page.
func toHugePage(mem []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (HugePage - 1))
}
