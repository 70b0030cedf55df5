package native

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"

	"ltc/internal/diag"
)

// object is a relocatable ELF object whose tables have been checked: every
// index and offset that it holds lies in what it points into.
type object struct {
	machine  elf.Machine
	sections []section // by their index in the file
	symbols  []symbol  // by their index in the symbol table; 0 is no symbol
}

// section is one section of an object.
type section struct {
	name   string
	kind   elf.SectionType
	flags  elf.SectionFlag
	data   []byte // borrowed from the object's bytes; nil for zeros
	size   uint64
	align  uint64 // a power of two
	link   uint32
	info   uint32
	size1  uint64 // bytes of one entry of a table
	relocs []reloc
}

// symbol is one symbol; where it is defined, if it is.
type symbol struct {
	name    string
	bind    elf.SymBind
	kind    elf.SymType
	section int // index; 0: not defined in the object
	value   uint64
}

// reloc says which bytes of a section depend on where a symbol comes to lie.
type reloc struct {
	offset uint64 // into the section; the bytes changed may lie beyond its end
	kind   uint32
	symbol uint32
	addend int64
}

// Sizes of ELF64 structures, in bytes.
const (
	headerSize  = 64
	sectionSize = 64
	symbolSize  = 24
	relocSize   = 24
)

// maxAlign is the largest alignment of a section: all of a page's address.
const maxAlign = 4096

var le = binary.LittleEndian

// parse reads the tables of a relocatable ELF object for a 64-bit little-endian
// machine.
func parse(file []byte) (*object, error) {
	if len(file) < headerSize || string(file[:4]) != elf.ELFMAG {
		return nil, errors.New("not an ELF object")
	}
	if elf.Class(file[elf.EI_CLASS]) != elf.ELFCLASS64 || elf.Data(file[elf.EI_DATA]) != elf.ELFDATA2LSB {
		return nil, errors.New("not a 64-bit little-endian ELF object")
	}
	if kind := elf.Type(le.Uint16(file[16:])); kind != elf.ET_REL {
		return nil, fmt.Errorf("an ELF file of type %v: want ET_REL", kind)
	}
	o := &object{machine: elf.Machine(le.Uint16(file[18:]))}
	if err := o.readSections(file); err != nil {
		return nil, err
	}
	if err := o.readSymbols(); err != nil {
		return nil, err
	}
	return o, o.readRelocs()
}

// readSections reads the section headers.
func (o *object) readSections(file []byte) error {
	start, size, n := le.Uint64(file[40:]), le.Uint16(file[58:]), int(le.Uint16(file[60:]))
	names := int(le.Uint16(file[62:]))
	if size != sectionSize {
		return fmt.Errorf("section headers of %s", diag.Count(size, "byte"))
	}
	table, ok := part(file, start, uint64(n)*sectionSize)
	if !ok {
		return errors.New("section headers lie outside of the file")
	}
	if names >= n {
		return errors.New("no section holds the names of sections")
	}
	o.sections = make([]section, n)
	for i := range o.sections {
		h := table[i*sectionSize:]
		s := &o.sections[i]
		*s = section{
			kind: elf.SectionType(le.Uint32(h[4:])), flags: elf.SectionFlag(le.Uint64(h[8:])),
			size: le.Uint64(h[32:]), link: le.Uint32(h[40:]), info: le.Uint32(h[44:]),
			align: max(le.Uint64(h[48:]), 1), size1: le.Uint64(h[56:]),
		}
		if s.kind != elf.SHT_NULL && s.kind != elf.SHT_NOBITS {
			if s.data, ok = part(file, le.Uint64(h[24:]), s.size); !ok {
				return fmt.Errorf("section %d lies outside of the file", i)
			}
		}
		if bits.OnesCount64(s.align) != 1 {
			return fmt.Errorf("section %d is aligned to %s", i, diag.Count(s.align, "byte"))
		}
	}
	for i := range o.sections {
		name, ok := text(o.sections[names].data, le.Uint32(table[i*sectionSize:]))
		if !ok {
			return fmt.Errorf("section %d has no name", i)
		}
		o.sections[i].name = name
	}
	return nil
}

// readSymbols reads the symbol table, if there is one.
func (o *object) readSymbols() error {
	o.symbols = make([]symbol, 1)
	found := false
	for i := range o.sections {
		s := &o.sections[i]
		if s.kind != elf.SHT_SYMTAB {
			continue
		}
		if found {
			return errors.New("two symbol tables")
		}
		found = true
		if s.size1 != symbolSize || s.size%symbolSize != 0 {
			return fmt.Errorf("a symbol table of %s, in entries of %d", diag.Count(s.size, "byte"), s.size1)
		}
		if int64(s.link) >= int64(len(o.sections)) {
			return errors.New("no section holds the names of symbols")
		}
		names := o.sections[s.link].data
		for at := uint64(symbolSize); at < s.size; at += symbolSize {
			sym, err := o.symbol(s.data[at:], names)
			if err != nil {
				return fmt.Errorf("symbol %d: %w", at/symbolSize, err)
			}
			o.symbols = append(o.symbols, sym)
		}
	}
	return nil
}

// symbol reads the symbol at the start of entry.
func (o *object) symbol(entry, names []byte) (symbol, error) {
	name, ok := text(names, le.Uint32(entry))
	if !ok {
		return symbol{}, errors.New("no name")
	}
	sym := symbol{name: name, bind: elf.ST_BIND(entry[4]), kind: elf.ST_TYPE(entry[4]), value: le.Uint64(entry[8:])}
	switch at := elf.SectionIndex(le.Uint16(entry[6:])); {
	case at == elf.SHN_UNDEF:
	case at == elf.SHN_ABS && sym.kind == elf.STT_FILE: // the name of the source
	case int(at) >= len(o.sections):
		return symbol{}, fmt.Errorf("%s is in section %v, which is not in the file", sym.name, at)
	case sym.value > o.sections[at].size:
		return symbol{}, fmt.Errorf("%s lies outside of its section", sym.name)
	default:
		sym.section = int(at)
	}
	return sym, nil
}

// readRelocs reads the relocations of the sections that are part of an image.
func (o *object) readRelocs() error {
	for i := range o.sections {
		s := &o.sections[i]
		if s.kind != elf.SHT_RELA && s.kind != elf.SHT_REL {
			continue
		}
		if int64(s.info) >= int64(len(o.sections)) {
			return fmt.Errorf("relocations of section %d, which is not in the file", s.info)
		}
		target := &o.sections[s.info]
		if !target.loaded() {
			continue
		}
		if s.kind == elf.SHT_REL || s.size1 != relocSize || s.size%relocSize != 0 {
			return fmt.Errorf("relocations %s of %s, in entries of %d", s.name, diag.Count(s.size, "byte"), s.size1)
		}
		if target.relocs == nil {
			target.relocs = make([]reloc, 0, s.size/relocSize)
		}
		for d := s.data; len(d) > 0; d = d[relocSize:] {
			r := reloc{offset: le.Uint64(d), kind: le.Uint32(d[8:]), symbol: le.Uint32(d[12:]), addend: int64(le.Uint64(d[16:]))}
			if int64(r.symbol) >= int64(len(o.symbols)) {
				return fmt.Errorf("relocation against symbol %d, which is not in the file", r.symbol)
			}
			target.relocs = append(target.relocs, r)
		}
	}
	return nil
}

// loaded reports whether the section is part of an image. Tables for
// unwinding the stack are not: nothing unwinds through compiled code.
func (s *section) loaded() bool {
	return s.flags&elf.SHF_ALLOC != 0 && s.size > 0 && s.name != ".eh_frame"
}

// part returns the n bytes from offset on, if there are as many.
func part(file []byte, offset, n uint64) ([]byte, bool) {
	all := uint64(len(file))
	if offset > all || n > all-offset {
		return nil, false
	}
	return file[offset : offset+n : offset+n], true
}

// text returns the string that starts at offset in a table of strings.
func text(table []byte, offset uint32) (string, bool) {
	if uint64(offset) >= uint64(len(table)) {
		return "", false
	}
	end := bytes.IndexByte(table[offset:], 0)
	if end < 0 {
		return "", false
	}
	return string(table[offset:][:end]), true
}
