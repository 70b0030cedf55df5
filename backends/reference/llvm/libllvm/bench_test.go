package libllvm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
)

// BenchmarkCompile compiles a kernel of one loop.
func BenchmarkCompile(b *testing.B) {
	l, err := libllvm.Open()
	if err != nil {
		b.Skip(err)
	}
	for b.Loop() {
		_, err := l.Compile(context.Background(), add, libllvm.Options{})
		require.NoError(b, err)
	}
}
