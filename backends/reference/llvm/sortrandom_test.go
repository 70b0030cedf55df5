package llvm

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/internal/trials"
	"ltc/soa"
)

// randomFirst returns a program that keeps the first elements of rows of a random shape, along
// any dimension, in an order of one operand, with one that tells where they came from.
func randomFirst(r *rand.Rand) (text string, shape []int) {
	elem := []string{"f32", "f64", "bf16", "f16", "i32", "ui32", "i64", "i16", "i8", "ui8"}[r.IntN(10)]
	n := []int{1, 2, 3, 15, 16, 17, 255, 256, 257, 1000 + r.IntN(100), 4096 + r.IntN(40)}[r.IntN(11)]
	keep := min(n, []int{1, 2, 7, 8, 9, 32, 33, n/64 + 1, n, max(n-1, 1)}[r.IntN(10)])
	rows := max(1, []int{1, 2, 127, 128, 129, 300}[r.IntN(6)]*min(1, 1<<18/n))
	for rows*n > 1<<18 {
		rows = (rows + 1) / 2
	}
	shape, dim := []int{rows, n}, 1
	switch r.IntN(4) {
	case 0:
		shape, dim = []int{n, rows}, 0
	case 1:
		shape = []int{2, n, 3}
	}
	kept := append([]int(nil), shape...)
	kept[dim] = keep
	var limits []string
	for _, k := range kept {
		limits = append(limits, fmt.Sprintf("0:%d", k))
	}
	dims := func(shape []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]") }
	places := []string{"i32", "i64", "ui16", "i8", "ui8"}[r.IntN(5)]
	along := dim
	if r.IntN(6) == 0 {
		along = (dim + 1) % 2
	}
	compare := []string{"LT, %a, %b", "GT, %a, %b", "LT, %b, %a", "GT, %b, %a"}[r.IntN(4)]
	if r.IntN(2) == 0 && strings.Contains(elem, "f") {
		compare += ", TOTALORDER"
	}
	return strings.NewReplacer("$T", "tensor<"+elem+">", "$X", "tensor<"+dims(shape)+"x"+elem+">", "$I", "tensor<"+dims(shape)+"x"+places+">",
		"$K", "tensor<"+dims(kept)+"x"+elem+">", "$P", "tensor<"+dims(kept)+"x"+places+">", "$S", "tensor<"+places+">",
		"$DIM", fmt.Sprint(dim), "$ALONG", fmt.Sprint(along), "$COMPARE", compare, "$LIMITS", strings.Join(limits, ", ")).Replace(
		`func.func @main(%x: $X) -> ($K, $P) {
  %i = stablehlo.iota dim = $ALONG : $I
  %0:2 = "stablehlo.sort"(%x, %i) ({
  ^bb0(%a: $T, %b: $T, %d: $S, %e: $S):
    %c = stablehlo.compare $COMPARE : ($T, $T) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = $DIM : i64, is_stable = true} : ($X, $I) -> ($X, $I)
  %1 = stablehlo.slice %0#0 [$LIMITS] : ($X) -> $K
  %2 = stablehlo.slice %0#1 [$LIMITS] : ($I) -> $P
  return %1, %2 : $K, $P
}
`), shape
}

// fillRandom fills memory with elements of which many are equal, or special: NaNs of any
// payload, zeros and infinities.
func fillRandom(r *rand.Rand, b []byte, size int) {
	kind := r.IntN(4)
	for i := 0; i < len(b); i += size {
		v := r.Uint64()
		switch {
		case kind == 0:
			v = v & 3 << (8*size - 2)
		case kind == 1 && r.IntN(3) > 0:
			v = []uint64{0, 1 << 63, 0x7F80 << 48, 0xFF80 << 48, 0x7FF0 << 48, 0x7C00 << 48, 1<<64 - 1, 1<<63 - 1, 0x7FC1 << 48, 0xFFC0 << 48}[r.IntN(10)] >> (64 - 8*size)
		case kind == 2:
			v = uint64(i)
		}
		for k := range size {
			b[i+k] = byte(v >> (8 * k))
		}
	}
}

// First elements of random rows are the evaluator's, also of views.
func TestRandomFirstOfRows(t *testing.T) {
	trials.Sequential(t)
	compilers(t)
	for seed := range trials.Soak(150, 3000) {
		r := rand.New(rand.NewPCG(uint64(seed), 21))
		text, shape := randomFirst(r)
		want, got := compiledFor(t, "eval", text, 1), compiledFor(t, "cpu", text, 1+seed%2)
		typ := want.Signature().Args[0].Type
		x := soa.Make(typ)
		fillRandom(r, memoryOf(x), typ.DType.Size())
		views := []soa.View{x}
		if len(shape) == 2 {
			v := soa.Make(typ)
			v.Strides = []int{1, shape[0]}
			require.NoError(t, soa.Copy(v, x))
			views = append(views, v)
		}
		for _, v := range views {
			var all [2][]string
			for i, e := range []backends.Executable{want, got} {
				call := &backends.Call{Args: []soa.View{v}}
				require.NoError(t, e.Execute(t.Context(), call))
				for _, y := range call.Results {
					all[i] = append(all[i], string(memoryOf(y)))
				}
			}
			require.True(t, all[0][0] == all[1][0], "elements: seed %d\n%s", seed, text)
			require.True(t, all[0][1] == all[1][1], "places: seed %d\n%s", seed, text)
		}
	}
}
