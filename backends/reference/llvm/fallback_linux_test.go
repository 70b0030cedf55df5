package llvm

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/llvm/libllvm"
	"ltc/internal/test/programs"
)

// fallbackChild is set in the process that TestFallbacks starts, to what it is
// to do before it compiles.
const fallbackChild = "LLVM_TEST_FALLBACK"

// Whatever is wrong with libLLVM, the processor, its memory or the cache,
// programs compute the same, and where that costs speed a line says why.
func TestFallbacks(t *testing.T) {
	if os.Getenv(fallbackChild) != "" {
		fallback(t)
		return
	}
	if _, err := libllvm.Open(); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	notLLVM := filepath.Join(dir, "libLLVM-18.so.1")
	require.NoError(t, os.WriteFile(notLLVM, []byte("no library"), 0o600))
	other := map[string]string{"amd64": "neon", "arm64": "avx2"}[runtime.GOARCH]
	const slower = "the CPU runs without compiled code"
	for name, c := range map[string]struct {
		env  []string
		want string // what the log has; empty: nothing
	}{
		"as it is":               {[]string{}, ""},
		"no libLLVM":             {[]string{"LTC_LIBLLVM=none"}, slower},
		"missing libLLVM":        {[]string{"LTC_LIBLLVM=" + filepath.Join(dir, "libLLVM-99.so")}, "LTC_LIBLLVM is " + filepath.Join(dir, "libLLVM-99.so") + ": there is none"},
		"not a library":          {[]string{"LTC_LIBLLVM=" + notLLVM}, slower},
		"another processor":      {[]string{"LTC_CPU_LEVEL=" + other}, "LTC_CPU_LEVEL is " + other + ": native: this processor is"},
		"no such level":          {[]string{"LTC_CPU_LEVEL=mmx"}, `no level \"mmx\" of processors`},
		"no code in memory":      {[]string{fallbackChild + "=no exec"}, "no executable memory"},
		"no cache":               {[]string{"LTC_CACHE=on", "LTC_CACHE_DIR=/dev/null/none"}, "compiled objects are not kept"},
		"a cache of files":       {[]string{"LTC_CACHE=on", "LTC_CACHE_DIR=" + notLLVM}, "compiled objects are not kept"},
		"a cache without a byte": {[]string{"LTC_CACHE=on", "LTC_CACHE_DIR=" + filepath.Join(dir, "small"), "LTC_DISK_CACHE_BYTES=0"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			exe, err := os.Executable()
			require.NoError(t, err)
			cmd := exec.Command(exe, "-test.run=^TestFallbacks$")
			cmd.Env = append(append(os.Environ(), "LTC_CACHE=off", fallbackChild+"=1"), c.env...)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Contains(t, string(out), c.want)
			if c.want == "" {
				require.NotContains(t, string(out), "WARN")
			}
		})
	}
}

func fallback(t *testing.T) {
	if os.Getenv(fallbackChild) == "no exec" {
		const setMDWE, refuseExecGain = 65, 1
		if _, _, errno := syscall.Syscall6(syscall.SYS_PRCTL, setMDWE, refuseExecGain, 0, 0, 0, 0); errno != 0 {
			t.Skipf("no executable memory: the system cannot refuse it: %v", errno)
		}
	}
	cpu, err := backends.Open("cpu")
	require.NoError(t, err)
	eval, err := backends.Open("eval")
	require.NoError(t, err)
	const text = `func.func @main(%x: tensor<70x65xf32>, %y: tensor<65x40xf32>) -> tensor<70x40xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<70x65xf32>, tensor<65x40xf32>) -> tensor<70x40xf32>
  %1 = stablehlo.tanh %0 : tensor<70x40xf32>
  return %1 : tensor<70x40xf32>
}`
	for seed := range uint64(3) {
		ok, err := alike(t.Context(), cpu, eval, programs.Program{Text: text}, seed)
		require.NoError(t, err)
		require.True(t, ok, "left to the evaluator")
	}
}
