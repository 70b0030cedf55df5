package llvm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/fuse"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/emit"
	"ltc/backends/reference/llvm/vector"
	"ltc/internal/test/programs"
	"ltc/internal/trials"
)

// Recurrent networks compile in time that grows with their columns and steps: so does their
// code, and no block of it, which takes libLLVM more time than its length, is long.
func TestCellsHaveShortBlocks(t *testing.T) {
	trials.Sequential(t)
	numbers, widths := []int{1, 10}, []int{8, 48, 64}
	if trials.Soaking() {
		numbers, widths = []int{1, 4, 10}, []int{8, 16, 32, 48, 64}
	}
	for _, kind := range []string{"gru", "lstm"} {
		for _, level := range []vector.Level{vector.AVX2, vector.AVX512} {
			for _, steps := range numbers {
				for _, columns := range widths {
					all, longest := codeOf(t, programs.Cell(kind, 64, columns, steps), level)
					t.Logf("%s %v, %d steps of %d columns: %d lines, %d in a block", kind, level, steps, columns, all, longest)
					require.Less(t, longest, 2000)
					require.Less(t, all, 5000+300*columns)
				}
			}
		}
	}
}

// codeOf returns how many lines of code a program's kernels are, and how many the longest
// block is.
func codeOf(t *testing.T, text string, level vector.Level) (all, longest int) {
	t.Helper()
	l, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
	require.NoError(t, err)
	p, err := kit.Compile(t.Context(), l, kit.Options{Eval: eval.New(), Fuse: fuse.Options{Columns: func() int { return mostColumns }}})
	require.NoError(t, err)
	code, _ := emit.Module(p.Kernels, vector.Machine{Level: level}, func() {})
	block := 0
	for line := range strings.Lines(code) {
		if !strings.HasPrefix(line, "\t") && !strings.HasPrefix(line, "  ") {
			block = 0
			continue
		}
		block++
		all++
		longest = max(longest, block)
	}
	return all, longest
}
