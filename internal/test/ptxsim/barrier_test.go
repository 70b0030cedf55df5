package ptxsim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxsim"
)

// halves has each half of 128 threads hand numbers round, each at a barrier of its
// own; the second half has registers that the first, of 128 more, has given back.
const halves = ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 16 .b8 block[];\n" + `.visible .entry k(.param .u64 y)
{
	.reg .pred %p<4>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd0, [y];
	mov.u32 %r0, %tid.x;
	mov.u32 %r7, block;
	setp.ge.u32 %p0, %r0, 128;
	@%p0 bra SECOND;
	setmaxnreg.dec.sync.aligned.u32 40;
	bra BOTH;
SECOND:
	setmaxnreg.inc.sync.aligned.u32 216;
BOTH:
	shr.u32 %r1, %r0, 6;
	add.u32 %r1, %r1, 1;
	mul.lo.u32 %r2, %r0, 4;
	add.u32 %r3, %r7, %r2;
	st.shared.b32 [%r3], %r0;
	bar.sync %r1, 64;
	xor.b32 %r4, %r2, 128;
	add.u32 %r5, %r7, %r4;
	ld.shared.b32 %r6, [%r5];
	cvt.u64.u32 %rd1, %r2;
	add.s64 %rd2, %rd0, %rd1;
	st.global.b32 [%rd2], %r6;
	ret;
}
`

func halvesRun(t *testing.T, text string) error {
	m, err := ptxsim.Parse(text)
	require.NoError(t, err)
	e, err := m.Entry("k")
	require.NoError(t, err)
	var memory ptxsim.Memory
	y := make([]byte, 4*384)
	_, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{384, 1, 1}, Shared: 4 * 384, Args: []uint64{memory.Alloc(y)}, Steps: 1 << 20})
	if err == nil {
		require.EqualValues(t, 32, y[0])
		require.EqualValues(t, 5, y[4*37])
	}
	return err
}

// Planted mistakes with barriers of some threads, and registers, are each found.
func TestNamedBarriers(t *testing.T) {
	require.NoError(t, halvesRun(t, halves))
	for _, c := range []struct{ name, old, new, want string }{
		{"no barrier", "\tbar.sync %r1, 64;\n", "", "nobody has written"},
		{"another barrier for each warp", "shr.u32 %r1, %r0, 6", "shr.u32 %r1, %r0, 5", "deadlock"},
		{"one barrier for all", "bar.sync %r1, 64", "bar.sync 1, 64", "barrier 1 has 384 threads, and is for 64"},
		{"for too many", "%r1, 64", "%r1, 96", "deadlock"},
		{"of a warp only", "bar.sync %r1, 64", "bar.warp.sync -1", "race: read at the same place as thread 32"},
		{"barriers that there are not", "add.u32 %r1, %r1, 1", "add.u32 %r1, %r1, 14", "barrier 16, of 16"},
		{"registers that nobody has given back", "\tsetmaxnreg.dec.sync.aligned.u32 40;\n", "", "deadlock"},
		{"more registers than there are", "u32 216", "u32 240", "deadlock"},
		{"given back by taking", "dec.sync.aligned.u32 40", "inc.sync.aligned.u32 40", "setmaxnreg.inc.sync.aligned.u32 to 40 of threads that have 168"},
		{"registers of some threads", "%p0, %r0, 128", "%p0, %r0, 96", "deadlock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(halves, c.old, c.new, 1)
			require.NotEqual(t, halves, text)
			require.ErrorContains(t, halvesRun(t, text), c.want)
		})
	}
	for _, c := range []struct{ old, new, want string }{
		{"%r1, 64", "%r1, 48", "they are whole warps"},
		{"%r1, 64", "16, 64", "at barrier 16, of 16"},
		{"u32 40", "u32 41", "want a multiple of 8"},
		{"bar.sync", "bar.red", "unknown opcode"},
	} {
		_, err := ptxsim.Parse(strings.Replace(halves, c.old, c.new, 1))
		require.ErrorContains(t, err, c.want)
	}
}
