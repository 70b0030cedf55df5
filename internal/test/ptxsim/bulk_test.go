package ptxsim_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxsim"
)

// boxed has its first warp copy boxes of a matrix to a ring of two places. The boxes are 8
// rows of 64 elements of two bytes, one after the other along a row of boxes. Its second
// warp stores their elements: lane l the 32 bytes from 32 l on, as the swizzle has them.
// Behind the places are two mbarriers that copies fill and two that lanes empty.
const boxed = ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 block[];\n" + `.visible .entry k(.param .u64 y, .param .u64 n, .param .u64 row, .param .align 64 .b8 m[128])
.maxntid 64, 1, 1
{
	.reg .pred %p<4>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	ld.param.u64 %rd0, [y];
	ld.param.u64 %rd1, [n];
	ld.param.u64 %rd2, [row];
	cvt.u32.u64 %r10, %rd1;
	cvt.u32.u64 %r11, %rd2;
	mov.b64 %rd3, m;
	cvta.param.u64 %rd4, %rd3;
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, block;
	setp.ne.u32 %p0, %r0, 0;
	@%p0 bra READY;
	mbarrier.init.shared::cta.b64 [%r1+2048], 1;
	mbarrier.init.shared::cta.b64 [%r1+2056], 1;
	mbarrier.init.shared::cta.b64 [%r1+2064], 1;
	mbarrier.init.shared::cta.b64 [%r1+2072], 1;
	fence.mbarrier_init.release.cluster;
READY:
	bar.sync 0;
	mov.u32 %r2, 0;
	mov.u32 %r3, 0;
	mov.u32 %r4, %r1;
	add.u32 %r5, %r1, 2048;
	setp.ge.u32 %p1, %r0, 32;
	@%p1 bra CONSUME;
	@%p0 bra END;
PRODUCE:
	xor.b32 %r6, %r3, 1;
EMPTY:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5+16], %r6;
	@!%p2 bra EMPTY;
	mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 1024;
	shl.b32 %r7, %r2, 6;
	cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd4, {%r7, %r11}], [%r5];
	xor.b32 %r4, %r4, 1024;
	xor.b32 %r5, %r5, 8;
	and.b32 %r8, %r2, 1;
	xor.b32 %r3, %r3, %r8;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p3, %r2, %r10;
	@%p3 bra PRODUCE;
	bra END;
CONSUME:
	sub.u32 %r0, %r0, 32;
	shl.b32 %r12, %r0, 5;
	shr.u32 %r13, %r12, 3;
	and.b32 %r13, %r13, 0x70;
	xor.b32 %r12, %r12, %r13;
	mul.wide.u32 %rd5, %r0, 32;
	add.s64 %rd6, %rd0, %rd5;
FULL:
	mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], %r3;
	@!%p2 bra FULL;
	add.u32 %r14, %r4, %r12;
	ld.shared.v4.b32 {%r16, %r17, %r18, %r19}, [%r14];
	xor.b32 %r15, %r14, 16;
	ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r15];
	st.global.v4.b32 [%rd6], {%r16, %r17, %r18, %r19};
	st.global.v4.b32 [%rd6+16], {%r20, %r21, %r22, %r23};
	bar.warp.sync -1;
	setp.eq.u32 %p1, %r0, 0;
	@%p1 mbarrier.arrive.shared::cta.b64 _, [%r5+16];
	add.s64 %rd6, %rd6, 1024;
	xor.b32 %r4, %r4, 1024;
	xor.b32 %r5, %r5, 8;
	and.b32 %r8, %r2, 1;
	xor.b32 %r3, %r3, %r8;
	add.u32 %r2, %r2, 1;
	setp.lt.u32 %p3, %r2, %r10;
	@%p3 bra FULL;
END:
	ret;
}
`

// boxedRun runs boxed, or what became of it, on a matrix of 20 rows of 296 elements,
// and compares: boxes begin at a row, from column 0 on.
func boxedRun(t *testing.T, text string, row int, change func(m *ptxsim.TensorMap)) error {
	module, err := ptxsim.Parse(text)
	require.NoError(t, err)
	e, err := module.Entry("k")
	require.NoError(t, err)
	const rows, columns, pitch, boxes = 20, 296, 304, 5
	in := make([]byte, rows*pitch*2)
	for i := range rows * pitch {
		binary.LittleEndian.PutUint16(in[2*i:], uint16(i+1))
	}
	out := make([]byte, boxes*1024)
	var memory ptxsim.Memory
	const at, to = 0x7000_0000, 0x6000_0000
	memory.Map(to, out)
	memory.Map(at, in)
	m := &ptxsim.TensorMap{Address: at, Element: 2, Sizes: []uint64{columns, rows}, Strides: []uint64{pitch * 2}, Box: []uint32{64, 8}, Swizzle: 128}
	if change != nil {
		change(m)
	}
	words := m.Words()
	args := append([]uint64{to, boxes, uint64(row)}, words[:]...)
	if _, err := e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{64, 1, 1}, Shared: 2048 + 4*8, Args: args, Steps: 1 << 20}); err != nil {
		return err
	}
	for box := range boxes {
		for i := range 8 * 64 {
			y, x := row+i/64, box*64+i%64
			want := uint16(0)
			if y >= 0 && y < rows && x < columns {
				want = uint16(y*pitch + x + 1)
			}
			if got := binary.LittleEndian.Uint16(out[box*1024+2*i:]); got != want {
				return fmt.Errorf("box %d, row %d, column %d: %d, want %d", box, y, x, got, want)
			}
		}
	}
	return nil
}

// Boxes are copied as they are inside the matrix, and as 0 outside.
func TestBulkCopy(t *testing.T) {
	for _, row := range []int{0, 16, -3, 40} {
		require.NoError(t, boxedRun(t, boxed, row, nil))
	}
	three := strings.Replace(boxed, "tensor.2d", "tensor.3d", 1)
	three = strings.Replace(three, "{%r7, %r11}", "{%r7, 0, %r11}", 1)
	require.NoError(t, boxedRun(t, three, 16, func(m *ptxsim.TensorMap) {
		m.Sizes, m.Strides, m.Box = []uint64{m.Sizes[0], 1, m.Sizes[1]}, []uint64{m.Strides[0], m.Strides[0]}, []uint32{64, 1, 8}
	}))
}

// Planted mistakes with copies of boxes, and what waits for them, are each found.
func TestBulkCopyFaults(t *testing.T) {
	const expect = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 1024;"
	const full = "mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], %r3;"
	const arrive = "mbarrier.arrive.shared::cta.b64 _, [%r5+16];"
	for _, c := range []struct{ name, old, new, want string }{
		{"the wrong phase", full, strings.Replace(full, "%r3", "1", 1), "race: read at the same place as a copy that is counted at 2048, in its phase 1"},
		{"a phase that never changes", full, strings.Replace(full, "%r3", "0", 1), "race: read at the same place as a copy that is counted at 2048, in its phase 2"},
		{"the producer waits for the wrong phase", "xor.b32 %r6, %r3, 1", "mov.u32 %r6, %r3", "deadlock"},
		{"does not ask again", "@!%p2 bra FULL;", "", "race: read at the same place as a copy that is counted at 2048, in its phase 1"},
		{"no wait", full + "\n\t@!%p2 bra FULL;", "", "race: read at the same place as a copy that is counted at 2048, in its phase 1"},
		{"a place that is not free", "@!%p2 bra EMPTY;", "", "that is all it waits for"},
		{"nobody frees places", "@%p1 " + arrive, "", "deadlock"},
		{"freed before all have read", "bar.warp.sync -1;", "", "race: write at the same place as thread"},
		{"freed twice", "@%p1 " + arrive, arrive, "deadlock"},
		{"the wrong place is freed", "@%p1 " + arrive, "@%p1 mbarrier.arrive.shared::cta.b64 _, [%r5+8];", "deadlock"},
		{"expects less", "[%r5], 1024;", "[%r5], 512;", "copies bring 512 bytes more than the mbarrier at 2056 expects"},
		{"expects more", "[%r5], 1024;", "[%r5], 2048;", "deadlock"},
		{"expects nothing", expect, "mbarrier.arrive.shared::cta.b64 _, [%r5];", "race: read at the same place as a copy"},
		{"no arrival", expect, "", "deadlock"},
		{"expects more than there may be", "[%r5], 1024;", "[%r5], 1048576;", "expects 1048576 bytes, of at most 1048575"},
		{"overwritten before it arrives", "\txor.b32 %r4, %r4, 1024;\n\txor.b32 %r5, %r5, 8;\n", "\tst.global.b16 [0x70000000], 7;\n\txor.b32 %r4, %r4, 1024;\n\txor.b32 %r5, %r5, 8;\n", "what a copy reads has been overwritten before the copy was waited for"},
		{"no barrier", "\tbar.sync 0;\n", "", "race: thread 0 of block 0 has made the mbarrier at 2048"},
		{"no fence", "\tfence.mbarrier_init.release.cluster;\n", "", "no fence.mbarrier_init came since"},
		{"an mbarrier that is read", "\tbar.sync 0;\n", "\tbar.sync 0;\n\tld.shared.b64 %rd7, [block+2048];\n", "where an mbarrier is"},
		{"an mbarrier of no arrivals", "[%r1+2048], 1;", "[%r1+2048], 0;", "an mbarrier of 0 arrivals"},
		{"written before, without a fence", "\tbar.sync 0;\n", "\tst.shared.b32 [block], %r0;\n\tbar.sync 0;\n", "race"},
		{"no fence of what was written", "READY:\n", "READY:\n\t@!%p0 st.shared.b32 [block+64], 7;\n", "no fence.proxy.async came since"},
		{"alignment", "add.u32 %r5, %r1, 2048;", "add.u32 %r5, %r1, 2048;\n\tadd.u32 %r4, %r4, 512;", "which is no multiple of 1024"},
		{"outside of the block's memory", "xor.b32 %r4, %r4, 1024;", "add.u32 %r4, %r4, 2048;", "where an mbarrier is"},
		{"dimensions", "tensor.2d", "tensor.1d", "a tensor map of 2 dimensions"},
		{"not swizzled", "xor.b32 %r12, %r12, %r13;", "", "want"},
		{"no map", "mov.b64 %rd3, m;", "mov.b64 %rd3, row;", "the parameter at 16 is no tensor map"},
		{"nobody waits in the end", "add.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p3, %r2, %r10;\n\t@%p3 bra FULL", "add.u32 %r2, %r2, 1;\n\tsetp.lt.u32 %p3, %r2, 4;\n\t@%p3 bra FULL", "its block ends with 1 copy"},
		{"an mbarrier that is no more", "END:\n", "END:\n\tbar.sync 0;\n\tmbarrier.inval.shared::cta.b64 [block+2048];\n", "there is no mbarrier"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(boxed, c.old, c.new, 1)
			if c.name == "dimensions" {
				text = strings.Replace(text, "{%r7, %r11}", "{%r7}", 1)
			}
			require.NotEqual(t, boxed, text)
			require.ErrorContains(t, boxedRun(t, text, 0, nil), c.want)
		})
	}
	for _, c := range []struct {
		name, want string
		change     func(m *ptxsim.TensorMap)
	}{
		{"wrong stride", "want", func(m *ptxsim.TensorMap) { m.Strides[0] += 16 }},
		{"matrix outside", "which has", func(m *ptxsim.TensorMap) { m.Sizes[1] = 21; m.Address += 608 * 13 }},
		{"wrong box", "race: write at the same place as a copy", func(m *ptxsim.TensorMap) { m.Box[1] = 16 }},
	} {
		t.Run(c.name, func(t *testing.T) { require.ErrorContains(t, boxedRun(t, boxed, 8, c.change), c.want) })
	}
	for _, c := range []struct{ old, new, want string }{
		{"mbarrier.try_wait.parity", "mbarrier.test_wait.parity", "unknown opcode"},
		{"tensor.2d", "tensor.6d", "unknown opcode"},
		{"m[128]", "m[64]", "want .param .u64 name or .param .align 64 .b8 name[128]"},
		{"{%r7, %r11}", "{%r7}", "expected {…} of 2, not {%r7}"},
		{"fence.mbarrier_init.release.cluster", "fence.acq_rel.gpu", "unknown opcode"},
	} {
		_, err := ptxsim.Parse(strings.Replace(boxed, c.old, c.new, 1))
		require.ErrorContains(t, err, c.want)
	}
}

// The rules of maps.
func TestTensorMapRules(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(m *ptxsim.TensorMap)
	}{
		{"no multiple of 16", func(m *ptxsim.TensorMap) { m.Address += 8 }},
		{"the stride of dimension 1 is 88 bytes", func(m *ptxsim.TensorMap) { m.Strides[0] = 88 }},
		{"dimension 1 has 0 elements", func(m *ptxsim.TensorMap) { m.Sizes[1] = 0 }},
		{"the box has 257 elements of dimension 1", func(m *ptxsim.TensorMap) { m.Box[1] = 257 }},
		{"rows of the box have 24 bytes, want a multiple of 16", func(m *ptxsim.TensorMap) { m.Box[0] = 12 }},
		{"rows of the box have 256 bytes, which are mixed in 128", func(m *ptxsim.TensorMap) { m.Box[0] = 128 }},
		{"2 sizes, 0 strides", func(m *ptxsim.TensorMap) { m.Strides = nil }},
	} {
		m := &ptxsim.TensorMap{Address: 256, Element: 2, Sizes: []uint64{64, 8}, Strides: []uint64{128}, Box: []uint32{64, 8}, Swizzle: 128}
		require.NoError(t, m.Check())
		c.change(m)
		require.ErrorContains(t, m.Check(), c.want)
	}
}
