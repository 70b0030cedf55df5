package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/soa"
)

// The first elements of rows, and their places, are the evaluator's: with NaNs, zeros of both
// signs and infinities, of equal elements, and of rows in order.
func TestFirstOfRows(t *testing.T) {
	trials.Sequential(t)
	compilers(t)
	r := rand.New(rand.NewPCG(1, 8))
	for _, elem := range trials.First([]string{"f32", "f64", "bf16", "f16", "i32", "ui32", "i64", "ui64", "i16", "i8", "ui8"}) {
		for n, c := range []struct {
			rows, n, keep int
		}{{40, 1000, 6}, {1, 33000, 40}, {5, 7000, 1}, {300, 64, 2}, {40, 1024, 300}, {40, 1024, 1024}, {3, 12000, 0}} {
			text := strings.NewReplacer("$ROWS", fmt.Sprint(c.rows), "$N", fmt.Sprint(c.n), "$K", fmt.Sprint(c.keep), "$E", elem).Replace(`func.func @main(%x: tensor<$ROWSx$Nx$E>) -> (tensor<$ROWSx$Kx$E>, tensor<$ROWSx$Kxi32>) {
  %0:2 = chlo.top_k(%x, k = $K) : tensor<$ROWSx$Nx$E> -> (tensor<$ROWSx$Kx$E>, tensor<$ROWSx$Kxi32>)
  return %0#0, %0#1 : tensor<$ROWSx$Kx$E>, tensor<$ROWSx$Kxi32>
}`)
			want, got := compiledFor(t, "eval", text, 1), compiledFor(t, "cpu", text, 1+n%2)
			x := soa.Make(want.Signature().Args[0].Type)
			b, size := memoryOf(x), x.Type.DType.Size()
			for fill := range 4 {
				for i := range x.Type.Elements() {
					v := r.Uint64()
					switch {
					case fill == 1: // few values
						v = v & 3 << (8*size - 2)
					case fill == 2: // of each row, the first elements come last
						v = uint64(i) * (1 << (8*size - 2) / uint64(x.Type.Elements()))
						if size < 4 {
							v = uint64(i % c.n * (1 << (8*size - 2)) / c.n)
						}
					case fill == 3:
						v = 0
					case r.IntN(4) == 0: // zeros, infinities and NaNs of most types
						v = []uint64{0, 1 << 63, 0x7F80 << 48, 0xFF80 << 48, 0x7FF0 << 48, 0x7C00 << 48, 1<<64 - 1, 1<<63 - 1}[r.IntN(8)] >> (64 - 8*size)
					}
					copy(b[i*size:][:size], (*[8]byte)(unsafe.Pointer(&v))[:])
				}
				var all [2][]string
				for i, e := range []backends.Executable{want, got} {
					call := &backends.Call{Args: []soa.View{x}}
					require.NoError(t, e.Execute(t.Context(), call))
					for _, y := range call.Results {
						all[i] = append(all[i], string(memoryOf(y)))
					}
				}
				require.True(t, all[0][0] == all[1][0], "elements: %s of %v, fill %d", elem, c, fill)
				require.True(t, all[0][1] == all[1][1], "places: %s of %v, fill %d", elem, c, fill)
			}
		}
	}
}
