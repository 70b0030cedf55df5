package peak

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMeasure(t *testing.T) {
	for _, threads := range []int{1, 2} {
		p := Measure(threads)
		require.Positive(t, p.Copied)
		require.GreaterOrEqual(t, p.F32, 0.0)
		if p.F32 > 0 {
			require.Greater(t, p.F32, 1e8)
		}
	}
}

func TestCopy(t *testing.T) {
	from, to := make([]byte, 4096), make([]byte, 4096)
	for i := range from {
		from[i] = byte(i * 7)
	}
	Copy(to, from)
	require.Equal(t, from, to)
}
