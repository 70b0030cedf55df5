package llvm

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
	"ltc/backends/reference/llvm/libllvm"
)

// Kernels are cut into groups of about as many instructions, which depend on them alone.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		instrs, ends []int
	}{
		{nil, nil},
		{[]int{1}, []int{1}},
		{[]int{5, 5, 5}, []int{3}},
		{[]int{24, 24}, []int{1, 2}},
		{[]int{24, 5}, []int{2}},
		{[]int{5, 24, 5}, []int{3}},
		{[]int{100, 100, 100, 100, 100}, []int{2, 4, 5}},
		{[]int{30, 30, 30, 30, 30, 30, 30, 30}, []int{2, 4, 6, 8}},
		{[]int{400, 10, 10, 10, 10}, []int{1, 5}},
	} {
		var kernels []*kernel.Kernel
		for _, n := range c.instrs {
			kernels = append(kernels, &kernel.Kernel{Instrs: make([]kernel.Instr, n)})
		}
		require.Equal(t, c.ends, groups(kernels), "%v", c.instrs)
	}
	of := func(axis kernel.Size) *kernel.Kernel { // a sum of so many products
		return &kernel.Kernel{Instrs: make([]kernel.Instr, 10), Stages: []kernel.Stage{{Axes: []kernel.Axis{{Size: axis}}, End: 5}, {Begin: 5, End: 10}}}
	}
	require.Equal(t, []int{1, 2}, groups([]*kernel.Kernel{of(9), of(9)}), "windows are written out")
	require.Equal(t, []int{2}, groups([]*kernel.Kernel{of(1000), of(1000)}), "longer sums are loops")
}

// The groups of a compile are objects on disk, which another process finds.
func TestGroupsOnDisk(t *testing.T) {
	if _, err := libllvm.Open(); err != nil {
		t.Skipf("what libLLVM compiles is tested, and there is none: %v", err)
	}
	t.Setenv("LTC_CACHE", "")
	dir := t.TempDir()
	t.Setenv("LTC_CACHE_DIR", dir)
	var kernels []*kernel.Kernel
	for n := range 3 {
		var text strings.Builder
		fmt.Fprintf(&text, "kernel k%d(x: f32[n0] strides [1], out y: f32[n0] strides [1]) {\n  for i < n0\n  stage {\n    %%0 = load x[i]\n", n)
		for i := range 30 + n {
			fmt.Fprintf(&text, "    %%%d = multiply %%%d, %%0 : f32\n", i+1, i)
		}
		fmt.Fprintf(&text, "    store y[i], %%%d\n  }\n}\n", 30+n)
		k, err := kernel.Parse(text.String())
		require.NoError(t, err)
		kernels = append(kernels, k)
	}
	for range 2 {
		codes, err := new(shared).Compile(t.Context(), kernels)
		require.NoError(t, err)
		for _, c := range codes {
			require.IsType(t, &code{}, c)
		}
		objects, err := filepath.Glob(filepath.Join(dir, "objects", "*"))
		require.NoError(t, err)
		objects = slices.DeleteFunc(objects, func(path string) bool { // where libLLVM is has an entry, too
			entry, err := os.ReadFile(path)
			require.NoError(t, err)
			return !bytes.Contains(entry, []byte(`"label":"multiply"`))
		})
		require.Len(t, objects, len(kernels))
		t.Setenv("LTC_LIBLLVM", "none") // for the next one
	}
}
