package main

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUpToDate(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere float64 products and sums may be rounded once")
	}
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile("../coefficients_gen.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./backends/reference/llvm/vector")
}
