// Package hostmem tells Go's runtime and the system about the memory of tensors and of code. It
// counts the bytes that only a garbage collection frees, and those off the Go heap, asks for large
// pages, and unloads pages of mapped files and of the executable. Its central function is [Press].
//
// The package imports only the standard library.
package hostmem

import "unsafe"

// HugePage is the size in bytes of a large page: on amd64, and on arm64 with small pages of
// 4 KiB.
const HugePage = 2 << 20

// hugeFrom is the least size in bytes of a mapping that asks for large pages. At this size
// they leave at most a quarter of the mapping uncovered at its ends.
const hugeFrom = 4 * HugePage

// AdviseMapping asks the system for large pages for a mapping that was not written yet. It
// does nothing if the system declines.
func AdviseMapping(mem []byte) {
	if len(mem) >= hugeFrom {
		adviseHuge(hugePages(mem))
	}
}

// AdviseSparse asks the system for small pages for a mapping that is written in part: a large page would take memory for
// what is not written.
func AdviseSparse(mem []byte) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	adviseSmall(at, at+uintptr(len(mem)))
}

// HeapFrom is the least size in bytes of memory of the Go heap that asks for large pages.
const HeapFrom = 64 << 10

// AdviseHeap is [AdviseMapping] for memory of the Go heap. The large pages also cover
// neighbouring memory of the heap, so that blocks from [HeapFrom] bytes on are worth them.
// They save TLB misses, and also cache conflicts: a large page uses all sets of the cache
// evenly, while small pages may crowd some of them.
func AdviseHeap(mem []byte) {
	if len(mem) >= HeapFrom {
		AdviseAround(mem)
	}
}

// AdviseAround asks for the large pages that mem touches.
func AdviseAround(mem []byte) { adviseHuge(hugePagesAround(mem)) }

// hugePages returns the address range of the large pages that are wholly in mem.
func hugePages(mem []byte) (from, to uintptr) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return at + uintptr(ToHugePage(mem)), (at + uintptr(len(mem))) &^ (HugePage - 1)
}

// hugePagesAround returns the address range of the large pages that mem touches.
func hugePagesAround(mem []byte) (from, to uintptr) {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(mem)))
	return at &^ (HugePage - 1), (at + uintptr(len(mem)) + HugePage - 1) &^ (HugePage - 1)
}

// ToHugePage returns the number of bytes of mem before its first large page.
func ToHugePage(mem []byte) int {
	return int(-uintptr(unsafe.Pointer(unsafe.SliceData(mem))) & (HugePage - 1))
}
