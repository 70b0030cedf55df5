package soa

import (
	"fmt"

	"ltc/internal/diag"
	"ltc/internal/hostmem"
)

// HugePages is [OffHeap] with a start at a multiple of 2 MiB. HugePages asks the system for
// large pages, which cause fewer TLB misses when columns are read in parallel. If the system
// declines, HugePages returns a buffer without large pages and no error.
func HugePages(n int) (*Buffer, error) {
	if n < 1 || !canMap {
		return OffHeap(n)
	}
	whole := (n + 2*hostmem.HugePage - 1) &^ (hostmem.HugePage - 1)
	if whole < n {
		return nil, fmt.Errorf("%w: map %s", ErrMemory, diag.Count(n, "byte"))
	}
	hostmem.Press(n)
	all, err := mapAnonymous(whole)
	if err != nil {
		return nil, fmt.Errorf("%w: map %s: %w", ErrMemory, diag.Bytes(n), err)
	}
	skip := hostmem.ToHugePage(all)
	mem := all[skip : skip+n : skip+n]
	hostmem.AdviseAround(mem)
	return mapped(mem, all), nil
}
