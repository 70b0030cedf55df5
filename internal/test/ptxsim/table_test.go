package ptxsim_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxsim"
)

// counts adds to a counter of 16 bits, by comparing and swapping, what a table has
// for the thread.
const counts = ".version 7.0\n.target sm_80\n.address_size 64\n" + `.global .align 8 .b64 numbers[4] = {1, 0x2, 3, 4};
.visible .entry counts(.param .u64 y)
{
	.reg .pred %p<2>;
	.reg .b16 %h<4>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<6>;
	ld.param.u64 %rd0, [y];
	mov.u32 %r0, %tid.x;
	mul.wide.u32 %rd1, %r0, 8;
	mov.u64 %rd2, numbers;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.nc.b64 %rd4, [%rd3+0];
	cvt.u32.u64 %r1, %rd4;
	atom.global.cas.b16 %h0, [%rd0], 0, 0;
L1:
	cvt.u32.u16 %r2, %h0;
	add.u32 %r3, %r1, %r2;
	cvt.u16.u32 %h1, %r3;
	atom.global.cas.b16 %h2, [%rd0], %h0, %h1;
	setp.eq.b16 %p0, %h2, %h0;
	mov.b16 %h0, %h2;
	@!%p0 bra L1;
	ret;
}
`

func count(t *testing.T, text string) (uint16, error) {
	m, err := ptxsim.Parse(text)
	require.NoError(t, err)
	e, err := m.Entry("counts")
	require.NoError(t, err)
	var memory ptxsim.Memory
	y := []byte{7, 0}
	_, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{4, 1, 1}, Args: []uint64{memory.Alloc(y)}, Steps: 1 << 20})
	return binary.LittleEndian.Uint16(y), err
}

func TestTables(t *testing.T) {
	n, err := count(t, counts)
	require.NoError(t, err)
	require.Equal(t, uint16(7+2*(1+2+3+4)), n)
	for _, c := range []struct{ name, old, new, want string }{
		{"outside", "%r0, 8;", "%r0, 16;", "read of 8 bytes, "},
		{"written", "atom.global.cas.b16 %h0, [%rd0]", "atom.global.cas.b16 %h0, [%rd3]", "atomic update of 2 bytes, "},
		{"half a number", "[%rd3+0]", "[%rd3+4]", "read of 8 bytes, "},
	} {
		_, err := count(t, strings.Replace(counts, c.old, c.new, 1))
		require.ErrorContains(t, err, c.want, c.name)
	}
	_, err = ptxsim.Parse(strings.Replace(counts, "numbers[4]", "numbers[5]", 1))
	require.ErrorContains(t, err, "expected .global .align 8 .b64 name[n]")
}
