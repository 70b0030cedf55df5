package gemm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/cuda/ptx/attention"
	"ltc/backends/cuda/ptx/gemm"
	"ltc/backends/cuda/ptx/internal/asm"
	"ltc/backends/kit/kernel"
	"ltc/backends/kit/kernel/kerneltest"
	"ltc/internal/test/ptxas"
	"ltc/internal/test/ptxsim"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// hopper are the options for GPUs of sm_90a, so few that blocks have several tiles.
var hopper = gemm.Options{Hopper: true, Processors: 3}

// boxedTile returns the number of the entry of a schedule that copies boxes for tiles
// of so many columns.
func boxedTile(columns int64) int {
	if columns > 128 {
		return 6
	}
	return 5
}

// boxed runs a module by the maps that its schedule has, with operands aligned as
// devices' memory is.
func boxed(t *testing.T, module string, s *gemm.Schedule, variant int) func(m *kerneltest.Memory) error {
	return func(m *kerneltest.Memory) error {
		plain := map[int]int{5: 0, 6: 4}[variant]
		rows, columns := (m.Sizes[0]+127)/128, (m.Sizes[1]+int64(127+128*(variant-5)))/int64(128*(variant-4))
		l, maps, ok := s.MapLaunch(asm.Launch{Variant: plain, Grid: [3]int{int(rows * columns), 1, int(m.Sizes[3])}, Block: [3]int{256, 1, 1}}, m.Sizes, m.Strides)
		require.True(t, ok)
		require.Equal(t, variant, l.Variant)
		return boxedLaunch(module, l, maps, m)
	}
}

func boxedLaunch(module string, l asm.Launch, maps []asm.Map, m *kerneltest.Memory) error {
	words, err := encoded(maps, func(operand int) uint64 { return uint64(operand+1) << 40 })
	if err != nil {
		return err
	}
	return tensored(module, l, words...)(m)
}

// encoded are maps as launches are given them, of operands at some addresses.
func encoded(maps []asm.Map, address func(operand int) uint64) ([]uint64, error) {
	var words []uint64
	for _, x := range maps {
		d := ptxsim.MapOf(address(x.Operand), x.Type.Size(), x.Sizes, x.Strides, x.Box)
		if err := d.Check(); err != nil {
			return nil, err
		}
		w := d.Words()
		words = append(words, w[:]...)
	}
	return words, nil
}

// Warps with tasks of their own compute what the evaluator does, to the bit where
// sums are exact.
func TestTensorBoxes(t *testing.T) {
	for _, c := range trials.First([]struct {
		elements, a, b       string
		rows, columns, depth int64
		batch                int64
	}{
		{"bf16", "K", "K", 128, 128, 64, 1},
		{"bf16", "K", "rows", 136, 72, 456, 1},
		{"f16", "rows", "rows", 72, 136, 72, 2},
		{"bf16", "rows", "K", 72, 72, 72, 3},
		{"bf16", "K", "K", 264, 264, 328, 1},
		{"f16", "K", "rows", 128, 512, 136, 2},
		{"bf16", "rows", "rows", 136, 264, 136, 1},
		{"bf16", "K", "rows", 40, 40, 8, 1},
	}) {
		t.Run(fmt.Sprintf("%s/%s %s/%dx%dx%d by %d", c.elements, c.a, c.b, c.rows, c.columns, c.depth, c.batch), func(t *testing.T) {
			k := matrices(t, c.elements, c.a, c.b)
			module, s := plannedFor(t, k, hopper)
			product(t, k, boxed(t, module, s, boxedTile(c.columns)), kerneltest.Dense, c.rows, c.columns, c.depth, c.batch)
		})
	}
}

// Boxes are copied where sizes and strides allow it.
func TestTensorMaps(t *testing.T) {
	_, s := plannedFor(t, matrices(t, "bf16", "K", "rows"), gemm.Options{Hopper: true})
	l := s.Launch([]int64{4096, 8192, 512, 2})
	// Strides of x0[n3, n0, n2], x1[n3, n1, n2], whose rows lie along K, and of x3 and y.
	strides := []int64{4096 * 512, 512, 8192 * 512, 8192, 4096 * 8192, 8192, 4096 * 8192, 8192}
	b, maps, ok := s.MapLaunch(l, []int64{4096, 8192, 512, 2}, strides)
	require.True(t, ok)
	require.Equal(t, asm.Launch{Variant: 6, Grid: [3]int{128, 1, 1}, Block: [3]int{384, 1, 1}, Shared: 217216}, b)
	require.LessOrEqual(t, b.Shared, mostHopperShared)
	require.True(t, s.Hopper(b))
	require.Equal(t, []asm.Map{
		{Operand: 0, Type: types.BF16, Sizes: []int64{512, 4096, 2}, Strides: []int64{1024, 4096 * 1024}, Box: []int{64, 128, 1}},
		{Operand: 1, Type: types.BF16, Sizes: []int64{8192, 512, 2}, Strides: []int64{8192 * 2, 8192 * 1024}, Box: []int{64, 64, 1}},
	}, maps)
	for name, change := range map[string]func(strides []int64){
		"rows that are not aligned":  func(s []int64) { s[1] = 516 },
		"rows the other way round":   func(s []int64) { s[1] = -512 },
		"a row that is read by all":  func(s []int64) { s[3] = 0 },
		"rows that are too far away": func(s []int64) { s[2] = 1 << 40 },
	} {
		wrong := append([]int64(nil), strides...)
		change(wrong)
		_, _, ok := s.MapLaunch(l, []int64{4096, 8192, 512, 2}, wrong)
		require.False(t, ok, name)
	}
	small := s.Launch([]int64{16, 16, 16, 1})
	_, _, ok = s.MapLaunch(small, []int64{16, 16, 16, 1}, strides)
	require.False(t, ok, "a small product")
	for _, k := range []*kernel.Kernel{matrices(t, "bf16", "none", "K"), matrices(t, "f32", "K", "K")} {
		_, s := plannedFor(t, k, gemm.Options{Hopper: true})
		l := s.Launch([]int64{4096, 8192, 512, 2})
		_, _, ok := s.MapLaunch(l, []int64{4096, 8192, 512, 2}, append(strides, strides...))
		require.False(t, ok)
	}
}

// No entry whose threads exchange registers, or whose warpgroups multiply, divides in 64
// bits: ptxas 12.0 to 12.5 crash on it.
func TestWarpgroupsDivideInWords(t *testing.T) {
	var modules []string
	for _, x := range [][2]string{{"K", "K"}, {"K", "rows"}, {"rows", "rows"}} {
		module, _ := plannedFor(t, matrices(t, "bf16", x[0], x[1]), gemm.Options{Hopper: true})
		modules = append(modules, module)
	}
	c := convolution{"bf16", 2, []int{5, 6}, []int{2, 2}, 64, 20, 1, 1, 1}
	k, _ := c.kernel(t)
	module, _ := plannedFor(t, k, gemm.Options{Hopper: true})
	attention, err := attention.Op{Type: types.BF16, Dim: 64, Width: 64, Scale: 1}.MapEntry("a")
	require.NoError(t, err)
	entries := 0
	for _, module := range append(modules, module, attention) {
		for _, entry := range strings.Split(module, ".visible .entry ")[1:] {
			if strings.Contains(entry, "setmaxnreg") || strings.Contains(entry, "wgmma") {
				entries++
				require.NotRegexp(t, `(div|rem)\.[us]64`, entry)
			}
		}
	}
	require.Equal(t, 17, entries)
}

// Where tiles or products are 2^31 or more, which words do not number, warpgroups
// multiply nothing.
func TestWarpgroupsLeaveCountsBeyondWords(t *testing.T) {
	_, s := plannedFor(t, matrices(t, "bf16", "K", "rows"), gemm.Options{Hopper: true})
	for _, c := range []struct {
		rows, columns, batch int64
		hopper               bool
	}{
		{1 << 22, 1 << 22, 1, true},
		{1 << 23, 1 << 23, 1, false},
		{1 << 31, 256, 1, false},
		{256, 1 << 31, 1, false},
		{256, 256, 1<<31 - 1, true},
		{256, 256, 1 << 31, false},
	} {
		l := s.Launch([]int64{c.rows, c.columns, 512, c.batch})
		require.Equal(t, c.hopper, s.Hopper(l), "%+v", c)
		strides := []int64{c.rows * 512, 512, c.columns * 512, c.columns, c.rows * c.columns, c.columns, c.rows * c.columns, c.columns}
		_, _, ok := s.MapLaunch(l, []int64{c.rows, c.columns, 512, c.batch}, strides)
		require.Equal(t, c.hopper, ok, "%+v", c)
	}
}

// Tensor maps are parameters, too: a product whose entry has no place for them has
// threads copy its factors.
func TestTensorMapsTakeParameters(t *testing.T) {
	of := func(more int) *gemm.Schedule {
		var params, adds strings.Builder
		for i := range more {
			fmt.Fprintf(&params, "p%d: f32[n1] strides [1], ", i)
			fmt.Fprintf(&adds, "    %%b%d = load p%d[j]\n", i, i)
		}
		text := strings.Replace(matrices(t, "bf16", "K", "K").String(), "out y", params.String()+"out y", 1)
		k, err := kernel.Parse(strings.Replace(text, "  stage {\n", "  stage {\n"+adds.String(), 1))
		require.NoError(t, err)
		_, s := plannedFor(t, k, gemm.Options{Hopper: true})
		return s
	}
	require.Contains(t, of(463).String(), "**")
	require.NotContains(t, of(464).String(), "**")
}

// Planted mistakes are found.
func TestTensorBoxesPlanted(t *testing.T) {
	t.Setenv(ptxas.Variable, "")
	k := matrices(t, "bf16", "K", "rows")
	module, s := plannedFor(t, k, hopper)
	run := func(text string) func(*kerneltest.Memory) error { return boxed(t, text, s, 6) }
	finds(t, k, module, "k_6", run, []int64{72, 136, 456, 1}, []mistake{
		{"no fence of mbarriers", "fence.mbarrier_init.release.cluster;", "", "no fence.mbarrier_init came since"},
		{"no barrier", "\tbar.sync 0;\n", "", "has made the mbarrier"},
		{"copies wait for the wrong phase", ", 1;\n\tadd.s64", ", 0;\n\tadd.s64", "deadlock"},
		{"expects too little", "], 49152;", "], 49136;", "copies bring 16 bytes more"},
		{"expects too much", "], 49152;", "], 49168;", "deadlock"},
		{"registers are not given back", "setmaxnreg.dec.sync.aligned.u32 40;", "", "deadlock"},
		{"freed while it is read", "wgmma.wait_group.sync.aligned 1;", "wgmma.wait_group.sync.aligned 2;", "which a wgmma reads that has not been waited for"},
		{"no wait for sums", "wgmma.wait_group.sync.aligned 0;", "", ""},
		{"no fence of registers", "wgmma.fence.sync.aligned;", "", "no wgmma.fence"},
		{"a transposed factor", "1, 1, 1, 0, 1;", "1, 1, 1, 0, 0;", ""},
		{"wrong stride", "0x40000040", "0x40000041", ""},
		{"no wait for sums of others", "\tbar.warp.sync -1;\n\tmul", "\tmul", "that nobody has written"},
		{"sums of others are written over", "\tbar.warp.sync -1;\n\tsetp", "\tsetp", "race"},
	})
}
