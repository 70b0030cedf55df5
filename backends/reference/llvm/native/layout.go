package native

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"

	"ltc/internal/diag"
)

// maxImage is the most bytes that an image may have. Within it every branch of
// either machine reaches.
const maxImage = 128 << 20

// slotSize is the size of an address in the table of addresses.
const slotSize = 8

// layout is where the sections of an object are in its image: code first, then the
// constants on pages of their own. The table of addresses through which code reaches
// symbols (GOT) is at the end. Code and constants need not be side by side in memory.
type layout struct {
	*object
	offsets []uint64 // of sections in the image
	code    uint64   // bytes of code, whole pages
	size    uint64   // bytes of all, whole pages
	slots   map[uint32]uint64
	table   uint64 // offset of the table of addresses
}

// arrange lays the object's sections out for pages of the given size.
func arrange(o *object, page uint64) (*layout, error) {
	l := &layout{object: o, offsets: make([]uint64, len(o.sections)), slots: map[uint32]uint64{}}
	for i := range o.sections {
		if err := acceptable(&o.sections[i]); err != nil {
			return nil, err
		}
	}
	for _, code := range []bool{true, false} {
		for i := range o.sections {
			s := &o.sections[i]
			if !s.loaded() || s.executable() != code {
				continue
			}
			l.size = up(l.size, s.align)
			l.offsets[i] = l.size
			l.size += s.size
			if s.size > maxImage || l.size > maxImage {
				return nil, fmt.Errorf("section %s of %s: the image would be larger than %d", s.name, diag.Count(s.size, "byte"), maxImage)
			}
		}
		if code {
			l.size = up(l.size, page)
			l.code = l.size
		}
	}
	if err := l.resolve(); err != nil {
		return nil, err
	}
	l.size = up(l.size, page)
	return l, nil
}

// resolve checks that all symbols that relocations speak of are defined, and
// gives those that are reached through the table of addresses a place in it.
func (l *layout) resolve() error {
	l.size = up(l.size, slotSize)
	l.table = l.size
	var missing []string
	for i := range l.sections {
		for _, r := range l.sections[i].relocs {
			sym := l.symbols[r.symbol]
			if at := sym.section; at == 0 || !l.sections[at].loaded() {
				missing = append(missing, sym.name)
				continue
			}
			if _, has := l.slots[r.symbol]; !has && indirect(l.machine, r.kind) {
				l.slots[r.symbol] = l.size
				l.size += slotSize
			}
		}
	}
	if len(missing) > 0 {
		slices.Sort(missing)
		return fmt.Errorf("unresolved symbols: %s", strings.Join(slices.Compact(missing), ", "))
	}
	return nil
}

// acceptable returns why an object with this section cannot be loaded.
func acceptable(s *section) error {
	switch {
	case !s.loaded():
		return nil
	case s.flags&elf.SHF_COMPRESSED != 0:
		return fmt.Errorf("section %s is compressed", s.name)
	case s.flags&elf.SHF_TLS != 0:
		return fmt.Errorf("section %s holds variables of threads", s.name)
	case s.kind == elf.SHT_INIT_ARRAY, s.kind == elf.SHT_FINI_ARRAY, s.kind == elf.SHT_PREINIT_ARRAY:
		return fmt.Errorf("section %s wants to be called when loaded or unloaded", s.name)
	case s.flags&elf.SHF_WRITE != 0 && !strings.HasPrefix(s.name, ".data.rel.ro"):
		return fmt.Errorf("section %s holds variables: compiled code keeps no state", s.name)
	case s.executable() && s.flags&elf.SHF_WRITE != 0:
		return fmt.Errorf("section %s is writable code", s.name)
	case s.align > maxAlign:
		return fmt.Errorf("section %s is aligned to %s: at most %d", s.name, diag.Count(s.align, "byte"), maxAlign)
	}
	return nil
}

func (s *section) executable() bool { return s.flags&elf.SHF_EXECINSTR != 0 }

// up rounds n up to a multiple of a power of two. It does not overflow for what
// an image has.
func up(n, to uint64) uint64 { return (n + to - 1) &^ (to - 1) }
