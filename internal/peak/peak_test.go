package peak

import (
	"encoding/binary"
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

// Every loop reads all of the memory, and nothing else: the sums are those of a plain loop.
func TestReads(t *testing.T) {
	for _, n := range []int{1024, 3072, 1 << 20} {
		mem := Pages(n)
		want := uint32(0)
		for i := 0; i < n; i += 4 {
			v := uint32(i)*2654435761 + 7
			binary.NativeEndian.PutUint32(mem[i:], v)
			want += v
		}
		require.Equal(t, want, words(mem))
		for i, read := range Reads() {
			require.Equal(t, want, read(mem), "loop %d of %d bytes", i, n)
		}
	}
}
