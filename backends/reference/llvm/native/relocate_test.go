package native

import (
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"
)

// The image of the arm64 object at this address is the one whose kernels gave,
// in an emulator (Unicorn 2), the results that TestKernels wants of them. Who
// changes the object or the image has to run it again.
func TestARMImage(t *testing.T) {
	mem, _, err := build(testObject(t, "kernels", "arm64"), 0x7f1234567000)
	require.NoError(t, err)
	sum := sha256.Sum256(mem)
	require.Equal(t, "425f51b045b336b7", hex.EncodeToString(sum[:8]))
}

// Relocations change these bits and no others, and those that cannot be are
// errors.
func TestRelocations(t *testing.T) {
	const (
		at  = 0x10_0000_1000
		out = errReachText
	)
	for _, test := range []struct {
		machine elf.Machine
		kind    uint32
		to      uint64
		addend  int64
		before  uint64
		want    uint64
		fails   string
	}{
		{elf.EM_X86_64, uint32(elf.R_X86_64_NONE), 1, 2, 3, 3, ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_64), 0x1122334455667788, 8, ^uint64(0), 0x1122334455667790, ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_PC64), at - 16, 4, 0, ^uint64(11), ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_PC32), at + 0x100, -4, 0xaaaaaaaa_00000000, 0xaaaaaaaa_000000fc, ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_PLT32), at - 0x100, -4, 0, 0xfffffefc, ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_PC32), at + 1<<31 + 4, -4, 0, 0, out},
		{elf.EM_X86_64, uint32(elf.R_X86_64_PC32), at + 1<<31 + 3, -4, 0, 1<<31 - 1, ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_PC32), at - 1<<31, 0, 0, 1 << 31, ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_PC32), at - 1<<31 - 1, 0, 0, 0, out},
		{elf.EM_X86_64, uint32(elf.R_X86_64_GOTPCREL), 0, -4, 0, 0x7fc, ""},
		{elf.EM_X86_64, uint32(elf.R_X86_64_32), 5, 0, 0, 0, "not supported"},
		{elf.EM_X86_64, uint32(elf.R_X86_64_TPOFF32), 5, 0, 0, 0, "not supported"},
		{elf.EM_X86_64, 9999, 5, 0, 0, 0, "not supported"},

		{elf.EM_AARCH64, uint32(elf.R_AARCH64_NONE), 1, 2, 3, 3, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ABS64), 0x1122334455667788, -8, 0, 0x1122334455667780, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_PREL64), at - 16, 0, 0, ^uint64(15), ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_PREL32), at + 1<<31, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_PREL32), at + 12, 0, 1 << 32, 1<<32 | 12, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_CALL26), at + 0x1000, 8, 0x94000000, 0x94000402, ""}, // bl
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_JUMP26), at - 4, 0, 0x14000000, 0x17ffffff, ""},      // b
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_CALL26), at + 1<<27, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_CALL26), at - 1<<27, 0, 0x94000000, 0x96000000, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_CALL26), at + 2, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_CONDBR19), at + 8, 0, 0x54000001, 0x54000041, ""}, // b.ne
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_CONDBR19), at + 1<<20, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_TSTBR14), at - 8, 0, 0x36000000, 0x3607ffc0, ""}, // tbz
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_TSTBR14), at + 1<<15, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LD_PREL_LO19), at + 16, 0, 0x58000000, 0x58000080, ""}, // ldr
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ADR_PREL_LO21), at + 5, 0, 0x10000000, 0x30000020, ""}, // adr
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ADR_PREL_LO21), at + 1<<20, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ADR_PREL_PG_HI21), at + 0x3fff, 0, 0x90000000, 0xf0000000, ""}, // adrp, 3 pages on
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ADR_PREL_PG_HI21), at - 0x1000, 0, 0x90000000, 0xf0ffffe0, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ADR_PREL_PG_HI21), at + 1<<32, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ADR_GOT_PAGE), 0, 0, 0x90000000, 0x90000000, ""}, // the page of at
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LD64_GOT_LO12_NC), 0, 0, 0xf9400000, 0xf9440000, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_ADD_ABS_LO12_NC), 0xabc123, 0, 0x91000000, 0x91048c00, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LDST8_ABS_LO12_NC), 0xfff, 0, 0x39400000, 0x397ffc00, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LDST16_ABS_LO12_NC), 0xffe, 0, 0x79400000, 0x795ffc00, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LDST32_ABS_LO12_NC), 0x123c, 0, 0xb9400000, 0xb9423c00, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LDST64_ABS_LO12_NC), 0x1238, 0, 0xf9400000, 0xf9411c00, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LDST128_ABS_LO12_NC), 0x1230, 0, 0x3dc00000, 0x3dc08c00, ""},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_LDST128_ABS_LO12_NC), 0x1238, 0, 0, 0, out},
		{elf.EM_AARCH64, uint32(elf.R_AARCH64_MOVW_UABS_G0), 5, 0, 0, 0, "not supported"},
		{elf.EM_RISCV, 1, 5, 0, 0, 0, "no relocations of EM_RISCV"},
	} {
		name := kindName(test.machine, test.kind)
		mem := make([]byte, 16)
		le.PutUint64(mem, test.before)
		le.PutUint64(mem[8:], 0x5a5a5a5a5a5a5a5a)
		err := apply(test.machine, test.kind, place{mem: mem, at: at, to: test.to, addend: test.addend, slot: at + 0x800})
		if test.fails != "" {
			require.EqualError(t, err, test.fails, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, test.want, le.Uint64(mem), "%s: %x, want %x", name, le.Uint64(mem), test.want)
		require.EqualValues(t, 0x5a5a5a5a5a5a5a5a, le.Uint64(mem[8:]), name)
		if test.want != test.before {
			require.ErrorContains(t, apply(test.machine, test.kind, place{mem: mem[:3], at: at, to: test.to, addend: test.addend, slot: at + 0x800}), "beyond the end", name)
		}
	}
}

const errReachText = "the symbol is out of reach"
