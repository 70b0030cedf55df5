package kernel

import (
	"unsafe"

	"ltc/internal/footprint"
)

// ResidentBytes returns an estimate of the bytes of memory that the kernel itself takes, without
// its operands.
func (k *Kernel) ResidentBytes() int {
	n := int(unsafe.Sizeof(*k)) + footprint.Slice(k.Params) + footprint.Slice(k.Axes) + footprint.Slice(k.Locals) + footprint.Slice(k.Stages) + footprint.Slice(k.Instrs)
	for i := range k.Params {
		n += footprint.Slice(k.Params[i].Dims) + footprint.Slice(k.Params[i].Strides)
	}
	for i := range k.Locals {
		n += footprint.Slice(k.Locals[i].Dims)
	}
	for i := range k.Stages {
		n += footprint.Slice(k.Stages[i].Axes)
	}
	for i := range k.Instrs {
		n += footprint.Slice(k.Instrs[i].Args)
		if m := k.Instrs[i].Mem; m != nil {
			n += int(unsafe.Sizeof(*m)) + footprint.Slice(m.Index)
			for j := range m.Index {
				n += footprint.Slice(m.Index[j].Terms)
			}
		}
	}
	return n
}
