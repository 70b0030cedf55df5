package llvm

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/internal/samples"
	"ltc/ir/types"
	"ltc/soa"
	"ltc/soa/npy"
)

// residentBytes returns how many bytes of a file are mapped and in memory.
func residentBytes(t *testing.T, file string) (bytes int) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	require.NoError(t, err)
	ours := false
	for line := range strings.Lines(string(smaps)) {
		words := strings.Fields(line)
		switch {
		case !strings.HasSuffix(words[0], ":"):
			ours = words[len(words)-1] == file
		case ours && words[0] == "Rss:":
			kib := 0
			_, err := fmt.Sscan(words[1], &kib)
			require.NoError(t, err)
			bytes += kib << 10
		}
	}
	return bytes
}

// Weights of a file that is mapped are read there by all programs that they are bound to, where
// products take them as they lie: nothing is copied, nor packed. Products of many rows pack
// them, once for all runs, and the memory of the file is given back.
func TestWeightsAreReadInTheirFile(t *testing.T) {
	if _, err := libllvm.Open(); err != nil {
		t.Skipf("what libLLVM compiles is tested, and there is none: %v", err)
	}
	const k, n, bytes = 1024, 512, 4 * 1024 * 512
	made, err := samples.Make(types.Of(types.F32, k, n), "rand:1")
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "w.npy")
	require.NoError(t, npy.WriteFile(path, made))
	w, err := npy.Map(path)
	require.NoError(t, err)
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	for _, c := range []struct {
		name, rows, after string
		packed            int
	}{
		{"a row", "1", "negate", 0}, {"a row of another program", "1", "abs", 0}, {"many rows", "600", "negate", bytes},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.NewReplacer("MxK", c.rows+"x1024", "MxN", c.rows+"x512", "AFTER", c.after).Replace(`func.func @main(%x: tensor<MxKxf32>, %w: tensor<1024x512xf32> {ltc.constant}) -> tensor<MxNxf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<MxKxf32>, tensor<1024x512xf32>) -> tensor<MxNxf32>
  %1 = stablehlo.AFTER %0 : tensor<MxNxf32>
  return %1 : tensor<MxNxf32>
}`)
			e, err := cpu.Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			x, err := samples.Make(e.Signature().Args[0].Type, "rand:2")
			require.NoError(t, err)
			bound, err := e.Bind(t.Context(), map[int]soa.View{1: w})
			require.NoError(t, err)
			require.NoError(t, bound.(backends.Tiered).Finish(t.Context())) // stand-ins pack nothing
			run := func(e backends.Executable, w soa.View) string {
				call := &backends.Call{Args: []soa.View{x, w}}
				require.NoError(t, e.Execute(t.Context(), call))
				return fmt.Sprint(soa.Slice[float32](call.Results[0]))
			}
			want := run(e, made)
			for range 3 {
				require.Equal(t, want, run(bound, soa.View{}))
			}
			taken := bound.(backends.Resident).ResidentBytes() + int(bound.(backends.Growing).Grown().Load()) - e.(backends.Resident).ResidentBytes()
			require.InDelta(t, c.packed, taken, bytes/20)
			require.Zero(t, bound.(backends.Copying).CopiedBytes())
			if c.packed > 0 {
				require.Less(t, residentBytes(t, path), bytes/4)
			} else {
				require.Greater(t, residentBytes(t, path), bytes*3/4)
			}
		})
	}
}
