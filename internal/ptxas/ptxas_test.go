package ptxas_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/ptxas"
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
		})
	}
}
