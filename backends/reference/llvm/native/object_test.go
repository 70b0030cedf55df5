package native

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// build lays an object out and relocates it for an address, without mapping it.
func build(file []byte, base uint64) ([]byte, *layout, error) {
	o, err := parse(file)
	if err != nil {
		return nil, nil, err
	}
	l, err := arrange(o, 4096)
	if err != nil {
		return nil, nil, err
	}
	if l.size > 1<<22 { // a fuzzer asks for much
		return nil, nil, err
	}
	mem := make([]byte, l.size)
	return mem, l, l.relocate(block{mem[:l.code], base}, block{mem[l.code:], base + l.code})
}

// Sections lie where their alignment wants them, code apart from the rest.
func TestLayout(t *testing.T) {
	for arch := range triples {
		_, l, err := build(testObject(t, "kernels", arch), 1<<30)
		require.NoError(t, err)
		loaded := 0
		for i := range l.sections {
			s := &l.sections[i]
			if !s.loaded() {
				continue
			}
			loaded++
			require.Zero(t, l.offsets[i]%s.align, s.name)
			require.Equal(t, s.executable(), l.offsets[i] < l.code, s.name)
			require.LessOrEqual(t, l.offsets[i]+s.size, l.size)
			for j := range l.sections[:i] {
				if r := &l.sections[j]; r.loaded() {
					require.True(t, l.offsets[i]+s.size <= l.offsets[j] || l.offsets[j]+r.size <= l.offsets[i], "%s and %s overlap", s.name, r.name)
				}
			}
		}
		require.GreaterOrEqual(t, loaded, 3)
		require.Zero(t, l.code%4096)
		require.Zero(t, l.size%4096)
		require.Len(t, l.slots, 1, "the one symbol that may be replaced")
	}
}

// patch changes a field of an object that lies at an offset in the header of the
// first section of a name.
func patch(t *testing.T, file []byte, name string, offset int, value any) []byte {
	t.Helper()
	o, err := parse(file)
	require.NoError(t, err)
	for i := range o.sections {
		if o.sections[i].name == name {
			at := int(le.Uint64(file[40:])) + i*sectionSize + offset
			changed := bytes.Clone(file)
			_, err := binary.Encode(changed[at:], le, value)
			require.NoError(t, err)
			return changed
		}
	}
	t.Fatalf("no section %s", name)
	return nil
}

// header changes a field of an object's header.
func header(file []byte, offset int, value any) []byte {
	changed := bytes.Clone(file)
	binary.Encode(changed[offset:], le, value)
	return changed
}

// What is wrong with an object is said, whatever it is.
func TestMalformed(t *testing.T) {
	good := testObject(t, "kernels", "amd64")
	const ( // in section headers
		kind, flags, offset, size, link, info, align, entry = 4, 8, 24, 32, 40, 44, 48, 56
	)
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":             {nil, "not an ELF object"},
		"text":                {[]byte("define i32 @k(ptr %args) { this is a text of some length, longer than a header is }"), "not an ELF object"},
		"32 bits":             {header(good, elf.EI_CLASS, byte(1)), "not a 64-bit little-endian ELF object"},
		"big-endian":          {header(good, elf.EI_DATA, byte(2)), "not a 64-bit little-endian ELF object"},
		"a program":           {header(good, 16, uint16(elf.ET_EXEC)), "an ELF file of type ET_EXEC: want ET_REL"},
		"section headers":     {header(good, 58, uint16(40)), "section headers of 40 bytes"},
		"table outside":       {header(good, 40, uint64(1)<<63), "section headers lie outside of the file"},
		"no names":            {header(good, 62, uint16(500)), "no section holds the names of sections"},
		"many sections":       {header(good, 60, uint16(60000)), "section headers lie outside of the file"},
		"no sections":         {header(good, 60, uint16(0)), "no section holds the names of sections"},
		"another machine":     {header(good, 18, uint16(elf.EM_RISCV)), `relocation 2 of section .text against ".LCPI1_0": no relocations of EM_RISCV`},
		"outside":             {patch(t, good, ".text", offset, uint64(1)<<40), "section 2 lies outside of the file"},
		"too long":            {patch(t, good, ".text", size, ^uint64(0)), "section 2 lies outside of the file"},
		"odd alignment":       {patch(t, good, ".text", align, uint64(48)), "section 2 is aligned to 48 bytes"},
		"large alignment":     {patch(t, good, ".text", align, uint64(1)<<40), "section .text is aligned to 1099511627776 bytes: at most 4096"},
		"zeros without end":   {patch(t, patch(t, good, ".text", kind, uint32(elf.SHT_NOBITS)), ".text", size, uint64(1)<<62), "section .text of 4611686018427387904 bytes: the image would be larger than 134217728"},
		"compressed":          {patch(t, good, ".text", flags, uint64(elf.SHF_ALLOC|elf.SHF_COMPRESSED)), "section .text is compressed"},
		"threads":             {patch(t, good, ".rodata", flags, uint64(elf.SHF_ALLOC|elf.SHF_TLS)), "section .rodata holds variables of threads"},
		"initialisers":        {patch(t, good, ".rodata", kind, uint32(elf.SHT_INIT_ARRAY)), "section .rodata wants to be called when loaded or unloaded"},
		"variables":           {patch(t, good, ".rodata", flags, uint64(elf.SHF_ALLOC|elf.SHF_WRITE)), "section .rodata holds variables: compiled code keeps no state"},
		"writable code":       {patch(t, good, ".data.rel.ro", flags, uint64(elf.SHF_ALLOC|elf.SHF_WRITE|elf.SHF_EXECINSTR)), "section .data.rel.ro is writable code"},
		"symbols' size":       {patch(t, good, ".symtab", entry, uint64(16)), "a symbol table of 552 bytes, in entries of 16"},
		"symbols' names":      {patch(t, good, ".symtab", link, uint32(99)), "no section holds the names of symbols"},
		"relocations' target": {patch(t, good, ".rela.text", info, uint32(99)), "relocations of section 99, which is not in the file"},
		"relocations' size":   {patch(t, good, ".rela.text", entry, uint64(16)), "relocations .rela.text of 312 bytes, in entries of 16"},
		"without addends":     {patch(t, good, ".rela.text", kind, uint32(elf.SHT_REL)), "relocations .rela.text of 312 bytes, in entries of 24"},
		"cut off":             {good[:len(good)-1], "section headers lie outside of the file"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := build(test.file, 1<<30)
			require.EqualError(t, err, test.want)
			if hostMachine != elf.EM_NONE {
				_, err = Load(test.file)
				require.ErrorContains(t, err, "native: load object: ")
			}
		})
	}
	for n := range len(good) {
		_, _, err := build(good[:n], 1<<30)
		require.Error(t, err, n)
	}
}

// Whatever the bytes are, loading them is an image or an error.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"kernels", "external", "state"} {
		for arch := range triples {
			file := testObject(f, name, arch)
			f.Add(file)
			f.Add(file[:len(file)/2])
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		mem, l, err := build(file, 0x7f00_1234_5000)
		if err == nil && l != nil && l.size <= 1<<22 && uint64(len(mem)) != l.size {
			t.Fatal("an image of another size than was planned")
		}
		if hostMachine == elf.EM_NONE {
			return
		}
		if im, err := Load(file); err == nil {
			im.Close()
		}
		runtime.KeepAlive(mem)
	})
}
