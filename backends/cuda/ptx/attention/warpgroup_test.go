package attention_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx"
	"ltc/backends/cuda/ptx/attention"
	"ltc/internal/test/ptxas"
	"ltc/ir/types"
)

// Boxes are copied where sizes and strides allow it.
func TestAttentionMaps(t *testing.T) {
	a := attention.Op{Type: types.BF16, Dim: 128, Width: 64, Scale: 1}
	sizes := []int64{8192, 4096, 16, 4}
	// Heads of a token lie beside each other, but for those of the result.
	strides := []int64{8192 * 2048, 128, 2048, 4096 * 512, 128, 512, 4096 * 256, 64, 256, 0, 0, 0}
	l, maps, ok := a.MapLaunch(sizes, strides, 2)
	require.True(t, ok)
	require.Equal(t, ptx.Launch{Variant: 1, Grid: [3]int{64 * 16 * 2, 1, 1}, Block: [3]int{384, 1, 1}, Shared: 32<<10 + 2*(32<<10) + 2*(16<<10) + 88}, l)
	require.Equal(t, []ptx.Map{
		{Operand: 0, Type: types.BF16, Sizes: []int64{128, 8192, 16, 2}, Strides: []int64{4096, 256, 8192 * 4096}, Box: []int{64, 128, 1, 1}},
		{Operand: 1, Type: types.BF16, Sizes: []int64{128, 4096, 4, 2}, Strides: []int64{1024, 256, 4096 * 1024}, Box: []int{64, 128, 1, 1}},
		{Operand: 2, Type: types.BF16, Sizes: []int64{64, 4096, 4, 2}, Strides: []int64{512, 128, 4096 * 512}, Box: []int{64, 128, 1, 1}},
	}, maps)
	for name, change := range map[string]func(a *attention.Op, sizes, strides []int64){
		"rows that are not aligned":        func(_ *attention.Op, _, s []int64) { s[2] = 2044 },
		"rows the other way round":         func(_ *attention.Op, _, s []int64) { s[5] = -512 },
		"values that all heads share":      func(_ *attention.Op, _, s []int64) { s[7] = 0 },
		"batches that are too far apart":   func(_ *attention.Op, _, s []int64) { s[3] = 1 << 40 },
		"nothing to compute":               func(_ *attention.Op, n, _ []int64) { n[0] = 0 },
		"more features than registers":     func(a *attention.Op, _, _ []int64) { a.Dim = 136 },
		"scores that are scaled down to 0": func(a *attention.Op, _, _ []int64) { a.Scale = 0 },
	} {
		a, n, s := a, append([]int64(nil), sizes...), append([]int64(nil), strides...)
		change(&a, n, s)
		_, _, ok := a.MapLaunch(n, s, 2)
		require.False(t, ok, name)
	}
	a.Width = 136
	_, err := a.MapEntry("k")
	require.ErrorIs(t, err, errors.ErrUnsupported)
	most := attention.Op{Type: types.BF16, Dim: 128, Width: 128, Scale: 1}
	l, _, ok = most.MapLaunch([]int64{1, 1, 1, 1}, make([]int64, 12), 1)
	require.True(t, ok)
	require.LessOrEqual(t, l.Shared, 227<<10)
}

// Mistakes planted in the text are found.
func TestAttentionBoxesPlanted(t *testing.T) {
	t.Setenv(ptxas.Variable, "")
	c := attentionCase{Op: attention.Op{Type: types.BF16, Dim: 64, Width: 64, Causal: true, Scale: 0.125}, batch: 1, heads: 1, shared: 1, queries: 128, keys: 400, boxed: true}
	c.planted(t, []mistake{
		{"no fence of mbarriers", 0, "fence.mbarrier_init.release.cluster;", "", "no fence.mbarrier_init came since"},
		{"copies wait for the wrong phase", 0, "xor.b32", "and.b32", "deadlock"},
		{"scores wait for the wrong phase", 0, ", 0, 1;\n\tand.b32", ", 2, 1;\n\tand.b32", "deadlock"},
		{"keys of one phase alone", 2, ", 1;\nL", ", 0;\nL", "race"},
		{"values of one phase alone", 1, ", 1;\nL", ", 0;\nL", "deadlock"},
		{"no wait for values", 1, "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;", "which a wgmma reads that has not been waited for"},
		{"no wait for the first scores", 0, "wgmma.wait_group.sync.aligned 0;", "", "which a wgmma reads that has not been waited for"},
		{"no wait for later scores", 0, "wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 2;", "it has written sums of a wgmma that was under way"},
		{"no wait for the last values", 2, "wgmma.wait_group.sync.aligned 0;", "", ""},
		{"no fence of the weights' registers", 3, "wgmma.fence.sync.aligned;", "", "no wgmma.fence"},
		{"values that are not transposed", 0, "1, 1, 1, 1;", "1, 1, 1, 0;", ""},
		{"a step along values", 0, ", 128;\n\tmov.b64", ", 64;\n\tmov.b64", ""},
		{"expects too little", 1, "], 16384;", "], 16368;", "copies bring 16 bytes more"},
		{"keys that are seen", 64, "setp.gt.s32", "setp.ge.s32", ""},
		{"registers are not given back", 0, "setmaxnreg.dec.sync.aligned.u32 40;", "", "deadlock"},
		{"sums that are not brought to the largest", 1, "setp.neu.f32", "setp.nan.f32", ""},
		{"the result over queries that are read", 0, "bar.sync 1, 128;", "", "a wgmma reads"},
	})
}
