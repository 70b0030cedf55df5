package eval

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/internal/loops"
)

// Bits survive being taken apart and put together, whatever the widths.
func TestRepack(t *testing.T) {
	f := &frame{ws: &workspace{}}
	wide := tensorOf(loops.U64, 2)
	in := []uint64{0x0123456789abcdef, 0xfedcba9876543210}
	for _, d := range []loops.DType{loops.I1, loops.U2, loops.I4, loops.U4, loops.F4E2M1FN, loops.U8, loops.U16, loops.F32, loops.I64} {
		narrow := tensorOf(d, 2, 64/d.Bits())
		mem, back := make([]uint64, narrow.bytes()/8+1), make([]uint64, 2)
		repack(f, unsafe.Pointer(&mem[0]), unsafe.Pointer(&in[0]), narrow, wide)
		repack(f, unsafe.Pointer(&back[0]), unsafe.Pointer(&mem[0]), wide, narrow)
		require.Equal(t, in, back, "%v", d)
	}
}
