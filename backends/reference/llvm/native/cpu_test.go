package native

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/vector"
	"ltc/internal/env"
)

// Processors have the levels that there is code for, and that users may ask for.
func TestLevelsAgree(t *testing.T) {
	var here, vectors []string
	for _, l := range levels {
		here = append(here, l.name)
		require.NoError(t, env.CPULevel.Check(l.name))
	}
	for _, l := range vector.Levels() {
		vectors = append(vectors, l.String())
	}
	require.Equal(t, here, vectors)
	require.Equal(t, "`"+strings.Join(here, "`, `")+"`", env.CPULevel.Allowed)
}

func TestLevels(t *testing.T) {
	v3 := "avx2 avx bmi bmi2 f16c fma lzcnt movbe popcnt sse3 sse4.1 sse4.2 ssse3"
	v4 := v3 + " avx512bw avx512cd avx512dq avx512f avx512vl"
	for _, test := range []struct{ arch, features, want string }{
		{"amd64", "", "sse2"},
		{"amd64", "sse3 ssse3 avx", "sse2"},
		{"amd64", strings.Replace(v3, "fma ", "", 1), "sse2"},
		{"amd64", v3, "avx2"},
		{"amd64", v3 + " avx512f avx512bf16", "avx2"},
		{"amd64", v4, "avx512"},
		{"amd64", v4 + " avx512bf16 aes", "avx512bf16"},
		{"arm64", "", "neon"},
		{"arm64", "bf16", "neon"},
		{"wasm", "", ""},
	} {
		c := newCPU(test.arch, strings.Fields(test.features))
		require.Equal(t, test.want, c.Level(), test.features)
		require.Equal(t, strings.Contains(test.features, "avx512bf16"), c.Has("avx512bf16"))
	}
	c := newCPU("amd64", strings.Fields(v4+" avx512bf16 aes vaes"))
	require.Equal(t, "avx512bf16 aes,avx,avx2,avx512bf16,avx512bw,avx512cd,avx512dq,avx512f,avx512vl,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt,sse3,sse4.1,sse4.2,ssse3,vaes", c.String())
	same, err := c.As("avx512bf16")
	require.NoError(t, err)
	require.Equal(t, c, same)
	lower, err := c.As("avx2")
	require.NoError(t, err)
	require.Equal(t, "avx2 avx,avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt,sse3,sse4.1,sse4.2,ssse3", lower.String())
	require.Equal(t, newCPU("amd64", strings.Fields(v3)), lower)
	lowest, err := lower.As("sse2")
	require.NoError(t, err)
	require.Equal(t, "sse2 ", lowest.String())
	for _, bad := range []string{"avx512", "neon"} {
		_, err = lower.As(bad)
		require.EqualError(t, err, "native: this processor is avx2: it cannot run code for "+bad)
	}
	_, err = c.As("avx10")
	require.EqualError(t, err, `native: no level "avx10" of processors`)
}

func TestHost(t *testing.T) {
	t.Logf("%v", Host())
	if runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" {
		require.NotEmpty(t, Host().Level())
	}
}
