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

const header = ".version 7.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 block[];\n"

// sums adds the numbers of each warp by shuffles, those of the warps in the
// block's memory: y[block] = Σ x[block·n + thread].
const sums = header + `.visible .entry sums(.param .u64 x, .param .u64 y)
.maxntid 64, 1, 1
{
	.reg .pred %p<4>;
	.reg .b32 %r<12>;
	.reg .b64 %rd<12>;
	.reg .f32 %f<12>;
	ld.param.u64 %rd0, [x];
	ld.param.u64 %rd1, [y];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mad.lo.s32 %r3, %r1, %r2, %r0; // global thread
	mul.wide.u32 %rd2, %r3, 4;
	add.s64 %rd3, %rd0, %rd2;
	ld.global.f32 %f0, [%rd3];
	mov.u32 %r4, 16;
L1:
	shfl.sync.bfly.b32 %f1, %f0, %r4, 31, -1;
	add.rn.f32 %f0, %f0, %f1;
	shr.u32 %r4, %r4, 1;
	setp.ne.u32 %p0, %r4, 0;
	@%p0 bra L1;
	and.b32 %r5, %r0, 31;
	setp.eq.u32 %p1, %r5, 0;
	shr.u32 %r6, %r0, 5;
	mov.u64 %rd4, block;
	mul.wide.u32 %rd5, %r6, 4;
	add.s64 %rd6, %rd4, %rd5;
	@%p1 st.shared.f32 [%rd6], %f0;
	bar.sync 0;
	setp.ne.u32 %p2, %r0, 0;
	@%p2 ret;
	ld.shared.f32 %f2, [block];
	ld.shared.f32 %f3, [block+4];
	add.rn.f32 %f4, %f2, %f3;
	mul.wide.u32 %rd7, %r1, 4;
	add.s64 %rd8, %rd1, %rd7;
	st.global.f32 [%rd8], %f4;
	ret;
}
`

func floats(n int) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(i)))
	}
	return b
}

// run runs sums, or what became of it, on two blocks.
func run(t *testing.T, text string, threads int) ([]byte, error) {
	m, err := ptxsim.Parse(text)
	require.NoError(t, err)
	e, err := m.Entry("sums")
	require.NoError(t, err)
	var memory ptxsim.Memory
	x, y := floats(128), make([]byte, 8)
	_, err = e.Run(&memory, ptxsim.Launch{
		Grid: [3]int{2, 1, 1}, Block: [3]int{threads, 1, 1}, Shared: 8,
		Args: []uint64{memory.Alloc(x), memory.Alloc(y)}, Steps: 1 << 20,
	})
	return y, err
}

func TestRun(t *testing.T) {
	y, err := run(t, sums, 64)
	require.NoError(t, err)
	require.Equal(t, float32(63*64/2), math.Float32frombits(binary.LittleEndian.Uint32(y)))
	require.Equal(t, float32(64*64+63*64/2), math.Float32frombits(binary.LittleEndian.Uint32(y[4:])))
}

// What is added atomically to f32 in global memory, and what that makes, is 0 where it is
// subnormal, as on GPUs; in shared memory, and of f64, it is not.
func TestSubnormals(t *testing.T) {
	const least, tiny = 0x0080_0000, 0x0000_0001 // the least normal number, and the least
	for _, c := range []struct {
		where      string
		y, x, want uint32
	}{
		{"global", 0, tiny, 0},
		{"global", 0x8000_0000 | tiny, 0x8000_0000 | tiny, 0x8000_0000},
		{"global", least, tiny, least},
		{"global", least + 1, 0x8000_0000 | least, 0},
		{"global", least, least, 2 * least},
		{"shared", 0, tiny, tiny},
		{"shared", least + 1, 0x8000_0000 | least, 1},
	} {
		text := strings.NewReplacer("WHERE", c.where, "VALUE", fmt.Sprintf("0f%08X", c.x)).Replace(`.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 block[];
.visible .entry k(.param .u64 y)
{
	.reg .b64 %rd<2>;
	.reg .b32 %r<2>;
	.reg .f32 %f<3>;
	ld.param.u64 %rd0, [y];
	ld.global.f32 %f0, [%rd0];
	mov.u32 %r0, block;
	st.shared.f32 [%r0], %f0;
	red.shared.add.f32 [%r0], VALUE;
	red.global.add.f32 [%rd0], VALUE;
	ld.WHERE.f32 %f1, [PLACE];
	st.global.f32 [%rd0+4], %f1;
	ret;
}
`)
		text = strings.Replace(text, "PLACE", map[string]string{"global": "%rd0", "shared": "%r0"}[c.where], 1)
		m, err := ptxsim.Parse(text)
		require.NoError(t, err)
		e, err := m.Entry("k")
		require.NoError(t, err)
		var memory ptxsim.Memory
		y := binary.LittleEndian.AppendUint32(nil, c.y)
		y = append(y, 0, 0, 0, 0)
		_, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Shared: 4, Args: []uint64{memory.Alloc(y)}, Steps: 100})
		require.NoError(t, err)
		require.Equal(t, c.want, binary.LittleEndian.Uint32(y[4:]), "%s: %x + %x", c.where, c.y, c.x)
	}
}

// Planted mistakes are each found.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		threads        int
		want           string
	}{
		{"missing barrier", "\tbar.sync 0;\n", "", 64, "nobody has written"},
		{"race", "\tbar.sync 0;\n", "\tst.shared.f32 [block], %f0;\n\tbar.sync 0;\n", 64, "race: write at the same place as thread 0 of block 0"},
		{"race of blocks", "mul.wide.u32 %rd7, %r1, 4", "mul.wide.u32 %rd7, %r1, 0", 64, "race: write at the same place as thread 0 of block 0"},
		{"wrong stride", "mul.wide.u32 %rd2, %r3, 4", "mul.wide.u32 %rd2, %r3, 8", 64, "4 bytes at 512 of allocation 0, which has 512"},
		{"too many threads", "", "", 96, "write of 4 bytes at 8 of a block's memory, which has 8"},
		{"before the first", "add.s64 %rd3, %rd0, %rd2", "sub.s64 %rd3, %rd0, %rd2", 64, "4 bytes at"},
		{"alignment", "mul.wide.u32 %rd2, %r3, 4", "mul.wide.u32 %rd2, %r3, 3", 64, "not aligned"},
		{"block's memory", "[block+4]", "[block+8]", 64, "4 bytes at 8 of a block's memory, which has 8"},
		{"deadlock", "\tbar.sync 0;\n\tsetp.ne.u32 %p2, %r0, 0;\n\t@%p2 ret;\n", "\tsetp.ne.u32 %p2, %r0, 0;\n\t@%p2 ret;\n\tbar.sync 0;\n", 64, "deadlock: it waits, thread 1 has ended"},
		{"two barriers", "\tbar.sync 0;\n", "\t@%p1 bra L2;\n\tbar.sync 0;\n\tbra L3;\nL2:\n\tbar.sync 0;\nL3:\n", 64, "different barriers"},
		{"part of a warp", "", "", 48, "lanes that the warp does not have"},
		{"endless", "setp.ne.u32 %p0, %r4, 0", "setp.eq.u32 %p0, 0, 0", 64, "more than 1048576 instructions"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(sums, c.old, c.new, 1)
			if c.old != "" {
				require.NotEqual(t, sums, text)
			}
			_, err := run(t, text, c.threads)
			var f *ptxsim.Fault
			require.ErrorAs(t, err, &f)
			require.Contains(t, err.Error(), c.want)
			require.Contains(t, strings.Join(strings.Fields(text), " "), f.Instr)
		})
	}
}

// Registers that nothing has been written to are NaN as floats, true as predicates, and
// no address: what a text forgets to set is not by chance 0, as a device's may not be.
func TestUnwrittenRegistersArePoison(t *testing.T) {
	run := func(body string) (float32, error) {
		m, err := ptxsim.Parse(header + `.visible .entry k(.param .u64 y)
{
	.reg .pred %p<2>;
	.reg .b16 %h<2>;
	.reg .b32 %r<2>;
	.reg .b64 %rd<3>;
	.reg .f32 %f<3>;
	.reg .f64 %d<2>;
	ld.param.u64 %rd0, [y];
` + body + `
	st.global.f32 [%rd0], %f0;
	ret;
}
`)
		require.NoError(t, err)
		e, err := m.Entry("k")
		require.NoError(t, err)
		var memory ptxsim.Memory
		y := make([]byte, 4)
		_, err = e.Run(&memory, ptxsim.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{1, 1, 1}, Args: []uint64{memory.Alloc(y)}})
		return math.Float32frombits(binary.LittleEndian.Uint32(y)), err
	}
	for _, body := range []string{
		"", "mul.rn.f32 %f0, %f1, 0f00000000;", "cvt.rn.f32.f64 %f0, %d0;", "cvt.f32.f16 %f0, %h0;", "mov.b32 %f0, %r0;",
		"mov.f32 %f0, 0f3F800000;\n\t@%p0 mov.f32 %f0, %f1;",
		"setp.ge.u32 %p1, 0, 1;\n\t@%p1 ld.global.f32 %f0, [%rd0];", // a load whose guard fails
	} {
		got, err := run(body)
		require.NoError(t, err)
		require.True(t, got != got, "%s: %v", body, got)
	}
	_, err := run("ld.global.f32 %f0, [%rd1];")
	require.ErrorContains(t, err, "before allocation 1")
}

// Instructions of Hopper are refused in modules whose target or version lacks them, as the
// assembler refuses them.
func TestInstructionsOfAnotherTargetAreRefused(t *testing.T) {
	for _, c := range []struct{ text, old, new, want string }{
		{grouped, ".target sm_90a", ".target sm_90", "wgmma.fence.sync.aligned in a module for sm_90"},
		{grouped, ".target sm_90a", ".target sm_80", "fence.proxy.async.shared::cta in a module for sm_80"},
		{grouped, ".version 8.0", ".version 7.8", "fence.proxy.async.shared::cta in a module of PTX 7.8"},
		{boxed, ".target sm_90a", ".target sm_80", "fence.mbarrier_init.release.cluster in a module for sm_80"},
		{halves, ".target sm_90a", ".target sm_90", "setmaxnreg.dec.sync.aligned.u32 in a module for sm_90"},
	} {
		_, err := ptxsim.Parse(strings.Replace(c.text, c.old, c.new, 1))
		require.ErrorContains(t, err, c.want)
	}
	for _, later := range []string{".target sm_90", ".target sm_100"} {
		_, err := ptxsim.Parse(strings.NewReplacer(".target sm_90a", later, ".version 8.0", ".version 10.0").Replace(boxed))
		require.NoError(t, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		line           int
		want           string
	}{
		{"opcode", "add.rn.f32 %f0", "add.rz.f32 %f0", 24, "unknown opcode add.rz.f32"},
		{"approximate", "add.rn.f32 %f0, %f0, %f1", "ex2.approx.f32 %f0, %f1", 24, "unknown opcode ex2.approx.f32"},
		{"address", "[block+4]", "[4+%rd4]", 39, `"[4+%rd4]" has a register for an offset`},
		{"register", "mov.u32 %r0, %tid.x", "mov.u32 %r12, %tid.x", 14, "there is no register %r12"},
		{"operands", "and.b32 %r5, %r0, 31", "and.b32 %r5, %r0", 28, "and.b32 has 2 operands, want 3"},
		{"label", "bra L1", "bra L2", 27, "there is no label L2"},
		{"parameter", "[x]", "[z]", 12, "there is no parameter z of 8 bytes"},
		{"directive", ".target", ".file", 2, "unknown directive .file"},
		{"too many parameters", ".entry sums(", ".entry sums(" + strings.Repeat(".param .u64 more, ", 600), 5, "entry sums has 4816 bytes of parameters, of at most 4096"},
		{"literal", ", 31;\n\tsetp", ", 3x;\n\tsetp", 28, `"3x" is no register and no literal`},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(sums, c.old, c.new, 1)
			require.NotEqual(t, sums, text)
			_, err := ptxsim.Parse(text)
			var e *ptxsim.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.want, e.Message)
			require.Equal(t, c.line, e.Line)
		})
	}
}
