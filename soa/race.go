//go:build race

package soa

import (
	"runtime"
	"unsafe"
)

// TouchRead tells the race detector that the calling goroutine reads v. In builds without the race
// detector, TouchRead does nothing.
func TouchRead(v View) { touch(v, runtime.RaceReadRange) }

// TouchWrite tells the race detector that the calling goroutine writes v. In builds without the race
// detector, TouchWrite does nothing.
func TouchWrite(v View) { touch(v, runtime.RaceWriteRange) }

// touch reports each row, not the whole range of memory: the gaps between the rows of a
// strided view may belong to other values.
func touch(v View, report func(unsafe.Pointer, int)) {
	if v.IsZero() || v.Type.Elements() == 0 || v.Remote() != nil {
		return
	}
	size := v.Type.DType.Size()
	switch {
	case v.Table != nil:
		for i := range v.Table {
			touch(v.index(v.TableAxis, i), report)
		}
	case v.IsDense():
		report(v.base, v.Type.Bytes())
	case v.Type.Rank() == 1 && v.Strides[0] == 1:
		report(v.base, v.Type.Bytes())
	case v.Type.Rank() == 0:
		report(v.base, size)
	default:
		n := v.Type.Shape[0]
		if v.Strides[0] == 0 { // all elements are the same memory
			n = 1
		}
		for i := range n {
			touch(v.index(0, i), report)
		}
	}
}
