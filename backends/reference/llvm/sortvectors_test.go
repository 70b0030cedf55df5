package llvm

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"ltc/backends"
	"ltc/backends/reference/llvm/vector"
	"ltc/backends/reference/tiles"
	"ltc/internal/trials"
	"ltc/soa"
)

// rowsOfKeys returns rows of a kind: random, of few values, of one, ascending, descending, as pipes
// of an organ, of the greatest key in the main.
func rowsOfKeys(r *rand.Rand, kind, n int, mask uint64) []uint64 {
	x := make([]uint64, n)
	for i := range x {
		switch kind {
		case 0:
			x[i] = r.Uint64()
		case 1:
			x[i] = r.Uint64() % 5 << 62
		case 2:
			x[i] = 7
		case 3:
			x[i] = uint64(i)
		case 4:
			x[i] = uint64(n - i)
		case 5:
			x[i] = uint64(min(i, n-i))
		case 6:
			x[i] = 1<<64 - 1 - r.Uint64()%8/7
		}
		x[i] &= mask
	}
	return x
}

const kindsOfRows = 7

// Rows of keys are sorted, and nothing beside them is written.
func TestSortsOnVectors(t *testing.T) {
	trials.Sequential(t)
	v := builtIn(t)[vector.AVX512]
	if v == nil {
		t.Skip("sorts are for AVX-512")
	}
	t.Run("4", func(t *testing.T) { testSortsOnVectors[uint32](t, v.Sort(4)) })
	t.Run("8", func(t *testing.T) { testSortsOnVectors[uint64](t, v.Sort(8)) })
}

func testSortsOnVectors[T uint32 | uint64](t *testing.T, sort func(tiles.Sorting) (tiles.Stop, int)) {
	const beside = 40
	check := func(r *rand.Rand, kind, n, rows int) {
		x := rowsOfKeys(r, kind, n*rows, uint64(^T(0)))
		from, to := make([]T, n*rows+1)[1:], make([]T, n*rows+2*beside)
		want := make([]T, n*rows)
		for i, k := range x {
			from[i], want[i] = T(k), T(k)
		}
		for i := range to {
			to[i] = 77
		}
		for row := range rows {
			slices.Sort(want[row*n:][:n])
		}
		flip := T(0)
		if kind == 0 && n%2 == 1 { // they descend
			flip = ^flip
			for row := range rows {
				slices.Reverse(want[row*n:][:n])
			}
		}
		before := slices.Clone(from)
		why, row := sort(tiles.Sorting{From: unsafe.Pointer(unsafe.SliceData(from)), To: unsafe.Pointer(&to[beside]), N: n, Rows: rows, Flip: uint64(flip)})
		require.Equal(t, []int{0, rows}, []int{int(why), row})
		require.True(t, slices.Equal(before, from))
		require.True(t, slices.Equal(want, to[beside:][:n*rows]), "%d rows of %d, kind %d", rows, n, kind)
		for i := range beside {
			require.True(t, to[i] == 77 && to[beside+n*rows+i] == 77, "beside %d rows of %d, kind %d", rows, n, kind)
		}
	}
	r := rand.New(rand.NewPCG(1, 30))
	for n := range 700 {
		check(r, 0, n, 1+n%3)
		check(r, 1+n%(kindsOfRows-1), n, 2)
	}
	for range trials.Soak(60, 4000) {
		for kind := range kindsOfRows {
			check(r, kind, r.IntN(10000), 1)
		}
	}
	for kind := range kindsOfRows {
		check(r, kind, 200000+r.IntN(1000), 1)
	}
}

// A row with an element that a sort checks for is left.
func TestSortsOnVectorsStopAtSpecialElements(t *testing.T) {
	v := builtIn(t)[vector.AVX512]
	if v == nil {
		t.Skip("sorts are for AVX-512")
	}
	sort := v.Sort(4)
	for _, n := range []int{1, 5, 16, 100, 512, 513, 2000, 2003} {
		for _, special := range []uint32{1 << 31, 0x7F800001, 0xFFFFFFFF} {
			for _, at := range []int{0, n / 2, n - 1} {
				x, y := make([]uint32, 3*n), make([]uint32, 3*n)
				for i := range x {
					x[i] = []uint32{0, 0x7F800000, 0xFF800000, 1 << 31 >> 1, 1}[i%5]
				}
				x[n+at] = special
				s := tiles.Sorting{From: unsafe.Pointer(&x[0]), To: unsafe.Pointer(&y[0]), N: n, Rows: 3, Negative: 1<<31 - 1, Flip: 1 << 31, Sign: 1 << 31, Infinity: 0x7F800000}
				why, row := sort(s)
				require.Equal(t, []int{0, 3}, []int{int(why), row})
				s.Checks = true
				why, row = sort(s)
				require.Equal(t, []int{int(tiles.Special), 1}, []int{int(why), row})
			}
		}
	}
}

// randomSort returns a program that sorts one operand, or that and others that go along, along
// any dimension.
func randomSort(r *rand.Rand) string {
	elem := []string{"f32", "f32", "f64", "i32", "ui32", "i64", "ui64", "bf16", "i8"}[r.IntN(9)]
	n := []int{r.IntN(40), r.IntN(300), r.IntN(300), 500 + r.IntN(40), r.IntN(5000), r.IntN(70000)}[r.IntN(6)]
	shape, dim := []int{n}, 0
	if n < 6000 {
		rows := max(1, min(r.IntN(70), 40000/max(n, 1)))
		shape, dim = [][]int{{n}, {rows, n}, {n, rows}, {2, n, rows/2 + 1}}[r.IntN(4)], 0
		dim = slices.Index(shape, n)
	}
	dims := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", "x"), "[]")
	compare := []string{"LT, %a, %b", "GT, %a, %b", "LT, %b, %a", "GT, %b, %a"}[r.IntN(4)]
	float := strings.Contains(elem, "f")
	body := "%c = stablehlo.compare " + compare + " : ($T, $T) -> tensor<i1>"
	switch {
	case float && r.IntN(3) == 0:
		body = "%c = stablehlo.compare " + compare + ", TOTALORDER : ($T, $T) -> tensor<i1>"
	case float && r.IntN(2) == 0: // NaN is the largest
		body = `%l = stablehlo.compare LT, %a, %b : ($T, $T) -> tensor<i1>
    %n = stablehlo.compare EQ, %a, %a : ($T, $T) -> tensor<i1>
    %m = stablehlo.compare NE, %b, %b : ($T, $T) -> tensor<i1>
    %o = stablehlo.and %n, %m : tensor<i1>
    %c = stablehlo.or %l, %o : tensor<i1>`
	case float && r.IntN(2) == 0: // one zero and one NaN of either sign stand for all
		nan := map[string][]string{"f32": {"0x7FC00000", "0xFFC00001"}, "f64": {"0x7FF8000000000000", "0xFFF8000000000001"}, "bf16": {"0x7FC0", "0xFFC1"}}[elem][r.IntN(2)]
		body = strings.NewReplacer("$COMPARE", strings.NewReplacer("%a", "%4", "%b", "%8").Replace(compare), "$NAN", nan).Replace(`%z = stablehlo.constant dense<0.0> : $T
    %q = stablehlo.constant dense<$NAN> : $T
    %1 = stablehlo.compare EQ, %a, %z : ($T, $T) -> tensor<i1>
    %2 = stablehlo.select %1, %z, %a : tensor<i1>, $T
    %3 = stablehlo.compare NE, %a, %a : ($T, $T) -> tensor<i1>
    %4 = stablehlo.select %3, %q, %2 : tensor<i1>, $T
    %5 = stablehlo.compare EQ, %b, %z : ($T, $T) -> tensor<i1>
    %6 = stablehlo.select %5, %z, %b : tensor<i1>, $T
    %7 = stablehlo.compare NE, %b, %b : ($T, $T) -> tensor<i1>
    %8 = stablehlo.select %7, %q, %6 : tensor<i1>, $T
    %c = stablehlo.compare $COMPARE, TOTALORDER : ($T, $T) -> tensor<i1>`)
	}
	text := `func.func @main(%x: $X) -> $X {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: $T, %b: $T):
    $BODY
    stablehlo.return %c : tensor<i1>
  }) {dimension = $DIM : i64, is_stable = true} : ($X) -> $X
  return %0 : $X
}
`
	if r.IntN(3) == 0 { // with places
		text = `func.func @main(%x: $X) -> ($X, $I) {
  %i = stablehlo.iota dim = $DIM : $I
  %0:2 = "stablehlo.sort"(%x, %i) ({
  ^bb0(%a: $T, %b: $T, %d: tensor<i64>, %e: tensor<i64>):
    $BODY
    stablehlo.return %c : tensor<i1>
  }) {dimension = $DIM : i64, is_stable = true} : ($X, $I) -> ($X, $I)
  return %0#0, %0#1 : $X, $I
}
`
	}
	return strings.NewReplacer("$T", "tensor<"+elem+">", "$X", "tensor<"+dims+"x"+elem+">", "$I", "tensor<"+dims+"xi64>", "$DIM", fmt.Sprint(dim)).Replace(strings.Replace(text, "$BODY", body, 1))
}

// Random sorts are the evaluator's to the bit: with NaNs, zeros of both signs, infinities, and
// equal elements.
func TestRandomSorts(t *testing.T) {
	trials.Sequential(t)
	compilers(t)
	for seed := range trials.Soak(150, 5000) {
		r := rand.New(rand.NewPCG(uint64(seed), 31))
		text := randomSort(r)
		want, got := compiledFor(t, "eval", text, 1), compiledFor(t, "cpu", text, 1+seed%2)
		typ := want.Signature().Args[0].Type
		x := soa.Make(typ)
		fillRandom(r, memoryOf(x), typ.DType.Size())
		var all [2][]string
		for i, e := range []backends.Executable{want, got} {
			call := &backends.Call{Args: []soa.View{x}}
			require.NoError(t, e.Execute(t.Context(), call))
			for _, y := range call.Results {
				all[i] = append(all[i], string(memoryOf(y)))
			}
		}
		require.True(t, slices.Equal(all[0], all[1]), "seed %d\n%s", seed, text)
	}
}
