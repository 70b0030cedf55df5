package fuse

import (
	"unsafe"

	"ltc/internal/footprint"
)

// ResidentBytes returns about how many bytes the graph takes that a program was made
// from, beside the program: its kernels are for the most part others than the program's.
func (from *origin) ResidentBytes() int {
	g := from.graph
	n := int(unsafe.Sizeof(*g)) + footprint.Slice(from.place) + footprint.Slice(g.values) + footprint.Slice(g.nodes)
	for i := range g.values {
		n += footprint.Slice(g.values[i].typ.Shape)
	}
	for _, x := range g.nodes {
		n += int(unsafe.Sizeof(*x)) + footprint.Slice(x.operands) + footprint.Slice(x.reads) + footprint.Slice(x.writes)
		if x.kernel != nil {
			n += x.kernel.ResidentBytes()
		}
	}
	return n
}
