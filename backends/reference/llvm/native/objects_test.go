package native

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/libllvm"
	"ltc/internal/test/golden"
)

//go:generate go test -run=^TestObjects$ . -update

// triples are the targets that objects of testdata are compiled for, by the
// endings of their names.
var triples = map[string]string{"amd64": "x86_64-unknown-linux-gnu", "arm64": "aarch64-unknown-linux-gnu"}

// The objects of testdata, which tests need whether or not there is a libLLVM,
// are those that LLVM 19 makes of the texts beside them.
func TestObjects(t *testing.T) {
	l, err := libllvm.OpenFile("libLLVM.so.19.1")
	if err != nil {
		t.Skip(err)
	}
	texts, err := filepath.Glob("testdata/*.ll")
	require.NoError(t, err)
	require.NotEmpty(t, texts)
	for _, text := range texts {
		for arch, triple := range triples {
			source, err := os.ReadFile(text)
			require.NoError(t, err)
			got, err := l.Compile(context.Background(), string(source), libllvm.Options{Triple: triple, Verify: true})
			require.NoError(t, err)
			file := strings.TrimSuffix(text, ".ll") + "." + arch + ".o"
			golden.Is(t, file, string(got))
		}
	}
}

// object reads an object of testdata for an architecture.
func testObject(t testing.TB, name, arch string) []byte {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("testdata", name+"."+arch+".o"))
	require.NoError(t, err)
	return file
}
