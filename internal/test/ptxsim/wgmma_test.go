package ptxsim_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxsim"
)

// grouped multiplies 64·16 by 16·8 elements, which its threads copy into the
// block's memory as the text asks for, and stores the sums as threads have them.
const grouped = ".version 8.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 block[];\n" + `.visible .entry k(.param .u64 x, .param .u64 y)
{
	.reg .pred %p<4>;
	.reg .b32 %r<24>;
	.reg .b64 %rd<12>;
	.reg .f32 %f<4>;
	ld.param.u64 %rd0, [x];
	ld.param.u64 %rd1, [y];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, block;
	// thread t copies the 72 bytes at 72 t
	mul.lo.u32 %r2, %r0, 72;
	add.u32 %r3, %r1, %r2;
	cvt.u64.u32 %rd2, %r2;
	add.s64 %rd3, %rd0, %rd2;
	mov.u32 %r4, 0;
L1:
	ld.global.b64 %rd4, [%rd3];
	st.shared.b64 [%r3], %rd4;
	add.u32 %r3, %r3, 8;
	add.s64 %rd3, %rd3, 8;
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p0, %r4, 9;
	@%p0 bra L1;
	fence.proxy.async.shared::cta;
	bar.sync 0;
	and.b32 %r5, %r1, 0x3FFFF;
	shr.u32 %r5, %r5, 4;
	or.b32 %r6, %r5, 0x10000;
	mov.u32 %r7, 0x40000040;
	mov.b64 %rd5, {%r6, %r7};
	add.u32 %r8, %r6, 512;
	mov.b64 %rd6, {%r8, %r7};
	mov.f32 %f0, 0f3F800000;
	mov.f32 %f1, 0f3F800000;
	mov.f32 %f2, 0f3F800000;
	mov.f32 %f3, 0f3F800000;
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd5, %rd6, 1, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	mul.wide.u32 %rd7, %r0, 16;
	add.s64 %rd8, %rd1, %rd7;
	st.global.v4.f32 [%rd8], {%f0, %f1, %f2, %f3};
	ret;
}
`

// Rows of 128 bytes of the second factor begin behind those of the first.
const groupedBytes = 64*128 + 8*128

// swizzled is where the PTX ISA has the byte at an offset: bits 4 to 6 are
// exchanged by bits 7 to 9.
func swizzled(at int) int { return at ^ at>>3&0x70 }

// groupedRun runs grouped, or what became of it, and compares with the product.
func groupedRun(t *testing.T, text string, across bool) error {
	m, err := ptxsim.Parse(text)
	require.NoError(t, err)
	e, err := m.Entry("k")
	require.NoError(t, err)
	in := make([]byte, groupedBytes)
	a := func(i, k int) int { return (i*5+k*3)%7 - 3 }
	b := func(k, j int) int { return (k*2+j*7)%9 - 4 }
	put := func(at, v int) {
		binary.LittleEndian.PutUint16(in[swizzled(at):], uint16(math.Float32bits(float32(v))>>16))
	}
	for k := range 16 {
		for i := range 64 {
			if across { // rows are of K: the elements of all rows beside each other
				put(k*128+i*2, a(i, k))
			} else {
				put(i*128+k*2, a(i, k))
			}
		}
		for j := range 8 {
			put(64*128+j*128+k*2, b(k, j))
		}
	}
	out := make([]byte, 128*16)
	var memory ptxsim.Memory
	const at, to = 0x7000_0000, 0x6000_0000
	memory.Map(to, out)
	memory.Map(at, in)
	if _, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{128, 1, 1}, Shared: groupedBytes, Args: []uint64{at, to}}); err != nil {
		return err
	}
	for thread := range 128 {
		for r := range 4 {
			// "D fragment": row 16·warp + lane/4 + 8·(r/2), column 2·(lane mod 4) + r mod 2
			row, column := thread/32*16+thread%32/4+8*(r/2), thread%4*2+r%2
			want := 1
			for k := range 16 {
				want += a(row, k) * b(k, column)
			}
			if got := math.Float32frombits(binary.LittleEndian.Uint32(out[thread*16+r*4:])); got != float32(want) {
				return fmt.Errorf("row %d column %d: %v, want %d", row, column, got, want)
			}
		}
	}
	return nil
}

func TestWgmma(t *testing.T) {
	require.NoError(t, groupedRun(t, grouped, false))
	require.NoError(t, groupedRun(t, strings.Replace(grouped, "1, 1, 1, 0, 0;", "1, 1, 1, 1, 0;", 1), true))
}

// Planted mistakes with the products of warpgroups are each found.
func TestWgmmaFaults(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"no wait", "\twgmma.wait_group.sync.aligned 0;\n", "", "want"},
		{"no commit", "\twgmma.commit_group.sync.aligned;\n", "", "want"},
		{"waits for too little", "aligned 0;", "aligned 1;", "want"},
		{"no fence of registers", "\twgmma.fence.sync.aligned;\n", "", "no wgmma.fence"},
		{"no fence of memory", "\tfence.proxy.async.shared::cta;\n", "", "no fence.proxy.async came since"},
		{"no barrier", "\tbar.sync 0;\n", "", "race: read at the same place"},
		{"sums written meanwhile", "\twgmma.commit", "\tmov.f32 %f0, 0f00000000;\n\twgmma.commit", "it has written sums of a wgmma that was under way"},
		{"memory written meanwhile", "\twgmma.commit", "\tbar.sync 0;\n\tst.shared.b32 [block], %r0;\n\twgmma.commit", "which a wgmma reads that has not been waited for"},
		{"wrong stride", "0x40000040", "0x40000041", "want"},
		{"outside", "0x40000040", "0x40000080", "of a block's memory, which has 9216"},
		{"another swizzle", "0x40000040", "0x80000040", "another swizzle"},
		{"the other way round", "1, 1, 1, 0, 0;", "1, 1, 1, 1, 0;", "want"},
		{"inside the swizzle's pattern", "add.u32 %r8, %r6, 512", "add.u32 %r8, %r6, 520", "without a base offset, whose matrix begins within 1024 bytes"},
		{"descriptors of a thread's own", "or.b32 %r6, %r5, 0x10000", "add.u32 %r6, %r5, %r0", "not that of the warpgroup's first"},
		{"part of a warpgroup", "\twgmma.mma", "\tsetp.lt.u32 %p1, %r0, 96;\n\t@%p1 wgmma.mma", "deadlock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(grouped, c.old, c.new, 1)
			require.NotEqual(t, grouped, text)
			require.ErrorContains(t, groupedRun(t, text, false), c.want)
		})
	}
	_, err := ptxsim.Parse(strings.Replace(grouped, "m64n8k16", "m64n9k16", 1))
	require.ErrorContains(t, err, "unknown opcode")
}

// The wide fence waits for memory of the whole GPU: it is taken once, and refused in a loop.
func TestWideFencesAreRefusedInLoops(t *testing.T) {
	once := strings.Replace(grouped, "fence.proxy.async.shared::cta;", "fence.proxy.async;", 1)
	require.NoError(t, groupedRun(t, once, false))
	_, err := ptxsim.Parse(strings.Replace(grouped, "L1:\n", "L1:\n\tfence.proxy.async;\n", 1))
	require.EqualError(t, err, "ptx line 22: fence.proxy.async in a loop waits for memory of the whole GPU each time: write fence.proxy.async.shared::cta")
	_, err = ptxsim.Parse(strings.Replace(grouped, "L1:\n", "L1:\n\tfence.proxy.async.shared::cta;\n", 1))
	require.NoError(t, err)
}

// factored is grouped with the first factor in registers, which each thread loads from
// where grouped has it. A thread loads two elements of a row, the same of the row eight
// below, and both of eight columns on.
var factored = func() string {
	lines := ""
	for i := range 4 {
		// row 16·warp + lane/4 + 8·(i mod 2), columns 2·(lane mod 4) + 8·(i/2), swizzled
		lines += fmt.Sprintf("\tadd.u32 %%r15, %%r12, %d;\n\tshl.b32 %%r16, %%r15, 7;\n\tand.b32 %%r17, %%r15, 7;\n\txor.b32 %%r17, %%r17, %d;\n\tshl.b32 %%r17, %%r17, 4;\n", 8*(i%2), i/2)
		lines += fmt.Sprintf("\tadd.u32 %%r16, %%r16, %%r17;\n\tadd.u32 %%r16, %%r16, %%r14;\n\tadd.u32 %%r16, %%r16, %%r1;\n\tld.shared.b32 %%r%d, [%%r16];\n", 18+i)
	}
	text := strings.Replace(grouped, "\twgmma.fence", `	and.b32 %r13, %r0, 31;
	shr.u32 %r12, %r0, 5;
	shl.b32 %r12, %r12, 4;
	shr.u32 %r14, %r13, 2;
	add.u32 %r12, %r12, %r14;
	and.b32 %r14, %r13, 3;
	shl.b32 %r14, %r14, 2;
`+lines+"\twgmma.fence", 1)
	return strings.Replace(text, "%rd5, %rd6, 1, 1, 1, 0, 0;", "{%r18, %r19, %r20, %r21}, %rd6, 1, 1, 1, 0;", 1)
}()

func TestWgmmaOfRegisters(t *testing.T) {
	require.NoError(t, groupedRun(t, factored, false))
	for _, c := range []struct{ name, old, new, want string }{
		{"registers in another order", "{%r18, %r19, %r20, %r21}", "{%r18, %r20, %r19, %r21}", "want"},
		{"written before the product and not fenced", "\twgmma.mma", "\tadd.u32 %r20, %r20, 1;\n\twgmma.mma", "no wgmma.fence"},
		{"written meanwhile", "\twgmma.commit", "\tmov.u32 %r20, 0;\n\twgmma.commit", "it has written a factor of a wgmma that was under way"},
		{"sums that are a factor", "\twgmma.commit", "\twgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r18, %r19, %r20, %r21}, {%f0, %f1, %f2, %f3}, %rd6, 1, 1, 1, 0;\n\twgmma.commit", "a factor that is a sum of a wgmma that is under way"},
		{"a factor that becomes sums", "\twgmma.commit", "\twgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r18, %r19, %r20, %r21}, {%r22, %r22, %r22, %r22}, %rd6, 1, 1, 1, 0;\n\twgmma.commit", "sums that are a factor of a wgmma that is under way"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(factored, c.old, c.new, 1)
			require.NotEqual(t, factored, text)
			require.ErrorContains(t, groupedRun(t, text, false), c.want)
		})
	}
	// What was read before it had been waited for is no number.
	read := strings.Replace(factored, "\twgmma.commit", "\tmov.b32 %f4, %r20;\n\twgmma.commit", 1)
	read = strings.Replace(strings.Replace(read, "%f<4>", "%f<5>", 1), "{%f0, %f1, %f2, %f3};", "{%f0, %f1, %f2, %f4};", 1)
	require.ErrorContains(t, groupedRun(t, read, false), "NaN, want")
	_, err := ptxsim.Parse(strings.Replace(factored, "%r21}, %rd6", "%r21}, %rd6, 0", 1))
	require.ErrorContains(t, err, "has 8 operands, want 7")
}
