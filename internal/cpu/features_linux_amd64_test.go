package cpu

import (
	"context"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
)

// The system's own list says the same of this machine.
func TestHostIsWhatTheSystemSays(t *testing.T) {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		t.Skip("no list to compare with")
	}
	_, line, _ := strings.Cut(string(info), "\nflags")
	line, _, _ = strings.Cut(line, "\n")
	has := map[string]bool{}
	for _, f := range strings.Fields(line) {
		has[f] = true
	}
	linux := map[string]string{"sse3": "pni", "pclmul": "pclmulqdq", "sse4.1": "sse4_1", "sse4.2": "sse4_2", "bmi": "bmi1", "lzcnt": "abm", "sha": "sha_ni",
		"avx512vbmi2": "avx512_vbmi2", "avx512vnni": "avx512_vnni", "avx512bitalg": "avx512_bitalg", "avx512vpopcntdq": "avx512_vpopcntdq",
		"avx512fp16": "avx512_fp16", "avxvnni": "avx_vnni", "avx512bf16": "avx512_bf16"}
	for _, f := range features {
		flag := f.name
		if linux[f.name] != "" {
			flag = linux[f.name]
		}
		require.Equal(t, has[flag], Has(f.name), f.name)
	}
}

// The names of features are those of every LLVM: it would say on standard error
// that it does not know one.
func TestFeatureNames(t *testing.T) {
	all := []string{}
	for _, f := range features {
		all = append(all, "+"+f.name)
	}
	for _, name := range []string{"libLLVM.so.19.1", "libLLVM-15.so.1", "libLLVM.so.22.1"} {
		l, err := libllvm.OpenFile(name)
		if err != nil {
			t.Log(err)
			continue
		}
		with := func(features string) string {
			return `define i32 @k(ptr %args) "target-features"="` + features + "\" {\n  ret i32 0\n}\n"
		}
		said := standardError(t, func() {
			_, err := l.Compile(context.Background(), with(strings.Join(all, ",")), libllvm.Options{Triple: "x86_64-unknown-linux-gnu"})
			require.NoError(t, err)
		})
		require.Empty(t, said, name)
		said = standardError(t, func() {
			l.Compile(context.Background(), with("+avx1024"), libllvm.Options{Triple: "x86_64-unknown-linux-gnu"})
		})
		require.Contains(t, said, "avx1024", "nothing would be seen")
	}
}

// standardError returns what do writes to the process's standard error.
func standardError(t *testing.T, do func()) string {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	saved, err := syscall.Dup(2)
	require.NoError(t, err)
	require.NoError(t, syscall.Dup2(int(f.Fd()), 2))
	do()
	require.NoError(t, syscall.Dup2(saved, 2))
	syscall.Close(saved)
	text, err := os.ReadFile(f.Name())
	require.NoError(t, err)
	return string(text)
}
