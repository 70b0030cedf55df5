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
	for _, level := range []libllvm.Level{libllvm.None, libllvm.Short, libllvm.Full} {
		b.Run(level.String(), func(b *testing.B) {
			for b.Loop() {
				_, err := l.Compile(context.Background(), add, libllvm.Options{Level: level})
				require.NoError(b, err)
			}
		})
	}
}
