package ptxas_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/test/ptxas"
)

func TestKeep(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(ptxas.Variable, dir)
	require.NoError(t, ptxas.Keep("a"))
	require.NoError(t, ptxas.Keep("b"))
	require.NoError(t, ptxas.Name("workload/mlp/3", "a"))
	kept, err := ptxas.Kept(dir)
	require.NoError(t, err)
	require.Len(t, kept, 2)
	names := map[string][]string{}
	for _, m := range kept {
		names[m.Text] = m.Names
	}
	require.Equal(t, map[string][]string{"a": {"workload/mlp/3"}, "b": nil}, names)
	t.Setenv(ptxas.Variable, "")
	require.NoError(t, ptxas.Keep("c"))
	require.NoError(t, ptxas.Name("c", "c"))
}

// What ptxas of CUDA 13.0 says.
func TestReport(t *testing.T) {
	const good = `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for k
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers, used 1 barriers, 2048 bytes smem, 376 bytes cmem[0]
`
	got, err := ptxas.Report(good)
	require.NoError(t, err)
	require.Equal(t, []ptxas.Entry{{"k", "30", "2048"}}, got)
	for _, c := range []struct{ name, said string }{
		{"spills", "ptxas info    : Compiling entry function 'k' for 'sm_80'\n    456 bytes stack frame, 452 bytes spill stores, 500 bytes spill loads\n"},
		{"frame", "ptxas info    : Compiling entry function 'k' for 'sm_80'\n    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"},
		{"warning", "ptxas k.ptx, line 9; warning : Instruction without effect\n" + good},
		{"advice", "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements.\n" + good},
		{"silence", "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := ptxas.Report(c.said)
			require.ErrorContains(t, err, "ptxas: ")
			require.Equal(t, c.name == "advice", ptxas.Advice(c.said) != nil)
		})
	}
}

// Machine code that waits where its text does not is found.
func TestWaitsThatTheTextLacksAreFound(t *testing.T) {
	const ptx = `.visible .entry k(.param .u64 x)
{
L1:
	cp.async.commit_group;
	cp.async.wait_group 1;
	fence.proxy.async.shared::cta;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0}, %rd5, %rd6, 1, 1, 1, 0, 0;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0}, %rd5, %rd6, 1, 1, 1, 0, 0;
	wgmma.commit_group.sync.aligned;
	wgmma.wait_group.sync.aligned 0;
	@%p0 bra L1;
	ret;
}
.visible .entry l()
{
	ret;
}
`
	const loop = `        /*0000*/                   LDGDEPBAR ;
        /*0010*/                   DEPBAR.LE SB0, 0x1 ;
        /*0020*/                   MEMBAR.ALL.CTA ;
        /*0030*/                   FENCE.VIEW.ASYNC.S ;
        /*0040*/                   HGMMA.64x8x16.F32.BF16 R24, gdesc[UR4], R24 ;
        /*0050*/                   HGMMA.64x8x16.F32.BF16 R24, gdesc[UR8], R24, gsb0 ;
        /*0060*/                   WARPGROUP.DEPBAR.LE gsb0, 0x0 ;
`
	code := func(loop string) string {
		return "\t.section\t.text.l,\"ax\",@progbits\n        /*0000*/                   EXIT ;\n\t.section\t.text.k,\"ax\",@progbits\n" + loop + "        /*0070*/                   EXIT ;\n"
	}
	require.NoError(t, ptxas.Waits(ptx, code(loop)))
	require.NoError(t, ptxas.Waits(ptx, code(loop+loop)), "unrolled")
	for _, c := range []struct{ old, new, want string }{
		{"MEMBAR.ALL.CTA", "MEMBAR.ALL.GPU", "k waits for memory of the whole GPU"},
		{"MEMBAR.ALL.CTA", "MEMBAR.SC.SYS", "k waits for memory of the whole GPU"},
		{"gdesc[UR4], R24 ;", "gdesc[UR4], R24, gsb0 ;\nWARPGROUP.DEPBAR.LE gsb0, 0x0 ;", "k waits 2 times for 2 products of warpgroups, the text 1 time for 2"},
		{"MEMBAR.ALL.CTA", "STL [R1], R2", "k has 1 access to a thread's own memory"},
		{"MEMBAR.ALL.CTA", "DEPBAR.LE SB0, 0x0", "k waits 2 times for 1 group of copies, the text 1 time for 1"},
		{"HGMMA", "HMMA", "k has no product of warpgroups"},
		{".text.k", ".text.m", "there is no machine code of k"},
	} {
		text := strings.ReplaceAll(code(loop), c.old, c.new)
		require.NotEqual(t, code(loop), text)
		require.ErrorContains(t, ptxas.Waits(ptx, text), c.want)
	}
	require.ErrorContains(t, ptxas.Waits("", code(loop)), "no entry")
}
