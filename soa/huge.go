package soa

import (
	"fmt"
	"unsafe"

	"ltc/internal/diag"
)

// hugePage is the size in bytes of a large page: on amd64, and on arm64 with small pages of
// 4 KiB.
const hugePage = 2 << 20

// HugePages is [OffHeap] with a start at a multiple of 2 MiB. It asks the system for
// large pages, which cause fewer TLB misses when columns are read in parallel. It is no error
// if the system declines.
func HugePages(n int) (*Buffer, error) {
	if n < 1 || !canMap {
		return OffHeap(n)
	}
	whole := (n + 2*hugePage - 1) &^ (hugePage - 1)
	if whole < n {
		return nil, fmt.Errorf("%w: map %s", ErrMemory, diag.Count(n, "byte"))
	}
	press(n)
	all, err := mapAnonymous(whole)
	if err != nil {
		return nil, fmt.Errorf("%w: map %s: %w", ErrMemory, diag.Bytes(n), err)
	}
	skip := toHugePage(all)
	mem := all[skip : skip+n : skip+n]
	adviseHuge(hugePagesAround(mem))
	return mapped(mem, all), nil
}

// hugeFrom is the least size in bytes of a mapping that asks for large pages. At this size
// they leave at most a quarter of the mapping uncovered at its ends.
const hugeFrom = 4 * hugePage

// huge asks the system for large pages for a mapping that was not written yet. It does
// nothing if the system declines.
func huge(mem []byte) {
	if len(mem) >= hugeFrom {
		adviseHuge(hugePages(mem))
	}
}

// hugeHeap is huge for memory of the Go heap. The large pages also cover neighbouring memory
// of the heap, so that blocks from [Pooled] bytes on are worth them. They save TLB misses,
// and also cache conflicts: a large page uses all sets of the cache evenly, while small
// pages may crowd some of them.
func hugeHeap(mem []byte) {
	if len(mem) >= Pooled {
		adviseHuge(hugePagesAround(mem))
	}
}

// hugePages returns the address range of the large pages that are wholly in mem.
func hugePages(mem []byte) (from, to uintptr) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return at + uintptr(toHugePage(mem)), (at + uintptr(len(mem))) &^ (hugePage - 1)
}

// hugePagesAround returns the address range of the large pages that mem touches.
func hugePagesAround(mem []byte) (from, to uintptr) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return at &^ (hugePage - 1), (at + uintptr(len(mem)) + hugePage - 1) &^ (hugePage - 1)
}

// toHugePage returns the number of bytes of mem before its first large page.
func toHugePage(mem []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (hugePage - 1))
}
