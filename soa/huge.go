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
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(all))) & (HugePage - 1))
	mem := all[skip : skip+n : skip+n]
	adviseHuge(all[skip : skip+(n+HugePage-1)&^(HugePage-1)])
	return mapped(mem, all), nil
}
