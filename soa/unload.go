package soa

import (
	"unsafe"

	"ltc/internal/hostmem"
)

// Unload gives memory of v back to the system where v shows a mapped file ([MapFile], [OpenShared],
// [CreateShared]) and is dense. The elements stay as they are: the next access reads them again, as a
// rule from the system's cache of the file. Pages that were written and do not reach the file stay,
// as do pages that v shares with its neighbours. Nobody may write to v during the call. Unload does
// nothing for other memory, and on systems other than Linux.
func (v View) Unload() {
	b := v.hold
	if b == nil || !b.file || !v.IsDense() || !b.acquire() {
		return
	}
	defer b.done()
	hostmem.Unload(unsafe.Slice((*byte)(v.base), v.Type.Bytes()))
}
