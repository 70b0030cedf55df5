package native

import (
	"debug/elf"
	"errors"
)

// errKind says that code of this kind is not made for an image that may lie
// anywhere, or not for one without symbols from elsewhere.
var errKind = errors.New("not supported")

// applyX86 is the table of relocations of the System V ABI, AMD64 supplement,
// for what position-independent code of the small model holds.
func applyX86(kind elf.R_X86_64, p place) error {
	switch kind {
	case elf.R_X86_64_NONE:
		return nil
	case elf.R_X86_64_64:
		return p.put64(p.to + uint64(p.addend))
	case elf.R_X86_64_PC64:
		return p.put64(p.to + uint64(p.addend) - p.at)
	case elf.R_X86_64_PC32, elf.R_X86_64_PLT32: // the function itself: it is in reach
		return p.put32(p.to + uint64(p.addend) - p.at)
	case elf.R_X86_64_GOTPCREL, elf.R_X86_64_GOTPCRELX, elf.R_X86_64_REX_GOTPCRELX:
		return p.put32(p.slot + uint64(p.addend) - p.at)
	}
	return errKind
}
