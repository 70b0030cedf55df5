package vector

import (
	"fmt"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"

	"ltc/ir/types"
)

// Level is the instructions that code may use.
type Level uint8

// The levels. AVX2 is x86-64-v3 (with FMA and F16C), AVX512 is x86-64-v4 (F,
// BW, CD, DQ and VL).
const (
	SSE2 Level = iota + 1
	AVX2
	AVX512
	AVX512BF16
	NEON
)

// levels are those of package native, in the same order.
var levels = [...]struct {
	name     string
	bits     int
	cpu      string // LLVM's name of it
	features string // besides those of cpu
	fma      bool
}{
	SSE2:       {"sse2", 128, "x86-64", "", false},
	AVX2:       {"avx2", 256, "x86-64-v3", "", true},
	AVX512:     {"avx512", 512, "x86-64-v4", "", true},
	AVX512BF16: {"avx512bf16", 512, "x86-64-v4", "+avx512bf16", true},
	NEON:       {"neon", 128, "generic", "+neon", true},
}

// Levels returns all levels.
func Levels() []Level { return []Level{SSE2, AVX2, AVX512, AVX512BF16, NEON} }

// String returns the name, such as avx2.
func (l Level) String() string {
	if l == 0 || int(l) >= len(levels) {
		return fmt.Sprintf("level(%d)", uint8(l))
	}
	return levels[l].name
}

// ParseLevel returns the level with the given name.
func ParseLevel(name string) (Level, bool) {
	for _, l := range Levels() {
		if l.String() == name {
			return l, true
		}
	}
	return 0, false
}

// Machine is what code is written for.
type Machine struct {
	Level Level
	// Splats says that the LLVM which reads the text knows constants written
	// as splat (T c), as those from 19 on do. It makes the text shorter.
	Splats bool
}

// Bits returns the width of a vector register.
func (m Machine) Bits() int { return levels[m.Level].bits }

// Lanes returns how many elements of dtype d a vector register holds as they
// lie in memory.
func (m Machine) Lanes(d types.DType) int { return m.Bits() / 8 / d.Size() }

// Registers returns how many vector registers there are.
func (m Machine) Registers() int {
	if m.wide() || m.Level == NEON {
		return 32
	}
	return 16
}

// FMA reports whether the machine multiplies and adds with one rounding.
func (m Machine) FMA() bool { return levels[m.Level].fma }

// Masks reports whether the machine loads and stores some lanes of elements of
// dtype d in one instruction. Masked code runs on all machines, but elsewhere
// with a branch for each lane: a loop over scalars is as fast and shorter.
func (m Machine) Masks(d types.DType) bool {
	return m.wide() || m.Level == AVX2 && d.Size() >= 4
}

// FreeMasks reports whether a load or store of some lanes takes no longer than one
// of all. With AVX2 processors of AMD take many steps for a masked store, and do
// not fetch ahead what masked loads are about to need.
func (m Machine) FreeMasks() bool { return m.wide() }

// wide reports whether the machine has AVX-512: masks, permutations of 16
// lanes, scaling by powers of two.
func (m Machine) wide() bool { return m.Level == AVX512 || m.Level == AVX512BF16 }

// permutes reports whether the machine looks up 16 numbers of 32 bits in
// registers.
func (m Machine) permutes() bool { return m.Level != SSE2 }

// Attributes returns what each function has: the processor's name, features
// and vector width, and that it neither unwinds nor calls library functions.
func (m Machine) Attributes() []ir.FuncAttribute {
	l := levels[m.Level]
	width := fmt.Sprint(l.bits)
	all := []ir.FuncAttribute{
		enum.FuncAttrNoUnwind,
		ir.AttrPair{Key: "target-cpu", Value: l.cpu},
	}
	if l.features != "" {
		all = append(all, ir.AttrPair{Key: "target-features", Value: l.features})
	}
	return append(all,
		ir.AttrPair{Key: "prefer-vector-width", Value: width},
		ir.AttrPair{Key: "min-legal-vector-width", Value: width},
		ir.AttrString("no-builtins"),
	)
}
