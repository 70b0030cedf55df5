package gemm

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends/reference/llvm/vector"
	"ltc/internal/trials"
	"ltc/ir/types"
)

// A packed B gives the bits of one that is packed in the run, and its elements take as many
// bytes as they do unpacked, also if a prologue makes f32s of them.
func TestPackedBits(t *testing.T) {
	sizes := []int{1, 2, 3, 5, 8, 13, 15, 16, 17, 31, 32, 33, 64, 67, 100}
	for _, on := range machines() {
		computed := []kind{{types.F32, types.U8, types.F32, types.F32}, {types.BF16, types.I8, types.F32, types.F32}}
		for _, kind := range append(computed, kinds...) {
			if kind.b.Size() >= 4 {
				continue
			}
			bytes := kind.a == types.U8 || kind.a == types.I16
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
					if kind.acc == types.U32 { // the epilogue of the tests is for signed sums
						x.fuse = 0
					}
					switch {
					case bytes && x.before > 0: // bytes meet bytes alone, and words meet words
						x.before = 3
					case kind.b.Size() == 1 && !bytes: // what f32s are multiplied by is computed
						x.before, x.gather = 2, 0
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
				size := kind.b.Size()
				pairs := kind.a == types.BF16 && kind.b == types.BF16 && on.Level == vector.AVX512BF16
				for _, m := range []int{10, 100, 1000} {
					p := Dense(kind.a, kind.b, kind.acc, kind.c, 1, m, 640, 1000)
					p.PackedB = true
					if size == 1 && !bytes {
						p.PrologueB = addsBoth(kind.acc)
					}
					q, err := New(p, on)
					require.NoError(t, err)
					corrections := 0
					if q.packed.offset {
						corrections = 640 * 4
					}
					require.Equal(t, 640*1000*size+corrections, q.PackedBytes())
					require.Equal(t, 640*1000*size, q.ElementBytes())
					slow := on.Level == vector.SSE2 && kind.b != types.BF16
					require.Equal(t, (m == 1000 || m == 100 && size == 1 || slow) && !pairs && !bytes, q.widens, "%d rows", m)
					if size == 2 && !pairs && !bytes {
						p.PrologueB = addsBoth(kind.acc)
						q, err := New(p, on)
						require.NoError(t, err)
						require.Equal(t, 640*1000*2, q.PackedBytes(), "with a prologue")
					}
				}
			})
		}
	}
}
