//go:build race

package sharing

import (
	"runtime"
	"slices"
	"unsafe"

	"ltc/soa"
)

// Read tells the race detector that the calling goroutine reads v. In builds without the race
// detector, Read does nothing.
func Read(v soa.View) { touch(v, runtime.RaceReadRange) }

// Write tells the race detector that the calling goroutine writes v. In builds without the race
// detector, Write does nothing.
func Write(v soa.View) { touch(v, runtime.RaceWriteRange) }

// touch reports each row, not the whole range of memory: the gaps between the rows of a
// strided view may belong to other values.
func touch(v soa.View, report func(unsafe.Pointer, int)) {
	if v.IsZero() || v.Type.Elements() == 0 || v.Remote() != nil {
		return
	}
	if v.Table == nil {
		touchAt(v.Base(), v, report)
		return
	}
	columns, at := v.Table, v.TableAxis
	v.Table = nil
	v.Type.Shape = slices.Delete(slices.Clone(v.Type.Shape), at, at+1)
	v.Strides = slices.Delete(slices.Clone(v.Strides), at, at+1)
	for _, base := range columns {
		touchAt(base, v, report)
	}
}

// touchAt reports the rows of memory at address base, with the type and the strides of v.
func touchAt(base unsafe.Pointer, v soa.View, report func(unsafe.Pointer, int)) {
	if v.IsDense() {
		report(base, v.Type.Bytes())
		return
	}
	n, step := v.Type.Shape[0], v.Strides[0]*v.Type.DType.Size()
	if step == 0 { // all elements are the same memory
		n = 1
	}
	v.Type.Shape, v.Strides = v.Type.Shape[1:], v.Strides[1:]
	for i := range n {
		touchAt(unsafe.Add(base, i*step), v, report)
	}
}
