package llvm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/llvm/gemm"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/ir/types"
)

// layers is a network of n layers, tanh(x·w + b), no two of the same width.
func layers(n int) string {
	var args, body strings.Builder
	x, in := "x", 64
	for i := range n {
		out := 64 + 3*i
		fmt.Fprintf(&args, ", %%w%d: tensor<%dx%dxf32>, %%b%d: tensor<%dxf32>", i, in, out, i, out)
		t := fmt.Sprintf("tensor<32x%dxf32>", out)
		fmt.Fprintf(&body, "  %%p%d = stablehlo.dot_general %%%s, %%w%d, contracting_dims = [1] x [0] : (tensor<32x%dxf32>, tensor<%dx%dxf32>) -> %s\n", i, x, i, in, in, out, t)
		fmt.Fprintf(&body, "  %%c%d = stablehlo.broadcast_in_dim %%b%d, dims = [1] : (tensor<%dxf32>) -> %s\n", i, i, out, t)
		fmt.Fprintf(&body, "  %%s%d = stablehlo.add %%p%d, %%c%d : %s\n  %%y%d = stablehlo.tanh %%s%d : %s\n", i, i, i, t, i, i, t)
		x, in = fmt.Sprintf("y%d", i), out
	}
	return fmt.Sprintf("func.func @main(%%x: tensor<32x64xf32>%s) -> tensor<32x%dxf32> {\n%s  return %%%s : tensor<32x%[2]dxf32>\n}\n", args.String(), in, body.String(), x)
}

// Layers of the same kind are compiled once, whatever their number and sizes.
func TestLayersCompileOnce(t *testing.T) {
	if _, err := libllvm.Open(); err != nil {
		t.Skip(err)
	}
	compiled := func(s *shared, n int) int {
		p, err := backends.Load(t.Context(), backends.NewModule(layers(n)), backends.Options{})
		require.NoError(t, err)
		prog, err := kit.Compile(t.Context(), p, kit.Options{Eval: eval.New()})
		require.NoError(t, err)
		require.Len(t, prog.Steps, n)
		codes, err := s.Compile(t.Context(), prog.Kernels)
		require.NoError(t, err)
		for i := range prog.Steps {
			step := prog.Steps[i].Launch()
			_, err := codes[step.Kernel].(kernel.Preparer).Prepare(t.Context(), step.Sizes, step.Strides, nil)
			require.NoError(t, err)
		}
		list, err := s.disk.List()
		require.NoError(t, err)
		return len(list)
	}
	t.Setenv("LTC_CACHE", "")
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	few := &shared{}
	once := compiled(few, 2)
	require.Positive(t, once)
	require.Equal(t, once, compiled(few, 20))
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	require.Equal(t, once, compiled(&shared{}, 20))
}

// An object on disk that does not load is compiled anew, and the new one kept.
func TestUnitThatDoesNotLoad(t *testing.T) {
	if _, err := libllvm.Open(); err != nil {
		t.Skip(err)
	}
	t.Setenv("LTC_CACHE", "")
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	s := &shared{}
	s.once.Do(s.start)
	q, err := gemm.New(gemm.Dense(types.I32, types.I32, types.I32, types.I32, 1, 64, 64, 64), s.units.machine)
	require.NoError(t, err)
	u := q.Units()[0]
	parts := s.unitParts(u)
	s.disk.Put(parts, u.Name, []byte("no object"))
	_, err = s.unit(t.Context(), u)
	require.NoError(t, err)
	object, ok := s.disk.Get(parts.Key())
	require.True(t, ok)
	_, err = loadUnit(object, u)
	require.NoError(t, err)
}

// Which file libLLVM is, is on disk: it is not opened to learn that there is one. One
// that is not there any more is looked for.
func TestFindLLVM(t *testing.T) {
	t.Setenv("LTC_CACHE", "")
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	found := func() bool { s := &shared{}; return s.Columns(t.Context()) > 0 }
	_, err := libllvm.Open()
	require.Equal(t, err == nil, found())
	file := filepath.Join(t.TempDir(), "libLLVM.so")
	t.Setenv("LTC_LIBLLVM", file)
	require.False(t, found())
	s := &shared{}
	s.once.Do(s.start)
	s.disk.Put(s.whereLLVM(), "", []byte(file))
	require.False(t, found())
	require.NoError(t, os.WriteFile(file, []byte("no library"), 0o600))
	require.True(t, found())
}

// An object on disk is listed by what its kernels do.
func TestTitle(t *testing.T) {
	text := "kernel k(x: f32[n0] strides [1], out y: f32[n0] strides [1]) {\n  for i < n0\n  stage {\n    %0 = load x[i]\n    %1 = tanh %0 : f32\n    store y[i], %1\n  }\n}\n"
	k, err := kernel.Parse(text)
	require.NoError(t, err)
	copied, err := kernel.Parse(strings.NewReplacer("    %1 = tanh %0 : f32\n", "", "%1", "%0").Replace(text))
	require.NoError(t, err)
	require.Equal(t, "tanh; copy", title([]*kernel.Kernel{k, copied}))
	many := make([]*kernel.Kernel, 30)
	for i := range many {
		many[i] = k
	}
	require.Equal(t, strings.TrimSuffix(strings.Repeat("tanh; ", 13), " ")+" and 17 more", title(many))
}

// Where libLLVM is opened, the next process knows that it is there.
func TestOpenedIsFound(t *testing.T) {
	t.Setenv("LTC_CACHE", "")
	t.Setenv("LTC_CACHE_DIR", t.TempDir())
	s := &shared{}
	s.once.Do(s.start)
	require.False(t, s.foundBefore())
	c, err := s.opened(t.Context())
	require.NoError(t, err)
	require.Equal(t, c != nil, s.foundBefore())
}
