package mlir

import (
	"unsafe"

	"ltc/internal/footprint"
)

// ResidentBytes returns about how many bytes of memory the module takes: its text, its ops
// with their values and attributes, and the elements of constants. It reads each op once.
func (m *Module) ResidentBytes() int {
	n := int(unsafe.Sizeof(*m)) + len(m.text) + bytesOfOps(m.Ops) + bytesOfDict(m.Attrs)
	for _, r := range m.Resources {
		n += int(unsafe.Sizeof(r)) + len(r.Value)
	}
	return n
}

func bytesOfOps(ops []*Op) int {
	n := footprint.Slice(ops)
	for _, op := range ops {
		n += int(unsafe.Sizeof(*op)) + footprint.Slice(op.Operands) + footprint.Slice(op.Successors) + bytesOfDict(op.Attrs)
		n += bytesOfValues(op.Results) + footprint.Slice(op.Regions)
		if op.Loc != nil {
			n += int(unsafe.Sizeof(FileLoc{}))
		}
		for _, r := range op.Regions {
			n += int(unsafe.Sizeof(*r)) + footprint.Slice(r.Blocks)
			for _, b := range r.Blocks {
				n += int(unsafe.Sizeof(*b)) + bytesOfValues(b.Args) + bytesOfOps(b.Ops)
			}
		}
	}
	return n
}

// bytesOfValues counts values. The values of a text share their types.
func bytesOfValues(values []*Value) int {
	return footprint.Slice(values) + len(values)*int(unsafe.Sizeof(Value{}))
}

func bytesOfDict(d Dict) int {
	n := footprint.Slice(d)
	for i := range d {
		n += bytesOfAttr(d[i].Value)
	}
	return n
}

func bytesOfAttr(a Attribute) int {
	switch a := a.(type) {
	case *DenseAttr: // the literal is part of the text
		return int(unsafe.Sizeof(*a)) + len(a.values)
	case DenseArrayAttr:
		return int(unsafe.Sizeof(a)) + footprint.Slice(a.Ints) + footprint.Slice(a.Texts)
	case StructAttr:
		return int(unsafe.Sizeof(a)) + bytesOfDict(a.Fields)
	case DictAttr:
		return int(unsafe.Sizeof(a)) + bytesOfDict(Dict(a))
	case ArrayAttr:
		n := int(unsafe.Sizeof(a)) + footprint.Slice(a)
		for _, x := range a {
			n += bytesOfAttr(x)
		}
		return n
	}
	return int(unsafe.Sizeof(IntegerAttr{})) // as large as most
}
