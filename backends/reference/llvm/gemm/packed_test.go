package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// A packed B gives the bits of one that is packed in the run, and 16-bit elements take two
// bytes each, if the processor converts them.
func TestPackedBits(t *testing.T) {
	sizes := []int{1, 2, 3, 5, 8, 13, 15, 16, 17, 31, 32, 33, 64, 67, 100}
	for _, on := range machines() {
		for _, kind := range kinds {
			if kind.acc != types.F32 || kind.b == types.F32 {
				continue
			}
			t.Run(on.String()+"/"+kind.String(), func(t *testing.T) {
				r := rand.New(rand.NewPCG(3, 4))
				pick := func() int { return sizes[r.IntN(len(sizes))] }
				for i := range trials.Soak(12, 600) {
					x := trial{kind: kind, batch: 1 + r.IntN(3), m: 1 + pick(), n: 1 + pick(), k: pick(), // of one row or column it would be read as it lies
						ta: r.IntN(3), tb: i % 4, tc: r.IntN(3), fuse: r.IntN(3), gap: r.IntN(4), parts: 1 + r.IntN(3), atEnd: r.IntN(2) == 0}
					switch i / 4 % 3 {
					case 1:
						x.gather = 2
					case 2:
						x.before = 2
					}
					if r.IntN(4) == 0 {
						x.k += 1000
					}
					if r.IntN(4) == 0 {
						x.m += 450
					}
					want := x.run(t, on)
					x.packed = true
					require.Equal(t, want.c.bytes, x.run(t, on).c.bytes, "%v", x)
				}
				size := 2
				if kind.b == types.F16 && !on.Halves() {
					size = 4
				}
				pairs := kind.a == types.BF16 && kind.b == types.BF16 && on.Level == vector.AVX512BF16
				for _, m := range []int{10, 100, 1000} {
					p := Dense(kind.a, kind.b, kind.acc, kind.c, 1, m, 640, 1000)
					p.PackedB = true
					q, err := New(p, on)
					require.NoError(t, err)
					require.Equal(t, 640*1000*size, q.PackedBytes())
					require.Equal(t, m == 1000 && size == 2 && !pairs, q.widens, "%d rows", m)
				}
			})
		}
	}
}
