package kernel_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/kit/kernel"
)

func TestLocalBytes(t *testing.T) {
	k := parse(t, "kernel k(out y: f32[n0, n1]) {\n local a: bf16[n0]\n local b: f64[n0, n1]\n stage {\n }\n}")
	for _, c := range []struct {
		sizes []int64
		want  int64
		ok    bool
	}{
		{[]int64{1, 1}, 128, true},
		{[]int64{33, 2}, 128 + 576, true},
		{[]int64{0, math.MaxInt64}, 0, true},
		{[]int64{1 << 31, 1 << 31}, 0, false},
		{[]int64{1 << 62, 1}, 0, false},
	} {
		n, ok := kernel.LocalBytes(k, c.sizes)
		require.Equal(t, c.ok, ok, "%v", c.sizes)
		if ok {
			require.Equal(t, c.want, n, "%v", c.sizes)
		}
	}
}

func TestAligned(t *testing.T) {
	for n, want := range map[int64]int64{0: 0, 1: 64, 64: 64, 65: 128} {
		require.Equal(t, want, kernel.Aligned(n), "%d", n)
	}
}
