// Package cpu tells what the processor can do that programs may use: what it
// has, and the system saves the registers of. Its central function is
// [Features].
//
// The package imports only the standard library.
package cpu

import (
	"slices"
	"sync"
)

// Features returns, sorted, the features that programs may use, by LLVM's names
// of them: avx2, fma, avx512bf16. What every processor of an architecture has is
// not among them; on architectures other than amd64 and arm64 there are none.
// The slice is shared: it is only read.
var Features = sync.OnceValue(func() []string {
	found := hostFeatures()
	slices.Sort(found)
	return slices.Compact(found)
})

// Has reports whether programs may use a feature.
func Has(feature string) bool {
	_, found := slices.BinarySearch(Features(), feature)
	return found
}

// L2 returns the bytes of the L2 cache of a core, 0 where the processor does not
// say.
var L2 = sync.OnceValue(hostL2)
