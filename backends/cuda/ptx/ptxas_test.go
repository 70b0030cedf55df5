package ptx_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel/kerneltest"
)

// assembler returns NVIDIA's assembler: in PATH, or where pip puts the package
// nvidia-cuda-nvcc, in the environment or in the Python that is in PATH.
func assembler(t testing.TB) string {
	if p, err := exec.LookPath("ptxas"); err == nil {
		return p
	}
	var roots []string
	if env := os.Getenv("VIRTUAL_ENV"); env != "" {
		roots = append(roots, filepath.Join(env, "lib", "python*", "site-packages"))
	}
	if out, err := exec.Command("python3", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").Output(); err == nil {
		roots = append(roots, strings.TrimSpace(string(out)))
	}
	for _, r := range roots {
		found, err := filepath.Glob(filepath.Join(r, "nvidia", "*", "bin", "ptxas"))
		require.NoError(t, err)
		if len(found) > 0 {
			return found[0]
		}
	}
	t.Skip("there is no ptxas: pip install nvidia-cuda-nvcc==13.0.88 brings it")
	return ""
}

var used = regexp.MustCompile(`Used \d+ registers`)

// assemble returns what the assembler says about the registers of a module. A
// module that it warns of, or whose registers spill, fails.
func assemble(t testing.TB, ptxas, module string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "k.ptx")
	require.NoError(t, os.WriteFile(file, []byte(module), 0o644))
	out, err := exec.Command(ptxas, "-arch=sm_90", "-v", "-warn-spills", "-warn-lmem-usage", file, "-o", filepath.Join(dir, "k.cubin")).CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, module)
	said := string(out)
	require.NotContains(t, said, "warning")
	require.NotRegexp(t, `\(C7\d+\)`, said)
	require.Regexp(t, `(?m)^\s+0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads$`, said)
	return strings.ToLower(strings.TrimPrefix(used.FindString(said), "Used "))
}

// All golden kernels, and random ones, are assembled.
func TestAssembles(t *testing.T) {
	ptxas := assembler(t)
	for _, g := range kerneltest.Goldens(t) {
		module, _, err := text(g.Kernel)
		require.NoError(t, err)
		t.Log(g.Kernel.Name, assemble(t, ptxas, module))
	}
	for seed := range 40 {
		k, _ := kerneltest.Random(rand.New(rand.NewPCG(uint64(seed), 6)), nil)
		if module, _, err := text(k); err == nil {
			assemble(t, ptxas, module)
		}
	}
}
