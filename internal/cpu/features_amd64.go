package cpu

// cpuid returns what the instruction CPUID says of a leaf.
func cpuid(leaf, sub uint32) (eax, ebx, ecx, edx uint32)

// xgetbv returns which registers the system saves for each thread (XCR0). The
// processor must have OSXSAVE.
func xgetbv() (eax, edx uint32)

// Registers of a leaf, as indices.
const (
	eax = iota
	ebx
	ecx
	edx
)

// feature says which bit of CPUID tells of a feature, by LLVM's name.
type feature struct {
	name          string
	leaf, sub     uint32
	register, bit int
	saved         uint32 // bits of XCR0 that it needs
}

// Bits of XCR0: the system saves the registers that AVX and AVX-512 have.
const (
	savesAVX    = 0x06
	savesAVX512 = 0xe6
)

// features are of the Intel and AMD manuals' description of CPUID.
var features = []feature{
	{"sse3", 1, 0, ecx, 0, 0},
	{"pclmul", 1, 0, ecx, 1, 0},
	{"ssse3", 1, 0, ecx, 9, 0},
	{"fma", 1, 0, ecx, 12, savesAVX},
	{"cx16", 1, 0, ecx, 13, 0},
	{"sse4.1", 1, 0, ecx, 19, 0},
	{"sse4.2", 1, 0, ecx, 20, 0},
	{"movbe", 1, 0, ecx, 22, 0},
	{"popcnt", 1, 0, ecx, 23, 0},
	{"aes", 1, 0, ecx, 25, 0},
	{"avx", 1, 0, ecx, 28, savesAVX},
	{"f16c", 1, 0, ecx, 29, savesAVX},
	{"bmi", 7, 0, ebx, 3, 0},
	{"avx2", 7, 0, ebx, 5, savesAVX},
	{"bmi2", 7, 0, ebx, 8, 0},
	{"avx512f", 7, 0, ebx, 16, savesAVX512},
	{"avx512dq", 7, 0, ebx, 17, savesAVX512},
	{"adx", 7, 0, ebx, 19, 0},
	{"avx512ifma", 7, 0, ebx, 21, savesAVX512},
	{"avx512cd", 7, 0, ebx, 28, savesAVX512},
	{"sha", 7, 0, ebx, 29, 0},
	{"avx512bw", 7, 0, ebx, 30, savesAVX512},
	{"avx512vl", 7, 0, ebx, 31, savesAVX512},
	{"avx512vbmi", 7, 0, ecx, 1, savesAVX512},
	{"avx512vbmi2", 7, 0, ecx, 6, savesAVX512},
	{"gfni", 7, 0, ecx, 8, 0},
	{"vaes", 7, 0, ecx, 9, savesAVX},
	{"vpclmulqdq", 7, 0, ecx, 10, savesAVX},
	{"avx512vnni", 7, 0, ecx, 11, savesAVX512},
	{"avx512bitalg", 7, 0, ecx, 12, savesAVX512},
	{"avx512vpopcntdq", 7, 0, ecx, 14, savesAVX512},
	{"avx512fp16", 7, 0, edx, 23, savesAVX512},
	{"avxvnni", 7, 1, eax, 4, savesAVX},
	{"avx512bf16", 7, 1, eax, 5, savesAVX512},
	{"lzcnt", 0x80000001, 0, ecx, 5, 0},
}

// hostL2 asks the leaf whose bits 16 to 31 of ECX are KiB, for Intel and AMD alike.
func hostL2() int {
	const leaf = 0x80000006
	if highest, _, _, _ := cpuid(0x80000000, 0); highest < leaf {
		return 0
	}
	_, _, c, _ := cpuid(leaf, 0)
	return int(c>>16) << 10
}

// hostFeatures returns the features that the processor has and the system lets
// programs use.
func hostFeatures() []string {
	highest, _, _, _ := cpuid(0, 0)
	highestExtended, _, _, _ := cpuid(0x80000000, 0)
	var saved uint32
	if _, _, c, _ := cpuid(1, 0); c>>27&1 != 0 { // OSXSAVE
		saved, _ = xgetbv()
	}
	var found []string
	for _, f := range features {
		if f.leaf > highest && f.leaf < 0x80000000 || f.leaf > highestExtended || saved&f.saved != f.saved {
			continue
		}
		if f.sub > 0 {
			if most, _, _, _ := cpuid(f.leaf, 0); f.sub > most {
				continue
			}
		}
		var r [4]uint32
		r[eax], r[ebx], r[ecx], r[edx] = cpuid(f.leaf, f.sub)
		if r[f.register]>>f.bit&1 != 0 {
			found = append(found, f.name)
		}
	}
	return found
}
