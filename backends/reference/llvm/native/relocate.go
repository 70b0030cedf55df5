package native

import (
	"debug/elf"
	"errors"
	"fmt"
)

// place is one relocation with the addresses that it works with.
type place struct {
	mem    []byte // from the bytes that change on, to the end of their section
	at     uint64 // P: the address of these bytes
	to     uint64 // S: the address of the symbol
	addend int64  // A
	slot   uint64 // G: the address of the symbol's place in the table of addresses
}

var errReach = errors.New("the symbol is out of reach")

// block is memory of an image, and the address at which the image has it.
type block struct {
	mem  []byte
	addr uint64
}

// section returns the memory of section i in an image whose code and constants
// are these blocks.
func (l *layout) section(i int, code, rest block) block {
	b, at := code, l.offsets[i]
	if !l.sections[i].executable() {
		b, at = rest, at-l.code
	}
	return block{b.mem[at:][:l.sections[i].size], b.addr + at}
}

// relocate writes the sections of l into code and rest, as they must be for an
// image at the addresses of these.
func (l *layout) relocate(code, rest block) error {
	address := func(sym symbol) uint64 { return l.section(sym.section, code, rest).addr + sym.value }
	for sym, at := range l.slots {
		le.PutUint64(rest.mem[at-l.code:], address(l.symbols[sym]))
	}
	for i := range l.sections {
		s := &l.sections[i]
		if !s.loaded() {
			continue
		}
		here := l.section(i, code, rest)
		copy(here.mem, s.data)
		for _, r := range s.relocs {
			if r.offset > s.size {
				return fmt.Errorf("relocation outside of section %s", s.name)
			}
			sym := l.symbols[r.symbol]
			p := place{
				mem: here.mem[r.offset:], at: here.addr + r.offset,
				to: address(sym), addend: r.addend,
			}
			if at, ok := l.slots[r.symbol]; ok {
				p.slot = rest.addr + at - l.code
			}
			if err := apply(l.machine, r.kind, p); err != nil {
				return fmt.Errorf("relocation %s of section %s against %q: %w", kindName(l.machine, r.kind), s.name, sym.name, err)
			}
		}
	}
	return nil
}

// apply changes the bytes of p as the kind of relocation says.
func apply(m elf.Machine, kind uint32, p place) error {
	switch m {
	case elf.EM_X86_64:
		return applyX86(elf.R_X86_64(kind), p)
	case elf.EM_AARCH64:
		return applyARM(elf.R_AARCH64(kind), p)
	}
	return fmt.Errorf("no relocations of %v", m)
}

// indirect reports whether the kind of relocation goes through the table of
// addresses.
func indirect(m elf.Machine, kind uint32) bool {
	switch m {
	case elf.EM_X86_64:
		switch elf.R_X86_64(kind) {
		case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
			return true
		}
	case elf.EM_AARCH64:
		switch elf.R_AARCH64(kind) {
		case elf.R_AARCH64_ADR_GOT_PAGE, elf.R_AARCH64_LD64_GOT_LO12_NC:
			return true
		}
	}
	return false
}

func kindName(m elf.Machine, kind uint32) string {
	switch m {
	case elf.EM_X86_64:
		return elf.R_X86_64(kind).String()
	case elf.EM_AARCH64:
		return elf.R_AARCH64(kind).String()
	}
	return fmt.Sprint(kind)
}

// word returns the n bytes that change; nil with an error when the section ends
// before.
func (p place) word(n int) ([]byte, error) {
	if len(p.mem) < n {
		return nil, errors.New("it changes bytes beyond the end of the section")
	}
	return p.mem[:n], nil
}

// put64 writes an address or a difference of two.
func (p place) put64(v uint64) error {
	w, err := p.word(8)
	if err == nil {
		le.PutUint64(w, v)
	}
	return err
}

// put32 writes a signed difference.
func (p place) put32(v uint64) error {
	w, err := p.word(4)
	if err != nil {
		return err
	}
	if int64(v) != int64(int32(v)) {
		return errReach
	}
	le.PutUint32(w, uint32(v))
	return nil
}
