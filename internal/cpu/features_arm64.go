package cpu

import (
	"encoding/binary"
	"os"
)

// Entries of the vector that Linux passes to programs, and their bits, from
// asm/hwcap.h.
const (
	capabilities  = 16 // AT_HWCAP
	capabilities2 = 26 // AT_HWCAP2
)

var features = []struct {
	name  string
	entry uint64
	bit   int
}{
	{"lse", capabilities, 8},
	{"fullfp16", capabilities, 10},
	{"dotprod", capabilities, 20},
	{"sve", capabilities, 22},
	{"sve2", capabilities2, 1},
	{"i8mm", capabilities2, 13},
	{"bf16", capabilities2, 14},
}

// hostFeatures returns the features that the processor has and the system lets
// programs use; none on systems that do not say.
func hostFeatures() []string {
	vector, err := os.ReadFile("/proc/self/auxv")
	if err != nil {
		return nil
	}
	var found []string
	for ; len(vector) >= 16; vector = vector[16:] {
		entry, bits := binary.LittleEndian.Uint64(vector), binary.LittleEndian.Uint64(vector[8:])
		for _, f := range features {
			if f.entry == entry && bits>>f.bit&1 != 0 {
				found = append(found, f.name)
			}
		}
	}
	return found
}
