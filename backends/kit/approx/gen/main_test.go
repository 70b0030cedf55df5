package main

import (
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/internal/trials"
)

func TestUpToDate(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("elsewhere float64 products and sums may be rounded once")
	}
	if trials.Few() {
		t.Skip("fits every polynomial anew, in one goroutine")
	}
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile("../coefficients_gen.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run go generate ./backends/kit/approx")
}
