package native

import "debug/elf"

// applyARM is the table of relocations of the ELF for the Arm 64-bit
// architecture (AAELF64), for what position-independent code of the small model
// holds.
func applyARM(kind elf.R_AARCH64, p place) error {
	to := p.to + uint64(p.addend)
	switch kind {
	case elf.R_AARCH64_NONE:
		return nil
	case elf.R_AARCH64_ABS64:
		return p.put64(to)
	case elf.R_AARCH64_PREL64:
		return p.put64(to - p.at)
	case elf.R_AARCH64_PREL32:
		return p.put32(to - p.at)

	case elf.R_AARCH64_CALL26, elf.R_AARCH64_JUMP26:
		return p.branch(to-p.at, 26, 0)
	case elf.R_AARCH64_CONDBR19, elf.R_AARCH64_LD_PREL_LO19:
		return p.branch(to-p.at, 19, 5)
	case elf.R_AARCH64_TSTBR14:
		return p.branch(to-p.at, 14, 5)

	case elf.R_AARCH64_ADR_PREL_LO21:
		return p.adr(to - p.at)
	case elf.R_AARCH64_ADR_PREL_PG_HI21, elf.R_AARCH64_ADR_PREL_PG_HI21_NC:
		return p.page(to)
	case elf.R_AARCH64_ADR_GOT_PAGE:
		return p.page(p.slot + uint64(p.addend))

	case elf.R_AARCH64_ADD_ABS_LO12_NC, elf.R_AARCH64_LDST8_ABS_LO12_NC:
		return p.low(to, 0)
	case elf.R_AARCH64_LDST16_ABS_LO12_NC:
		return p.low(to, 1)
	case elf.R_AARCH64_LDST32_ABS_LO12_NC:
		return p.low(to, 2)
	case elf.R_AARCH64_LDST64_ABS_LO12_NC:
		return p.low(to, 3)
	case elf.R_AARCH64_LDST128_ABS_LO12_NC:
		return p.low(to, 4)
	case elf.R_AARCH64_LD64_GOT_LO12_NC:
		return p.low(p.slot+uint64(p.addend), 3)
	}
	return errKind
}

// branch puts the distance, in instructions, into n bits from bit on.
func (p place) branch(distance uint64, n, bit uint) error {
	d := int64(distance)
	if d&3 != 0 || d < -1<<(n+1) || d >= 1<<(n+1) {
		return errReach
	}
	return p.bits(uint32(d>>2)&(1<<n-1)<<bit, (1<<n-1)<<bit)
}

// page puts the distance in pages of 4 KiB to the page of the address to into
// an ADRP.
func (p place) page(to uint64) error {
	const mask = 4096 - 1
	d := int64(to&^mask - p.at&^mask)
	if d != int64(int32(d)) && (d < -1<<32 || d >= 1<<32) {
		return errReach
	}
	return p.split(uint32(d >> 12))
}

// adr puts the distance in bytes into an ADR.
func (p place) adr(distance uint64) error {
	d := int64(distance)
	if d < -1<<20 || d >= 1<<20 {
		return errReach
	}
	return p.split(uint32(d))
}

// split puts 21 bits where ADR and ADRP have them: the lowest two at bit 29,
// the others from bit 5 on.
func (p place) split(v uint32) error {
	return p.bits(v&3<<29|v>>2&(1<<19-1)<<5, 3<<29|(1<<19-1)<<5)
}

// low puts the lowest 12 bits of an address into an instruction that counts in
// units of 1<<shift bytes.
func (p place) low(to uint64, shift uint) error {
	v := uint32(to & 4095)
	if v&(1<<shift-1) != 0 {
		return errReach
	}
	return p.bits(v>>shift<<10, 4095<<10)
}

// bits replaces the bits of mask in an instruction by those of v.
func (p place) bits(v, mask uint32) error {
	w, err := p.word(4)
	if err == nil {
		le.PutUint32(w, le.Uint32(w)&^mask|v)
	}
	return err
}
