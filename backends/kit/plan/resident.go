package plan

import (
	"unsafe"

	"ltc/backends"
	"ltc/internal/footprint"
)

// ResidentBytes returns about how many bytes of memory the program takes, with its
// kernels and what it was made from. The programs of loops and branches are
// counted by the executables that run them.
func (p *Program) ResidentBytes() int {
	n := int(unsafe.Sizeof(*p)) + footprint.Slice(p.Values) + footprint.Slice(p.Kernels) + footprint.Slice(p.Steps)
	n += footprint.Slice(p.Args) + footprint.Slice(p.Results) + footprint.Slice(p.SizeArgs)
	n += footprint.Slice(p.Signature.Args) + footprint.Slice(p.Signature.Results)
	for i := range p.Values {
		n += footprint.Slice(p.Values[i].Type.Shape) + footprint.Slice(p.Values[i].Data) + footprint.Slice(p.Values[i].Layout)
	}
	for _, k := range p.Kernels {
		n += k.ResidentBytes()
	}
	for i := range p.Steps {
		n += p.Steps[i].Work.residentBytes()
	}
	if p.From != nil {
		n += p.From.ResidentBytes()
	}
	return n
}

func (l *Launch) residentBytes() int {
	n := int(unsafe.Sizeof(*l)) + footprint.Slice(l.Operands) + footprint.Slice(l.Sizes) + footprint.Slice(l.Strides) + footprint.Slice(l.Moving)
	for i := range l.Operands {
		n += footprint.Slice(l.Operands[i].By)
	}
	for i := range l.Moving {
		n += footprint.Slice(l.Moving[i].By)
	}
	return n
}

func (c *Composite) residentBytes() int {
	return int(unsafe.Sizeof(*c)) + footprint.Slice(c.Args) + footprint.Slice(c.Outs) + footprint.Slice(c.Work)
}

func (s *Sort) residentBytes() int {
	n := int(unsafe.Sizeof(*s)) + footprint.Slice(s.Of) + footprint.Slice(s.From) + footprint.Slice(s.Work)
	return n + s.Less.ResidentBytes() + bytesOfArgs(s.Args, s.Outs)
}

func (h *Host) residentBytes() int {
	n := int(unsafe.Sizeof(*h)) + len(h.Text) + bytesOfArgs(h.Args) + footprint.Slice(h.Outs)
	if r, ok := h.Run.(backends.Resident); ok {
		n += r.ResidentBytes()
	}
	return n
}

func (l *Loop) residentBytes() int {
	n := int(unsafe.Sizeof(*l)) + bytesOfArgs(l.Init, l.Captured) + footprint.Slice(l.Outs) + footprint.Slice(l.Stays)
	return n + footprint.Slice(l.CondOps) + footprint.Slice(l.BodyOps)
}

func (b *Branch) residentBytes() int {
	n := int(unsafe.Sizeof(*b)) + footprint.Slice(b.Branches) + bytesOfArgs(b.Captured) + footprint.Slice(b.Outs)
	for _, ops := range b.Ops {
		n += footprint.Slice(ops)
	}
	return n
}

func bytesOfArgs(lists ...[]HostArg) int {
	n := 0
	for _, list := range lists {
		n += footprint.Slice(list)
		for i := range list {
			n += footprint.Slice(list[i].Type.Shape)
		}
	}
	return n
}
