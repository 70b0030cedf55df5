package reference

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/kit/kernel"
	"ltc/backends/reference/eval"
	"ltc/backends/reference/tiles"
	"ltc/internal/trials"
	"ltc/ir/types"
	"ltc/soa"
)

// reluctant are vectors that sort two rows of u32 at most, and leave those that begin with a
// multiple of four.
type reluctant struct {
	tiles.Vectors
	calls *int
}

func (v reluctant) Sort(size int) func(tiles.Sorting) (tiles.Stop, int) {
	if size != 4 {
		return nil
	}
	return func(s tiles.Sorting) (tiles.Stop, int) {
		*v.calls++
		for row := range s.Rows {
			from := unsafe.Slice((*uint32)(unsafe.Add(s.From, row*s.N*4)), s.N)
			to := unsafe.Slice((*uint32)(unsafe.Add(s.To, row*s.N*4)), s.N)
			if from[0]%4 == 0 || row == 2 {
				return tiles.Unsorted, row
			}
			copy(to, from)
			for i := range to {
				to[i] ^= uint32(s.Flip)
			}
			slices.Sort(to)
			for i := range to {
				to[i] ^= uint32(s.Flip)
			}
		}
		return 0, s.Rows
	}
}

// sortingCompiler is a compiler of kernels in Go that has vectors.
type sortingCompiler struct {
	tiles.Compiler
	vectors tiles.Vectors
}

var _ Vectorizer = sortingCompiler{}

func (c sortingCompiler) Vectors() tiles.Vectors { return c.vectors }

// sortingOne is a sort of one operand.
func sortingOne(elem, direction string, shape []int, dim int) string {
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
	return strings.NewReplacer("$T", "tensor<"+elem+">", "$X", "tensor<"+dims+"x"+elem+">", "$DIM", fmt.Sprint(dim), "$LT", direction).Replace(
		`func.func public @main(%x: $X) -> $X {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: $T, %b: $T):
    %c = stablehlo.compare $LT, %a, %b : ($T, $T) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = $DIM : i64, is_stable = true} : ($X) -> $X
  return %0 : $X
}`)
}

// Rows that vectors leave are sorted all the same, and so are those behind them.
func TestSortsThatVectorsLeave(t *testing.T) {
	trials.Sequential(t)
	r := rand.New(rand.NewPCG(1, 32))
	for n, shape := range [][]int{{50, 40}, {40, 50}, {3, 20, 7}, {3, 20, 70}, {1, 100}, {100, 1}} {
		dim := []int{1, 0, 1, 1, 1, 0}[n]
		for _, direction := range []string{"LT", "GT"} {
			text := sortingOne("ui32", direction, shape, dim)
			want, err := eval.New().Compile(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err, text)
			p, err := backends.Load(t.Context(), backends.NewModule(text), backends.Options{})
			require.NoError(t, err)
			calls := 0
			got, err := compileKernels(t.Context(), p, backends.Options{Threads: 1}, []kernel.Compiler{sortingCompiler{vectors: reluctant{calls: &calls}}, tiles.Compiler{}})
			require.NoError(t, err, text)
			x := soa.Make(types.Of(types.U32, shape...))
			for i := range soa.Slice[uint32](x) {
				soa.Slice[uint32](x)[i] = r.Uint32()
			}
			sameResults(t, want, got, []soa.View{x}, text)
			require.NotZero(t, calls)
			call := &backends.Call{Args: []soa.View{x}, Results: []soa.View{soa.Make(x.Type)}}
			require.NoError(t, got.Execute(t.Context(), call))
			require.Zero(t, trials.Allocs(5, func() { require.NoError(t, got.Execute(t.Context(), call)) }))
		}
	}
}
