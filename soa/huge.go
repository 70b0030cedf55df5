package soa

import (
	"fmt"
	"unsafe"

	"ltc/internal/diag"
)

// HugePage is what [HugePages] aligns to: the size of a large page of amd64 and,
// with 4 KiB small ones, arm64.
const HugePage = 2 << 20

// HugePages returns a zeroed buffer of n bytes off the Go heap, as [OffHeap] does, that
// starts at a multiple of [HugePage]. The system is asked to use large pages for it, which
// cause fewer misses of the processor's page table when columns are read in parallel. It is
// no error when the system does not.
func HugePages(n int) (*Buffer, error) {
	if n < 1 || !canMap {
		return OffHeap(n)
	}
	whole := (n + 2*HugePage - 1) &^ (HugePage - 1)
	if whole < n {
		return nil, fmt.Errorf("%w: map %s", ErrMemory, diag.Count(n, "byte"))
	}
	press(n)
	all, err := mapAnonymous(whole)
	if err != nil {
		return nil, fmt.Errorf("%w: map %s: %w", ErrMemory, bytes(n), err)
	}
	skip := toHugePage(all)
	mem := all[skip : skip+n : skip+n]
	adviseHuge(hugePagesAround(mem))
	return mapped(mem, all), nil
}

// hugeFrom is from how many bytes on a mapping is to have large pages: what they
// cannot cover at its ends is a quarter of it at most.
const hugeFrom = 4 * HugePage

// huge asks the system for large pages behind a mapping, where nothing has been
// written yet. If the system says no, all is as it was.
func huge(mem []byte) {
	if len(mem) >= hugeFrom {
		adviseHuge(hugePages(mem))
	}
}

// hugeHeap is huge for memory of the Go heap. A large page may also hold what lies
// beside it, which is the heap's, too; so memory that a [Pool] would keep is worth
// one. Besides misses of the page table, it saves those of the cache: a large page
// never has more than its share of the cache's sets, as small ones by chance have.
func hugeHeap(mem []byte) {
	if len(mem) >= Pooled {
		adviseHuge(hugePagesAround(mem))
	}
}

// hugePages returns the addresses of the first large page that is wholly in mem, and
// of the end of the last.
func hugePages(mem []byte) (from, to uintptr) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return at + uintptr(toHugePage(mem)), (at + uintptr(len(mem))) &^ (HugePage - 1)
}

// hugePagesAround returns the addresses of the first large page that has some of
// mem, and of the end of the last.
func hugePagesAround(mem []byte) (from, to uintptr) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return at &^ (HugePage - 1), (at + uintptr(len(mem)) + HugePage - 1) &^ (HugePage - 1)
}

// toHugePage returns how many bytes of mem lie before its first large page.
func toHugePage(mem []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (HugePage - 1))
}
