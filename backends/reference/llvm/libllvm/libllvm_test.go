package libllvm_test

import (
	"context"
	_ "embed"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
)

//go:embed testdata/add.ll
var add string

// installed are the libraries that tests use where there are any.
var installed = []string{"libLLVM.so.19.1", "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM.so.22.1"}

// each runs a test with every libLLVM there is.
func each(t *testing.T, test func(t *testing.T, l *libllvm.Library)) {
	t.Helper()
	for _, name := range installed {
		l, err := libllvm.OpenFile(name)
		if errors.Is(err, libllvm.ErrNotFound) {
			t.Logf("%v", err)
			continue
		}
		t.Run(name, func(t *testing.T) { test(t, l) })
	}
}

func TestCompile(t *testing.T) {
	each(t, func(t *testing.T, l *libllvm.Library) {
		t.Log(l.Path(), l.ID())
		for _, level := range []libllvm.Level{libllvm.Short, libllvm.None, libllvm.Full} {
			for _, triple := range []string{"", "aarch64-unknown-linux-gnu"} {
				start := time.Now()
				object, err := l.Compile(context.Background(), add, libllvm.Options{Level: level, Triple: triple, Verify: true})
				require.NoError(t, err)
				require.Equal(t, "\x7fELF", string(object[:4]))
				t.Log(level, triple, len(object), time.Since(start))
			}
		}
	})
}
